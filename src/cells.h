/*
 * cells.h - what pool.c, pools.c and sync_pools.c share: keys of links, and size classes.
 */
#ifndef ASHLAR_SRC_CELLS_H
#define ASHLAR_SRC_CELLS_H

#include "ashlar/pool.h"
#include "base.h"
#include "hooks.h"

#define ASH_CELL_OVERWRITTEN_ "free cell overwritten"
#define ASH_CELL_TWICE_       "cell freed twice"
#define ASH_CELL_FOREIGN_     "free of what is not a cell of the pool"
#define ASH_POOL_YOUNGER_     "pool grown inside a scope younger than it"

enum { ASH_SLAB_MAX_ = 4 * 1024 * 1024 };

/* A key for links, for the pool at `owner`. Its highest bit is set, so that a word of zeros is read as no address
 * and not as the end of a list. */
uint64_t ash_link_key_(const void *owner);

/* Over what the user had there, of whatever type; with AddressSanitizer by functions that nothing sees through. */
static inline uint64_t ash_cell_link_(uint64_t cell)
{
#if ASH_WATCHED
    return ash_load_word_((const uint64_t *)(uintptr_t)cell);
#else
    return *(const ash_link_ *)(uintptr_t)cell;
#endif
}

static inline void ash_cell_set_link_(uint64_t cell, uint64_t link)
{
#if ASH_WATCHED
    ash_store_word_((uint64_t *)(uintptr_t)cell, link);
#else
    *(ash_link_ *)(uintptr_t)cell = link;
#endif
}

/* Bytes from one cell to the next: room for a link, and for a red zone where there are any. */
static inline size_t ash_cell_stride_(size_t size, size_t align)
{
    size_t bytes = ASH_MAX(size, sizeof(uint64_t)) + ASH_RED_ZONE;
    return (size_t)ash_up_(bytes, ASH_MAX(align, sizeof(uint64_t)));
}

/* A slab of so many cells, 1 or more, and its record; count * stride + the record fits. NULL: refused. */
ash_slab_ *ash_slab_new_(ash_resource *upstream, size_t count, size_t stride, size_t align);
void ash_slab_free_(ash_resource *upstream, ash_slab_ *slab);

/* A cell of which the caller gets `size` bytes. */
void *ash_pool_take_(ash_pool *pool, size_t size);

/* The user has so many bytes of a cell now. */
static inline void ash_cell_resize_(void *p, size_t old_size, size_t new_size)
{
    if (new_size < old_size)
        ash_poison_((char *)p + new_size, old_size - new_size);
    ash_unpoison_(p, new_size);
}

/* The class of a size from 1 to ASH_POOLS_LARGEST: its upper three bits, counted from 16 bytes on. */
static inline unsigned ash_class_of_(size_t size)
{
    size_t last = size - 1;
#if defined(__GNUC__) || defined(__clang__)
    unsigned high = 63u ^ (unsigned)__builtin_clzll(last | 64); /* one instruction, with the ^ */
#else
    unsigned high = ash_highest_bit_(last | 64);
#endif
    return (high - 6) * 4 + (unsigned)(last >> (high - 2));
}

static inline size_t ash_class_size_(unsigned kind)
{
    if (kind < 4)
        return 16 * ((size_t)kind + 1);
    return (size_t)(kind % 4 + 5) << (kind / 4 + 3);
}

/* What its cells are aligned to. */
static inline size_t ash_class_align_(unsigned kind)
{
    size_t size = ash_class_size_(kind), natural = size & (~size + 1);
    return ASH_MIN(natural, ASH_POOLS_ALIGN);
}

/* The size to look the class up by, or 0: not from cells. A class is a multiple of every power of two that
 * a size rounded up to it is a multiple of. */
static inline size_t ash_class_request_(size_t size, size_t align)
{
    if (ASH_UNLIKELY(align - 1 >= ASH_POOLS_ALIGN || align & (align - 1)))
        return 0;
    size = size + !size;
    if (align > 16 && size <= ASH_POOLS_LARGEST)
        size = (size_t)ash_up_(size, align);
    return size <= ASH_POOLS_LARGEST ? size : 0;
}

/* Is the class simply that of the size? Every cell is aligned to 16. */
ASH_HOT bool ash_class_usual_(size_t size, size_t align)
{
    const unsigned powers = 1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | 1u << 16;
    return size - 1 < ASH_POOLS_LARGEST && align <= 16 && (powers >> align & 1);
}

#endif
