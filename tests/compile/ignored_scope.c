/* must-not-compile: ignoring return value|unused.result */
#include "ashlar/ashlar.h"

void ignored(ash_arena *arena);

void ignored(ash_arena *arena)
{
    ash_scope_begin(arena);
}
