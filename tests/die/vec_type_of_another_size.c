/* dies: ashlar: fatal: container made with a type of another size (arena heap, 0x0) */
#include "ashlar/ashlar.h"

typedef struct pair {
    int a, b;
} pair;

ASH_TYPE(pair, .destroy = NULL);
ASH_VEC_DEFINE(pairs, int, ash_type_of(pair))

int main(void)
{
    pairs v = {0};
    pairs_push(&v, 1);
    return 0;
}
