/*
 * sync_pools.h - the inside of ash_sync_pools.
 *
 *     thread    slots[serial % 8] -> ash_cache_       a magazine for each class
 *                                        | a batch at a time
 *     shared    ash_sync_core_ ---- a shelf for each class, under its own lock
 *                                        | a slab at a time
 *     upstream                          under one lock
 *
 * A magazine is a list of at most a batch of cells and a spare batch. A batch moves between it and its
 * shelf as it is, linked already: both ways are O(1), and alternating at an edge cannot go to the shelf
 * each time.
 *
 * A thread finds its cache by the serial of the pools, which is never used again, in storage that only the
 * thread sees. The cache itself belongs to the pools: when they go, the slot keeps a serial that nobody has.
 * A thread that ends asks the registry of all pools whether those of its slots are still there.
 *
 * Locks, in the order they are taken: upstream's, of the outer pools before that of the pools they stand on;
 * registry; shelf or caches. Who has one of the last two takes no other and calls nobody, and who has the
 * registry's does not call upstream: so pools over pools wait for each other in one direction only. A fork,
 * which needs all of them, tries for upstream's and begins again where one is taken. No report is made with a
 * lock taken: it may leave by longjmp.
 */
#ifndef ASHLAR_SRC_SYNC_POOLS_H
#define ASHLAR_SRC_SYNC_POOLS_H

#include "cells.h"
#include "lock.h"

typedef struct ash_sync_core_ ash_sync_core_;

typedef struct ash_magazine_ {
    uint64_t cells; /* the first of a list; 0: none */
    size_t room;    /* cells it may still take: batch less those it has */
    uint64_t spare; /* a batch, or 0 */
    size_t batch;   /* cells of a batch */
} ash_magazine_;

typedef struct ash_cache_ {
    uint64_t low, high; /* where the pools' slabs lay when it last got cells */
    uint64_t span;      /* high - low */
    uint64_t key;       /* the pools' own, at hand */
    ash_sync_core_ *core;
    struct ash_cache_ *older; /* of all of the pools */
    struct ash_cache_ *idle;  /* the next one without a thread */
    ash_magazine_ magazines[ASH_POOLS_CLASSES_];
} ash_cache_;

typedef struct ash_shelf_ {
    ash_lock_ lock;
    uint64_t
        batches; /* the first cell of the batch that came last; its second word links to the next */
    uint64_t loose; /* fewer cells than a batch has, linked */
    size_t batch_count, loose_count;
    /* from `next` on the cells of the newest slab were never handed out; read without the lock */
    ASH_ATOMIC(uintptr_t) next;
    uintptr_t end;                 /* changed under upstream's lock too */
    ASH_ATOMIC(ash_slab_ *) slabs; /* linked by `newer`, the newest first; likewise */
    size_t stride, batch;
    size_t held; /* bytes of its slabs; under upstream's lock */
    size_t cut;  /* cells handed out from slabs */
} ash_shelf_;

struct ash_sync_core_ {
    uint64_t serial;
    uint64_t key;
    uint64_t epoch;
    ash_resource *upstream;
    const char *name;
    size_t slab_size, slab_max;
    ash_sync_core_ *next; /* in the registry */
    ash_lock_ upstream_lock;
    ash_cache_ *caches; /* all of them; under upstream_lock */
    ash_lock_ idle_lock;
    ash_cache_ *idle; /* without a thread */
    /* written under upstream_lock, read without */
    ASH_ATOMIC(size_t) held;
    ASH_ATOMIC(uintptr_t) low; /* the slabs lie between */
    ASH_ATOMIC(uintptr_t) high;
    ash_shelf_ shelves[ASH_POOLS_CLASSES_];
};

/* Around each call of upstream, by one thread at a time (sync_pools.c). */
void ash_upstream_take_(ash_sync_core_ *core);
void ash_upstream_drop_(ash_sync_core_ *core);

/* ---- shelves (shelf.c): unless it is said, the caller has no lock ---- */

void ash_shelves_init_(ash_sync_core_ *core);
/* Fills an empty magazine from the shelf. false: upstream refuses. */
bool ash_shelf_fill_(ash_sync_core_ *core, unsigned kind, ash_magazine_ *magazine);
void ash_shelf_put_batch_(ash_sync_core_ *core, unsigned kind, uint64_t batch);
/* Everything a magazine has. The caller may have the registry's lock: so it answers a cell that was overwritten, or
 * 0. What is linked behind that cell is given up. */
uint64_t ash_shelf_put_all_(ash_sync_core_ *core, unsigned kind, ash_magazine_ *magazine);
/* Single cells; 0: upstream refuses. */
uint64_t ash_shelf_take_one_(ash_sync_core_ *core, unsigned kind);
void ash_shelf_put_one_(ash_sync_core_ *core, unsigned kind, uint64_t cell);
/* Is it among the free cells of the shelf? */
bool ash_shelf_has_(ash_sync_core_ *core, unsigned kind, uint64_t cell, uint64_t *worn);
bool ash_shelf_check_(const ash_sync_core_ *core, unsigned kind, size_t *cells);
/* Does it lie in a slab of this class? And is it a cell that was handed out from there? O(slabs), without a lock. */
bool ash_shelf_owns_(const ash_sync_core_ *core, unsigned kind, uint64_t address);
bool ash_shelf_is_cell_(const ash_sync_core_ *core, unsigned kind, uint64_t cell);
/* Is it a list of `count` cells, each in a slab of this class? */
bool ash_cells_check_(const ash_sync_core_ *core, unsigned kind, uint64_t cells, size_t count);

static inline const char *ash_core_name_(const ash_sync_core_ *core)
{
    return core->name ? core->name : "unnamed";
}

/* A link may be 0, the end of the list. */
static inline bool ash_core_is_link_(const ash_sync_core_ *core, uint64_t below)
{
    uint64_t low = ash_load_(&core->low), high = ash_load_(&core->high);
    return !below || below - low < high - low;
}

/* Takes a cell off a list that is not empty. false: its link was overwritten, and the list is as it was. */
static inline bool ash_cells_pop_(const ash_sync_core_ *core, uint64_t *cells)
{
    uint64_t below = ash_link_read_(ash_cell_link_(*cells), core->key);
    if (!ash_core_is_link_(core, below))
        return false;
    *cells = below;
    return true;
}

static inline void ash_cells_push_(const ash_sync_core_ *core, uint64_t *cells, uint64_t cell)
{
    ash_cell_set_link_(cell, ash_link_write_(*cells, core->key));
    *cells = cell;
}

/* Where a link was overwritten before the cell was met, *worn is the one that has it. */
static inline bool ash_cells_have_(const ash_sync_core_ *core, uint64_t cells, uint64_t cell,
                                   uint64_t *worn)
{
    while (cells && cells != cell)
        if (!ash_cells_pop_(core, &cells)) {
            *worn = cells;
            return false;
        }
    return cells != 0;
}

static inline void ash_report_worn_(const ash_sync_core_ *core, uint64_t worn)
{
    if (ASH_UNLIKELY(worn))
        ash_fatal_(ASH_CELL_OVERWRITTEN_, ash_core_name_(core), (void *)(uintptr_t)worn);
}

#endif
