/* dies: ashlar: fatal: rewind to a mark that is gone (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_mark outer = ash_arena_mark(&arena);
    void *p = ash_alloc(&arena, 64, 8);
    ash_mark inner = ash_arena_mark(&arena);
    ash_arena_rewind(&arena, outer);
    ash_arena_rewind(&arena, inner);
    return p == NULL;
}
