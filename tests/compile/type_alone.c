/* must-compile */
/* A type with nothing to do at its end: only its name. */
#include "ashlar/ashlar.h"

typedef struct point {
    double x, y;
} point;

typedef struct shared {
    char bytes[3];
} shared;

ASH_TYPE(point);
ASH_TYPE_DECLARE(shared);
ASH_TYPE_DEFINE(shared);

bool type_alone(ash_arena *arena);

bool type_alone(ash_arena *arena)
{
    return ash_new(arena, point) && ash_new_array(arena, shared, 3) &&
           ash_type_of(point)->destroy == NULL;
}
