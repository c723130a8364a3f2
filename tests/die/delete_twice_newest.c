/* dies: ashlar: fatal: delete of .* (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *older = ash_object_alloc(&arena, 64, 8), *newer = ash_object_alloc(&arena, 64, 8);
    ash_delete(&arena, newer);
    ash_delete(&arena, newer);
    return older == NULL;
}
