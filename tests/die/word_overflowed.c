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
    /* The newer object lies below: a write past its end reaches the older one's word. */
    thing *older = ash_new(&arena, thing), *newer = ash_new(&arena, thing);
    for (uint64_t i = 0; i < 256; i++) {
        for (char *at = (char *)(newer + 1); at < (char *)older; at += 8)
            word_set(at, i * 0x4141414141414141u + 0x41);
        if (ash_object_inspect(&arena, older) == ASH_OBJECT_CORRUPT)
            break;
    }
    ash_delete(&arena, older);
    return 0;
}
