/* dies: ashlar: fatal: record of an open scope overwritten (arena doomed, ADDR) */
#include "word.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope scope = ash_scope_begin(&arena);
    word_set(scope.mark_.top_, 77);
    ash_arena_deinit(&arena);
    return 0;
}
