/* dies: ashlar: fatal: container grown inside a scope younger than it (arena scoped, ADDR) */
#include "scoped.h"

ASH_VEC_DEFINE(ints, int)

int main(void)
{
    ints v;
    ints_init(&v, &scoped);
    for (int i = 0; i < 16; i++)
        ints_push(&v, i);
    open_scopes++;
    ints_push(&v, 16);
    return 0;
}
