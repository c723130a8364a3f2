/* dies: ashlar: fatal: rewind past an object that is being made or destroyed (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static ash_arena *the;

typedef struct thing {
    int a;
} thing;

static bool thing_init(void *self, ash_resource *resource)
{
    (void)self, (void)resource;
    ash_arena_reset(the);
    return true;
}
ASH_TYPE(thing, .init = thing_init);

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    the = &arena;
    return !ash_new(&arena, thing);
}
