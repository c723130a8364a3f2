/* ash_budget and ash_limited. */
#include "ashlar/debug.h"

#include "base.h"
#include "wrapper.h"

/*
 * Counts that several threads change. In the header they are a plain size_t, so that C++ and
 * compilers without atomics can read it. They order nothing: what the bytes hold is handed from
 * thread to thread by whoever hands on the pointer.
 */
#if defined(__GNUC__) || defined(__clang__)
#define get_count(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define swap_count(p, old, wanted) \
    __atomic_compare_exchange_n((p), (old), (wanted), true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)
#elif !defined(__STDC_NO_ATOMICS__)
_Static_assert(sizeof(_Atomic(size_t)) == sizeof(size_t), "an atomic count is only a count");
#define get_count(p) \
    atomic_load_explicit((const _Atomic(size_t) *)(const void *)(p), memory_order_relaxed)
#define swap_count(p, old, wanted) \
    atomic_compare_exchange_weak_explicit((_Atomic(size_t) *)(void *)(p), (old), (wanted), \
                                          memory_order_relaxed, memory_order_relaxed)
#else /* tcc: only one thread at a time may draw on a budget */
#define get_count(p)               (*(p))
#define swap_count(p, old, wanted) ((void)(old), *(p) = (wanted), true)
#endif

/* False, and nothing changed, if it would then be over the limit. */
static bool add_count(size_t *count, size_t size, size_t limit)
{
    size_t old = get_count(count);
    do {
        if (old > limit || size > limit - old)
            return false;
    } while (!swap_count(count, &old, old + size));
    return true;
}

static void subtract_count(size_t *count, size_t size)
{
    size_t old = get_count(count);
    while (!swap_count(count, &old, old - size))
        continue;
}

void ash_budget_init(ash_budget *budget, size_t limit)
{
    *budget = (ash_budget){.limit_ = limit};
}

size_t ash_budget_limit(const ash_budget *budget)
{
    return budget->limit_;
}

size_t ash_budget_used(const ash_budget *budget)
{
    return get_count(&budget->used_);
}

static ash_limited *limited_of(ash_resource *self)
{
    return (ash_limited *)(void *)self;
}

/* What one has taken is part of what its budget has given, so it cannot run over. */
static bool take(ash_limited *limited, size_t size)
{
    return add_count(&limited->budget_->used_, size, limited->budget_->limit_) &&
           add_count(&limited->taken_, size, SIZE_MAX);
}

static void give(ash_limited *limited, size_t size)
{
    subtract_count(&limited->taken_, size);
    subtract_count(&limited->budget_->used_, size);
}

static void expect_taken(ash_resource *self, const void *p, size_t size)
{
    if (size > get_count(&limited_of(self)->taken_))
        ash_fatal_("more given back than was taken", ash_wrapper_name_(self), p);
}

static void *limited_alloc(ash_resource *self, size_t size, size_t align)
{
    ash_limited *limited = limited_of(self);
    if (!take(limited, size))
        return NULL;
    void *p = ash_resource_alloc(ash_upstream_of_(self), size, align);
    if (!p)
        give(limited, size);
    return p;
}

/* Before upstream is asked to change a size the larger one is taken; after it, what came of it. */
static bool take_larger(ash_resource *self, const void *p, size_t old_size, size_t new_size)
{
    expect_taken(self, p, old_size);
    return new_size <= old_size || take(limited_of(self), new_size - old_size);
}

static void keep(ash_resource *self, size_t old_size, size_t new_size, size_t kept)
{
    give(limited_of(self), ASH_MAX(old_size, new_size) - kept);
}

static bool limited_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                           size_t align)
{
    if (!take_larger(self, p, old_size, new_size))
        return false;
    bool done = ash_resource_resize(ash_upstream_of_(self), p, old_size, new_size, align);
    keep(self, old_size, new_size, done ? new_size : old_size);
    return done;
}

static void *limited_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                           size_t align)
{
    if (!take_larger(self, p, old_size, new_size))
        return NULL;
    void *q = ash_resource_remap(ash_upstream_of_(self), p, old_size, new_size, align);
    keep(self, old_size, new_size, q ? new_size : old_size);
    return q;
}

/* The budget has the bytes only when upstream has them: never is more held than it says. */
static void limited_free(ash_resource *self, void *p, size_t size, size_t align)
{
    expect_taken(self, p, size);
    ash_resource_free(ash_upstream_of_(self), p, size, align);
    give(limited_of(self), size);
}

void ash_limited_init(ash_limited *limited, ash_resource *upstream, ash_budget *budget)
{
    static const ash_resource_ops ops = {.alloc = limited_alloc,
                                         .resize = limited_resize,
                                         .remap = limited_remap,
                                         .free = limited_free,
                                         .owns = ash_wrapper_owns_,
                                         .epoch = ash_wrapper_epoch_,
                                         .name = ash_wrapper_name_};
    *limited = (ash_limited){ash_wrapper_over_(&ops, upstream), budget, 0};
}

void ash_limited_deinit(ash_limited *limited)
{
    give(limited, get_count(&limited->taken_));
}

ash_resource *ash_limited_resource(ash_limited *limited)
{
    return &limited->wrapper_.resource_;
}

size_t ash_limited_used(const ash_limited *limited)
{
    return get_count(&limited->taken_);
}
