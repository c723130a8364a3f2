/* The shared side of ash_sync_pools: for each class its free cells, and the slabs they come from. */
#include "sync_pools.h"

enum { BATCH_CELLS = 128, BATCH_BYTES = 16 * 1024 };

void ash_shelves_init_(ash_sync_core_ *core)
{
    for (unsigned kind = 0; kind < ASH_POOLS_CLASSES_; kind++) {
        size_t size = ash_class_size_(kind), batch = BATCH_BYTES / size;
        core->shelves[kind] =
            (ash_shelf_){.stride = ash_cell_stride_(size, ash_class_align_(kind)),
                         .batch = ASH_MAX(ASH_MIN(batch, (size_t)BATCH_CELLS), (size_t)1)};
    }
}

/* ---- slabs: under the shelf's lock ---- */

static void reach_to(ash_sync_core_ *core, const ash_slab_ *slab)
{
    uintptr_t low = (uintptr_t)slab->cells, high = (uintptr_t)slab;
    if (!core->slabs || low < ash_load_(&core->low))
        ash_store_(&core->low, low);
    if (high > ash_load_(&core->high))
        ash_store_(&core->high, high);
}

static ash_slab_ *new_slab(ash_sync_core_ *core, unsigned kind, size_t bytes)
{
    const ash_shelf_ *shelf = &core->shelves[kind];
    size_t least = shelf->stride + sizeof(ash_slab_);
    size_t count = (ASH_MAX(bytes, least) - sizeof(ash_slab_)) / shelf->stride;
    return ash_slab_new_(core->upstream, count, shelf->stride, ash_class_align_(kind));
}

static ash_slab_ *ask_upstream(ash_sync_core_ *core, unsigned kind)
{
    size_t held = core->shelves[kind].held;
    size_t bytes = ASH_MAX(core->slab_size, ASH_MIN(held, core->slab_max));
    ash_slab_ *slab = new_slab(core, kind, bytes);
    if (!slab && bytes > core->slab_size)
        slab = new_slab(core, kind, core->slab_size);
    if (!slab)
        return NULL;
    reach_to(core, slab);
    slab->newer = core->slabs;
    core->slabs = slab;
    core->held += slab->size;
    return slab;
}

static bool grow(ash_sync_core_ *core, unsigned kind)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    ash_lock_take_(&core->upstream_lock);
    uint64_t epoch = ash_resource_epoch(core->upstream);
    bool younger = epoch && epoch != core->epoch;
    ash_slab_ *slab = younger ? NULL : ask_upstream(core, kind);
    ash_lock_drop_(&core->upstream_lock);
    if (younger) {
        ash_lock_drop_(&shelf->lock); /* the report may leave by longjmp */
        ash_fatal_(ASH_POOL_YOUNGER_, ash_core_name_(core), core);
    }
    if (!slab)
        return false;
    shelf->next = slab->cells;
    shelf->end = slab->cells + slab->count * shelf->stride;
    shelf->held += slab->size;
    return true;
}

/* Links up to `most` new cells, in order of addresses. Answers how many. */
static size_t cut(ash_sync_core_ *core, unsigned kind, size_t most, uint64_t *cells)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    if (shelf->next == shelf->end && !grow(core, kind))
        return 0;
    size_t count = (size_t)(shelf->end - shelf->next) / shelf->stride;
    count = ASH_MIN(count, most);
    char *first = shelf->next;
    shelf->next = first + count * shelf->stride;
    shelf->cut += count;
    *cells = 0;
    for (size_t i = count; i-- > 0;)
        ash_cells_push_(core, cells, (uintptr_t)(first + i * shelf->stride));
    return count;
}

/* ---- batches: under the shelf's lock ---- */

static uint64_t *second_word(uint64_t cell)
{
    return (uint64_t *)(uintptr_t)cell + 1;
}

static void push_batch(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t batch)
{
    ash_store_word_(second_word(batch), ash_link_write_(shelf->batches, core->key));
    shelf->batches = batch;
    shelf->batch_count++;
}

static uint64_t next_batch(const ash_sync_core_ *core, uint64_t batch)
{
    return ash_link_read_(ash_load_word_(second_word(batch)), core->key);
}

/* 0: there is none, or its link was overwritten. */
static uint64_t pop_batch(ash_sync_core_ *core, ash_shelf_ *shelf)
{
    uint64_t batch = shelf->batches;
    if (!batch)
        return 0;
    uint64_t next = next_batch(core, batch), low = ash_load_(&core->low);
    if (next && next - low >= ash_load_(&core->high) - low) {
        ash_lock_drop_(&shelf->lock);
        ash_fatal_(ASH_CELL_OVERWRITTEN_, ash_core_name_(core), (void *)(uintptr_t)batch);
    }
    shelf->batches = next;
    shelf->batch_count--;
    return batch;
}

static void put_one(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t cell)
{
    ash_cells_push_(core, &shelf->loose, cell);
    if (++shelf->loose_count < shelf->batch)
        return;
    push_batch(core, shelf, shelf->loose);
    shelf->loose = 0;
    shelf->loose_count = 0;
}

static size_t fill(ash_sync_core_ *core, unsigned kind, uint64_t *cells)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    *cells = pop_batch(core, shelf);
    if (*cells)
        return shelf->batch;
    if (!shelf->loose)
        return cut(core, kind, shelf->batch, cells);
    size_t count = shelf->loose_count;
    *cells = shelf->loose;
    shelf->loose = 0;
    shelf->loose_count = 0;
    return count;
}

/* ---- for threads ---- */

bool ash_shelf_fill_(ash_sync_core_ *core, unsigned kind, ash_magazine_ *magazine)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    ash_lock_take_(&shelf->lock);
    size_t count = fill(core, kind, &magazine->cells);
    ash_lock_drop_(&shelf->lock);
    magazine->room = magazine->batch - count;
    return count;
}

void ash_shelf_put_batch_(ash_sync_core_ *core, unsigned kind, uint64_t batch)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    ash_lock_take_(&shelf->lock);
    push_batch(core, shelf, batch);
    ash_lock_drop_(&shelf->lock);
}

void ash_shelf_put_all_(ash_sync_core_ *core, unsigned kind, ash_magazine_ *magazine)
{
    if (magazine->spare)
        ash_shelf_put_batch_(core, kind, magazine->spare);
    magazine->spare = 0;
    while (magazine->cells)
        ash_shelf_put_one_(core, kind, ash_cells_pop_(core, &magazine->cells));
    magazine->room = magazine->batch;
}

uint64_t ash_shelf_take_one_(ash_sync_core_ *core, unsigned kind)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    uint64_t cell = 0;
    ash_lock_take_(&shelf->lock);
    if (!shelf->loose)
        shelf->loose_count = fill(core, kind, &shelf->loose);
    if (shelf->loose) {
        cell = ash_cells_pop_(core, &shelf->loose);
        shelf->loose_count--;
    }
    ash_lock_drop_(&shelf->lock);
    return cell;
}

void ash_shelf_put_one_(ash_sync_core_ *core, unsigned kind, uint64_t cell)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    ash_lock_take_(&shelf->lock);
    put_one(core, shelf, cell);
    ash_lock_drop_(&shelf->lock);
}

/* ---- questions ---- */

bool ash_shelf_has_(ash_sync_core_ *core, unsigned kind, uint64_t cell)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    ash_lock_take_(&shelf->lock);
    bool has = ash_cells_have_(core, shelf->loose, cell);
    uint64_t batch = shelf->batches;
    for (; batch && !has; batch = next_batch(core, batch))
        has = ash_cells_have_(core, batch, cell);
    ash_lock_drop_(&shelf->lock);
    return has;
}

static bool is_cell(const ash_sync_core_ *core, unsigned kind, uint64_t cell)
{
    size_t stride = core->shelves[kind].stride;
    for (const ash_slab_ *slab = core->slabs; slab; slab = slab->newer) {
        uint64_t offset = cell - (uintptr_t)slab->cells;
        if (offset < slab->count * stride && (uintptr_t)slab - (uintptr_t)slab->cells > offset)
            return offset % stride == 0 &&
                   (uintptr_t)slab - (uintptr_t)slab->cells == slab->count * stride;
    }
    return false;
}

bool ash_cells_check_(const ash_sync_core_ *core, unsigned kind, uint64_t cells, size_t count)
{
    for (; cells && count; count--) {
        if (!is_cell(core, kind, cells))
            return false;
        cells = ash_link_read_(ash_cell_link_(cells), core->key);
    }
    return !cells && !count;
}

bool ash_shelf_check_(const ash_sync_core_ *core, unsigned kind, size_t *cells)
{
    const ash_shelf_ *shelf = &core->shelves[kind];
    size_t left = shelf->batch_count;
    uint64_t batch = shelf->batches;
    for (; batch && left; left--, batch = next_batch(core, batch))
        if (!ash_cells_check_(core, kind, batch, shelf->batch))
            return false;
    *cells = shelf->batch_count * shelf->batch + shelf->loose_count;
    return !batch && !left && shelf->loose_count < shelf->batch &&
           ash_cells_check_(core, kind, shelf->loose, shelf->loose_count);
}
