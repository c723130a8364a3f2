/* dies: ashlar: fatal: free of what is not a cell of the pool (arena nodes, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_pool pool;
    ash_pool_config config = {.size = 48, .name = "nodes"};
    if (!ash_pool_init(&pool, &config) || !ash_pool_alloc(&pool))
        return 1;
    char buffer[48];
    ash_pool_free(&pool, buffer);
    return 0;
}
