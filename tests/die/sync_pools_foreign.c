/* dies: ashlar: fatal: free of what is not a cell of the pool (arena lines, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    static ash_sync_pools pools;
    ash_pools_config config = {.name = "lines"};
    if (!ash_sync_pools_init(&pools, &config) || !ash_sync_pools_alloc(&pools, 100, 8))
        return 1;
    _Alignas(64) char buffer[128];
    ash_sync_pools_free(&pools, buffer, 100, 8);
    return 0;
}
