/* dies: ashlar: fatal: cell freed twice (arena lines, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    static ash_pools pools;
    ash_pools_config config = {.name = "lines"};
    if (!ash_pools_init(&pools, &config))
        return 1;
    void *older = ash_pools_alloc(&pools, 100, 8), *newer = ash_pools_alloc(&pools, 100, 8);
    ash_pools_free(&pools, older, 100, 8);
    ash_pools_free(&pools, newer, 100, 8);
    ash_pools_free(&pools, older, 100, 8);
    return 0;
}
