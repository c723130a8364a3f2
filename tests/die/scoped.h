/* A resource that says how many scopes are open on it. */
#include "ashlar/ashlar.h"

static uint64_t open_scopes = 1;

static void *scoped_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    return ash_resource_alloc(ash_heap(), size, align);
}

static void scoped_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self;
    ash_resource_free(ash_heap(), p, size, align);
}

static uint64_t scoped_epoch(const ash_resource *self)
{
    (void)self;
    return open_scopes;
}

static const char *scoped_name(const ash_resource *self)
{
    (void)self;
    return "scoped";
}

static const ash_resource_ops scoped_ops = {
    .alloc = scoped_alloc, .free = scoped_free, .epoch = scoped_epoch, .name = scoped_name};
static ash_resource scoped = {&scoped_ops};
