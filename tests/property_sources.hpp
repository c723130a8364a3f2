/*
 * property_sources.hpp - what property_resource.cpp stands on: the ledger, and the tables of sources.
 */
#ifndef ASHLAR_TESTS_PROPERTY_SOURCES_HPP
#define ASHLAR_TESTS_PROPERTY_SOURCES_HPP

#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <memory_resource>
#include <new>
#include <string>

#include <rapidcheck.h>

#include "ashlar/ashlar.h"

namespace
{

/* ---- the ledger ---- */

struct block {
    std::size_t size, align;
};

bool operator==(const block &a, const block &b)
{
    return a.size == b.size && a.align == b.align;
}

/* What is wrong is noted, and told when the call is over: C code is not to be thrown through. */
struct ledger : ash_resource {
    explicit ledger(ash_resource *upstream_resource);

    ash_resource *upstream;
    std::map<std::uintptr_t, block> live;
    std::size_t bytes = 0;
    std::uint64_t requests = 0, refused = 0;
    std::string wrong;

    void note(const char *what)
    {
        if (wrong.empty())
            wrong = what;
    }
    void take(void *p, block what);
    void drop(void *p, block what);
    void *answer(void *p)
    {
        requests++;
        refused += p == nullptr;
        return p;
    }
};

ledger *ledger_of(ash_resource *self)
{
    return static_cast<ledger *>(self);
}

const ledger *ledger_of(const ash_resource *self)
{
    return static_cast<const ledger *>(self);
}

void ledger::take(void *p, block what)
{
    auto start = reinterpret_cast<std::uintptr_t>(p);
    auto next = live.lower_bound(start);
    if (start % what.align)
        note("an address that is not aligned");
    if (next != live.end() && next->first - start < what.size)
        note("memory that overlaps what lives behind it");
    if (next != live.begin() && start - std::prev(next)->first < std::prev(next)->second.size)
        note("memory that overlaps what lives in front of it");
    live[start] = what;
    bytes += what.size;
}

void ledger::drop(void *p, block what)
{
    auto found = live.find(reinterpret_cast<std::uintptr_t>(p));
    if (found == live.end())
        return note("given what does not live");
    if (!(found->second == what))
        note("given another size or alignment than it handed out");
    bytes -= found->second.size;
    live.erase(found);
}

void *ledger_alloc(ash_resource *self, std::size_t size, std::size_t align)
{
    ledger *l = ledger_of(self);
    if (!size || !align || align & (align - 1) || align > ASH_ALIGN_MAX)
        l->note("asked for what the contract excludes");
    void *p = l->answer(ash_resource_alloc(l->upstream, size, align));
    if (p)
        l->take(p, {size, align});
    return p;
}

bool ledger_resize(ash_resource *self, void *p, std::size_t old_size, std::size_t new_size,
                   std::size_t align)
{
    ledger *l = ledger_of(self);
    l->drop(p, {old_size, align});
    bool done = ash_resource_resize(l->upstream, p, old_size, new_size, align);
    l->answer(done ? p : nullptr);
    l->take(p, {done ? new_size : old_size, align});
    return done;
}

void *ledger_remap(ash_resource *self, void *p, std::size_t old_size, std::size_t new_size,
                   std::size_t align)
{
    ledger *l = ledger_of(self);
    l->drop(p, {old_size, align});
    void *q = l->answer(ash_resource_remap(l->upstream, p, old_size, new_size, align));
    l->take(q ? q : p, {q ? new_size : old_size, align});
    return q;
}

void ledger_free(ash_resource *self, void *p, std::size_t size, std::size_t align)
{
    ledger_of(self)->drop(p, {size, align});
    ash_resource_free(ledger_of(self)->upstream, p, size, align);
}

bool ledger_owns(const ash_resource *self, const void *p)
{
    return ash_resource_owns(ledger_of(self)->upstream, p);
}

std::uint64_t ledger_epoch(const ash_resource *self)
{
    return ash_resource_epoch(ledger_of(self)->upstream);
}

const char *ledger_name(const ash_resource *self)
{
    return ash_resource_name(ledger_of(self)->upstream);
}

const ash_resource_ops ledger_ops = {ledger_alloc, ledger_resize, ledger_remap, ledger_free,
                                     ledger_owns,  ledger_epoch,  ledger_name};

ledger::ledger(ash_resource *upstream_resource)
    : ash_resource{&ledger_ops}, upstream{upstream_resource}
{
}

/* ---- sources: where the memory comes from ---- */

struct source {
    virtual ~source() = default;
    virtual ash_resource *resource() = 0;
};

template <ash_resource *built_in()> struct built_in_source : source {
    explicit built_in_source(ash_resource *) {}
    ash_resource *resource() override
    {
        return built_in();
    }
};

struct arena_source : source {
    ash_arena arena;
    explicit arena_source(ash_resource *upstream, std::size_t reserve = 0)
    {
        ash_arena_config config = {};
        config.upstream = upstream;
        config.block_size = 2048;
        config.reserve = reserve;
        RC_ASSERT(ash_arena_init(&arena, &config));
    }
    ~arena_source() override
    {
        ash_arena_deinit(&arena);
    }
    ash_resource *resource() override
    {
        return ash_arena_resource(&arena);
    }
};

struct reserved_source : arena_source {
    explicit reserved_source(ash_resource *upstream) : arena_source(upstream, std::size_t{1} << 24)
    {
    }
};

struct fixed_source : source {
    ash_arena arena;
    char buffer[40001];
    explicit fixed_source(ash_resource *)
    {
        ash_arena_init_fixed(&arena, buffer + 1, sizeof buffer - 1);
    }
    ~fixed_source() override
    {
        ash_arena_deinit(&arena);
    }
    ash_resource *resource() override
    {
        return ash_arena_resource(&arena);
    }
};

/* A resource as the C++ library's, and the other way round. */
struct pool_source : source {
    ash_pool pool;
    explicit pool_source(ash_resource *upstream)
    {
        ash_pool_config config = {};
        config.size = 600; /* what is larger is refused */
        config.align = 64;
        config.upstream = upstream;
        RC_ASSERT(ash_pool_init(&pool, &config));
    }
    ~pool_source() override
    {
        RC_ASSERT(ash_pool_check(&pool));
        ash_pool_deinit(&pool);
    }
    ash_resource *resource() override
    {
        return ash_pool_resource(&pool);
    }
};

template <class Pools, bool begin(Pools *, const ash_pools_config *), bool check(const Pools *),
          void end(Pools *), ash_resource *resource_of(Pools *)>
struct pools_source : source {
    Pools pools;
    explicit pools_source(ash_resource *upstream)
    {
        ash_pools_config config = {};
        config.upstream = upstream;
        RC_ASSERT(begin(&pools, &config));
    }
    ~pools_source() override
    {
        RC_ASSERT(check(&pools));
        end(&pools);
    }
    ash_resource *resource() override
    {
        return resource_of(&pools);
    }
};

using class_source =
    pools_source<ash_pools, ash_pools_init, ash_pools_check, ash_pools_deinit, ash_pools_resource>;
using sync_source = pools_source<ash_sync_pools, ash_sync_pools_init, ash_sync_pools_check,
                                 ash_sync_pools_deinit, ash_sync_pools_resource>;

struct to_std : std::pmr::memory_resource {
    ash_resource *resource;
    explicit to_std(ash_resource *of) : resource{of} {}
    void *do_allocate(std::size_t size, std::size_t align) override
    {
        void *p = ash_resource_alloc(resource, size, align);
        if (!p)
            throw std::bad_alloc();
        return p;
    }
    void do_deallocate(void *p, std::size_t size, std::size_t align) override
    {
        ash_resource_free(resource, p, size, align);
    }
    bool do_is_equal(const std::pmr::memory_resource &other) const noexcept override
    {
        return this == &other;
    }
};

struct from_std : ash_resource {
    std::pmr::memory_resource *memory;
    explicit from_std(std::pmr::memory_resource *of);
};

void *std_alloc(ash_resource *self, std::size_t size, std::size_t align)
{
    if (size > PTRDIFF_MAX / 2)
        return nullptr;
    try {
        return static_cast<from_std *>(self)->memory->allocate(size, align);
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

void std_free(ash_resource *self, void *p, std::size_t size, std::size_t align)
{
    static_cast<from_std *>(self)->memory->deallocate(p, size, align);
}

const ash_resource_ops std_ops = {std_alloc, nullptr, nullptr, std_free, nullptr, nullptr, nullptr};

from_std::from_std(std::pmr::memory_resource *of) : ash_resource{&std_ops}, memory{of} {}

template <typename memory_resource> struct std_source : source {
    to_std upstream;
    memory_resource memory{&upstream};
    from_std adapter{&memory};
    explicit std_source(ash_resource *of) : upstream{of} {}
    ash_resource *resource() override
    {
        return &adapter;
    }
};

/* Broken ones: a heap with one fault. */
struct broken : ash_resource {
    broken(ash_resource_ops with, ash_resource *of) : ash_resource{&ops}, ops{with}, upstream{of} {}
    ash_resource_ops ops;
    ash_resource *upstream;
    void *last = nullptr;
};

broken *broken_of(ash_resource *self)
{
    return static_cast<broken *>(self);
}

void *honest_alloc(ash_resource *self, std::size_t size, std::size_t align)
{
    return ash_resource_alloc(broken_of(self)->upstream, size, align);
}

void honest_free(ash_resource *self, void *p, std::size_t size, std::size_t align)
{
    ash_resource_free(broken_of(self)->upstream, p, size, align);
}

void *overlapping_alloc(ash_resource *self, std::size_t size, std::size_t align)
{
    broken *b = broken_of(self);
    if (!b->last)
        b->last = ash_resource_alloc(b->upstream, 4096, 4096);
    return size + align < 2000 ? static_cast<char *>(b->last) + align : nullptr;
}

void stingy_free(ash_resource *self, void *p, std::size_t size, std::size_t align)
{
    ash_resource_free(broken_of(self)->upstream, p, size > 1 ? size - 1 : size, align);
}

void leaking_free(ash_resource *, void *, std::size_t, std::size_t) {}

void *losing_remap(ash_resource *self, void *p, std::size_t old_size, std::size_t new_size,
                   std::size_t align)
{
    void *q = ash_resource_alloc(broken_of(self)->upstream, new_size, align);
    if (!q)
        return nullptr;
    std::memset(q, 0, new_size);
    ash_resource_free(broken_of(self)->upstream, p, old_size, align);
    return q;
}

using alloc_fn = void *(ash_resource *, std::size_t, std::size_t);
using remap_fn = void *(ash_resource *, void *, std::size_t, std::size_t, std::size_t);
using free_fn = void(ash_resource *, void *, std::size_t, std::size_t);

template <alloc_fn *alloc, remap_fn *remap, free_fn *free> struct broken_source : source {
    broken resource_;
    explicit broken_source(ash_resource *upstream)
        : resource_{{alloc, nullptr, remap, free, nullptr, nullptr, nullptr}, upstream}
    {
    }
    ash_resource *resource() override
    {
        return &resource_;
    }
};

template <typename T> std::unique_ptr<source> make_source(ash_resource *upstream)
{
    return std::make_unique<T>(upstream);
}

struct source_kind {
    const char *name;
    std::unique_ptr<source> (*make)(ash_resource *upstream); /* which not all of them need */
};

const source_kind sources[] = {
    {"heap", make_source<built_in_source<ash_heap>>},
    {"pages", make_source<built_in_source<ash_pages>>},
    {"arena over the heap", make_source<arena_source>},
    {"arena over a buffer", make_source<fixed_source>},
    {"arena in reserved address space", make_source<reserved_source>},
    {"pool", make_source<pool_source>},
    {"size classes", make_source<class_source>},
    {"size classes for threads", make_source<sync_source>},
    {"std::pmr::monotonic_buffer_resource",
     make_source<std_source<std::pmr::monotonic_buffer_resource>>},
    {"std::pmr::unsynchronized_pool_resource",
     make_source<std_source<std::pmr::unsynchronized_pool_resource>>},
};

const source_kind broken_sources[] = {
    {"one that overlaps",
     make_source<broken_source<overlapping_alloc, losing_remap, leaking_free>>},
    {"one that frees other sizes", make_source<broken_source<honest_alloc, nullptr, stingy_free>>},
    {"one that leaks", make_source<broken_source<honest_alloc, nullptr, leaking_free>>},
    {"one that loses bytes", make_source<broken_source<honest_alloc, losing_remap, honest_free>>},
};

} // namespace

#endif
