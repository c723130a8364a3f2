/* dies: ashlar: fatal: record of an open scope overwritten (arena doomed, ADDR) */
#include "word.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope outer = ash_scope_begin(&arena);
    ash_scope inner = ash_scope_begin(&arena);
    word_set(outer.mark_.top_, 77);
    ash_scope_end(&outer);
    ash_scope_end(&inner);
    return 0;
}
