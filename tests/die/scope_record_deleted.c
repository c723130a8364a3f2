/* dies: ashlar: fatal: delete of .* (arena doomed, ADDR) */
/* asan: use-after-poison */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope scope = ash_scope_begin(&arena);
    ash_delete(&arena, scope.mark_.top_);
    ash_scope_end(&scope);
    return 0;
}
