/* dies: ashlar: fatal: record of an open scope overwritten (arena doomed, ADDR) */
#include "word.h"

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_scope scope = ash_scope_begin(&arena);
    uint64_t *first = ash_object_alloc(&arena, 32, 8);
    ash_mark mark = ash_arena_mark(&arena);
    uint64_t *record = (uint64_t *)scope.mark_.top_;
    if (!first || first >= record)
        return 1;
    word_set((char *)record, 77); /* an overflow of the first */
    ash_arena_rewind(&arena, mark);
    ash_scope_end(&scope);
    return 0;
}
