/* Linux, the BSDs, macOS. */
#if !defined(_WIN32) && !defined(ASH_OS_NONE)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap, MAP_ANONYMOUS, MADV_HUGEPAGE under -std=c11 */
#endif
#ifdef __APPLE__
#define _DARWIN_C_SOURCE
#endif

#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef __APPLE__
#include <sys/random.h>
#endif

#include "base.h"

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

void *ash_os_heap_alloc_(size_t size, size_t align)
{
    if (align <= ASH_MALLOC_ALIGN_)
        return malloc(size);
    void *p = NULL;
    return posix_memalign(&p, align, size) == 0 ? p : NULL;
}

void *ash_os_heap_realloc_(void *p, size_t size)
{
    return realloc(p, size);
}

void ash_os_heap_free_(void *p, size_t align)
{
    (void)align;
    free(p);
}

size_t ash_os_page_size_(void)
{
    long size = sysconf(_SC_PAGESIZE);
    return size > 0 ? (size_t)size : 4096;
}

static void *map(size_t pages, int protection, int flags)
{
    int error = errno;
    void *p = mmap(NULL, pages, protection, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    errno = error;
    return p == MAP_FAILED ? NULL : p;
}

void *ash_os_map_(size_t pages, size_t align, bool huge)
{
    size_t page = ash_os_page_size_();
    size_t extra = align > page ? align - page : 0;
    size_t whole = ash_add_(pages, extra);
    if (whole > ASH_SIZE_MAX_)
        return NULL;
    char *p = map(whole, PROT_READ | PROT_WRITE, 0);
    if (!p)
        return NULL;
    size_t before = extra ? (size_t)(ash_up_((uintptr_t)p, align) - (uintptr_t)p) : 0;
    if (before)
        munmap(p, before);
    if (extra - before)
        munmap(p + before + pages, extra - before);
    p += before;
#ifdef MADV_HUGEPAGE
    if (huge)
        (void)madvise(p, pages, MADV_HUGEPAGE); /* a wish; refused where there are none */
#else
    (void)huge;
#endif
    return p;
}

void ash_os_unmap_(void *p, size_t pages)
{
    munmap(p, pages);
}

bool ash_os_resize_(void *p, size_t old_pages, size_t new_pages)
{
    if (new_pages < old_pages)
        return munmap((char *)p + new_pages, old_pages - new_pages) == 0;
#ifdef __linux__
    return new_pages == old_pages || mremap(p, old_pages, new_pages, 0) != MAP_FAILED;
#else
    return new_pages == old_pages;
#endif
}

void *ash_os_remap_(void *p, size_t old_pages, size_t new_pages)
{
#ifdef __linux__
    void *q = mremap(p, old_pages, new_pages, MREMAP_MAYMOVE);
    return q == MAP_FAILED ? NULL : q;
#else
    return ash_os_resize_(p, old_pages, new_pages) ? p : NULL;
#endif
}

void *ash_os_reserve_(size_t pages)
{
    return map(pages, PROT_NONE, MAP_NORESERVE);
}

bool ash_os_commit_(void *p, size_t pages)
{
    int error = errno;
    bool done = mprotect(p, pages, PROT_READ | PROT_WRITE) == 0;
    errno = error;
    return done;
}

void ash_os_decommit_(void *p, size_t pages)
{
    /* Mapping anew drops the memory and the commit charge; the two calls below only the memory. */
    if (mmap(p, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) !=
        MAP_FAILED)
        return;
    (void)madvise(p, pages, MADV_DONTNEED);
    (void)mprotect(p, pages, PROT_NONE);
}

bool ash_os_protect_(void *p, size_t pages)
{
    return mprotect(p, pages, PROT_READ) == 0;
}

static bool read_random_device(unsigned char *bytes, size_t size)
{
    int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t got = 0;
    while (got < size) {
        ssize_t n = read(fd, bytes + got, size - got);
        if (n <= 0)
            break;
        got += (size_t)n;
    }
    close(fd);
    return got == size;
}

bool ash_os_random_(void *bytes, size_t size)
{
    return getentropy(bytes, size) == 0 || read_random_device(bytes, size);
}

void ash_os_once_(void (*fn)(void))
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fn);
}

static pthread_key_t keys[ASH_OS_SLOTS_];
static ASH_ATOMIC(bool) have_keys; /* threads may ask while another one exits */

/* The pointer is NULL for a thread when it ends; what is ended may set it again. */
static void make_keys(void)
{
    void (*const ends[ASH_OS_SLOTS_])(void *) = {
        [ASH_SCRATCH_SLOT_] = ash_scratch_ends_, [ASH_POOLS_SLOT_] = ash_pools_thread_ends_};
    int made = 0;
    while (made < ASH_OS_SLOTS_ && pthread_key_create(&keys[made], ends[made]) == 0)
        made++;
    have_keys = made == ASH_OS_SLOTS_;
    while (!have_keys && made > 0)
        pthread_key_delete(keys[--made]);
}

#if defined(__GNUC__) || defined(__clang__)
/* Code that is gone must not be called when a thread ends. */
__attribute__((destructor)) static void unload(void)
{
    if (!ash_load_(&have_keys))
        return;
    ash_library_ends_();
    have_keys = false;
    for (int i = 0; i < ASH_OS_SLOTS_; i++)
        pthread_key_delete(keys[i]);
}
#endif

void *ash_os_thread_get_(ash_os_slot_ slot)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_keys);
    return ash_load_(&have_keys) ? pthread_getspecific(keys[slot]) : NULL;
}

bool ash_os_thread_set_(ash_os_slot_ slot, void *value)
{
    (void)ash_os_thread_get_(slot);
    return ash_load_(&have_keys) && pthread_setspecific(keys[slot], value) == 0;
}

bool ash_os_at_fork_(void (*before)(void), void (*after)(void))
{
    return pthread_atfork(before, after, after) == 0;
}

void ash_os_yield_(void)
{
    sched_yield();
}

void ash_os_write_error_(const char *line)
{
    char text[512];
    size_t n = strlen(line);
    n = ASH_MIN(n, sizeof text - 1);
    memcpy(text, line, n);
    text[n++] = '\n';
    ssize_t written =
        write(STDERR_FILENO, text, n); /* in one piece, whatever other threads write */
    (void)written;
}

void ash_os_abort_(void)
{
    abort();
}

#else
typedef int ash_os_posix_is_not_used_;
#endif
