/* dies: ashlar: fatal: container given the memory of one in a scope younger than it (arena scoped, ADDR) */
#include "scoped.h"

ASH_VEC_DEFINE(ints, int)

int main(void)
{
    ints outside, inside;
    ints_init(&outside, &scoped);
    open_scopes++;
    ints_init(&inside, &scoped);
    ints_push(&inside, 1);
    ints_steal(&outside, &inside);
    return 0;
}
