/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    char *first = ash_object_alloc(&arena, 16, 8); /* it ends where its block does */
    ash_delete(&arena, first + 16);
    return 0;
}
