/* dies: ashlar: fatal: scope left open by a destructor or an init (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static ash_arena arena;

typedef struct thing {
    int a;
} thing;

static void thing_destroy(void *self)
{
    (void)self;
    ash_scope scope = ash_scope_begin(&arena);
    (void)scope;
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    if (!ash_defer(&arena, thing_destroy, NULL))
        return 1;
    ash_arena_reset(&arena);
    return 0;
}
