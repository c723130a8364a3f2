/* dies: ashlar: fatal: type word overwritten (arena doomed, ADDR) */
#include "word.h"

#include <stdlib.h>

typedef struct thing {
    uint64_t a, b;
} thing;

/* It must never run. */
static void never(void *self)
{
    (void)self;
    _Exit(0);
}
ASH_TYPE(thing, .destroy = never);

/* Some bit of the word that is found; all but once in 65536 it is the first. */
static void damage(const ash_arena *arena, const void *object, void *at)
{
    uint64_t own = word_get(at);
    for (int bit = 0; bit < 64; bit++) {
        word_set(at, own ^ (uint64_t)1 << bit);
        if (ash_object_inspect(arena, object) == ASH_OBJECT_CORRUPT)
            return;
    }
}

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    thing *one = ash_new(&arena, thing);
    damage(&arena, one, (char *)one - 8);
    ash_arena_reset(&arena);
    return 0;
}
