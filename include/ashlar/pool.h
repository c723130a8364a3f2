/*
 * pool.h - memory that is freed piece by piece: cells of one size, size classes, the same for threads.
 *
 * ash_pool        cells of one size. Choose it for the nodes of a list, a tree, a table: the same few
 *                 bytes again and again, freed in any order, each reused at once.
 * ash_pools       a pool for each of some forty sizes. Choose it where sizes differ and one thread works.
 * ash_sync_pools  the same for many threads at once.
 *
 * All of them take slabs from an upstream resource and cut them into cells. A free cell costs nothing
 * beside its own bytes, a live one has no header: free is told the size. Slabs go back upstream with
 * release or deinit, not before. A pool over an arena needs neither: a rewind takes it all, pool included.
 *
 *     slab   [ cell | cell | cell | ...    never handed out yet    | slab record ]
 *                                      next ^                  end ^
 *
 * The link in a free cell is encrypted with a key of the pool's own. A write to a cell that was freed
 * is found when the cell is to be handed out again, a second free when it is made: both are reported
 * through fatal.h, before a wrong address is used.
 *
 * What is no cell is looked for at each free, slab by slab, in what is compiled without NDEBUG: of an ash_pool
 * that is the source that calls ash_pool_free, of the others the library. With NDEBUG an address is reported
 * that lies below the lowest slab or above the highest, or is no multiple of the cells' alignment (of sync pools:
 * of 16). Others are taken for cells and handed out again: an address between two slabs, inside a cell, in a
 * cell never handed out or of another size. In a build with AddressSanitizer ash_pool and ash_pools always look.
 */
#ifndef ASHLAR_POOL_H
#define ASHLAR_POOL_H

#include "ashlar/resource.h"

ASH_DECLS_BEGIN

/* The library's own bookkeeping; a name that ends in _ is not for users. */
#if defined(__GNUC__) || defined(__clang__)
typedef uint64_t __attribute__((may_alias)) ash_link_; /* over what the user had in the cell */
#else
typedef uint64_t ash_link_;
#endif

typedef struct ash_slab_ { /* stands behind the cells of its slab */
    struct ash_slab_ *newer;
    char *cells;
    size_t count;       /* cells */
    size_t size, align; /* what upstream was asked for */
} ash_slab_;

/* ---- cells of one size ---- */

typedef struct ash_pool {
    /* the hot words; addresses as numbers, 64 bits wide on every machine */
    uint64_t free_;         /* the cell freed last; 0: none, or ask the library each time */
    uint64_t low_, span_;   /* all slabs lie in [low_, low_ + span_); 0: likewise */
    uint64_t high_;         /* low_ + span_ */
    uint64_t key_;          /* what links are written and read with */
    uint64_t align_mask_;   /* of the cells */
    size_t live_;           /* cells */
    char *next_, *end_;     /* of the slab in use, the cells that were never handed out */
    ash_resource resource_; /* the pool as a resource */
    /* slabs, in order of allocation */
    ash_slab_ *oldest_, *newest_;
    ash_slab_ *slab_;  /* the one in use; newer ones are untouched since the last reset */
    uint64_t reach_;   /* span_, also where that is 0 */
    uint64_t watched_; /* free_, in a build with AddressSanitizer */
    size_t held_;      /* bytes from upstream */
    size_t size_;      /* of a cell, as asked for */
    size_t stride_;    /* from one cell to the next */
    size_t slab_size_; /* as configured */
    size_t slab_max_, limit_;
    uint64_t epoch_; /* upstream's, at init */
    const char *name_;
    ash_resource *upstream_;
} ash_pool;

/* What a pool is to be; size has no default. */
typedef struct ash_pool_config {
    size_t size;            /* bytes of a cell, 1 or more; less than 8 is served as 8 */
    size_t align;           /* of each cell, a power of two, at most ASH_ALIGN_MAX; 0: malloc's */
    ash_resource *upstream; /* where slabs come from; NULL: ash_default() at init */
    size_t slab_size;       /* bytes of the first slab; 0: 4 KiB. A slab has one cell at least. */
    size_t slab_max;        /* slabs grow no larger than this; 0: 4 MiB; = slab_size: all equal */
    size_t limit;           /* most bytes ever held; 0: no limit */
    const char *name;       /* for messages; NULL: "unnamed". Not copied. */
} ash_pool_config;

/**
 * ash_pool_init - make a pool in the caller's storage.
 *
 * pool     storage, overwritten; once initialised it may not be copied or moved.
 * config   not kept; what its pointers point to is.
 * Returns  true. No memory is taken yet.
 * Fails    false if size is 0 or more than an address space holds, or align is none. The pool is then
 *          a zeroed one: valid, and without memory.
 * Lifetime until ash_pool_deinit; none is needed where upstream takes its memory back by itself.
 * Cost     O(1).
 * Threads  one thread at a time per pool, for this and all that follows, unless it says `const`.
 * Example:
 *     ash_pool nodes;
 *     if (!ash_pool_init(&nodes, &(ash_pool_config){.size = sizeof(node)}))
 *         return false;
 */
ASH_NODISCARD bool ash_pool_init(ash_pool *pool, const ash_pool_config *config);

/**
 * ash_pool_deinit, ash_pool_release, ash_pool_reset - take all cells back; give memory back.
 *
 * reset    all cells are free again, whoever has one; slabs are kept. O(1).
 * release  a reset, and the slabs go back upstream. The pool can be used again.
 * deinit   a release, after which the pool is a zeroed one. NULL is nothing.
 * Cost     release and deinit: O(slabs).
 */
void ash_pool_deinit(ash_pool *pool);
void ash_pool_release(ash_pool *pool);
void ash_pool_reset(ash_pool *pool);

/* Not for users: what alloc and free do when their few lines do not suffice. */
void *ash_pool_alloc_slow_(ash_pool *pool);
void ash_pool_free_slow_(ash_pool *pool, void *p);

/*
 * A link is an address folded with a key; each is the other's inverse. Whatever byte of a link is changed, what is
 * read is changed in its upper 16 bits, and is no address any more, however far apart the slabs lie.
 */
static inline uint64_t ash_link_write_(uint64_t address, uint64_t key)
{
    address ^= key;
    return address ^ address << 16;
}

static inline uint64_t ash_link_read_(uint64_t link, uint64_t key)
{
    link ^= link << 16;
    return link ^ key ^ link << 32;
}

/**
 * ash_pool_alloc - take a cell.
 *
 * Returns  address of uninitialised bytes, as many as the pool's cells have, aligned as they are. The
 *          cell freed last comes first.
 * Fails    NULL if upstream refuses or the limit is reached; the pool is then unchanged. A larger slab
 *          that was refused is asked for once more, in the size of the first.
 * Requires no scope is open, over the same arena, that is younger than the pool: growing in one is
 *          reported as fatal, since its end would take the slab away.
 * Lifetime until ash_pool_free, or a reset, release or deinit.
 * Cost     O(1), some fifteen instructions; now and then an upstream allocation.
 * Example:
 *     node *n = ash_pool_alloc(&nodes);
 *     if (!n) return false;
 */
ASH_NODISCARD static inline void *ash_pool_alloc(ash_pool *pool)
{
    uint64_t address = pool->free_;
    if (ASH_LIKELY(address)) {
        ash_link_ *cell = (ash_link_ *)(uintptr_t)address;
        uint64_t below = ash_link_read_(*cell, pool->key_);
        if (ASH_LIKELY(below - pool->low_ < pool->span_)) {
            *cell = 0; /* it does not look free any more, and gives no link away */
            pool->free_ = below;
            pool->live_++;
            return cell;
        }
    }
    return ash_pool_alloc_slow_(pool);
}

/**
 * ash_pool_free - give a cell back.
 *
 * p        from ash_pool_alloc of this pool, not given back since; NULL is nothing.
 * Requires what is no cell of the pool is reported as fatal: without NDEBUG whatever it is, with
 *          NDEBUG as the head of this file says. A second free is reported always.
 * Cost     O(1), some fifteen instructions; without NDEBUG O(slabs).
 */
static inline void ash_pool_free(ash_pool *pool, void *p)
{
#ifdef NDEBUG
    uint64_t address = (uintptr_t)p, at = address - pool->low_;
    if (ASH_LIKELY(at < pool->span_ && !(address & pool->align_mask_))) {
        ash_link_ *cell = (ash_link_ *)p;
        uint64_t below = ash_link_read_(*cell, pool->key_);
        if (ASH_LIKELY(below > pool->high_)) { /* else it looks free, or is so by a rare chance */
            *cell = ash_link_write_(pool->free_, pool->key_);
            pool->free_ = address;
            pool->live_--;
            return;
        }
    }
#endif
    ash_pool_free_slow_(pool, p);
}

/*
 * Bytes of the live cells, all bytes held, live cells. Does `p` lie in a cell's memory, live or free?
 * O(slabs).
 */
size_t ash_pool_used(const ash_pool *pool);
size_t ash_pool_capacity(const ash_pool *pool);
size_t ash_pool_count(const ash_pool *pool);
bool ash_pool_owns(const ash_pool *pool, const void *p);
const char *ash_pool_name(const ash_pool *pool);

/**
 * ash_pool_resource - the pool as a resource, for whatever takes one.
 *
 * It serves requests that fit in a cell, in size and alignment, and refuses all others. resize is true
 * as long as the new size fits.
 * Lifetime that of the pool.
 */
ash_resource *ash_pool_resource(ash_pool *pool);

/* Walks all slabs and the whole free list: is every free cell one of the pool's, each there once, and
 * are there as many as there should be? O(cells). */
ASH_NODISCARD bool ash_pool_check(const ash_pool *pool);

/* ---- cells of many sizes ---- */

/*
 * Classes: 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320 and so on, four to a doubling, up to
 * ASH_POOLS_LARGEST. A request takes the first class it fits in: at most a quarter is wasted, or 15 bytes.
 */
#define ASH_POOLS_LARGEST ((size_t)32 * 1024)

/* The largest alignment served from cells. What is larger, in size or alignment, goes to upstream. */
#define ASH_POOLS_ALIGN ((size_t)64)

enum { ASH_POOLS_CLASSES_ = 40 };

typedef struct ash_pools {
    ash_pool classes_[ASH_POOLS_CLASSES_];
    ash_resource resource_;
    ash_resource *upstream_;
    const char *name_;
    size_t large_; /* bytes passed through from upstream, live */
} ash_pools;

/* {0} is valid: slabs from the default resource. ash_sync_pools takes it too. */
typedef struct ash_pools_config {
    ash_resource *upstream; /* NULL: ash_default() at init */
    size_t slab_size;       /* bytes of a class's first slab; 0: 4 KiB, of sync pools 64 KiB */
    size_t slab_max;        /* slabs grow no larger than this; 0: 4 MiB */
    const char *name;       /* for messages; NULL: "unnamed". Not copied. */
} ash_pools_config;

/**
 * ash_pools_init - make a set of pools in the caller's storage.
 *
 * config   NULL: all defaults.
 * Returns  true. No memory is taken yet. (It cannot fail; it is as the others are.)
 * Lifetime until ash_pools_deinit; none is needed where upstream takes its memory back by itself.
 * Cost     O(classes): some 8 KB are written.
 * Threads  one thread at a time, as a pool.
 * Example:
 *     ash_pools pools;
 *     ash_pools_init(&pools, NULL);
 *     char *line = ash_pools_alloc(&pools, 80, 1);
 *     ash_pools_free(&pools, line, 80, 1);
 *     ash_pools_deinit(&pools);
 */
bool ash_pools_init(ash_pools *pools, const ash_pools_config *config);

/* As of a pool; of all classes. What was passed through from upstream is not theirs to give back: free it
 * one by one. */
void ash_pools_deinit(ash_pools *pools);
void ash_pools_release(ash_pools *pools);
void ash_pools_reset(ash_pools *pools);

/**
 * ash_pools_alloc - take `size` bytes.
 *
 * size     bytes, any value; 0 is served as 1.
 * align    bytes, a power of two, at most ASH_ALIGN_MAX.
 * Returns  address of `size` uninitialised bytes, a multiple of `align`.
 * Fails    NULL as ash_pool_alloc and ash_resource_alloc, and where align is none; nothing is changed.
 * Requires as ash_pool_alloc.
 * Lifetime until ash_pools_free, or a reset, release or deinit.
 * Cost     as ash_pool_alloc and a call; beyond ASH_POOLS_LARGEST and ASH_POOLS_ALIGN, upstream's.
 */
ASH_NODISCARD void *ash_pools_alloc(ash_pools *pools, size_t size, size_t align);

/**
 * ash_pools_free - give it back.
 *
 * size, align   those it was allocated with; NULL is nothing.
 * Requires as ash_pool_free.
 * Cost     as ash_pool_free and a call.
 */
void ash_pools_free(ash_pools *pools, void *p, size_t size, size_t align);

/* Bytes of live cells and of what was passed through; bytes of slabs, without what was passed through. */
size_t ash_pools_used(const ash_pools *pools);
size_t ash_pools_capacity(const ash_pools *pools);
/* Does `p` lie in a slab? What was passed through does not. */
bool ash_pools_owns(const ash_pools *pools, const void *p);

/* As a resource: resize is true where the class stays the same; what was passed through is resized and
 * remapped by upstream. */
ash_resource *ash_pools_resource(ash_pools *pools);

/* ash_pool_check of each class. */
ASH_NODISCARD bool ash_pools_check(const ash_pools *pools);

/* ---- cells of many sizes, for many threads ---- */

/*
 * As ash_pools, and any thread may allocate and free at any time, also what another one allocated. Each
 * thread keeps free cells of its own, at most two batches a class (a batch: 128 cells or 16 KiB), and goes
 * to the shared ones once a batch.
 *
 * When a thread ends its cells go back to the shared ones. After fork the child may go on: what other
 * threads kept is not handed out there until release or deinit. Upstream is called by one thread at a time.
 *
 * A thread keeps cells of up to eight sync pools at once; with more, each change to another costs two
 * locks. Where the compiler has no thread-local storage or the system no way to tell that a thread ends,
 * nothing is kept and each call takes a lock; where it has no atomics (tcc), one thread alone may use
 * them.
 *
 * Upstream must not leave a request by longjmp, of a fatal report either, and must not fork: a lock would stay
 * taken. Reports of the pools themselves may be left by longjmp. Where a thread's cells are to go back, when it
 * ends or comes to another one of more than eight, and one was overwritten, it is reported there, and what is
 * linked behind it is lost until release.
 *
 * Sync pools may stand on others. A thread that comes to the lower ones in a call of the upper ones, and has
 * others' cells in their place, keeps none and takes a lock. Deinit the upper ones first. A report of the lower
 * ones that is left by longjmp leaves the upper ones' lock taken, as above. If the library itself is unloaded
 * (dlclose), every thread that used sync pools must have ended, or it must be linked with -z nodelete.
 */
typedef struct ash_sync_pools {
    ash_resource resource_;
    uint64_t serial_; /* never used again: finds a thread's cells, or shows that they are gone */
    struct ash_sync_core_ *core_;
} ash_sync_pools;

/**
 * ash_sync_pools_init - make a set of shared pools.
 *
 * pools    storage, overwritten; once initialised it may not be copied or moved.
 * config   NULL: all defaults.
 * Returns  true. Some 4 KB are taken from upstream; later 1.3 KB for each thread that uses them, kept for the
 *          next one when it ends.
 * Fails    false if upstream refuses them; pools is then a zeroed one, which refuses everything.
 * Lifetime until ash_sync_pools_deinit.
 * Threads  one, while no other uses it: for init, release, deinit and check. All else: any at any time.
 * Example:
 *     static ash_sync_pools shared;
 *     if (!ash_sync_pools_init(&shared, NULL)) return false;
 *     void *p = ash_sync_pools_alloc(&shared, 100, 8);      // here
 *     ash_sync_pools_free(&shared, p, 100, 8);              // or on another thread
 */
ASH_NODISCARD bool ash_sync_pools_init(ash_sync_pools *pools, const ash_pools_config *config);

/* As of ash_pools. Threads that go on, or end later, keep nothing that dangles. */
void ash_sync_pools_deinit(ash_sync_pools *pools);
void ash_sync_pools_release(ash_sync_pools *pools);

/**
 * ash_sync_pools_alloc, ash_sync_pools_free - as ash_pools_alloc and ash_pools_free, on any thread.
 *
 * Requires a free of what is no cell of that size is reported as fatal, as the head of this file says, and a
 *          second free of a cell that the thread itself or the shared lists have. Not found is a second free
 *          of a cell that another thread keeps.
 * Cost     O(1), some thirty instructions; once a batch a lock; now and then an upstream allocation. A
 *          free without NDEBUG: O(slabs), no lock more.
 */
ASH_NODISCARD void *ash_sync_pools_alloc(ash_sync_pools *pools, size_t size, size_t align);
void ash_sync_pools_free(ash_sync_pools *pools, void *p, size_t size, size_t align);

/* Bytes of slabs, not of what the pools keep for themselves and for threads; does `p` lie in a slab? */
size_t ash_sync_pools_capacity(const ash_sync_pools *pools);
bool ash_sync_pools_owns(const ash_sync_pools *pools, const void *p);

/* As a resource, for many threads. */
ash_resource *ash_sync_pools_resource(ash_sync_pools *pools);

/* Walks all free cells, shared and kept: each lies in a slab and there are no more than were cut. */
ASH_NODISCARD bool ash_sync_pools_check(const ash_sync_pools *pools);

ASH_DECLS_END

#endif
