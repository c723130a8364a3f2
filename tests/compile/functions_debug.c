/* must-compile: C and C++ */
/* Every function of debug.h, taken by its type. */
#include "ashlar/debug.h"

typedef struct every_function {
    void (*counting_init)(ash_counting *, ash_resource *);
    ash_resource *(*counting_resource)(ash_counting *);
    ash_counts (*counting_counts)(const ash_counting *);
    size_t (*counting_live)(const ash_counting *);

    void (*budget_init)(ash_budget *, size_t);
    size_t (*budget_limit)(const ash_budget *);
    size_t (*budget_used)(const ash_budget *);
    void (*limited_init)(ash_limited *, ash_resource *, ash_budget *);
    void (*limited_deinit)(ash_limited *);
    ash_resource *(*limited_resource)(ash_limited *);
    size_t (*limited_used)(const ash_limited *);

    void (*failing_init)(ash_failing *, ash_resource *);
    ash_resource *(*failing_resource)(ash_failing *);
    uint64_t (*failing_requests)(const ash_failing *);
    uint64_t (*failing_refused)(const ash_failing *);
    void (*failing_at)(ash_failing *, uint64_t);
    void (*failing_every)(ash_failing *, uint64_t);
    void (*failing_fraction)(ash_failing *, uint32_t, uint32_t, uint64_t);

    void (*traced_init)(ash_traced *, ash_resource *, ash_trace_fn, void *);
    ash_resource *(*traced_resource)(ash_traced *);
    void (*trace_print)(const ash_trace_event *, void *);
    size_t (*trace_format)(const ash_trace_event *, char *, size_t);

    void (*guarded_init)(ash_guarded *, ash_resource *);
    void (*guarded_deinit)(ash_guarded *);
    ash_resource *(*guarded_resource)(ash_guarded *);
    size_t (*guarded_live)(const ash_guarded *);
    size_t (*guarded_held)(const ash_guarded *);
} every_function;

void take_them_all(every_function *f);
void take_them_all(every_function *f)
{
    f->counting_init = ash_counting_init;
    f->counting_resource = ash_counting_resource;
    f->counting_counts = ash_counting_counts;
    f->counting_live = ash_counting_live;
    f->budget_init = ash_budget_init;
    f->budget_limit = ash_budget_limit;
    f->budget_used = ash_budget_used;
    f->limited_init = ash_limited_init;
    f->limited_deinit = ash_limited_deinit;
    f->limited_resource = ash_limited_resource;
    f->limited_used = ash_limited_used;
    f->failing_init = ash_failing_init;
    f->failing_resource = ash_failing_resource;
    f->failing_requests = ash_failing_requests;
    f->failing_refused = ash_failing_refused;
    f->failing_at = ash_failing_at;
    f->failing_every = ash_failing_every;
    f->failing_fraction = ash_failing_fraction;
    f->traced_init = ash_traced_init;
    f->traced_resource = ash_traced_resource;
    f->trace_print = ash_trace_print;
    f->trace_format = ash_trace_format;
    f->guarded_init = ash_guarded_init;
    f->guarded_deinit = ash_guarded_deinit;
    f->guarded_resource = ash_guarded_resource;
    f->guarded_live = ash_guarded_live;
    f->guarded_held = ash_guarded_held;
}
