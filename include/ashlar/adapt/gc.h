/*
 * gc.h - the garbage collector libgc (Boehm, Demers, Weiser) beside arenas. Link with -lgc.
 *
 * Two things:
 *   - ash_gc(): libgc as a resource. What lies in arenas, pools and containers over it may point to
 *     collected objects, and keeps them alive. Their own memory is collected too, once nothing points
 *     to it: an end that is forgotten leaks nothing.
 *   - ash_gc_new(T): a collected object, whose type's `destroy` runs some time after nothing points
 *     to it: the finalizer.
 *
 * Choose it for what has no owner and no end that the program could name. What has one is better off
 * in a scope: a finalizer runs late, on whatever thread allocates then, and at the end of the process
 * not at all; until then the file stays open.
 *
 * Requires GC_INIT() before the first use, by the main thread, and what libgc requires of threads.
 * It looks for pointers on stacks, in static data and in its own memory, not in what malloc gave: an
 * arena over ash_gc() that is held there alone is lost.
 */
#ifndef ASHLAR_ADAPT_GC_H
#define ASHLAR_ADAPT_GC_H

#include <errno.h>
#include <gc.h>

#include "ashlar/object.h"

/* Not for users: what libgc aligns by itself, and the most that it aligns on request. */
#define ASH_GC_ALIGN_   (2 * sizeof(void *))
#define ASH_GC_ALIGNED_ ((size_t)4096)

ASH_DECLS_BEGIN

/* Up from what libgc gave: it knows the beginning by any address within. */
static inline void *ash_gc_align_(void *base, size_t align)
{
    uintptr_t address = (uintptr_t)base;
    return base ? (char *)base + ((0 - address) & (align - 1)) : NULL;
}

static inline void *ash_gc_alloc_(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    if (align <= ASH_GC_ALIGN_)
        return GC_malloc(size);
    if (align <= ASH_GC_ALIGNED_)
        return GC_memalign(align, size);
    return ash_gc_align_(GC_malloc(size + align), align);
}

static inline void *ash_gc_remap_(ash_resource *self, void *p, size_t old_size, size_t new_size,
                                  size_t align)
{
    (void)self;
    (void)old_size;
    return align <= ASH_GC_ALIGN_ ? GC_realloc(p, new_size) : NULL;
}

static inline void ash_gc_free_(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self;
    (void)size;
    (void)align;
    GC_free(GC_base(p));
}

static inline bool ash_gc_owns_(const ash_resource *self, const void *p)
{
    (void)self;
    return GC_base((void *)(uintptr_t)p) != NULL;
}

static inline const char *ash_gc_name_(const ash_resource *self)
{
    (void)self;
    return "gc";
}

/**
 * ash_gc - libgc as a resource.
 *
 * Memory may be given back, and need not be. It is zeroed. remap is GC_realloc.
 * Returns  always the same in one source file; those of two files mix freely. There is nothing to end.
 * Fails    where libgc has no memory, after it has printed so.
 * Threads  as libgc: any thread that it knows.
 * Example:
 *     ash_arena_init(&arena, &(ash_arena_config){.upstream = ash_gc()});
 */
ASH_UNUSED static ash_resource *ash_gc(void)
{
    static const ash_resource_ops ops = {ash_gc_alloc_, NULL, ash_gc_remap_, ash_gc_free_,
                                         ash_gc_owns_,  NULL, ash_gc_name_};
    static ash_resource resource = {&ops};
    return &resource;
}

/* The finalizer of all types; it may run inside any call that allocates. */
static inline void ash_gc_finalize_(void *base, void *data)
{
    const ash_type *type = (const ash_type *)data;
    int error = errno;
    type->destroy(ash_gc_align_(base, type->align));
    errno = error;
}

/* An object may point to itself; of two that have finalizers the one that points to the other dies
 * first. What was registered before is answered: where that is still what we put in, it did not. */
static inline bool ash_gc_register_(void *object, const ash_type *type)
{
    GC_finalization_proc former = ash_gc_finalize_;
    GC_register_finalizer_ignore_self(GC_base(object), ash_gc_finalize_, (void *)(uintptr_t)type,
                                      &former, NULL);
    return !former;
}

/**
 * ash_gc_object - a collected object of a type.
 *
 * type     not copied; it must stay as long as the object. ash_gc_new(T) names it by T.
 * Returns  it, aligned as the type says; zeroed, then begun by the type's `init`, which gets ash_gc().
 * Fails    NULL: libgc has no memory, or `init` was false.
 * Lifetime until nothing points to it; then `destroy` runs, with errno kept, and after that its memory
 *          is collected. Objects with a `destroy` that point to each other in a circle never die.
 * Cost     GC_malloc, and registering the finalizer.
 * Threads  as ash_gc. `destroy` runs on whatever thread calls libgc.
 * Example:
 *     mapped_file *file = ash_gc_new(mapped_file);
 */
ASH_NODISCARD ASH_UNUSED static void *ash_gc_object(const ash_type *type)
{
    size_t size = type->size ? type->size : 1;
    void *object = ash_gc_alloc_(NULL, size, type->align);
    if (!object)
        return NULL;
    if (type->init && !type->init(object, ash_gc())) {
        ash_gc_free_(NULL, object, size, type->align);
        return NULL;
    }
    if (type->destroy && !ash_gc_register_(object, type)) {
        type->destroy(object);
        ash_gc_free_(NULL, object, size, type->align);
        return NULL;
    }
    return object;
}

#define ash_gc_new(T) ((T *)ash_gc_object(ash_type_of(T)))

ASH_DECLS_END

#endif
