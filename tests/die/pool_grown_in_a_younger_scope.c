/* dies: ashlar: fatal: pool grown inside a scope younger than it (arena nodes, ADDR) */
#include "ashlar/ashlar.h"

static uint64_t open_scope;

static void *scoped_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    return ash_resource_alloc(ash_heap(), size, align);
}

static void scoped_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self;
    ash_resource_free(ash_heap(), p, size, align);
}

static uint64_t scoped_epoch(const ash_resource *self)
{
    (void)self;
    return open_scope;
}

int main(void)
{
    const ash_resource_ops ops = {
        .alloc = scoped_alloc, .free = scoped_free, .epoch = scoped_epoch};
    ash_resource upstream = {&ops};
    ash_pool pool;
    ash_pool_config config = {.size = 48, .name = "nodes", .upstream = &upstream};
    if (!ash_pool_init(&pool, &config))
        return 1;
    open_scope = 1;
    return ash_pool_alloc(&pool) == NULL;
}
