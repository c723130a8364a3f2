/* must-not-compile: format.* (expects|specifies) */
#include "ashlar/ashlar.h"

char *printf_format(ash_arena *arena, const char *name);

char *printf_format(ash_arena *arena, const char *name)
{
    return ash_printf(arena, "%d", name);
}
