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

static void evil(void *self)
{
    (void)self;
    _Exit(0);
}

static const ash_type evil_type = {
    .name = "evil", .size = sizeof(thing), .align = ASH_ALIGNOF(thing), .destroy = evil};

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    for (int i = 0; i < 4; i++) {
        thing *one = ash_new(&arena, thing);
        void *other = ash_object_new(&arena, &evil_type, 1);
        word_set((char *)one - 8, word_get((char *)other - 8));
        if (ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT)
            ash_delete(&arena, one);
    }
    return 0;
}
