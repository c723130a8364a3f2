/* exits: 0 */
#include "scoped.h"

ASH_VEC_DEFINE(ints, int)

int main(void)
{
    ints inside;
    open_scopes++;
    ints_init(&inside, &scoped);
    for (int i = 0; i < 1000; i++)
        if (!ints_push(&inside, i))
            return 1;
    ints_deinit(&inside);
    open_scopes--;
    return 0;
}
