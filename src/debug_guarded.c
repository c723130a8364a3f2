/*
 * ash_guarded: each allocation in address space of its own.
 *
 *     base                first      p           p + size      last
 *     | guard page ...    | filled   | memory    | filled      | guard page ... |
 *                         |------- pages that are committed ---|
 *
 * What lives stands in a table from upstream: the memory itself has no room for a record that an
 * overflow could not reach.
 */
#include "ashlar/debug.h"

#include <errno.h>
#include <string.h>

#include "base.h"
#include "os.h"
#include "wrapper.h"

enum { FILLING = 0xA5, LEAST_SLOTS = 64 };

static ash_guarded *guarded_of(ash_resource *self)
{
    return (ash_guarded *)(void *)self;
}

/* ---- places ---- */

/* What the allocation takes up to the guard. Sizes are at most PTRDIFF_MAX: this cannot wrap. */
static size_t to_guard(const ash_guarded *guarded, size_t size, size_t align)
{
    return ash_up_(size, ASH_MIN(align, guarded->page_));
}

static size_t committed(const ash_guarded *guarded, size_t size)
{
    return ash_up_(size, guarded->page_);
}

static char *last_of(const ash_guarded *guarded, const ash_guard_ *guard)
{
    return guard->p + to_guard(guarded, guard->size, guard->align);
}

static char *first_of(const ash_guarded *guarded, const ash_guard_ *guard)
{
    return last_of(guarded, guard) - committed(guarded, guard->size);
}

/* All of its address space. Pages are aligned by themselves; more than that has to be looked for. */
static size_t span_of(const ash_guarded *guarded, size_t size, size_t align)
{
    size_t page = guarded->page_;
    return ash_add_(committed(guarded, size), page + ASH_MAX(align, page));
}

static char *place(const ash_guarded *guarded, char *base, size_t size, size_t align)
{
    uintptr_t first = (uintptr_t)base + guarded->page_;
    if (align > guarded->page_)
        return base + (ash_up_(first, align) - (uintptr_t)base);
    return base + guarded->page_ + (committed(guarded, size) - to_guard(guarded, size, align));
}

static bool is_filled(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*(const unsigned char *)from != FILLING)
            return false;
    return true;
}

/* ---- the table ---- */

static size_t slot_of(const ash_guarded *guarded, const void *p)
{
    uint64_t hash = ash_mix_((uintptr_t)p, 0x9e3779b97f4a7c15u);
    return (size_t)hash & (guarded->slots_ - 1);
}

static size_t slot_after(const ash_guarded *guarded, size_t slot)
{
    return (slot + 1) & (guarded->slots_ - 1);
}

static ash_guard_ *find(const ash_guarded *guarded, const void *p)
{
    if (!guarded->slots_)
        return NULL;
    size_t slot = slot_of(guarded, p);
    while (guarded->table_[slot].p && guarded->table_[slot].p != p)
        slot = slot_after(guarded, slot);
    return guarded->table_[slot].p ? &guarded->table_[slot] : NULL;
}

static void enter(ash_guarded *guarded, const ash_guard_ *guard)
{
    size_t slot = slot_of(guarded, guard->p);
    while (guarded->table_[slot].p)
        slot = slot_after(guarded, slot);
    guarded->table_[slot] = *guard;
}

/* What stands behind a hole and was pushed there from before it moves into it. */
static void leave(ash_guarded *guarded, ash_guard_ *guard)
{
    ash_guard_ *table = guarded->table_;
    size_t mask = guarded->slots_ - 1, hole = (size_t)(guard - table);
    for (size_t i = slot_after(guarded, hole); table[i].p; i = slot_after(guarded, i))
        if (((i - slot_of(guarded, table[i].p)) & mask) >= ((i - hole) & mask)) {
            table[hole] = table[i];
            hole = i;
        }
    table[hole].p = NULL;
}

static void table_free(const ash_guarded *guarded, ash_guard_ *table, size_t slots)
{
    if (table)
        ash_resource_free(guarded->wrapper_.upstream_, table, slots * sizeof *table,
                          _Alignof(ash_guard_));
}

static ash_guard_ *table_new(const ash_guarded *guarded, size_t slots)
{
    size_t bytes = ash_mul_(slots, sizeof(ash_guard_));
    if (bytes > ASH_SIZE_MAX_)
        return NULL;
    void *table = ash_resource_alloc(guarded->wrapper_.upstream_, bytes, _Alignof(ash_guard_));
    return table ? memset(table, 0, bytes) : NULL;
}

/* Room for one more: the table is never more than half full. */
static bool table_reserve(ash_guarded *guarded)
{
    if (guarded->live_ < guarded->slots_ / 2)
        return true;
    ash_guard_ *old = guarded->table_;
    size_t old_slots = guarded->slots_, slots = old_slots ? old_slots * 2 : LEAST_SLOTS;
    ash_guard_ *table = table_new(guarded, slots);
    if (!table)
        return false;
    guarded->table_ = table;
    guarded->slots_ = slots;
    for (size_t i = 0; i < old_slots; i++)
        if (old[i].p)
            enter(guarded, &old[i]);
    table_free(guarded, old, old_slots);
    return true;
}

/* ---- those freed of late ---- */

static void unmap(const ash_guarded *guarded, const ash_guard_ *guard)
{
    ash_os_unmap_(guard->base, span_of(guarded, guard->size, guard->align));
}

static void keep_freed(ash_guarded *guarded, const ash_guard_ *guard)
{
    ash_guard_ *kept = &guarded->kept_[guarded->frees_++ % ASH_GUARDED_KEPT_];
    if (kept->p)
        unmap(guarded, kept);
    *kept = *guard;
}

/* True if there were any. */
static bool unmap_freed(ash_guarded *guarded)
{
    bool any = false;
    for (size_t i = 0; i < ASH_GUARDED_KEPT_; i++) {
        ash_guard_ *kept = &guarded->kept_[i];
        if (!kept->p)
            continue;
        unmap(guarded, kept);
        kept->p = NULL;
        any = true;
    }
    return any;
}

/* ---- the resource ---- */

/* Address space with its pages, all filled. */
static bool map(const ash_guarded *guarded, ash_guard_ *guard)
{
    size_t span = span_of(guarded, guard->size, guard->align);
    size_t pages = committed(guarded, guard->size);
    guard->base = span <= ASH_SIZE_MAX_ ? ash_os_reserve_(span) : NULL;
    if (!guard->base)
        return false;
    guard->p = place(guarded, guard->base, guard->size, guard->align);
    char *first = first_of(guarded, guard);
    if (!ash_os_commit_(first, pages)) {
        ash_os_unmap_(guard->base, span);
        return false;
    }
    memset(first, FILLING, pages);
    return true;
}

static void *guarded_alloc(ash_resource *self, size_t size, size_t align)
{
    ash_guarded *guarded = guarded_of(self);
    ash_guard_ guard = {.size = size, .align = align};
    if (!table_reserve(guarded))
        return NULL;
    while (!map(guarded, &guard))
        if (!unmap_freed(guarded))
            return NULL;
    enter(guarded, &guard);
    guarded->live_++;
    guarded->held_ += committed(guarded, size);
    return guard.p;
}

/* The record of `p`, if all is as it was handed out. */
static ash_guard_ *expect_live(ash_resource *self, const void *p, size_t size, size_t align)
{
    ash_guarded *guarded = guarded_of(self);
    ash_guard_ *guard = find(guarded, p);
    const char *wrong = NULL;
    if (!guard)
        wrong = "not a live allocation";
    else if (guard->size != size)
        wrong = "allocated with another size";
    else if (guard->align != align)
        wrong = "allocated with another alignment";
    else if (!is_filled(guard->p + size, last_of(guarded, guard)))
        wrong = "written behind an allocation";
    else if (!is_filled(first_of(guarded, guard), guard->p))
        wrong = "written in front of an allocation";
    if (wrong)
        ash_fatal_(wrong, ash_wrapper_name_(self), p);
    return guard;
}

static bool guarded_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                           size_t align)
{
    ash_guarded *guarded = guarded_of(self);
    ash_guard_ *guard = expect_live(self, p, old_size, align);
    if (to_guard(guarded, old_size, align) != to_guard(guarded, new_size, align))
        return false;
    guard->size = new_size;
    if (new_size < old_size)
        memset(guard->p + new_size, FILLING, old_size - new_size);
    return true;
}

static void guarded_free(ash_resource *self, void *p, size_t size, size_t align)
{
    ash_guarded *guarded = guarded_of(self);
    ash_guard_ *found = expect_live(self, p, size, align);
    ash_guard_ guard = *found;
    int error = errno;
    leave(guarded, found);
    guarded->live_--;
    guarded->held_ -= committed(guarded, size);
    ash_os_decommit_(first_of(guarded, &guard), committed(guarded, size));
    keep_freed(guarded, &guard);
    errno = error;
}

/* In a live allocation; the guards and fillings around it are nobody's. */
static bool guarded_owns(const ash_resource *self, const void *p)
{
    const ash_guarded *guarded = (const ash_guarded *)(const void *)self;
    for (size_t i = 0; i < guarded->slots_; i++) {
        const ash_guard_ *guard = &guarded->table_[i];
        if (guard->p && (uintptr_t)p - (uintptr_t)guard->p < guard->size)
            return true;
    }
    return false;
}

void ash_guarded_init(ash_guarded *guarded, ash_resource *upstream)
{
    static const ash_resource_ops ops = {.alloc = guarded_alloc,
                                         .resize = guarded_resize,
                                         .free = guarded_free,
                                         .owns = guarded_owns,
                                         .epoch = ash_wrapper_epoch_,
                                         .name = ash_wrapper_name_};
    *guarded =
        (ash_guarded){.wrapper_ = ash_wrapper_over_(&ops, upstream), .page_ = ash_os_page_size_()};
}

void ash_guarded_deinit(ash_guarded *guarded)
{
    int error = errno;
    for (size_t i = 0; i < guarded->slots_; i++)
        if (guarded->table_[i].p)
            unmap(guarded, &guarded->table_[i]);
    unmap_freed(guarded);
    table_free(guarded, guarded->table_, guarded->slots_);
    ash_guarded_init(guarded, guarded->wrapper_.upstream_);
    errno = error;
}

ash_resource *ash_guarded_resource(ash_guarded *guarded)
{
    return &guarded->wrapper_.resource_;
}

size_t ash_guarded_live(const ash_guarded *guarded)
{
    return guarded->live_;
}

size_t ash_guarded_held(const ash_guarded *guarded)
{
    return guarded->held_;
}
