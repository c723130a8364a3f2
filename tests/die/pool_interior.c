/* dies: ashlar: fatal: free of what is not a cell of the pool (arena nodes, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_pool pool;
    ash_pool_config config = {.size = 48, .name = "nodes"};
    if (!ash_pool_init(&pool, &config))
        return 1;
    char *cell = ash_pool_alloc(&pool);
    ash_pool_free(&pool, cell + 8);
    return 0;
}
