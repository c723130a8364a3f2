/* dies: ashlar: fatal: end of a scope that is closed already (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    static _Alignas(16) char buffer[4096];
    ash_arena arena;
    ash_arena_config config = {.name = "doomed", .buffer = buffer, .buffer_size = sizeof buffer};
    ash_arena_init(&arena, &config);
    ash_scope stale = ash_scope_begin(&arena);
    ash_arena_deinit(&arena);
    ash_arena_init(&arena, &config);
    ash_scope scope = ash_scope_begin(&arena); /* at the same place, of the same number */
    ash_scope inner = ash_scope_begin(&arena);
    ash_scope_end(&stale);
    return 0;
}
