/* dies: ashlar: fatal: rewind below an open scope (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope scope = ash_scope_begin(&arena);
    ash_arena_reset(&arena);
    ash_scope_end(&scope);
    return 0;
}
