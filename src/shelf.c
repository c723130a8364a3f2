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

/* ---- slabs: under upstream's lock ---- */

static void reach_to(ash_sync_core_ *core, const ash_slab_ *slab)
{
    uintptr_t low = (uintptr_t)slab->cells, high = (uintptr_t)slab;
    if (!ash_load_(&core->high) || low < ash_load_(&core->low))
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
    return slab;
}

static void add_slab(ash_sync_core_ *core, ash_shelf_ *shelf, ash_slab_ *slab)
{
    reach_to(core, slab);
    slab->newer = ash_load_(&shelf->slabs);
    ash_store_(&shelf->slabs, slab);
    ash_store_(&core->held, ash_load_(&core->held) + slab->size);
    shelf->held += slab->size;
    ash_lock_take_(&shelf->lock);
    shelf->end = (uintptr_t)slab;
    ash_store_(&shelf->next, (uintptr_t)slab->cells);
    ash_lock_drop_(&shelf->lock);
}

/* Has cells to be cut, or gets some: another thread may have been here first. */
static bool have_slab(ash_sync_core_ *core, unsigned kind)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    if (ash_load_(&shelf->next) != shelf->end)
        return true;
    ash_slab_ *slab = ask_upstream(core, kind);
    if (slab)
        add_slab(core, shelf, slab);
    return slab;
}

/* Without the shelf's lock. false: upstream refuses. */
static bool grow(ash_sync_core_ *core, unsigned kind)
{
    ash_upstream_take_(core);
    uint64_t epoch = ash_resource_epoch(core->upstream);
    bool younger = epoch && epoch != core->epoch;
    bool grown = !younger && have_slab(core, kind);
    ash_upstream_drop_(core);
    if (younger)
        ash_fatal_(ASH_POOL_YOUNGER_, ash_core_name_(core), core);
    return grown;
}

/* ---- batches: under the shelf's lock ---- */

/* Links up to `most` new cells, in order of addresses. Answers how many. */
static size_t cut(ash_sync_core_ *core, ash_shelf_ *shelf, size_t most, uint64_t *cells)
{
    uintptr_t first = ash_load_(&shelf->next);
    size_t count = (shelf->end - first) / shelf->stride;
    count = ASH_MIN(count, most);
    ash_store_(&shelf->next, first + count * shelf->stride);
    shelf->cut += count;
    *cells = 0;
    for (size_t i = count; i-- > 0;)
        ash_cells_push_(core, cells, first + i * shelf->stride);
    return count;
}

/* A batch is linked to the next by the second word of its first cell. */
static void push_batch(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t batch)
{
    ash_cell_set_link_(batch + sizeof(uint64_t), ash_link_write_(shelf->batches, core->key));
    shelf->batches = batch;
    shelf->batch_count++;
}

static uint64_t next_batch(const ash_sync_core_ *core, uint64_t batch)
{
    return ash_link_read_(ash_cell_link_(batch + sizeof(uint64_t)), core->key);
}

/* 0: its link was overwritten. */
static uint64_t pop_batch(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t *worn)
{
    uint64_t batch = shelf->batches, next = next_batch(core, batch);
    if (!ash_core_is_link_(core, next)) {
        *worn = batch;
        return 0;
    }
    shelf->batches = next;
    shelf->batch_count--;
    return batch;
}

static void put_one(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t cell)
{
    if (shelf->loose_count == shelf->batch) {
        push_batch(core, shelf, shelf->loose);
        shelf->loose = 0;
        shelf->loose_count = 0;
    }
    ash_cells_push_(core, &shelf->loose, cell);
    shelf->loose_count++;
}

/* Answers how many; 0: there are none, or *worn was overwritten. */
static size_t fill(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t *cells, uint64_t *worn)
{
    if (shelf->batches) {
        *cells = pop_batch(core, shelf, worn);
        return *cells ? shelf->batch : 0;
    }
    if (!shelf->loose)
        return cut(core, shelf, shelf->batch, cells);
    size_t count = shelf->loose_count;
    *cells = shelf->loose;
    shelf->loose = 0;
    shelf->loose_count = 0;
    return count;
}

static uint64_t take_one(ash_sync_core_ *core, ash_shelf_ *shelf, uint64_t *worn)
{
    if (!shelf->loose) {
        uint64_t cells = 0;
        shelf->loose_count = fill(core, shelf, &cells, worn);
        shelf->loose = cells;
    }
    uint64_t cell = shelf->loose;
    if (!cell)
        return 0;
    if (!ash_cells_pop_(core, &shelf->loose)) {
        *worn = cell;
        return 0;
    }
    shelf->loose_count--;
    return cell;
}

/* ---- for threads ---- */

bool ash_shelf_fill_(ash_sync_core_ *core, unsigned kind, ash_magazine_ *magazine)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    size_t count;
    do {
        uint64_t worn = 0;
        ash_lock_take_(&shelf->lock);
        count = fill(core, shelf, &magazine->cells, &worn);
        ash_lock_drop_(&shelf->lock);
        ash_report_worn_(core, worn);
    } while (!count && grow(core, kind));
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

uint64_t ash_shelf_put_all_(ash_sync_core_ *core, unsigned kind, ash_magazine_ *magazine)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    uint64_t cells = magazine->cells, cell = cells;
    if (!cells && !magazine->spare)
        return 0;
    ash_lock_take_(&shelf->lock);
    if (magazine->spare)
        push_batch(core, shelf, magazine->spare);
    for (; cell && ash_cells_pop_(core, &cells); cell = cells)
        put_one(core, shelf, cell);
    ash_lock_drop_(&shelf->lock);
    magazine->cells = magazine->spare = 0;
    magazine->room = magazine->batch;
    return cell;
}

uint64_t ash_shelf_take_one_(ash_sync_core_ *core, unsigned kind)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    uint64_t cell;
    do {
        uint64_t worn = 0;
        ash_lock_take_(&shelf->lock);
        cell = take_one(core, shelf, &worn);
        ash_lock_drop_(&shelf->lock);
        ash_report_worn_(core, worn);
    } while (!cell && grow(core, kind));
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

static bool has(const ash_sync_core_ *core, const ash_shelf_ *shelf, uint64_t cell, uint64_t *worn)
{
    if (ash_cells_have_(core, shelf->loose, cell, worn))
        return true;
    for (uint64_t next, batch = shelf->batches; batch && !*worn; batch = next) {
        if (ash_cells_have_(core, batch, cell, worn))
            return true;
        next = next_batch(core, batch);
        if (!ash_core_is_link_(core, next))
            *worn = batch;
    }
    return false;
}

bool ash_shelf_has_(ash_sync_core_ *core, unsigned kind, uint64_t cell, uint64_t *worn)
{
    ash_shelf_ *shelf = &core->shelves[kind];
    ash_lock_take_(&shelf->lock);
    bool found = has(core, shelf, cell, worn);
    ash_lock_drop_(&shelf->lock);
    return found;
}

static const ash_slab_ *slab_of(const ash_shelf_ *shelf, uint64_t address)
{
    const ash_slab_ *slab = ash_load_(&shelf->slabs);
    while (slab && address - (uintptr_t)slab->cells >= (uintptr_t)slab - (uintptr_t)slab->cells)
        slab = slab->newer;
    return slab;
}

bool ash_shelf_owns_(const ash_sync_core_ *core, unsigned kind, uint64_t address)
{
    return slab_of(&core->shelves[kind], address);
}

bool ash_shelf_is_cell_(const ash_sync_core_ *core, unsigned kind, uint64_t cell)
{
    const ash_shelf_ *shelf = &core->shelves[kind];
    const ash_slab_ *slab = slab_of(shelf, cell);
    if (!slab)
        return false;
    uint64_t cells = (uintptr_t)slab->cells, bytes = (uintptr_t)slab - cells;
    uint64_t cut_to = ash_load_(&shelf->next) - cells; /* in an older slab all are */
    return (cell - cells) % shelf->stride == 0 && (cut_to >= bytes || cell - cells < cut_to);
}

bool ash_cells_check_(const ash_sync_core_ *core, unsigned kind, uint64_t cells, size_t count)
{
    for (; cells && count; count--) {
        if (!ash_shelf_is_cell_(core, kind, cells))
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
    return !batch && !left && shelf->loose_count <= shelf->batch &&
           ash_cells_check_(core, kind, shelf->loose, shelf->loose_count);
}
