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
    thing *array = ash_new_array(&arena, thing, 4);
    ash_delete(&arena, &array[1]);
    return 0;
}
