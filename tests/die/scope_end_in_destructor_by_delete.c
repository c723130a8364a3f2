/* dies: ashlar: fatal: end of a scope around an object that is being made or destroyed (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static ash_scope scope;

typedef struct thing {
    int a;
} thing;

static void thing_destroy(void *self)
{
    (void)self;
    ash_scope_end(&scope);
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    scope = ash_scope_begin(&arena);
    thing *one = ash_new(&arena, thing);
    ash_delete(&arena, one);
    return 0;
}
