/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    uint64_t local[4] = {0};
    void *object = ash_object_alloc(&arena, 64, 8);
    ash_delete(&arena, &local[1]);
    return object == NULL;
}
