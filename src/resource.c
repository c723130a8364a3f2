#include "ashlar/resource.h"

#include <errno.h>
#include <string.h>

#include "base.h"
#include "os.h"

/* ---- the interface: arguments checked here, so that no table of functions has to ---- */

void *ash_resource_alloc(ash_resource *resource, size_t size, size_t align)
{
    size += !size;
    if (!resource || !ash_align_ok_(align) || size > ASH_SIZE_MAX_)
        return NULL;
    int error = errno; /* out of memory is answered, not announced */
    void *p = resource->ops->alloc(resource, size, align);
    errno = error;
    if (p && (uintptr_t)p & (align - 1)) { /* a resource that does not keep the contract */
        resource->ops->free(resource, p, size, align);
        return NULL;
    }
    return p;
}

bool ash_resource_resize(ash_resource *resource, void *p, size_t old_size, size_t new_size,
                         size_t align)
{
    old_size += !old_size;
    new_size += !new_size;
    if (!resource || !p || !ash_align_ok_(align) || new_size > ASH_SIZE_MAX_ ||
        !resource->ops->resize)
        return false;
    int error = errno;
    bool done = resource->ops->resize(resource, p, old_size, new_size, align);
    errno = error;
    return done;
}

void *ash_resource_remap(ash_resource *resource, void *p, size_t old_size, size_t new_size,
                         size_t align)
{
    old_size += !old_size;
    new_size += !new_size;
    if (!resource || !p || !ash_align_ok_(align) || new_size > ASH_SIZE_MAX_ ||
        !resource->ops->remap)
        return NULL;
    int error = errno;
    void *q = resource->ops->remap(resource, p, old_size, new_size, align);
    errno = error;
    return q;
}

void *ash_resource_realloc(ash_resource *resource, void *p, size_t old_size, size_t new_size,
                           size_t align)
{
    if (!p)
        return ash_resource_alloc(resource, new_size, align);
    if (ash_resource_resize(resource, p, old_size, new_size, align))
        return p;
    void *q = ash_resource_remap(resource, p, old_size, new_size, align);
    if (q)
        return q;
    q = ash_resource_alloc(resource, new_size, align);
    if (!q)
        return NULL;
    memcpy(q, p, ASH_MIN(old_size, new_size));
    ash_resource_free(resource, p, old_size, align);
    return q;
}

void ash_resource_free(ash_resource *resource, void *p, size_t size, size_t align)
{
    if (resource && p && ash_align_ok_(align))
        resource->ops->free(resource, p, size + !size, align);
}

bool ash_resource_owns(const ash_resource *resource, const void *p)
{
    return resource && p && resource->ops->owns && resource->ops->owns(resource, p);
}

uint64_t ash_resource_epoch(const ash_resource *resource)
{
    return resource && resource->ops->epoch ? resource->ops->epoch(resource) : 0;
}

const char *ash_resource_name(const ash_resource *resource)
{
    const char *name = resource && resource->ops->name ? resource->ops->name(resource) : NULL;
    return name ? name : "unnamed";
}

/* ---- heap ---- */

static void *heap_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    return ash_os_heap_alloc_(size, align);
}

static void *heap_remap(ash_resource *self, void *p, size_t old_size, size_t new_size, size_t align)
{
    (void)self, (void)old_size;
    return align <= ASH_MALLOC_ALIGN_ ? ash_os_heap_realloc_(p, new_size) : NULL;
}

static void heap_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self, (void)size;
    ash_os_heap_free_(p, align);
}

static const char *heap_name(const ash_resource *self)
{
    (void)self;
    return "heap";
}

ash_resource *ash_heap(void)
{
    static const ash_resource_ops ops = {
        .alloc = heap_alloc, .remap = heap_remap, .free = heap_free, .name = heap_name};
    static ash_resource heap = {&ops};
    return &heap;
}

/* ---- null ---- */

static void *null_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self, (void)size, (void)align;
    return NULL;
}

static void null_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self, (void)p, (void)size, (void)align;
}

static const char *null_name(const ash_resource *self)
{
    (void)self;
    return "null";
}

ash_resource *ash_null(void)
{
    static const ash_resource_ops ops = {.alloc = null_alloc, .free = null_free, .name = null_name};
    static ash_resource null = {&ops};
    return &null;
}

/* ---- pages: `unit` is the size that is rounded up to, pages or huge pages ---- */

typedef struct page_resource {
    ash_resource resource;
    bool huge;
} page_resource;

static size_t whole_pages(const ash_resource *self, size_t size)
{
    size_t unit = ((const page_resource *)self)->huge ? ASH_HUGE_PAGE_ : ash_os_page_size_();
    return ash_add_(size, unit - 1) & ~(unit - 1);
}

static void *pages_alloc(ash_resource *self, size_t size, size_t align)
{
    size_t pages = whole_pages(self, size);
    bool huge = pages >= ASH_HUGE_PAGE_;
    return ash_os_map_(pages, huge ? ASH_MAX(align, ASH_HUGE_PAGE_) : align, huge);
}

static bool pages_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                         size_t align)
{
    (void)align;
    return ash_os_resize_(p, whole_pages(self, old_size), whole_pages(self, new_size));
}

static void *pages_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                         size_t align)
{
    if (align > ash_os_page_size_()) /* moved pages are aligned to pages, no more */
        return NULL;
    return ash_os_remap_(p, whole_pages(self, old_size), whole_pages(self, new_size));
}

static void pages_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)align;
    ash_os_unmap_(p, whole_pages(self, size));
}

static const char *pages_name(const ash_resource *self)
{
    return ((const page_resource *)self)->huge ? "huge pages" : "pages";
}

static const ash_resource_ops pages_ops = {.alloc = pages_alloc,
                                           .resize = pages_resize,
                                           .remap = pages_remap,
                                           .free = pages_free,
                                           .name = pages_name};

ash_resource *ash_pages(void)
{
    static page_resource pages = {{&pages_ops}, false};
    return &pages.resource;
}

ash_resource *ash_huge_pages(void)
{
    static page_resource pages = {{&pages_ops}, true};
    return &pages.resource;
}

/* ---- the default ---- */

static ASH_ATOMIC(ash_resource *) chosen;

ash_resource *ash_default(void)
{
    ash_resource *resource = ash_load_(&chosen);
    return resource ? resource : ash_heap();
}

ash_resource *ash_set_default(ash_resource *resource)
{
    ash_resource *old = ash_exchange_(&chosen, resource);
    return old ? old : ash_heap();
}
