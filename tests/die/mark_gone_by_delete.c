/* dies: ashlar: fatal: rewind to a mark that is gone (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *object = ash_object_alloc(&arena, 64, 8);
    ash_mark inner = ash_arena_mark(&arena);
    ash_delete(&arena, object);
    ash_arena_rewind(&arena, inner);
    return 0;
}
