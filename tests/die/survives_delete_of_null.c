/* exits: 0 */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_delete(&arena, NULL);
    if (!ash_object_alloc(&arena, 8, 8))
        return 1;
    ash_delete(&arena, NULL);
    ash_arena_deinit(&arena);
    return 0;
}
