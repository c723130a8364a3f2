/* dies: ashlar: fatal: cell freed twice (arena nodes, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_pool pool;
    ash_pool_config config = {.size = 48, .name = "nodes"};
    if (!ash_pool_init(&pool, &config))
        return 1;
    void *older = ash_pool_alloc(&pool), *newer = ash_pool_alloc(&pool);
    ash_pool_free(&pool, older);
    ash_pool_free(&pool, newer);
    ash_pool_free(&pool, older);
    return 0;
}
