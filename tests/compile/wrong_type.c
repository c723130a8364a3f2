/* must-not-compile: incompatible.pointer.type */
#include "ashlar/ashlar.h"

double *wrong_type(ash_arena *arena);

double *wrong_type(ash_arena *arena)
{
    return ash_make(arena, int);
}
