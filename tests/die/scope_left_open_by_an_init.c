/* dies: ashlar: fatal: scope left open by a destructor or an init (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static ash_arena arena;

typedef struct thing {
    int a;
} thing;

static bool thing_init(void *self, ash_resource *resource)
{
    (void)self, (void)resource;
    ash_scope scope = ash_scope_begin(&arena);
    (void)scope;
    return false;
}
ASH_TYPE(thing, .init = thing_init);

int main(void)
{
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    return !ash_new(&arena, thing);
}
