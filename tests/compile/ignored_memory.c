/* must-not-compile: ignoring return value|unused-result */
#include "ashlar/ashlar.h"

void ignored_memory(ash_arena *arena);

void ignored_memory(ash_arena *arena)
{
    ash_alloc(arena, 16, 8);
}
