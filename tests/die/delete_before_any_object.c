/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_delete(&arena, ash_alloc(&arena, 64, 8));
    return 0;
}
