/* dies: ashlar: fatal: deferred call overwritten (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

#include <stdlib.h>

static void call(void *arg)
{
    (void)arg;
}

/* It must never run. */
static void never(void *arg)
{
    (void)arg;
    _Exit(0);
}

static bool find(const ash_walk_item *item, void *ctx)
{
    if (item->kind == ASH_WALK_OBJECT)
        *(char **)ctx = (char *)(uintptr_t)item->start;
    return true;
}

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    char *at = NULL;
    if (!ash_defer(&arena, call, NULL))
        return 0;
    ash_arena_walk(&arena, find, &at);
    void *other = (void *)(uintptr_t)never;
    for (size_t i = 0; i < sizeof other; i++)
        at[0 + i] = ((char *)&other)[i];
    ash_arena_reset(&arena);
    return 0;
}
