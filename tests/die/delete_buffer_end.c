/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

typedef struct thing {
    int value;
} thing;

static void thing_destroy(void *self)
{
    (void)self;
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    static _Alignas(512) char buffer[4096 + 256]; /* a leaf of the map has both */
    ash_arena arena;
    ash_arena_config config = {.name = "doomed", .buffer = buffer, .buffer_size = sizeof buffer};
    ash_arena_init(&arena, &config);
    if (!ash_new(&arena, thing))
        return 0;
    ash_delete(&arena, buffer + sizeof buffer);
    return 0;
}
