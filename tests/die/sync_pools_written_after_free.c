/* dies: ashlar: fatal: free cell overwritten (arena lines, ADDR) */
/* asan: use-after-poison */
#include <string.h>

#include "ashlar/ashlar.h"

int main(void)
{
    static ash_sync_pools pools;
    ash_pools_config config = {.name = "lines"};
    if (!ash_sync_pools_init(&pools, &config))
        return 1;
    char *cell = ash_sync_pools_alloc(&pools, 100, 8);
    ash_sync_pools_free(&pools, cell, 100, 8);
    memset(cell, 'x', 4);
    return ash_sync_pools_alloc(&pools, 100, 8) == NULL;
}
