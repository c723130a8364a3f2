/* must-not-compile: incompatible.pointer.type|makes pointer|incompatible pointer|int-conversion|incompatible integer */
#include "ashlar/vec.h"

ASH_VEC_DEFINE(texts, const char *)

bool wrong(texts *v);

bool wrong(texts *v)
{
    int number = 1;
    return texts_push(v, &number);
}
