#include "ashlar/pool.h"

#include "cells.h"
#include "seal.h"

enum { SLAB_SIZE = 4 * 1024 };

_Static_assert(_Alignof(ash_slab_) <= sizeof(uint64_t), "the record stands right behind the cells");

/* In a build with AddressSanitizer the inline functions find no list and no range, and all that they do
 * is done here. */
static uint64_t *head(ash_pool *pool)
{
    return ASH_WATCHED ? &pool->watched_ : &pool->free_;
}

static uint64_t first_free(const ash_pool *pool)
{
    return ASH_WATCHED ? pool->watched_ : pool->free_;
}

static bool in_reach(const ash_pool *pool, uint64_t address)
{
    return address - pool->low_ < pool->reach_;
}

uint64_t ash_link_key_(const void *owner)
{
    uint64_t nonce = ash_new_nonce_();
    nonce = ash_mix_(nonce ^ (uintptr_t)owner, 0x9e3779b97f4a7c15u) ^ nonce;
    return nonce | (uint64_t)1 << 63;
}

/* ---- slabs ---- */

static void use_slab(ash_pool *pool, ash_slab_ *slab)
{
    pool->slab_ = slab;
    pool->next_ = slab ? slab->cells : NULL;
    pool->end_ = slab ? slab->cells + slab->count * pool->stride_ : NULL;
}

static void reach_to(ash_pool *pool, const ash_slab_ *slab)
{
    uint64_t low = (uintptr_t)slab->cells, high = (uintptr_t)slab;
    if (pool->oldest_) {
        low = ASH_MIN(low, pool->low_);
        high = ASH_MAX(high, pool->high_);
    }
    pool->low_ = low;
    pool->reach_ = high - low;
    pool->high_ = high;
    pool->span_ = ASH_WATCHED ? 0 : pool->reach_;
}

static void append_slab(ash_pool *pool, ash_slab_ *slab)
{
    reach_to(pool, slab);
    if (pool->newest_)
        pool->newest_->newer = slab;
    else
        pool->oldest_ = slab;
    pool->newest_ = slab;
    pool->held_ += slab->size;
}

/* The cells of a slab of at most so many bytes, but one at least; 0 if the limit leaves no room. */
static size_t cells_in(const ash_pool *pool, size_t bytes)
{
    size_t least = pool->stride_ + sizeof(ash_slab_);
    bytes = ASH_MAX(bytes, least);
    if (pool->limit_)
        bytes = ASH_MIN(bytes, pool->limit_ - pool->held_);
    return bytes < least ? 0 : (bytes - sizeof(ash_slab_)) / pool->stride_;
}

ash_slab_ *ash_slab_new_(ash_resource *upstream, size_t count, size_t stride, size_t align)
{
    size_t size = count * stride + sizeof(ash_slab_);
    char *cells = ash_resource_alloc(upstream, size, align);
    if (!cells)
        return NULL;
    ash_slab_ *slab = (ash_slab_ *)(void *)(cells + count * stride);
    *slab = (ash_slab_){.cells = cells, .count = count, .size = size, .align = align};
    ash_poison_(cells, count * stride);
    return slab;
}

void ash_slab_free_(ash_resource *upstream, ash_slab_ *slab)
{
    char *cells = slab->cells;
    size_t size = slab->size, align = slab->align;
    ash_unpoison_(cells, size);
    ash_resource_free(upstream, cells, size, align);
}

static bool new_slab(ash_pool *pool, size_t bytes)
{
    size_t count = cells_in(pool, bytes), align = (size_t)pool->align_mask_ + 1;
    ash_slab_ *slab = count ? ash_slab_new_(pool->upstream_, count, pool->stride_, align) : NULL;
    if (!slab)
        return false;
    append_slab(pool, slab);
    use_slab(pool, slab);
    return true;
}

static bool grow(ash_pool *pool)
{
    if (!pool->upstream_)
        return false;
    uint64_t epoch = ash_resource_epoch(pool->upstream_);
    if (epoch && epoch != pool->epoch_)
        ash_fatal_(ASH_POOL_YOUNGER_, ash_pool_name(pool), pool);
    size_t bytes = ASH_MAX(pool->slab_size_, ASH_MIN(pool->held_, pool->slab_max_));
    return new_slab(pool, bytes) || (bytes > pool->slab_size_ && new_slab(pool, pool->slab_size_));
}

/* ---- cells ---- */

static bool was_handed_out(const ash_pool *pool, const ash_slab_ *slab, const void *p)
{
    if (slab == pool->slab_)
        return (const char *)p < pool->next_;
    for (; slab; slab = slab->newer)
        if (slab == pool->slab_)
            return true;
    return false;
}

/* Is `p` a cell that was handed out since the last reset? */
static bool is_cell(const ash_pool *pool, const void *p)
{
    for (const ash_slab_ *slab = pool->oldest_; slab; slab = slab->newer) {
        uintptr_t offset = (uintptr_t)p - (uintptr_t)slab->cells;
        if (offset < slab->count * pool->stride_)
            return offset % pool->stride_ == 0 && was_handed_out(pool, slab, p);
    }
    return false;
}

/* A link may be 0, the end of the list. */
static bool is_link(const ash_pool *pool, uint64_t below)
{
    return !below || in_reach(pool, below);
}

static bool is_free(const ash_pool *pool, uint64_t cell)
{
    uint64_t at = first_free(pool);
    for (; at && in_reach(pool, at); at = ash_link_read_(ash_cell_link_(at), pool->key_))
        if (at == cell)
            return true;
    return false;
}

static char *pop(ash_pool *pool)
{
    uint64_t cell = *head(pool);
    uint64_t below = ash_link_read_(ash_cell_link_(cell), pool->key_);
    if (!is_link(pool, below))
        ash_fatal_(ASH_CELL_OVERWRITTEN_, ash_pool_name(pool), (void *)(uintptr_t)cell);
    *head(pool) = below;
    return (char *)(uintptr_t)cell;
}

static char *bump(ash_pool *pool)
{
    if (pool->next_ == pool->end_) {
        if (pool->slab_ && pool->slab_->newer)
            use_slab(pool, pool->slab_->newer);
        else if (!grow(pool))
            return NULL;
    }
    char *cell = pool->next_;
    pool->next_ = cell + pool->stride_;
    return cell;
}

void *ash_pool_take_(ash_pool *pool, size_t size)
{
    char *cell = *head(pool) ? pop(pool) : bump(pool);
    if (!cell)
        return NULL;
    ash_cell_set_link_((uintptr_t)cell, 0);
    ash_unpoison_(cell, size);
    pool->live_++;
    return cell;
}

void *ash_pool_alloc_slow_(ash_pool *pool)
{
    return ash_pool_take_(pool, pool->size_);
}

/* The link of a live cell is what its user wrote there: if it can be read as one, the list is asked. */
static void refuse_free(const ash_pool *pool, void *p)
{
    uint64_t cell = (uintptr_t)p;
    if (!is_cell(pool, p))
        ash_fatal_(ASH_CELL_FOREIGN_, ash_pool_name(pool), p);
    uint64_t below = ash_link_read_(ash_cell_link_(cell), pool->key_);
    if ((is_link(pool, below) && is_free(pool, cell)) || !pool->live_)
        ash_fatal_(ASH_CELL_TWICE_, ash_pool_name(pool), p);
}

void ash_pool_free_slow_(ash_pool *pool, void *p)
{
    if (!p)
        return;
    refuse_free(pool, p);
    ash_cell_set_link_((uintptr_t)p, ash_link_write_(*head(pool), pool->key_));
    ash_poison_(p, pool->stride_);
    *head(pool) = (uintptr_t)p;
    pool->live_--;
}

/* ---- the pool as a resource ---- */

static ash_pool *pool_of(const ash_resource *self)
{
    return (ash_pool *)((uintptr_t)self - offsetof(ash_pool, resource_));
}

static void *resource_alloc(ash_resource *self, size_t size, size_t align)
{
    ash_pool *pool = pool_of(self);
    if (size > pool->size_ || align - 1 > pool->align_mask_)
        return NULL;
    return ASH_WATCHED ? ash_pool_take_(pool, size) : ash_pool_alloc(pool);
}

static bool resource_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    (void)align;
    if (new_size > pool_of(self)->size_)
        return false;
    ash_cell_resize_(p, old_size, new_size);
    return true;
}

static void resource_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)size, (void)align;
    ash_pool_free(pool_of(self), p);
}

static bool resource_owns(const ash_resource *self, const void *p)
{
    return ash_pool_owns(pool_of(self), p);
}

static uint64_t resource_epoch(const ash_resource *self)
{
    return ash_resource_epoch(pool_of(self)->upstream_);
}

static const char *resource_name(const ash_resource *self)
{
    return ash_pool_name(pool_of(self));
}

ash_resource *ash_pool_resource(ash_pool *pool)
{
    static const ash_resource_ops ops = {.alloc = resource_alloc,
                                         .resize = resource_resize,
                                         .free = resource_free,
                                         .owns = resource_owns,
                                         .epoch = resource_epoch,
                                         .name = resource_name};
    pool->resource_.ops = &ops; /* here, so that a zeroed pool has it too */
    return &pool->resource_;
}

/* ---- life ---- */

bool ash_pool_init(ash_pool *pool, const ash_pool_config *config)
{
    size_t align = config->align ? config->align : ASH_MALLOC_ALIGN_;
    *pool = (ash_pool){0};
    if (!ash_align_ok_(align) || !config->size || config->size > ASH_SIZE_MAX_ - 4 * ASH_ALIGN_MAX)
        return false;
    pool->size_ = config->size;
    pool->stride_ = ash_cell_stride_(config->size, align);
    pool->align_mask_ = ASH_MAX(align, sizeof(uint64_t)) - 1;
    pool->slab_size_ = config->slab_size ? config->slab_size : SLAB_SIZE;
    pool->slab_size_ = ASH_MIN(pool->slab_size_, ASH_SIZE_MAX_);
    pool->slab_max_ = config->slab_max ? config->slab_max : ASH_SLAB_MAX_;
    pool->slab_max_ = ASH_MIN(pool->slab_max_, ASH_SIZE_MAX_);
    pool->limit_ = config->limit;
    pool->name_ = config->name;
    pool->upstream_ = config->upstream ? config->upstream : ash_default();
    pool->epoch_ = ash_resource_epoch(pool->upstream_);
    pool->key_ = ash_link_key_(pool);
    return true;
}

void ash_pool_reset(ash_pool *pool)
{
    *head(pool) = 0;
    pool->live_ = 0;
    use_slab(pool, pool->oldest_);
    for (ash_slab_ *slab = ASH_WATCHED ? pool->oldest_ : NULL; slab; slab = slab->newer)
        ash_poison_(slab->cells, slab->count * pool->stride_);
}

void ash_pool_release(ash_pool *pool)
{
    ash_slab_ *slab = pool->oldest_;
    pool->oldest_ = pool->newest_ = NULL;
    pool->low_ = pool->high_ = pool->span_ = pool->reach_ = pool->held_ = 0;
    ash_pool_reset(pool);
    while (slab) {
        ash_slab_ *newer = slab->newer;
        ash_slab_free_(pool->upstream_, slab);
        slab = newer;
    }
}

void ash_pool_deinit(ash_pool *pool)
{
    if (!pool)
        return;
    ash_pool_release(pool);
    *pool = (ash_pool){0};
}

/* ---- questions ---- */

size_t ash_pool_used(const ash_pool *pool)
{
    return pool->live_ * pool->size_;
}

size_t ash_pool_capacity(const ash_pool *pool)
{
    return pool->held_;
}

size_t ash_pool_count(const ash_pool *pool)
{
    return pool->live_;
}

bool ash_pool_owns(const ash_pool *pool, const void *p)
{
    for (const ash_slab_ *slab = pool->oldest_; slab; slab = slab->newer)
        if ((uintptr_t)p - (uintptr_t)slab->cells < slab->count * pool->stride_)
            return true;
    return false;
}

const char *ash_pool_name(const ash_pool *pool)
{
    return pool->name_ ? pool->name_ : "unnamed";
}

/* Sums up the slabs, and the cells that were handed out at some time. */
static bool check_slabs(const ash_pool *pool, size_t *cells)
{
    size_t held = 0;
    bool in_use = pool->slab_ != NULL;
    const ash_slab_ *last = NULL;
    *cells = 0;
    for (const ash_slab_ *slab = pool->oldest_; slab; last = slab, slab = slab->newer) {
        held += slab->size;
        if (held > pool->held_ || !in_reach(pool, (uintptr_t)slab->cells) ||
            (uintptr_t)slab - (uintptr_t)slab->cells != slab->count * pool->stride_)
            return false;
        if (slab == pool->slab_)
            *cells += (size_t)(pool->next_ - slab->cells) / pool->stride_;
        else if (in_use)
            *cells += slab->count;
        in_use = in_use && slab != pool->slab_;
    }
    return held == pool->held_ && last == pool->newest_ && !in_use;
}

bool ash_pool_check(const ash_pool *pool)
{
    size_t handed_out;
    if (!check_slabs(pool, &handed_out) || pool->live_ > handed_out)
        return false;
    size_t left = handed_out - pool->live_;
    uint64_t cell = first_free(pool);
    for (; cell && left; left--) {
        if (!in_reach(pool, cell) || !is_cell(pool, (const void *)(uintptr_t)cell))
            return false;
        cell = ash_link_read_(ash_cell_link_(cell), pool->key_);
    }
    return !cell && !left; /* a list that bit its tail would not have come to its end */
}
