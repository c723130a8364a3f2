/*
 * os.h - the only door to the operating system: os_posix.c, os_windows.c or os_none.c stands behind.
 *
 * Sizes here are bytes; where the comment says pages, they are whole pages. What a system cannot do
 * it refuses (NULL or false), and the caller has another way.
 */
#ifndef ASHLAR_SRC_OS_H
#define ASHLAR_SRC_OS_H

#include "ashlar/attr.h"

#define ASH_HUGE_PAGE_ ((size_t)2 << 20)

/* The C library's heap; align is any power of two. realloc only where align is malloc's own. */
void *ash_os_heap_alloc_(size_t size, size_t align);
void *ash_os_heap_realloc_(void *p, size_t size);
void ash_os_heap_free_(void *p, size_t align);

/* Pages, readable and writable and 0, at a multiple of `align`; huge: ask for huge pages too. */
size_t ash_os_page_size_(void);
void *ash_os_map_(size_t pages, size_t align, bool huge);
void ash_os_unmap_(void *p, size_t pages);
/* Grow or shrink in place; move without copying. */
bool ash_os_resize_(void *p, size_t old_pages, size_t new_pages);
void *ash_os_remap_(void *p, size_t old_pages, size_t new_pages);

/* Address space without memory, then memory for parts of it. Unmapped with ash_os_unmap_. */
void *ash_os_reserve_(size_t pages);
bool ash_os_commit_(void *p, size_t pages);
void ash_os_decommit_(void *p, size_t pages);

/* Makes pages read-only for good. */
bool ash_os_protect_(void *p, size_t pages);

/* Bytes nobody can guess. */
bool ash_os_random_(void *bytes, size_t size);

/* Runs fn once in the life of the process, also when many threads come at the same time, or when
 * the process was forked while another thread was at it. */
void ash_os_once_(void (*fn)(void));

/*
 * What threads do outside of the library's sight. Called once, by one thread: from then on `before` runs
 * ahead of every fork and `after` behind it, in both processes; and `ended` runs on a thread that ends, if
 * it called ash_os_watch_thread_ (again after `ended` has run). false: there is no such system.
 */
bool ash_os_thread_hooks_(void (*before)(void), void (*after)(void), void (*ended)(void));
bool ash_os_watch_thread_(void);
/* Lets another thread run, if one waits. */
void ash_os_yield_(void);

void ash_os_write_error_(const char *line);
ASH_NORETURN void ash_os_abort_(void);

#endif
