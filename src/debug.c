/* The wrappers that count, refuse and tell; debug_limited.c and debug_guarded.c are the others. */
#include "ashlar/debug.h"

#include <errno.h>
#include <stdio.h>

#include "base.h"
#include "wrapper.h"

/* ---- what all of them pass on ---- */

ash_wrapper_ ash_wrapper_over_(const ash_resource_ops *ops, ash_resource *upstream)
{
    return (ash_wrapper_){{ops}, upstream ? upstream : ash_default()};
}

bool ash_wrapper_owns_(const ash_resource *self, const void *p)
{
    return ash_resource_owns(ash_upstream_of_(self), p);
}

uint64_t ash_wrapper_epoch_(const ash_resource *self)
{
    return ash_resource_epoch(ash_upstream_of_(self));
}

const char *ash_wrapper_name_(const ash_resource *self)
{
    return ash_resource_name(ash_upstream_of_(self));
}

/* ---- counting ---- */

static ash_counts *counts_of(ash_resource *self)
{
    return &((ash_counting *)(void *)self)->counts_;
}

/* `bytes` more, or less, are handed out. */
static void count_growth(ash_counts *counts, size_t bytes)
{
    counts->live_bytes += bytes;
    counts->total_bytes += bytes;
    counts->peak_bytes = ASH_MAX(counts->peak_bytes, counts->live_bytes);
    counts->peak_live = ASH_MAX(counts->peak_live, counts->live);
}

static void count_change(ash_counts *counts, size_t old_size, size_t new_size)
{
    if (new_size > old_size)
        count_growth(counts, new_size - old_size);
    else
        counts->live_bytes -= old_size - new_size;
}

static void expect_live(ash_resource *self, const void *p, size_t size)
{
    const ash_counts *counts = counts_of(self);
    if (!counts->live || size > counts->live_bytes)
        ash_fatal_("more given back than was taken", ash_wrapper_name_(self), p);
}

static void *counting_alloc(ash_resource *self, size_t size, size_t align)
{
    ash_counts *counts = counts_of(self);
    void *p = ash_resource_alloc(ash_upstream_of_(self), size, align);
    if (!p) {
        counts->failures++;
        return NULL;
    }
    counts->allocs++;
    counts->live++;
    count_growth(counts, size);
    return p;
}

static bool counting_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    ash_counts *counts = counts_of(self);
    expect_live(self, p, old_size);
    if (!ash_resource_resize(ash_upstream_of_(self), p, old_size, new_size, align)) {
        counts->declined++;
        return false;
    }
    counts->resizes++;
    count_change(counts, old_size, new_size);
    return true;
}

static void *counting_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    ash_counts *counts = counts_of(self);
    expect_live(self, p, old_size);
    void *q = ash_resource_remap(ash_upstream_of_(self), p, old_size, new_size, align);
    if (!q) {
        counts->declined++;
        return NULL;
    }
    counts->remaps++;
    count_change(counts, old_size, new_size);
    return q;
}

static void counting_free(ash_resource *self, void *p, size_t size, size_t align)
{
    ash_counts *counts = counts_of(self);
    expect_live(self, p, size);
    counts->frees++;
    counts->live--;
    counts->live_bytes -= size;
    ash_resource_free(ash_upstream_of_(self), p, size, align);
}

void ash_counting_init(ash_counting *counting, ash_resource *upstream)
{
    static const ash_resource_ops ops = {.alloc = counting_alloc,
                                         .resize = counting_resize,
                                         .remap = counting_remap,
                                         .free = counting_free,
                                         .owns = ash_wrapper_owns_,
                                         .epoch = ash_wrapper_epoch_,
                                         .name = ash_wrapper_name_};
    *counting = (ash_counting){.wrapper_ = ash_wrapper_over_(&ops, upstream)};
}

ash_resource *ash_counting_resource(ash_counting *counting)
{
    return &counting->wrapper_.resource_;
}

ash_counts ash_counting_counts(const ash_counting *counting)
{
    return counting->counts_;
}

size_t ash_counting_live(const ash_counting *counting)
{
    return counting->counts_.live_bytes;
}

/* ---- failing ---- */

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static bool is_due(ash_failing *failing)
{
    if (failing->whole_)
        return next_random(&failing->random_) % failing->whole_ < failing->share_;
    if (!failing->wait_ || --failing->wait_)
        return false;
    failing->wait_ = failing->every_;
    return true;
}

/* One more request; is it to be refused? */
static bool refuses(ash_resource *self)
{
    ash_failing *failing = (ash_failing *)(void *)self;
    failing->requests_++;
    bool due = is_due(failing);
    failing->refused_ += due;
    return due;
}

static void *failing_alloc(ash_resource *self, size_t size, size_t align)
{
    return refuses(self) ? NULL : ash_resource_alloc(ash_upstream_of_(self), size, align);
}

static bool failing_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                           size_t align)
{
    return !refuses(self) &&
           ash_resource_resize(ash_upstream_of_(self), p, old_size, new_size, align);
}

static void *failing_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                           size_t align)
{
    if (refuses(self))
        return NULL;
    return ash_resource_remap(ash_upstream_of_(self), p, old_size, new_size, align);
}

static void failing_free(ash_resource *self, void *p, size_t size, size_t align)
{
    ash_resource_free(ash_upstream_of_(self), p, size, align);
}

void ash_failing_init(ash_failing *failing, ash_resource *upstream)
{
    static const ash_resource_ops ops = {.alloc = failing_alloc,
                                         .resize = failing_resize,
                                         .remap = failing_remap,
                                         .free = failing_free,
                                         .owns = ash_wrapper_owns_,
                                         .epoch = ash_wrapper_epoch_,
                                         .name = ash_wrapper_name_};
    *failing = (ash_failing){.wrapper_ = ash_wrapper_over_(&ops, upstream)};
}

ash_resource *ash_failing_resource(ash_failing *failing)
{
    return &failing->wrapper_.resource_;
}

uint64_t ash_failing_requests(const ash_failing *failing)
{
    return failing->requests_;
}

uint64_t ash_failing_refused(const ash_failing *failing)
{
    return failing->refused_;
}

static void refuse_after(ash_failing *failing, uint64_t first, uint64_t every)
{
    failing->wait_ = first;
    failing->every_ = every;
    failing->whole_ = 0;
}

void ash_failing_at(ash_failing *failing, uint64_t n)
{
    refuse_after(failing, n, 0);
}

void ash_failing_every(ash_failing *failing, uint64_t n)
{
    refuse_after(failing, n, n);
}

void ash_failing_fraction(ash_failing *failing, uint32_t share, uint32_t whole, uint64_t seed)
{
    refuse_after(failing, 0, 0);
    failing->share_ = share;
    failing->whole_ = whole;
    failing->random_ = seed;
}

/* ---- traced ---- */

/* What fn does to errno is not seen. */
static void tell(const ash_resource *self, ash_trace_event event)
{
    const ash_traced *traced = (const ash_traced *)(const void *)self;
    int error = errno;
    event.name = ash_wrapper_name_(self);
    traced->fn_(&event, traced->ctx_);
    errno = error;
}

static void *traced_alloc(ash_resource *self, size_t size, size_t align)
{
    void *p = ash_resource_alloc(ash_upstream_of_(self), size, align);
    tell(self, (ash_trace_event){.op = ASH_TRACE_ALLOC,
                                 .served = p != NULL,
                                 .new_size = size,
                                 .align = align,
                                 .result = p});
    return p;
}

static bool traced_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                          size_t align)
{
    bool done = ash_resource_resize(ash_upstream_of_(self), p, old_size, new_size, align);
    tell(self, (ash_trace_event){.op = ASH_TRACE_RESIZE,
                                 .served = done,
                                 .p = p,
                                 .old_size = old_size,
                                 .new_size = new_size,
                                 .align = align,
                                 .result = done ? p : NULL});
    return done;
}

static void *traced_remap(ash_resource *self, void *p, size_t old_size, size_t new_size,
                          size_t align)
{
    ash_trace_event event = {
        .op = ASH_TRACE_REMAP, .p = p, .old_size = old_size, .new_size = new_size, .align = align};
    void *q = ash_resource_remap(ash_upstream_of_(self), p, old_size, new_size, align);
    event.served = q != NULL;
    event.result = q;
    tell(self, event);
    return q;
}

static void traced_free(ash_resource *self, void *p, size_t size, size_t align)
{
    ash_trace_event event = {
        .op = ASH_TRACE_FREE, .served = true, .p = p, .old_size = size, .align = align};
    ash_resource_free(ash_upstream_of_(self), p, size, align);
    tell(self, event);
}

void ash_traced_init(ash_traced *traced, ash_resource *upstream, ash_trace_fn fn, void *ctx)
{
    static const ash_resource_ops ops = {.alloc = traced_alloc,
                                         .resize = traced_resize,
                                         .remap = traced_remap,
                                         .free = traced_free,
                                         .owns = ash_wrapper_owns_,
                                         .epoch = ash_wrapper_epoch_,
                                         .name = ash_wrapper_name_};
    *traced = (ash_traced){ash_wrapper_over_(&ops, upstream), fn, ctx};
}

ash_resource *ash_traced_resource(ash_traced *traced)
{
    return &traced->wrapper_.resource_;
}

static unsigned long long address(const void *p)
{
    return (unsigned long long)(uintptr_t)p;
}

/* "24", or "24 to 48" */
static void format_sizes(const ash_trace_event *event, char *text, size_t size)
{
    unsigned long long from = event->old_size, to = event->new_size;
    if (from && to)
        snprintf(text, size, "%llu to %llu", from, to);
    else
        snprintf(text, size, "%llu", from + to);
}

/* All but the name, which may have any length: "alloc 24 align 8 = 0x5581e0". */
static void format_call(const ash_trace_event *event, char *text, size_t size)
{
    static const char *const names[] = {"alloc", "resize", "remap", "free"};
    char sizes[64], at[32] = "", result[32] = "";
    format_sizes(event, sizes, sizeof sizes);
    if (event->op != ASH_TRACE_ALLOC)
        snprintf(at, sizeof at, " at 0x%llx", address(event->p));
    if (!event->served)
        snprintf(result, sizeof result, " = refused");
    else if (event->op != ASH_TRACE_FREE)
        snprintf(result, sizeof result, " = 0x%llx", address(event->result));
    snprintf(text, size, "%s %s align %llu%s%s", names[event->op], sizes,
             (unsigned long long)event->align, at, result);
}

enum { CALL = 192 }; /* five numbers of at most 20 characters, and the words between */

size_t ash_trace_format(const ash_trace_event *event, char *line, size_t size)
{
    char call[CALL];
    format_call(event, call, sizeof call);
    int length = snprintf(line, size, "%s %s", event->name, call);
    return length < 0 ? 0 : (size_t)length;
}

/* One call of the C library, so that lines of several threads do not mix. */
void ash_trace_print(const ash_trace_event *event, void *file)
{
    char call[CALL];
    format_call(event, call, sizeof call);
    fprintf(file, "%s %s\n", event->name, call);
}
