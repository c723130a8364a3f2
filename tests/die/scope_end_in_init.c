/* dies: ashlar: fatal: end of a scope around an object that is being made or destroyed (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static ash_scope scope;

typedef struct thing {
    int a;
} thing;

static bool thing_init(void *self, ash_resource *resource)
{
    (void)self, (void)resource;
    ash_scope_end(&scope);
    return true;
}
ASH_TYPE(thing, .init = thing_init);

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    scope = ash_scope_begin(&arena);
    thing *one = ash_new(&arena, thing);
    if (!one)
        return 1;
    return 0;
}
