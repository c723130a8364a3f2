/* must-compile: C and C++ */
/* What ends by itself need not be used for anything else, and no compiler says it should. */
#include <ashlar/scope.h>

typedef struct file {
    int number;
} file;

extern file file_open(void);
extern void file_close(file *f);
ASH_AUTO_DEFINE(file, file_close)

void within(ash_arena *arena);

void within(ash_arena *arena)
{
    ash_auto(ash_scope) scope = ash_scope_begin(arena);
    ash_auto(file) f = file_open();
    ASH_LOCAL_ARENA(local, 64);
}
