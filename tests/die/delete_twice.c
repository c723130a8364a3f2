/* dies: ashlar: fatal: delete of an object already deleted (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *older = ash_object_alloc(&arena, 64, 8), *newer = ash_object_alloc(&arena, 64, 8);
    ash_delete(&arena, older);
    ash_delete(&arena, older);
    return newer == NULL;
}
