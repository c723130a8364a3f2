/* dies: ashlar: fatal: realloc inside a scope of memory older than it (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope outer = ash_scope_begin(&arena);
    void *p = ash_alloc(&arena, 100, 8);
    ash_scope inner = ash_scope_begin(&arena);
    void *q = ash_alloc(&arena, 100, 8);
    p = ash_realloc(&arena, p, 100, 200, 8);
    ash_scope_end(&inner);
    ash_scope_end(&outer);
    if (!p || !q)
        return 1;
    return 0;
}
