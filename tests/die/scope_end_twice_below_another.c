/* dies: ashlar: fatal: end of a scope that is closed already (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope scope = ash_scope_begin(&arena);
    ash_scope_end(&scope);
    ash_scope another = ash_scope_begin(&arena); /* at the same place */
    ash_scope innermost = ash_scope_begin(&arena);
    ash_scope_end(&scope);
    return 0;
}
