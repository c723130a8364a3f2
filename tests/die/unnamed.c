/* dies: ashlar: fatal: delete of what is not the start of an object (arena unnamed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_init(&arena, NULL);
    ash_delete(&arena, ash_alloc(&arena, 64, 8));
    return 0;
}
