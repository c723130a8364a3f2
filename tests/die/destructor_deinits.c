/* dies: ashlar: fatal: rewind past an object that is being made or destroyed (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static ash_arena *the;

typedef struct thing {
    int a;
} thing;

static void thing_destroy(void *self)
{
    (void)self;
    ash_arena_deinit(the);
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    the = &arena;
    thing *one = ash_new(&arena, thing);
    ash_delete(&arena, one);
    return 0;
}
