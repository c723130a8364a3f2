/* dies: ashlar: fatal: rewind below an open scope (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope outer = ash_scope_begin(&arena);
    void *p = ash_alloc(&arena, 100, 8);
    ash_mark mark = ash_arena_mark(&arena);
    ash_scope inner = ash_scope_begin(&arena);
    ash_arena_rewind(&arena, mark);
    ash_scope_end(&inner);
    ash_scope_end(&outer);
    if (!p)
        return 1;
    return 0;
}
