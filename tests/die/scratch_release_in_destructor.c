/* dies: ashlar: fatal: rewind past an object that is being made or destroyed (arena scratch, ADDR) */
#include "ashlar/ashlar.h"

typedef struct thing {
    int a;
} thing;

static void thing_destroy(void *self)
{
    (void)self;
    ash_scratch_release();
}
ASH_TYPE(thing, .destroy = thing_destroy);

int main(void)
{
    ash_arena *scratch = ash_scratch(NULL, 0);
    thing *one = scratch ? ash_new(scratch, thing) : NULL;
    ash_delete(scratch, one);
    return 0;
}
