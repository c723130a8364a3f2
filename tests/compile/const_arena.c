/* must-not-compile: discards ('const' )?qualifier */
#include "ashlar/ashlar.h"

void *const_arena(const ash_arena *arena);

void *const_arena(const ash_arena *arena)
{
    return ash_alloc(arena, 16, 8);
}
