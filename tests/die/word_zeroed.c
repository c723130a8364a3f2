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

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    for (int i = 0; i < 4; i++) { /* once in 65536 a word of zeros would pass */
        thing *one = ash_new(&arena, thing);
        word_set((char *)one - 8, 0);
        if (ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT)
            ash_delete(&arena, one);
    }
    return 0;
}
