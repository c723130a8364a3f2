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

static _Alignas(16) char buffer[1024];

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed", .buffer = buffer, .buffer_size = sizeof buffer};
    uint64_t stolen = 0;
    /* The same buffer, so the same address; only the nonce differs. */
    for (int i = 0; i < 4; i++) {
        ash_arena_init(&arena, &config);
        thing *one = ash_new(&arena, thing);
        if (i)
            word_set((char *)one - 8, stolen);
        stolen = word_get((char *)one - 8);
        if (ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT)
            ash_delete(&arena, one);
    }
    return 0;
}
