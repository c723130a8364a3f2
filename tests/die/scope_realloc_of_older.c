/* dies: ashlar: fatal: realloc inside a scope of memory older than it (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *p = ash_alloc(&arena, 100, 8);
    ash_scope scope = ash_scope_begin(&arena);
    p = ash_realloc(&arena, p, 100, 200, 8);
    ash_scope_end(&scope);
    if (!p)
        return 1;
    return 0;
}
