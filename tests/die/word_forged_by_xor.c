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
    /* With a cookie xored over the pointer this would be the word of another type. */
    for (int i = 0; i < 4; i++) {
        thing *one = ash_new(&arena, thing);
        uint64_t leaked = word_get((char *)one - 8);
        uint64_t change = (uintptr_t)&thing_ash_type ^ (uintptr_t)&evil_type;
        word_set((char *)one - 8, leaked ^ change);
        if (ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT)
            ash_delete(&arena, one);
    }
    return 0;
}
