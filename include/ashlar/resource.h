/*
 * resource.h - where memory comes from: one small interface, and the resources built in.
 *
 * A resource is a struct whose first member is an ash_resource: a pointer to a table of functions.
 * Everything that needs memory (arenas, pools, containers) takes one and calls through it, so
 * anything that can hand out bytes can stand under anything else.
 *
 * The contract of the table, which the functions ash_resource_* keep for their callers:
 *   - sizes are bytes and never 0; align is a power of two, at most ASH_ALIGN_MAX;
 *   - alloc answers a multiple of align, or NULL;
 *   - free, resize and remap get exactly the size and alignment the memory was allocated (or last
 *     resized) with;
 *   - a refusal changes nothing.
 */
#ifndef ASHLAR_RESOURCE_H
#define ASHLAR_RESOURCE_H

#include "ashlar/attr.h"

ASH_DECLS_BEGIN

typedef struct ash_resource ash_resource;

typedef struct ash_resource_ops {
    /* `size` bytes at a multiple of `align`, or NULL. */
    void *(*alloc)(ash_resource *self, size_t size, size_t align);
    /* In place: true if `p` now has new_size bytes. NULL here: never. */
    bool (*resize)(ash_resource *self, void *p, size_t old_size, size_t new_size, size_t align);
    /* May move the bytes; the new address, or NULL and `p` stands as it was. NULL here: never. */
    void *(*remap)(ash_resource *self, void *p, size_t old_size, size_t new_size, size_t align);
    void (*free)(ash_resource *self, void *p, size_t size, size_t align);
    /* Optional, NULL if it cannot be answered. owns: does `p` lie in memory of this resource? */
    bool (*owns)(const ash_resource *self, const void *p);
    /* Optional. The serial of the innermost open scope, 0 for none; wrappers forward upstream's. */
    uint64_t (*epoch)(const ash_resource *self);
    /* Optional. A name for messages. */
    const char *(*name)(const ash_resource *self);
} ash_resource_ops;

struct ash_resource {
    const ash_resource_ops *ops;
};

/**
 * ash_resource_alloc - take `size` bytes from a resource.
 *
 * size     bytes; 0 is served as 1.
 * align    bytes, a power of two, at most ASH_ALIGN_MAX.
 * Returns  address of `size` uninitialised bytes, a multiple of `align`.
 * Fails    NULL if the resource refuses, `align` is none, or `size` is over PTRDIFF_MAX. A resource
 *          that answers with a misaligned address is taken to have refused; it gets its memory back.
 * Lifetime until ash_resource_free, or the end of the resource.
 * Cost     one indirect call and what the resource does.
 * Threads  as the resource says; heap, null and pages: any.
 * Example:
 *     ash_resource *heap = ash_heap();
 *     char *line = ash_resource_alloc(heap, 4096, 64);
 *     ash_resource_free(heap, line, 4096, 64);
 */
ASH_NODISCARD void *ash_resource_alloc(ash_resource *resource, size_t size, size_t align);

/**
 * ash_resource_resize - grow or shrink in place.
 *
 * p        from this resource, `old_size` bytes at `align`; NULL is answered false.
 * Returns  true if `p` has new_size bytes now; false, and nothing changed, if not.
 * Cost     heap: always false; pages: a system call where the number of pages changes; an arena: O(1).
 * Threads  as the resource says.
 */
ASH_NODISCARD bool ash_resource_resize(ash_resource *resource, void *p, size_t old_size,
                                       size_t new_size, size_t align);

/**
 * ash_resource_remap - grow or shrink, moving the bytes if the resource has a cheap way to.
 *
 * p        from this resource, `old_size` bytes at `align`; NULL is answered NULL.
 * Returns  the address of new_size bytes; the first min(old_size, new_size) are those of `p`, which
 *          is gone unless it is what is returned.
 * Fails    NULL, and `p` stands as it was: the resource refuses, or has no such way.
 * Cost     heap: realloc; pages: mremap on Linux, which copies nothing.
 * Threads  as the resource says.
 */
ASH_NODISCARD void *ash_resource_remap(ash_resource *resource, void *p, size_t old_size,
                                       size_t new_size, size_t align);

/**
 * ash_resource_realloc - grow or shrink by whatever way works: resize, remap, or alloc, copy, free.
 *
 * p        as for remap, or NULL: then this is ash_resource_alloc.
 * Returns  the address of new_size bytes; the first min(old_size, new_size) are those of `p`.
 * Fails    NULL, and `p` stands as it was.
 * Cost     at worst one copy of min(old_size, new_size) bytes.
 * Threads  as the resource says.
 */
ASH_NODISCARD void *ash_resource_realloc(ash_resource *resource, void *p, size_t old_size,
                                         size_t new_size, size_t align);

/**
 * ash_resource_free - give memory back.
 *
 * p        from this resource, `size` bytes at `align`; NULL is nothing.
 * Threads  as the resource says.
 */
void ash_resource_free(ash_resource *resource, void *p, size_t size, size_t align);

/* Does `p` lie in memory of the resource? false also where it cannot say. */
bool ash_resource_owns(const ash_resource *resource, const void *p);

/* The serial of the innermost open scope under the resource; 0: none, or it has none. */
uint64_t ash_resource_epoch(const ash_resource *resource);

/* Its name for messages; never NULL. */
const char *ash_resource_name(const ash_resource *resource);

/* malloc and free. remap is realloc, for alignments malloc gives by itself. Any thread. */
ash_resource *ash_heap(void);

/* Refuses everything. Any thread. */
ash_resource *ash_null(void);

/*
 * Whole pages from the system, given back when freed; sizes are rounded up to pages. resize works
 * within the pages held and, on Linux, into free address space behind them; remap moves pages
 * without copying. Allocations of 2 MiB and more are aligned to 2 MiB and huge pages asked for,
 * which the kernel may or may not give. Where there is no such system, it refuses. Any thread.
 */
ash_resource *ash_pages(void);

/*
 * As ash_pages, rounded up to whole huge pages of 2 MiB, however small the request: for a table
 * that will be written all over. For small things it wastes memory and a slow first touch.
 */
ash_resource *ash_huge_pages(void);

/**
 * ash_default, ash_set_default - what a NULL upstream means.
 *
 * It is looked up when an arena, pool or container is initialised; those that exist keep theirs.
 * ash_set_default(NULL) goes back to ash_heap().
 * Returns  ash_set_default: the one that was set before.
 * Threads  any; shared by all threads.
 */
ash_resource *ash_default(void);
ash_resource *ash_set_default(ash_resource *resource);

ASH_DECLS_END

#endif
