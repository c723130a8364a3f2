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
 * What a thread has for itself: pointers, NULL at first. false: there is no room for one. Who uses one defines
 * what is called: ash_scratch_ends_ and ash_pools_thread_ends_ when a thread ends whose pointer is not NULL then;
 * ash_library_ends_ when the library is unloaded or the process exits, by the thread that does it, other
 * threads' pointers being forgotten then.
 */
typedef enum ash_os_slot_ { ASH_SCRATCH_SLOT_, ASH_POOLS_SLOT_, ASH_OS_SLOTS_ } ash_os_slot_;
void *ash_os_thread_get_(ash_os_slot_ slot);
bool ash_os_thread_set_(ash_os_slot_ slot, void *value);
void ash_scratch_ends_(void *value);
void ash_pools_thread_ends_(void *value);
void ash_library_ends_(void);

/* From now on `before` runs ahead of every fork and `after` behind it, in both processes. false: on this system
 * ends of threads, and forks, go by unseen. */
bool ash_os_at_fork_(void (*before)(void), void (*after)(void));
/* Lets another thread run, if one waits. */
void ash_os_yield_(void);

void ash_os_write_error_(const char *line);
ASH_NORETURN void ash_os_abort_(void);

#endif
