#include "ashlar/pool.h"

#include "cells.h"

_Static_assert(ASH_POOLS_CLASSES_ == 40 && ASH_POOLS_LARGEST == (size_t)1 << 15,
               "four classes of 16 bytes, then four to each of nine doublings");

static ash_pool *pool_for(ash_pools *pools, size_t request)
{
    return &pools->classes_[ash_class_of_(request)];
}

static void *alloc_from(ash_pool *pool, size_t size)
{
    return ASH_WATCHED ? ash_pool_take_(pool, size) : ash_pool_alloc(pool);
}

/* Of no bytes, of many, or aligned to more than cells are by themselves. */
static ASH_NOINLINE void *alloc_unusual(ash_pools *pools, size_t size, size_t align)
{
    size_t request = ash_class_request_(size, align);
    if (request)
        return alloc_from(pool_for(pools, request), size + !size);
    void *p = ash_resource_alloc(pools->upstream_, size, align);
    if (p)
        pools->large_ += size;
    return p;
}

static ASH_NOINLINE void free_unusual(ash_pools *pools, void *p, size_t size, size_t align)
{
    size_t request = ash_class_request_(size, align);
    if (request) {
        ash_pool_free(pool_for(pools, request), p);
    } else if (p) {
        if (!pools->upstream_) /* zeroed pools */
            ash_fatal_(ASH_CELL_FOREIGN_, "unnamed", p);
        pools->large_ -= size;
        ash_resource_free(pools->upstream_, p, size, align);
    }
}

void *ash_pools_alloc(ash_pools *pools, size_t size, size_t align)
{
    if (ASH_LIKELY(ash_class_usual_(size, align)))
        return alloc_from(pool_for(pools, size), size);
    return alloc_unusual(pools, size, align);
}

void ash_pools_free(ash_pools *pools, void *p, size_t size, size_t align)
{
    if (ASH_LIKELY(ash_class_usual_(size, align)))
        ash_pool_free(pool_for(pools, size), p);
    else
        free_unusual(pools, p, size, align);
}

/* ---- as a resource ---- */

static ash_pools *pools_of(const ash_resource *self)
{
    return (ash_pools *)((uintptr_t)self - offsetof(ash_pools, resource_));
}

static void *resource_alloc(ash_resource *self, size_t size, size_t align)
{
    return ash_pools_alloc(pools_of(self), size, align);
}

static void resource_free(ash_resource *self, void *p, size_t size, size_t align)
{
    ash_pools_free(pools_of(self), p, size, align);
}

static bool resource_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    ash_pools *pools = pools_of(self);
    size_t old_request = ash_class_request_(old_size, align);
    size_t new_request = ash_class_request_(new_size, align);
    if (!old_request && !new_request &&
        ash_resource_resize(pools->upstream_, p, old_size, new_size, align)) {
        pools->large_ = pools->large_ - old_size + new_size;
        return true;
    }
    if (!old_request || !new_request || ash_class_of_(old_request) != ash_class_of_(new_request))
        return false;
    ash_cell_resize_(p, old_size, new_size);
    return true;
}

static void *resource_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    ash_pools *pools = pools_of(self);
    if (ash_class_request_(old_size, align) || ash_class_request_(new_size, align))
        return NULL;
    void *moved = ash_resource_remap(pools->upstream_, p, old_size, new_size, align);
    if (moved)
        pools->large_ = pools->large_ - old_size + new_size;
    return moved;
}

static bool resource_owns(const ash_resource *self, const void *p)
{
    return ash_pools_owns(pools_of(self), p);
}

static uint64_t resource_epoch(const ash_resource *self)
{
    return ash_resource_epoch(pools_of(self)->upstream_);
}

static const char *resource_name(const ash_resource *self)
{
    const char *name = pools_of(self)->name_;
    return name ? name : "unnamed";
}

ash_resource *ash_pools_resource(ash_pools *pools)
{
    static const ash_resource_ops ops = {.alloc = resource_alloc,
                                         .resize = resource_resize,
                                         .remap = resource_remap,
                                         .free = resource_free,
                                         .owns = resource_owns,
                                         .epoch = resource_epoch,
                                         .name = resource_name};
    pools->resource_.ops = &ops;
    return &pools->resource_;
}

/* ---- life ---- */

bool ash_pools_init(ash_pools *pools, const ash_pools_config *config)
{
    static const ash_pools_config defaults;
    const ash_pools_config *c = config ? config : &defaults;
    *pools = (ash_pools){.upstream_ = c->upstream ? c->upstream : ash_default(), .name_ = c->name};
    ash_pool_config one = {.upstream = pools->upstream_,
                           .slab_size = c->slab_size,
                           .slab_max = c->slab_max,
                           .name = c->name};
    bool done = true;
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++) {
        one.size = ash_class_size_(i);
        one.align = ash_class_align_(i);
        done = ash_pool_init(&pools->classes_[i], &one) && done;
    }
    return done;
}

void ash_pools_reset(ash_pools *pools)
{
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++)
        ash_pool_reset(&pools->classes_[i]);
}

void ash_pools_release(ash_pools *pools)
{
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++)
        ash_pool_release(&pools->classes_[i]);
}

void ash_pools_deinit(ash_pools *pools)
{
    if (!pools)
        return;
    ash_pools_release(pools);
    *pools = (ash_pools){0};
}

/* ---- questions ---- */

size_t ash_pools_used(const ash_pools *pools)
{
    size_t used = pools->large_;
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++)
        used += ash_pool_used(&pools->classes_[i]);
    return used;
}

size_t ash_pools_capacity(const ash_pools *pools)
{
    size_t held = 0;
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++)
        held += ash_pool_capacity(&pools->classes_[i]);
    return held;
}

bool ash_pools_owns(const ash_pools *pools, const void *p)
{
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++)
        if (ash_pool_owns(&pools->classes_[i], p))
            return true;
    return false;
}

bool ash_pools_check(const ash_pools *pools)
{
    for (unsigned i = 0; i < ASH_POOLS_CLASSES_; i++)
        if (!ash_pool_check(&pools->classes_[i]))
            return false;
    return true;
}
