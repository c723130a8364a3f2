/* must-not-compile: conn_ash_type.* undeclared|undeclared identifier 'conn_ash_type' */
#include "ashlar/ashlar.h"

typedef struct conn {
    int fd;
} conn;

conn *untyped_new(ash_arena *arena);

conn *untyped_new(ash_arena *arena)
{
    return ash_new(arena, conn);
}
