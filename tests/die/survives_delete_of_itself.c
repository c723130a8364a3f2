/* exits: 0 */
#include "ashlar/ashlar.h"

static ash_arena *the;
static int runs;

typedef struct thing {
    int a;
} thing;

static void thing_destroy(void *self)
{
    runs++;
    ash_delete(the, self);
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    the = &arena;
    ash_delete(&arena, ash_new(&arena, thing));
    if (!ash_new(&arena, thing))
        return 1;
    ash_arena_deinit(&arena);
    return runs != 2;
}
