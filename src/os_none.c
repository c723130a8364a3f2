/*
 * No operating system: arenas over the caller's buffers, and the C library's abort.
 *
 * There is no random source. Type words are then sealed with keys anyone can compute: they find
 * accidents, not attacks. A board that has a source names a function for it when the library is
 * compiled: -DASH_OS_RANDOM=my_random, bool my_random(void *bytes, size_t size).
 */
#ifdef ASH_OS_NONE

#include "os.h"

#include <stdlib.h>

#include "base.h"

void *ash_os_heap_alloc_(size_t size, size_t align)
{
    (void)size, (void)align;
    return NULL;
}

void *ash_os_heap_realloc_(void *p, size_t size)
{
    (void)p, (void)size;
    return NULL;
}

void ash_os_heap_free_(void *p, size_t align)
{
    (void)p, (void)align;
}

size_t ash_os_page_size_(void)
{
    return 4096;
}

void *ash_os_map_(size_t pages, size_t align, bool huge)
{
    (void)pages, (void)align, (void)huge;
    return NULL;
}

void ash_os_unmap_(void *p, size_t pages)
{
    (void)p, (void)pages;
}

bool ash_os_resize_(void *p, size_t old_pages, size_t new_pages)
{
    (void)p;
    return old_pages == new_pages;
}

void *ash_os_remap_(void *p, size_t old_pages, size_t new_pages)
{
    (void)p, (void)old_pages, (void)new_pages;
    return NULL;
}

void *ash_os_reserve_(size_t pages)
{
    (void)pages;
    return NULL;
}

bool ash_os_commit_(void *p, size_t pages)
{
    (void)p, (void)pages;
    return false;
}

void ash_os_decommit_(void *p, size_t pages)
{
    (void)p, (void)pages;
}

bool ash_os_protect_(void *p, size_t pages)
{
    (void)p, (void)pages;
    return false;
}

#ifdef ASH_OS_RANDOM
bool ASH_OS_RANDOM(void *bytes, size_t size);
#endif

bool ash_os_random_(void *bytes, size_t size)
{
#ifdef ASH_OS_RANDOM
    return ASH_OS_RANDOM(bytes, size);
#else
    unsigned char *out = bytes;
    uint64_t x = (uintptr_t)bytes ^ 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < size; i++) {
        x = ash_mix_(x + i, 0xd1342543de82ef95u);
        out[i] = (unsigned char)(x >> 32);
    }
    return true;
#endif
}

void ash_os_once_(void (*fn)(void))
{
    static bool done;
    if (!done)
        fn();
    done = true;
}

static void *only_thread[ASH_OS_SLOTS_];

void *ash_os_thread_get_(ash_os_slot_ slot)
{
    return only_thread[slot];
}

bool ash_os_thread_set_(ash_os_slot_ slot, void *value)
{
    only_thread[slot] = value;
    return true;
}

bool ash_os_at_fork_(void (*before)(void), void (*after)(void))
{
    (void)before, (void)after;
    return false;
}

void ash_os_yield_(void) {}

void ash_os_write_error_(const char *line)
{
    (void)line; /* set a fatal handler to see it */
}

void ash_os_abort_(void)
{
    abort();
}

#else
typedef int ash_os_none_is_not_used_;
#endif
