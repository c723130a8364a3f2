#include "ashlar/pool.h"

#include "sync_pools.h"

/* ---- what a thread has, and what is known of all pools ---- */

/* Sync pools a thread keeps cells of at once. */
enum { SLOTS = 8 };

typedef struct slot {
    uint64_t serial; /* EMPTY, or of pools that have been: then there is a cache */
    ash_cache_ *cache;
} slot;

/* A serial that no pools have, zeroed ones neither: who finds his own need not ask whether there is one. */
#define EMPTY UINT64_MAX

static ASH_THREAD_LOCAL slot slots[SLOTS] = {{EMPTY, NULL}, {EMPTY, NULL}, {EMPTY, NULL},
                                             {EMPTY, NULL}, {EMPTY, NULL}, {EMPTY, NULL},
                                             {EMPTY, NULL}, {EMPTY, NULL}};

/* Calls of upstream that the thread is in: more than one where sync pools stand on others. */
static ASH_THREAD_LOCAL unsigned upstream_calls;

static struct {
    ash_lock_ lock;
    ash_sync_core_ *first;
    uint64_t serials; /* given out */
    bool asked;       /* the system, for its hooks */
    bool hooked;      /* it has them: threads may keep cells */
} registry;

static slot *slot_of(uint64_t serial)
{
    return &slots[serial % SLOTS];
}

static ash_sync_core_ *find_core(uint64_t serial)
{
    ash_sync_core_ *core = registry.first;
    while (core && core->serial != serial)
        core = core->next;
    return core;
}

static void set_idle(ash_sync_core_ *core, ash_cache_ *cache)
{
    ash_lock_take_(&core->idle_lock);
    cache->idle = core->idle;
    core->idle = cache;
    ash_lock_drop_(&core->idle_lock);
}

/* All that the cache has goes back to the shelves, and the cache to those that wait for a thread. Answers a cell
 * that was overwritten, or 0. */
static uint64_t give_back(ash_sync_core_ *core, ash_cache_ *cache)
{
    uint64_t worn = 0;
    for (unsigned kind = 0; kind < ASH_POOLS_CLASSES_; kind++) {
        uint64_t found = ash_shelf_put_all_(core, kind, &cache->magazines[kind]);
        worn = found ? found : worn;
    }
    set_idle(core, cache);
    return worn;
}

static void leave(slot *s)
{
    if (s->serial == EMPTY)
        return;
    const char *name = NULL;
    uint64_t worn = 0;
    ash_lock_take_(&registry.lock); /* so that the pools do not go meanwhile */
    ash_sync_core_ *core = find_core(s->serial);
    if (core) {
        name = ash_core_name_(core);
        worn = give_back(core, s->cache);
    }
    ash_lock_drop_(&registry.lock);
    *s = (slot){EMPTY, NULL};
    if (worn)
        ash_fatal_(ASH_CELL_OVERWRITTEN_, name, (void *)(uintptr_t)worn);
}

void ash_pools_thread_ends_(void *value)
{
    (void)value;
    for (unsigned i = 0; i < SLOTS; i++)
        leave(&slots[i]);
}

/* Of all pools, or of none: upstream's locks come before the registry's. */
static bool try_upstreams(void)
{
    ash_sync_core_ *core = registry.first;
    while (core && ash_lock_try_(&core->upstream_lock))
        core = core->next;
    if (!core)
        return true;
    for (ash_sync_core_ *taken = registry.first; taken != core; taken = taken->next)
        ash_lock_drop_(&taken->upstream_lock);
    return false;
}

/* Nothing is half done in the child: its one thread has all the locks. */
static void before_fork(void)
{
    ash_lock_take_(&registry.lock);
    while (!try_upstreams()) {
        ash_lock_drop_(&registry.lock);
        ash_os_yield_();
        ash_lock_take_(&registry.lock);
    }
    for (ash_sync_core_ *core = registry.first; core; core = core->next) {
        for (unsigned kind = 0; kind < ASH_POOLS_CLASSES_; kind++)
            ash_lock_take_(&core->shelves[kind].lock);
        ash_lock_take_(&core->idle_lock);
    }
}

static void after_fork(void)
{
    for (ash_sync_core_ *core = registry.first; core; core = core->next) {
        ash_lock_drop_(&core->idle_lock);
        for (unsigned kind = 0; kind < ASH_POOLS_CLASSES_; kind++)
            ash_lock_drop_(&core->shelves[kind].lock);
        ash_lock_drop_(&core->upstream_lock);
    }
    ash_lock_drop_(&registry.lock);
}

static uint64_t enter_registry(ash_sync_core_ *core)
{
    ash_lock_take_(&registry.lock);
    if (!registry.asked)
        registry.hooked = ASH_HAS_THREADS_ && ash_os_at_fork_(before_fork, after_fork);
    registry.asked = true;
    core->serial = ++registry.serials;
    core->next = registry.first;
    registry.first = core;
    ash_lock_drop_(&registry.lock);
    return core->serial;
}

/* From here on no thread that ends looks at it. */
static void leave_registry(ash_sync_core_ *core)
{
    ash_lock_take_(&registry.lock);
    ash_sync_core_ **link = &registry.first;
    while (*link != core)
        link = &(*link)->next;
    *link = core->next;
    ash_lock_drop_(&registry.lock);
}

/* ---- upstream ---- */

void ash_upstream_take_(ash_sync_core_ *core)
{
    ash_lock_take_(&core->upstream_lock);
    upstream_calls++;
}

void ash_upstream_drop_(ash_sync_core_ *core)
{
    upstream_calls--;
    ash_lock_drop_(&core->upstream_lock);
}

/* ---- caches ---- */

static ash_cache_ *new_cache(ash_sync_core_ *core)
{
    ash_cache_ *cache = ash_resource_alloc(core->upstream, sizeof *cache, ASH_ALIGNOF(ash_cache_));
    if (!cache)
        return NULL;
    *cache = (ash_cache_){.core = core, .key = core->key};
    for (unsigned kind = 0; kind < ASH_POOLS_CLASSES_; kind++)
        cache->magazines[kind].batch = cache->magazines[kind].room = core->shelves[kind].batch;
    cache->older = core->caches;
    core->caches = cache;
    return cache;
}

static ash_cache_ *get_cache(ash_sync_core_ *core)
{
    ash_lock_take_(&core->idle_lock);
    ash_cache_ *cache = core->idle;
    if (cache)
        core->idle = cache->idle;
    ash_lock_drop_(&core->idle_lock);
    if (cache)
        return cache;
    ash_upstream_take_(core);
    cache = new_cache(core);
    ash_upstream_drop_(core);
    return cache;
}

/* NULL: this thread keeps nothing. In a call of upstream no place is made: whoever called may be about to go on
 * with the cache that is there. */
static ASH_NOINLINE ash_cache_ *enter(const ash_sync_pools *pools)
{
    ash_sync_core_ *core = pools->core_;
    slot *s = slot_of(pools->serial_);
    if (!core || !registry.hooked || (upstream_calls && s->serial != EMPTY) ||
        !ash_os_thread_set_(ASH_POOLS_SLOT_, slots))
        return NULL;
    leave(s);
    ash_cache_ *cache = get_cache(core);
    if (!cache)
        return NULL;
    leave(s); /* upstream, where it is sync pools too, may have come in */
    *s = (slot){pools->serial_, cache};
    return cache;
}

ASH_HOT bool has_entered(const ash_sync_pools *pools, const slot *s)
{
    return ASH_LIKELY(s->serial == pools->serial_);
}

static void look_again(ash_cache_ *cache)
{
    cache->low = ash_load_(&cache->core->low);
    cache->high = ash_load_(&cache->core->high);
    cache->span = cache->high - cache->low;
}

/* ---- cells ---- */

static ASH_NOINLINE uint64_t take_slow(ash_cache_ *cache, unsigned kind)
{
    ash_magazine_ *m = &cache->magazines[kind];
    if (!m->cells && m->spare) {
        m->cells = m->spare;
        m->room = 0;
        m->spare = 0;
    }
    if (!m->cells) {
        if (!ash_shelf_fill_(cache->core, kind, m))
            return 0;
        look_again(cache);
    }
    uint64_t cell = m->cells;
    if (!ash_cells_pop_(cache->core, &m->cells))
        ash_report_worn_(cache->core, cell);
    m->room++;
    return cell;
}

ASH_HOT uint64_t take(ash_cache_ *cache, unsigned kind)
{
    ash_magazine_ *m = &cache->magazines[kind];
    uint64_t cell = m->cells;
    if (ASH_UNLIKELY(!cell))
        return take_slow(cache, kind);
    uint64_t below = ash_link_read_(ash_cell_link_(cell), cache->key);
    if (ASH_UNLIKELY(below - cache->low >= cache->span)) /* the last one, or a wrong one */
        return take_slow(cache, kind);
    m->cells = below;
    m->room++;
    return cell;
}

ASH_HOT void *hand_out(uint64_t cell, size_t size)
{
    if (ASH_UNLIKELY(!cell))
        return NULL;
    ash_cell_set_link_(cell, 0);
    ash_unpoison_((void *)(uintptr_t)cell, size);
    return (void *)(uintptr_t)cell;
}

/* Without a cache, and what the first lines of a thread are. */
static ASH_NOINLINE void *alloc_entering(ash_sync_pools *pools, unsigned kind, size_t size)
{
    ash_cache_ *cache = enter(pools);
    if (cache)
        return hand_out(take(cache, kind), size);
    return pools->core_ ? hand_out(ash_shelf_take_one_(pools->core_, kind), size) : NULL;
}

ASH_HOT void *alloc_cell(ash_sync_pools *pools, unsigned kind, size_t size)
{
    const slot *s = slot_of(pools->serial_);
    return has_entered(pools, s) ? hand_out(take(s->cache, kind), size)
                                 : alloc_entering(pools, kind, size);
}

/* A word that can be read as a link: the cell is free already, or its user wrote that by a rare chance. */
static bool looks_free(const ash_sync_core_ *core, uint64_t cell)
{
    return ash_core_is_link_(core, ash_link_read_(ash_cell_link_(cell), core->key));
}

/* Is it among the free cells that the thread has, or the shelf? */
static bool is_free(ash_sync_core_ *core, const ash_cache_ *cache, unsigned kind, uint64_t cell)
{
    uint64_t worn = 0;
    const ash_magazine_ *m = cache ? &cache->magazines[kind] : NULL;
    bool found = (m && (ash_cells_have_(core, m->cells, cell, &worn) ||
                        ash_cells_have_(core, m->spare, cell, &worn))) ||
                 ash_shelf_has_(core, kind, cell, &worn);
    if (!found)
        ash_report_worn_(core, worn);
    return found;
}

static void refuse_free(ash_sync_core_ *core, const ash_cache_ *cache, unsigned kind, uint64_t cell)
{
    void *p = (void *)(uintptr_t)cell;
    if (!ash_shelf_is_cell_(core, kind, cell))
        ash_fatal_(ASH_CELL_FOREIGN_, ash_core_name_(core), p);
    if (looks_free(core, cell) && is_free(core, cache, kind, cell))
        ash_fatal_(ASH_CELL_TWICE_, ash_core_name_(core), p);
}

static void make_room(ash_cache_ *cache, unsigned kind)
{
    ash_magazine_ *m = &cache->magazines[kind];
    if (m->room)
        return;
    if (m->spare)
        ash_shelf_put_batch_(cache->core, kind, m->spare);
    m->spare = m->cells;
    m->cells = 0;
    m->room = m->batch;
}

ASH_HOT void push(ash_cache_ *cache, unsigned kind, uint64_t cell)
{
    ash_magazine_ *m = &cache->magazines[kind];
    ash_cell_set_link_(cell, ash_link_write_(m->cells, cache->key));
    m->cells = cell;
    m->room--;
    ash_poison_((void *)(uintptr_t)cell, ASH_WATCHED ? cache->core->shelves[kind].stride : 0);
}

static ASH_NOINLINE void put_slow(ash_cache_ *cache, unsigned kind, uint64_t cell)
{
    if (!cell)
        return;
    look_again(cache);
    refuse_free(cache->core, cache, kind, cell);
    make_room(cache, kind);
    push(cache, kind, cell);
}

/* Without NDEBUG each cell is looked for in the slabs. */
#ifdef NDEBUG
enum { LOOKS_ALWAYS = 0 };
#else
enum { LOOKS_ALWAYS = 1 };
#endif

ASH_HOT void put(ash_cache_ *cache, unsigned kind, uint64_t cell)
{
    if (LOOKS_ALWAYS ||
        ASH_UNLIKELY(cell - cache->low >= cache->span || cell & 15 ||
                     !cache->magazines[kind].room ||
                     ash_link_read_(ash_cell_link_(cell), cache->key) <= cache->high))
        put_slow(cache, kind, cell);
    else
        push(cache, kind, cell);
}

static ASH_NOINLINE void free_entering(ash_sync_pools *pools, unsigned kind, void *p)
{
    ash_sync_core_ *core = pools->core_;
    if (!p)
        return;
    if (!core)
        ash_fatal_(ASH_CELL_FOREIGN_, "unnamed", p); /* zeroed pools have no cells */
    ash_cache_ *cache = enter(pools);
    if (cache) {
        put(cache, kind, (uintptr_t)p);
        return;
    }
    refuse_free(core, NULL, kind, (uintptr_t)p);
    ash_shelf_put_one_(core, kind, (uintptr_t)p);
    ash_poison_(p, core->shelves[kind].stride);
}

ASH_HOT void free_cell(ash_sync_pools *pools, unsigned kind, void *p)
{
    const slot *s = slot_of(pools->serial_);
    if (has_entered(pools, s))
        put(s->cache, kind, (uintptr_t)p);
    else
        free_entering(pools, kind, p);
}

/* ---- alloc and free ---- */

static ASH_NOINLINE void *alloc_unusual(ash_sync_pools *pools, size_t size, size_t align)
{
    size_t request = ash_class_request_(size, align);
    if (request)
        return alloc_cell(pools, ash_class_of_(request), size + !size);
    ash_sync_core_ *core = pools->core_;
    if (!core)
        return NULL;
    ash_upstream_take_(core);
    void *p = ash_resource_alloc(core->upstream, size, align);
    ash_upstream_drop_(core);
    return p;
}

static ASH_NOINLINE void free_unusual(ash_sync_pools *pools, void *p, size_t size, size_t align)
{
    size_t request = ash_class_request_(size, align);
    ash_sync_core_ *core = pools->core_;
    if (request) {
        free_cell(pools, ash_class_of_(request), p);
    } else if (core) {
        ash_upstream_take_(core);
        ash_resource_free(core->upstream, p, size, align);
        ash_upstream_drop_(core);
    } else if (p) {
        ash_fatal_(ASH_CELL_FOREIGN_, "unnamed", p);
    }
}

void *ash_sync_pools_alloc(ash_sync_pools *pools, size_t size, size_t align)
{
    if (ASH_LIKELY(ash_class_usual_(size, align)))
        return alloc_cell(pools, ash_class_of_(size), size);
    return alloc_unusual(pools, size, align);
}

void ash_sync_pools_free(ash_sync_pools *pools, void *p, size_t size, size_t align)
{
    if (ASH_LIKELY(ash_class_usual_(size, align)))
        free_cell(pools, ash_class_of_(size), p);
    else
        free_unusual(pools, p, size, align);
}

/* ---- as a resource ---- */

static ash_sync_pools *pools_of(const ash_resource *self)
{
    return (ash_sync_pools *)((uintptr_t)self - offsetof(ash_sync_pools, resource_));
}

static void *resource_alloc(ash_resource *self, size_t size, size_t align)
{
    return ash_sync_pools_alloc(pools_of(self), size, align);
}

static void resource_free(ash_resource *self, void *p, size_t size, size_t align)
{
    ash_sync_pools_free(pools_of(self), p, size, align);
}

static bool resource_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    ash_sync_core_ *core = pools_of(self)->core_;
    size_t old_request = ash_class_request_(old_size, align);
    size_t new_request = ash_class_request_(new_size, align);
    if (old_request && new_request) {
        if (ash_class_of_(old_request) != ash_class_of_(new_request))
            return false;
        ash_cell_resize_(p, old_size, new_size);
        return true;
    }
    if (old_request || new_request || !core)
        return false;
    ash_upstream_take_(core);
    bool done = ash_resource_resize(core->upstream, p, old_size, new_size, align);
    ash_upstream_drop_(core);
    return done;
}

static void *resource_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    ash_sync_core_ *core = pools_of(self)->core_;
    if (!core || ash_class_request_(old_size, align) || ash_class_request_(new_size, align))
        return NULL;
    ash_upstream_take_(core);
    void *moved = ash_resource_remap(core->upstream, p, old_size, new_size, align);
    ash_upstream_drop_(core);
    return moved;
}

static bool resource_owns(const ash_resource *self, const void *p)
{
    return ash_sync_pools_owns(pools_of(self), p);
}

static uint64_t resource_epoch(const ash_resource *self)
{
    ash_sync_core_ *core = pools_of(self)->core_;
    if (!core)
        return 0;
    ash_upstream_take_(core);
    uint64_t epoch = ash_resource_epoch(core->upstream);
    ash_upstream_drop_(core);
    return epoch;
}

static const char *resource_name(const ash_resource *self)
{
    const ash_sync_core_ *core = pools_of(self)->core_;
    return core ? ash_core_name_(core) : "unnamed";
}

static const ash_resource_ops sync_ops = {.alloc = resource_alloc,
                                          .resize = resource_resize,
                                          .remap = resource_remap,
                                          .free = resource_free,
                                          .owns = resource_owns,
                                          .epoch = resource_epoch,
                                          .name = resource_name};

ash_resource *ash_sync_pools_resource(ash_sync_pools *pools)
{
    if (!pools->resource_.ops)
        pools->resource_.ops = &sync_ops; /* zeroed pools; of others it was written by init */
    return &pools->resource_;
}

/* ---- life ---- */

enum { SLAB_SIZE = 64 * 1024 };

static ash_sync_core_ *new_core(const ash_pools_config *config)
{
    ash_resource *upstream = config->upstream ? config->upstream : ash_default();
    ash_sync_core_ *core = ash_resource_alloc(upstream, sizeof *core, ASH_ALIGNOF(ash_sync_core_));
    if (!core)
        return NULL;
    *core = (ash_sync_core_){.upstream = upstream, .name = config->name};
    core->slab_size = config->slab_size ? config->slab_size : SLAB_SIZE;
    core->slab_size = ASH_MIN(core->slab_size, ASH_SIZE_MAX_);
    core->slab_max = config->slab_max ? config->slab_max : ASH_SLAB_MAX_;
    core->slab_max = ASH_MIN(core->slab_max, ASH_SIZE_MAX_);
    core->epoch = ash_resource_epoch(upstream);
    core->key = ash_link_key_(core);
    ash_shelves_init_(core);
    return core;
}

bool ash_sync_pools_init(ash_sync_pools *pools, const ash_pools_config *config)
{
    static const ash_pools_config defaults;
    *pools = (ash_sync_pools){.resource_ = {&sync_ops}};
    pools->core_ = new_core(config ? config : &defaults);
    if (pools->core_)
        pools->serial_ = enter_registry(pools->core_);
    return pools->core_;
}

static void free_slabs(const ash_sync_core_ *core, ash_slab_ *slab)
{
    while (slab) {
        ash_slab_ *older = slab->newer;
        ash_slab_free_(core->upstream, slab);
        slab = older;
    }
}

/* Nobody finds the core any more. */
static void empty(ash_sync_core_ *core)
{
    ash_cache_ *cache = core->caches;
    core->caches = core->idle = NULL;
    ash_store_(&core->held, (size_t)0);
    ash_store_(&core->low, (uintptr_t)0);
    ash_store_(&core->high, (uintptr_t)0);
    while (cache) {
        ash_cache_ *older = cache->older;
        ash_resource_free(core->upstream, cache, sizeof *cache, ASH_ALIGNOF(ash_cache_));
        cache = older;
    }
    for (unsigned kind = 0; kind < ASH_POOLS_CLASSES_; kind++)
        free_slabs(core, ash_load_(&core->shelves[kind].slabs));
    ash_shelves_init_(core);
}

void ash_sync_pools_release(ash_sync_pools *pools)
{
    if (!pools->core_)
        return;
    leave_registry(pools->core_);
    empty(pools->core_);
    pools->serial_ = enter_registry(pools->core_);
}

void ash_sync_pools_deinit(ash_sync_pools *pools)
{
    if (!pools)
        return;
    ash_sync_core_ *core = pools->core_;
    if (core) {
        leave_registry(core);
        empty(core);
        ash_resource_free(core->upstream, core, sizeof *core, ASH_ALIGNOF(ash_sync_core_));
    }
    *pools = (ash_sync_pools){0};
}

/* ---- questions ---- */

size_t ash_sync_pools_capacity(const ash_sync_pools *pools)
{
    return pools->core_ ? ash_load_(&pools->core_->held) : 0;
}

bool ash_sync_pools_owns(const ash_sync_pools *pools, const void *p)
{
    for (unsigned kind = 0; pools->core_ && kind < ASH_POOLS_CLASSES_; kind++)
        if (ash_shelf_owns_(pools->core_, kind, (uintptr_t)p))
            return true;
    return false;
}

static bool check_class(const ash_sync_core_ *core, unsigned kind)
{
    const ash_shelf_ *shelf = &core->shelves[kind];
    size_t free_cells;
    if (!ash_shelf_check_(core, kind, &free_cells))
        return false;
    for (const ash_cache_ *cache = core->caches; cache; cache = cache->older) {
        const ash_magazine_ *m = &cache->magazines[kind];
        size_t count = m->batch - m->room;
        if (m->room > m->batch || !ash_cells_check_(core, kind, m->cells, count) ||
            !ash_cells_check_(core, kind, m->spare, m->spare ? m->batch : 0))
            return false;
        free_cells += count + (m->spare ? m->batch : 0);
    }
    return free_cells <= shelf->cut;
}

bool ash_sync_pools_check(const ash_sync_pools *pools)
{
    for (unsigned kind = 0; pools->core_ && kind < ASH_POOLS_CLASSES_; kind++)
        if (!check_class(pools->core_, kind))
            return false;
    return true;
}
