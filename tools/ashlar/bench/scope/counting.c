/*
 * The heap, counted: the linker sends the calls that this program and the library make here. What the
 * C library and libgc do inside stays uncounted.
 */
#include <malloc.h>
#include <stdlib.h>

#include "form.h"

size_t heap_allocations, heap_most;

static size_t held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);
void __wrap_free(void *p);

static void *counted(void *p)
{
    heap_allocations++;
    held += p ? malloc_usable_size(p) : 0;
    heap_most = held > heap_most ? held : heap_most;
    return p;
}

void *__wrap_malloc(size_t size)
{
    return counted(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return counted(__real_calloc(count, size));
}

void *__wrap_realloc(void *p, size_t size)
{
    size_t former = p ? malloc_usable_size(p) : 0;
    void *moved = __real_realloc(p, size);
    held -= moved ? former : 0;
    return counted(moved);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return counted(__real_aligned_alloc(align, size));
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
    int error = __real_posix_memalign(p, align, size);
    (void)counted(error ? NULL : *p);
    return error;
}

void __wrap_free(void *p)
{
    held -= p ? malloc_usable_size(p) : 0;
    __real_free(p);
}
