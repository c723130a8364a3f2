/* dies: ashlar: fatal: rewind to a mark that is gone (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_arena other;
    ash_arena_init(&other, NULL);
    void *p = ash_alloc(&arena, 64, 8);
    ash_arena_rewind(&arena, ash_arena_mark(&other));
    return p == NULL;
}
