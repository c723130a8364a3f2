/* must-compile: C and C++ */
/* ash_auto and ASH_LOCAL_ARENA where they may stand; nothing of it need be used. */
#include "ashlar/ashlar.h"

#if !ASH_HAS_AUTO
#error "this compiler has what ash_auto takes"
#endif

typedef struct thing {
    int id;
} thing;

static inline void thing_end(thing *t)
{
    t->id = 0;
}

ASH_AUTO_DEFINE(thing, thing_end)

thing a_thing(ash_arena *arena);
size_t autos(ash_arena *arena, int way);

size_t autos(ash_arena *arena, int way)
{
    ash_auto(ash_scope) scope = ash_scope_begin(arena);
    ash_auto(thing) one = a_thing(arena);
    ASH_LOCAL_ARENA(local, 64 * 2);
    ASH_LOCAL_ARENA(unused, sizeof(int));
    for (int i = 0; i < 3; i++) {
        ash_auto(ash_scope) inner = ash_scope_begin(&local);
        if (way == i)
            return ash_arena_used(&local);
        if (way == i + 10)
            break;
        if (way == i + 20)
            continue;
    }
    return one.id ? 1 : ash_arena_used(arena);
}
