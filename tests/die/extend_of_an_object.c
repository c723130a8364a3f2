/* dies: ashlar: fatal: extend of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *object = ash_object_alloc(&arena, 64, 8);
    if (ash_extend(&arena, object, 64, 128))
        return 0;
    return 0;
}
