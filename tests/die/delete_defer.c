/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static void nothing(void *arg)
{
    (void)arg;
}

static bool find(const ash_walk_item *item, void *ctx)
{
    if (item->kind == ASH_WALK_OBJECT)
        *(void **)ctx = (void *)(uintptr_t)item->start;
    return true;
}

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    if (!ash_defer(&arena, nothing, NULL))
        return 0;
    void *call = NULL;
    ash_arena_walk(&arena, find, &call);
    ash_delete(&arena, call);
    return 0;
}
