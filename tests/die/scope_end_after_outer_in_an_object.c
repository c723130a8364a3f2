/* dies: ashlar: fatal: end of a scope that is closed already (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope outermost = ash_scope_begin(&arena);
    ash_scope outer = ash_scope_begin(&arena);
    ash_scope inner = ash_scope_begin(&arena);
    ash_scope_end(&outer);
    for (int i = 0; i < 10; i++) /* where the records were, with what was left there */
        if (!ash_object_alloc(&arena, 16, 8))
            return 1;
    outer = ash_scope_begin(&arena);
    ash_scope_end(&inner);
    return 0;
}
