/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

typedef struct thing {
    uint64_t a, b;
} thing;

static void thing_destroy(void *self)
{
    ((thing *)self)->a = 1;
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    thing *one = ash_new(&arena, thing);
    ash_delete(&arena, (char *)one - 8);
    return 0;
}
