/* dies: ashlar: fatal: realloc inside a scope of memory older than it (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *p = ash_alloc(&arena, 100, 8);
    void *q = ash_alloc(&arena, 1000000, 8);
    ash_scope scope = ash_scope_begin(&arena);
    void *r = ash_alloc(&arena, 3000000, 8);
    p = ash_realloc(&arena, p, 100, 200, 8);
    ash_scope_end(&scope);
    if (!p || !q || !r)
        return 1;
    return 0;
}
