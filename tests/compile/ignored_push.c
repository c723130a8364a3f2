/* must-not-compile: unused.result|warn_unused_result */
#include "ashlar/vec.h"

ASH_VEC_DEFINE(ints, int)

void ignored(ints *v);

void ignored(ints *v)
{
    ints_push(v, 1);
}
