/* dies: ashlar: fatal: free cell overwritten (arena nodes, ADDR) */
/* asan: use-after-poison */
#include <string.h>

#include "ashlar/ashlar.h"

int main(void)
{
    ash_pool pool;
    ash_pool_config config = {.size = 48, .name = "nodes"};
    if (!ash_pool_init(&pool, &config))
        return 1;
    char *cell = ash_pool_alloc(&pool);
    ash_pool_free(&pool, cell);
    memset(cell, 'x', 4);
    return ash_pool_alloc(&pool) == NULL;
}
