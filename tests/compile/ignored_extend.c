/* must-not-compile: ignoring return value|unused-result */
#include "ashlar/ashlar.h"

void ignored_extend(ash_arena *arena, void *p);

void ignored_extend(ash_arena *arena, void *p)
{
    ash_extend(arena, p, 16, 32);
}
