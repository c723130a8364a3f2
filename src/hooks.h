/*
 * hooks.h - what AddressSanitizer is told, in the one place that knows of it.
 *
 * In a build with AddressSanitizer an arena is watched: it lets ash_alloc do nothing by itself, so
 * that each allocation passes through the library and what is not handed out is poisoned. Behind each
 * allocation a red zone of ASH_RED_ZONE bytes is left where there is room for it (an exact fit still
 * fits). Poison has a grain of 8 bytes; with a red zone each allocation begins at a multiple of 8.
 * Without the sanitizer all this is empty.
 */
#ifndef ASHLAR_SRC_HOOKS_H
#define ASHLAR_SRC_HOOKS_H

#include "ashlar/attr.h"

#if defined(__SANITIZE_ADDRESS__)
#define ASH_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASH_WATCHED 1
#endif
#endif

#ifdef ASH_WATCHED
#include <sanitizer/asan_interface.h>
#ifndef ASH_RED_ZONE
#define ASH_RED_ZONE 16
#endif
_Static_assert(ASH_RED_ZONE % 8 == 0, "poison has a grain of 8 bytes");
#define ASH_BLIND __attribute__((no_sanitize("address"), noinline))

static inline void ash_poison_(const void *p, size_t size)
{
    __asan_poison_memory_region((void *)(uintptr_t)p, size);
}

static inline void ash_unpoison_(const void *p, size_t size)
{
    __asan_unpoison_memory_region((void *)(uintptr_t)p, size);
}

#else
#define ASH_WATCHED 0
#undef ASH_RED_ZONE
#define ASH_RED_ZONE 0

static inline void ash_poison_(const void *p, size_t size)
{
    (void)p, (void)size;
}

static inline void ash_unpoison_(const void *p, size_t size)
{
    (void)p, (void)size;
}
#endif

/* Type words stay poisoned; the library reads and writes them all the same. */
#if ASH_WATCHED
/* In seal.c, out of reach of any pass that would move the access to where it is instrumented. */
uint64_t ash_load_word_(const uint64_t *p);
void ash_store_word_(uint64_t *p, uint64_t value);
#else
static inline uint64_t ash_load_word_(const uint64_t *p)
{
    return *p;
}

static inline void ash_store_word_(uint64_t *p, uint64_t value)
{
    *p = value;
}
#endif

#endif
