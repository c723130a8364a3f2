/*
 * base.h - what every file of the library leans on: checked arithmetic, alignment, reports.
 *
 * Only the library includes it. Addresses are computed with as uintptr_t and sizes compared, never
 * computed pointers: a pointer past the end of a block is not one that C lets us make.
 */
#ifndef ASHLAR_SRC_BASE_H
#define ASHLAR_SRC_BASE_H

#include "ashlar/attr.h"

#if defined(__STDC_NO_ATOMICS__)
/* Without C11 atomics (tcc) only one thread may set the default resource or the fatal handler. */
#define ASH_ATOMIC(T)       T volatile
#define ash_load_(p)        (*(p))
#define ash_exchange_(p, v) ash_exchange_plain_((void *volatile *)(p), (void *)(v))
static inline void *ash_exchange_plain_(void *volatile *p, void *v)
{
    void *old = *p;
    *p = v;
    return old;
}
#else
#include <stdatomic.h>
#define ASH_ATOMIC(T)       _Atomic(T)
#define ash_load_(p)        atomic_load_explicit((p), memory_order_acquire)
#define ash_exchange_(p, v) atomic_exchange_explicit((p), (v), memory_order_acq_rel)
#endif

/* For hot paths that are written once and specialised by constant arguments. */
#if defined(__GNUC__) || defined(__clang__)
#define ASH_HOT      static inline __attribute__((always_inline))
#define ASH_NOINLINE __attribute__((noinline))
#else
#define ASH_HOT static inline
#define ASH_NOINLINE
#endif

#define ASH_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ASH_MAX(a, b) ((a) > (b) ? (a) : (b))

/* The largest size anything may have: differences of pointers must fit ptrdiff_t. */
#define ASH_SIZE_MAX_ ((size_t)PTRDIFF_MAX)

/* What malloc aligns to; tcc has no max_align_t. */
typedef union ash_max_align_ {
    long double d;
    long long i;
    void *p;
    void (*f)(void);
} ash_max_align_;
#if defined(__TINYC__)
#define ASH_MALLOC_ALIGN_ _Alignof(ash_max_align_)
#else
#define ASH_MALLOC_ALIGN_ _Alignof(max_align_t)
#endif

static inline bool ash_align_ok_(size_t align)
{
    return align - 1 < ASH_ALIGN_MAX && !(align & (align - 1));
}

/* Both need `align` a power of two; the caller knows that x + align - 1 fits. */
static inline uintptr_t ash_up_(uintptr_t x, size_t align)
{
    return (x + (align - 1)) & ~(uintptr_t)(align - 1);
}

static inline uintptr_t ash_down_(uintptr_t x, size_t align)
{
    return x & ~(uintptr_t)(align - 1);
}

/* a + b, or SIZE_MAX. SIZE_MAX is more than anything can hold, so it goes on to a refusal. */
static inline size_t ash_add_(size_t a, size_t b)
{
    return a > SIZE_MAX - b ? SIZE_MAX : a + b;
}

static inline size_t ash_mul_(size_t a, size_t b)
{
    return b && a > SIZE_MAX / b ? SIZE_MAX : a * b;
}

/* Lowest and highest set bit; x is not 0. */
#if defined(__GNUC__) || defined(__clang__)
static inline unsigned ash_lowest_bit_(uint64_t x)
{
    return (unsigned)__builtin_ctzll(x);
}

static inline unsigned ash_highest_bit_(uint64_t x)
{
    return 63u - (unsigned)__builtin_clzll(x);
}
#else
static inline unsigned ash_highest_bit_(uint64_t x)
{
    unsigned n = 0;
    for (unsigned step = 32; step; step >>= 1)
        if (x >> step) {
            x >>= step;
            n += step;
        }
    return n;
}

static inline unsigned ash_lowest_bit_(uint64_t x)
{
    return ash_highest_bit_(x & (~x + 1));
}
#endif

/* The two halves of a 64 x 64 bit product, folded: wyhash's and mum-hash's mixing step. */
static inline uint64_t ash_mix_(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 u128;
    u128 p = (u128)a * b;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t ll = al * bl, lh = al * bh, hl = ah * bl, hh = ah * bh;
    uint64_t mid = (ll >> 32) + (uint32_t)lh + (uint32_t)hl;
    uint64_t low = (uint32_t)ll | mid << 32;
    return low ^ (hh + (lh >> 32) + (hl >> 32) + (mid >> 32));
#endif
}

/* Reports misuse or corruption and does not come back; see fatal.h. */
ASH_NORETURN ASH_COLD void ash_fatal_(const char *what, const char *arena, const void *address);

#endif
