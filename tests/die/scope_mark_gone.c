/* dies: ashlar: fatal: rewind to a mark that is gone (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *p = ash_alloc(&arena, 100, 8);
    ash_scope scope = ash_scope_begin(&arena);
    void *q = ash_alloc(&arena, 100, 8);
    ash_mark mark = ash_arena_mark(&arena);
    ash_scope_end(&scope);
    ash_arena_rewind(&arena, mark);
    if (!p || !q)
        return 1;
    return 0;
}
