/* dies: ashlar: fatal: scratch arenas released inside an open scope (arena scratch, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena *arena = ash_scratch(NULL, 0);
    if (!arena)
        return 1;
    ash_scope scope = ash_scope_begin(arena);
    ash_scratch_release();
    ash_scope_end(&scope);
    return 0;
}
