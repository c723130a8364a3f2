/* dies: ashlar: fatal: container grown inside a scope younger than it (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

ASH_VEC_DEFINE(texts, ash_str, ash_type_of(ash_str))

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    texts t;
    texts_init(&t, ash_arena_resource(&arena));
    if (!texts_reserve(&t, 16) || !texts_emplace(&t))
        return 1;
    ash_scope scope = ash_scope_begin(&arena);
    ash_str *s = texts_emplace(&t);
    bool done = s && ash_str_puts(s, "gone with the scope");
    ash_scope_end(&scope);
    return !done;
}
