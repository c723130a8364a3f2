/* Windows. */
#if defined(_WIN32) && !defined(ASH_OS_NONE)

#include "os.h"

#define WIN32_LEAN_AND_MEAN
#define _CRT_RAND_S
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "base.h"

void *ash_os_heap_alloc_(size_t size, size_t align)
{
    return align <= ASH_MALLOC_ALIGN_ ? malloc(size) : _aligned_malloc(size, align);
}

void *ash_os_heap_realloc_(void *p, size_t size)
{
    return realloc(p, size);
}

void ash_os_heap_free_(void *p, size_t align)
{
    if (align <= ASH_MALLOC_ALIGN_)
        free(p);
    else
        _aligned_free(p);
}

size_t ash_os_page_size_(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwPageSize;
}

/* What VirtualAlloc maps cannot be unmapped in parts, so an aligned stretch is found by mapping a
 * larger one, letting it go, and asking for the place inside it; another thread may be faster. */
void *ash_os_map_(size_t pages, size_t align, bool huge)
{
    (void)huge; /* large pages need a privilege */
    enum { TRIES = 16 };
    void *p = VirtualAlloc(NULL, pages, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    for (int i = 0; p && (uintptr_t)p & (align - 1); i++) {
        VirtualFree(p, 0, MEM_RELEASE);
        if (i == TRIES || pages > ASH_SIZE_MAX_ - align)
            return NULL;
        char *wide = VirtualAlloc(NULL, pages + align, MEM_RESERVE, PAGE_NOACCESS);
        if (!wide)
            return NULL;
        VirtualFree(wide, 0, MEM_RELEASE);
        p = VirtualAlloc((void *)ash_up_((uintptr_t)wide, align), pages, MEM_RESERVE | MEM_COMMIT,
                         PAGE_READWRITE);
        if (!p) /* taken meanwhile: start again */
            p = VirtualAlloc(NULL, pages, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    }
    return p;
}

void ash_os_unmap_(void *p, size_t pages)
{
    (void)pages;
    VirtualFree(p, 0, MEM_RELEASE);
}

bool ash_os_resize_(void *p, size_t old_pages, size_t new_pages)
{
    if (new_pages < old_pages)
        VirtualFree((char *)p + new_pages, old_pages - new_pages, MEM_DECOMMIT);
    return new_pages <= old_pages;
}

void *ash_os_remap_(void *p, size_t old_pages, size_t new_pages)
{
    return ash_os_resize_(p, old_pages, new_pages) ? p : NULL;
}

void *ash_os_reserve_(size_t pages)
{
    return VirtualAlloc(NULL, pages, MEM_RESERVE, PAGE_NOACCESS);
}

bool ash_os_commit_(void *p, size_t pages)
{
    return VirtualAlloc(p, pages, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

void ash_os_decommit_(void *p, size_t pages)
{
    VirtualFree(p, pages, MEM_DECOMMIT);
}

bool ash_os_protect_(void *p, size_t pages)
{
    DWORD old;
    return VirtualProtect(p, pages, PAGE_READONLY, &old) != 0;
}

bool ash_os_random_(void *bytes, size_t size)
{
    unsigned char *out = bytes;
    while (size) {
        unsigned int word;
        if (rand_s(&word) != 0)
            return false;
        size_t n = ASH_MIN(size, sizeof word);
        memcpy(out, &word, n);
        out += n;
        size -= n;
    }
    return true;
}

static BOOL CALLBACK run_once(PINIT_ONCE once, void *fn, void **context)
{
    (void)once, (void)context;
    (*(void (**)(void))fn)();
    return TRUE;
}

void ash_os_once_(void (*fn)(void))
{
    static INIT_ONCE once = INIT_ONCE_STATIC_INIT;
    InitOnceExecuteOnce(&once, run_once, &fn, NULL);
}

static INIT_ONCE slots_once = INIT_ONCE_STATIC_INIT;
static DWORD slots[ASH_OS_SLOTS_] = {FLS_OUT_OF_INDEXES, FLS_OUT_OF_INDEXES};

static void WINAPI end_scratch(void *value)
{
    if (value)
        ash_scratch_ends_(value);
}

static void WINAPI end_pools(void *value)
{
    if (value)
        ash_pools_thread_ends_(value);
}

static BOOL CALLBACK make_slots(PINIT_ONCE once, void *unused, void **context)
{
    (void)once, (void)unused, (void)context;
    slots[ASH_SCRATCH_SLOT_] = FlsAlloc(end_scratch);
    slots[ASH_POOLS_SLOT_] = FlsAlloc(end_pools);
    return TRUE;
}

void *ash_os_thread_get_(ash_os_slot_ slot)
{
    InitOnceExecuteOnce(&slots_once, make_slots, NULL, NULL);
    return slots[slot] == FLS_OUT_OF_INDEXES ? NULL : FlsGetValue(slots[slot]);
}

bool ash_os_thread_set_(ash_os_slot_ slot, void *value)
{
    (void)ash_os_thread_get_(slot);
    return slots[slot] != FLS_OUT_OF_INDEXES && FlsSetValue(slots[slot], value);
}

bool ash_os_at_fork_(void (*before)(void), void (*after)(void))
{
    (void)before, (void)after; /* there is none */
    return true;
}

void ash_os_yield_(void)
{
    SwitchToThread();
}

void ash_os_write_error_(const char *line)
{
    DWORD written;
    HANDLE error = GetStdHandle(STD_ERROR_HANDLE);
    WriteFile(error, line, (DWORD)strlen(line), &written, NULL);
    WriteFile(error, "\r\n", 2, &written, NULL);
}

void ash_os_abort_(void)
{
    abort();
}

#else
typedef int ash_os_windows_is_not_used_;
#endif
