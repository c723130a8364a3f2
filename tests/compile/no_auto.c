/* must-compile: C and C++ */
/* Without ash_auto what begins is ended by hand, and definitions may stay where they are. */
#define ASH_NO_AUTO
#include "ashlar/ashlar.h"

#if ASH_HAS_AUTO || defined(ash_auto)
#error "there should be no ash_auto"
#endif

typedef struct thing {
    int id;
} thing;

ASH_AUTO_DEFINE(thing, thing_end)

size_t by_hand(ash_arena *arena);

size_t by_hand(ash_arena *arena)
{
    ash_scope scope = ash_scope_begin(arena);
    ASH_LOCAL_ARENA(local, 128);
    size_t used = ash_arena_used(&local) + ash_arena_used(arena);
    ash_arena_deinit(&local);
    ash_scope_end(&scope);
    return used;
}
