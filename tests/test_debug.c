/*
 * The wrappers that count, refuse and tell, alone, over each other, over and under an arena.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- counting ---- */

static void test_counting_counts_each_kind(void **state)
{
    (void)state;
    test_upstream up;
    ash_counting counting;
    test_upstream_init(&up);
    ash_counting_init(&counting, &up.resource);
    ash_resource *resource = ash_counting_resource(&counting);
    void *a = ash_resource_alloc(resource, 100, 8);
    void *b = ash_resource_alloc(resource, 0, 64);
    assert_int_equal(ash_counting_live(&counting), 101);
    assert_false(ash_resource_resize(resource, a, 100, 50, 8)); /* upstream never does */
    a = ash_resource_remap(resource, a, 100, 300, 8);
    ash_resource_free(resource, b, 0, 64);
    up.refuse = true;
    assert_null(ash_resource_alloc(resource, 1000, 8));
    assert_null(ash_resource_remap(resource, a, 300, 400, 8));
    ash_counts counts = ash_counting_counts(&counting);
    assert_int_equal(counts.allocs, 2);
    assert_int_equal(counts.frees, 1);
    assert_int_equal(counts.resizes, 0);
    assert_int_equal(counts.remaps, 1);
    assert_int_equal(counts.failures, 1);
    assert_int_equal(counts.declined, 2);
    assert_int_equal(counts.total_bytes, 301);
    assert_int_equal(counts.live, 1);
    assert_int_equal(counts.live_bytes, 300);
    assert_int_equal(counts.peak_live, 2);
    assert_int_equal(counts.peak_bytes, 301);
    ash_resource_free(resource, a, 300, 8);
    assert_int_equal(ash_counting_live(&counting), 0);
    assert_int_equal(ash_counting_counts(&counting).peak_bytes, 301);
    test_upstream_done(&up);
}

static void test_counting_follows_resizes(void **state)
{
    (void)state;
    ash_arena arena;
    ash_counting counting;
    assert_true(ash_arena_init(&arena, NULL));
    ash_counting_init(&counting, ash_arena_resource(&arena));
    ash_resource *resource = ash_counting_resource(&counting);
    char *p = ash_resource_alloc(resource, 16, 8);
    assert_true(ash_resource_resize(resource, p, 16, 160, 8));
    assert_int_equal(ash_counting_live(&counting), 160);
    assert_true(ash_resource_resize(resource, p, 160, 1, 8));
    ash_counts counts = ash_counting_counts(&counting);
    assert_int_equal(counts.resizes, 2);
    assert_int_equal(counts.live_bytes, 1);
    assert_int_equal(counts.peak_bytes, 160);
    assert_int_equal(counts.total_bytes, 160);
    ash_resource_free(resource, p, 1, 8);
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_arena_deinit(&arena);
}

#define TOO_MUCH_OF(name) "ashlar: fatal: more given back than was taken (arena " name ", ADDR)"
#define TOO_MUCH          TOO_MUCH_OF("test upstream")

static void test_counting_reports_more_frees_than_allocations(void **state)
{
    (void)state;
    test_upstream up;
    ash_counting counting;
    test_upstream_init(&up);
    ash_counting_init(&counting, &up.resource);
    ash_resource *resource = ash_counting_resource(&counting);
    void *p = ash_resource_alloc(resource, 100, 8);
    expect_fatal(ash_resource_free(resource, p, 101, 8), TOO_MUCH);
    assert_int_equal(test_fatal_address(), (uintptr_t)p);
    expect_fatal((void)!ash_resource_resize(resource, p, 101, 1, 8), TOO_MUCH);
    expect_fatal((void)!ash_resource_remap(resource, p, 101, 1, 8), TOO_MUCH);
    assert_int_equal(ash_counting_live(&counting), 100); /* a report changes nothing */
    ash_resource_free(resource, p, 100, 8);
    expect_fatal(ash_resource_free(resource, &up, 0, 8), TOO_MUCH);
    test_upstream_done(&up);
}

static void test_counting_reports_one_allocation_freed_in_parts(void **state)
{
    (void)state;
    ash_arena arena;
    ash_counting counting;
    ash_arena_config config = {.name = "test upstream"};
    assert_true(ash_arena_init(&arena, &config));
    ash_counting_init(&counting, ash_arena_resource(&arena));
    ash_resource *resource = ash_counting_resource(&counting);
    char *p = ash_resource_alloc(resource, 100, 8);
    ash_resource_free(resource, p + 50, 50, 1);
    expect_fatal(ash_resource_free(resource, p, 50, 8), TOO_MUCH);
    ash_arena_deinit(&arena);
}

static void test_counting_sees_what_an_arena_holds(void **state)
{
    (void)state;
    ash_arena arena;
    ash_counting counting;
    ash_counting_init(&counting, ash_heap());
    ash_arena_config config = {.upstream = ash_counting_resource(&counting), .block_size = 4096};
    assert_true(ash_arena_init(&arena, &config));
    for (int i = 0; i < 100; i++)
        assert_non_null(ash_alloc(&arena, 1000, 8));
    assert_int_equal(ash_counting_live(&counting), ash_arena_capacity(&arena));
    ash_arena_deinit(&arena);
    assert_int_equal(ash_counting_live(&counting), 0);
    assert_int_equal(ash_counting_counts(&counting).live, 0);
}

/* ---- limited ---- */

static void test_limited_serves_exactly_its_budget(void **state)
{
    (void)state;
    test_upstream up;
    ash_budget budget;
    ash_limited limited;
    test_upstream_init(&up);
    ash_budget_init(&budget, 100);
    ash_limited_init(&limited, &up.resource, &budget);
    ash_resource *resource = ash_limited_resource(&limited);
    assert_null(ash_resource_alloc(resource, 101, 1));
    assert_null(ash_resource_alloc(resource, PTRDIFF_MAX, 1));
    void *a = ash_resource_alloc(resource, 60, 1);
    assert_null(ash_resource_alloc(resource, 41, 1));
    void *b = ash_resource_alloc(resource, 40, 64);
    assert_non_null(b);
    assert_null(ash_resource_alloc(resource, 0, 1));
    assert_int_equal(ash_budget_used(&budget), 100);
    assert_int_equal(ash_limited_used(&limited), 100);
    assert_int_equal(ash_budget_limit(&budget), 100);
    assert_int_equal(up.calls, 2); /* upstream is not asked for what the budget has not */
    ash_resource_free(resource, a, 60, 1);
    assert_int_equal(ash_budget_used(&budget), 40);
    ash_resource_free(resource, b, 40, 64);
    assert_int_equal(ash_budget_used(&budget), 0);
    test_upstream_done(&up);
}

static void test_limited_remap_takes_the_difference(void **state)
{
    (void)state;
    test_upstream up;
    ash_budget budget;
    ash_limited limited;
    test_upstream_init(&up);
    ash_budget_init(&budget, 100);
    ash_limited_init(&limited, &up.resource, &budget);
    ash_resource *resource = ash_limited_resource(&limited);
    void *p = ash_resource_alloc(resource, 60, 1);
    assert_null(ash_resource_remap(resource, p, 60, 101, 1));
    assert_int_equal(ash_budget_used(&budget), 60);
    p = ash_resource_remap(resource, p, 60, 100, 1);
    assert_non_null(p);
    assert_int_equal(ash_budget_used(&budget), 100);
    p = ash_resource_remap(resource, p, 100, 10, 1);
    assert_int_equal(ash_budget_used(&budget), 10);
    ash_resource_free(resource, p, 10, 1);
    assert_int_equal(ash_budget_used(&budget), 0);
    test_upstream_done(&up);
}

static void test_limited_resize_takes_the_difference(void **state)
{
    (void)state;
    ash_arena arena;
    ash_budget budget;
    ash_limited limited;
    assert_true(ash_arena_init(&arena, NULL));
    ash_budget_init(&budget, 100);
    ash_limited_init(&limited, ash_arena_resource(&arena), &budget);
    ash_resource *resource = ash_limited_resource(&limited);
    void *p = ash_resource_alloc(resource, 60, 8);
    assert_false(ash_resource_resize(resource, p, 60, 101, 8));
    assert_true(ash_resource_resize(resource, p, 60, 100, 8));
    assert_int_equal(ash_budget_used(&budget), 100);
    assert_true(ash_resource_resize(resource, p, 100, 30, 8));
    assert_int_equal(ash_budget_used(&budget), 30);
    ash_resource_free(resource, p, 30, 8);
    assert_int_equal(ash_budget_used(&budget), 0);
    ash_arena_deinit(&arena);
}

static void test_limited_refused_upstream_costs_nothing(void **state)
{
    (void)state;
    test_upstream up;
    ash_budget budget;
    ash_limited limited;
    test_upstream_init(&up);
    ash_budget_init(&budget, 1000);
    ash_limited_init(&limited, &up.resource, &budget);
    ash_resource *resource = ash_limited_resource(&limited);
    void *p = ash_resource_alloc(resource, 60, 8);
    up.refuse = true;
    assert_null(ash_resource_alloc(resource, 10, 8));
    assert_null(ash_resource_remap(resource, p, 60, 70, 8));
    assert_null(ash_resource_remap(resource, p, 60, 50, 8));
    assert_false(ash_resource_resize(resource, p, 60, 70, 8));
    assert_false(ash_resource_resize(resource, p, 60, 50, 8));
    assert_int_equal(ash_budget_used(&budget), 60);
    ash_resource_free(resource, p, 60, 8);
    assert_int_equal(ash_budget_used(&budget), 0);
    test_upstream_done(&up);
}

static void test_limited_budget_is_shared(void **state)
{
    (void)state;
    ash_budget budget;
    ash_limited heap, pages;
    ash_budget_init(&budget, 10000);
    ash_limited_init(&heap, ash_heap(), &budget);
    ash_limited_init(&pages, ash_pages(), &budget);
    void *a = ash_resource_alloc(ash_limited_resource(&heap), 6000, 8);
    assert_null(ash_resource_alloc(ash_limited_resource(&pages), 4096, 8));
    void *b = ash_resource_alloc(ash_limited_resource(&pages), 4000, 8);
    assert_non_null(b);
    assert_int_equal(ash_limited_used(&heap), 6000);
    assert_int_equal(ash_limited_used(&pages), 4000);
    assert_int_equal(ash_budget_used(&budget), 10000);
    ash_resource *other = ash_limited_resource(&pages);
    expect_fatal(ash_resource_free(other, a, 6000, 8), TOO_MUCH_OF("pages"));
    expect_fatal((void)!ash_resource_resize(other, a, 6000, 1, 8), TOO_MUCH_OF("pages"));
    expect_fatal((void)!ash_resource_remap(other, a, 6000, 1, 8), TOO_MUCH_OF("pages"));
    ash_resource_free(ash_limited_resource(&heap), a, 6000, 8);
    ash_resource_free(ash_limited_resource(&pages), b, 4000, 8);
    assert_int_equal(ash_budget_used(&budget), 0);
}

static void *same_address(ash_resource *self, size_t size, size_t align)
{
    (void)size, (void)align;
    return self;
}

static void free_nothing(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self, (void)p, (void)size, (void)align;
}

/* A budget of all there is does not begin again at 0. */
static void test_limited_does_not_wrap(void **state)
{
    (void)state;
    const ash_resource_ops ops = {.alloc = same_address, .free = free_nothing};
    ash_resource vast = {&ops};
    ash_budget budget;
    ash_limited limited;
    ash_budget_init(&budget, SIZE_MAX);
    ash_limited_init(&limited, &vast, &budget);
    ash_resource *resource = ash_limited_resource(&limited);
    assert_non_null(ash_resource_alloc(resource, PTRDIFF_MAX, 1));
    assert_non_null(ash_resource_alloc(resource, PTRDIFF_MAX, 1));
    assert_null(ash_resource_alloc(resource, 2, 1));
    assert_non_null(ash_resource_alloc(resource, 1, 1));
    assert_null(ash_resource_alloc(resource, 1, 1));
    assert_int_equal(ash_budget_used(&budget), SIZE_MAX);
}

static void test_limited_deinit_returns_what_died_with_an_arena(void **state)
{
    (void)state;
    ash_arena arena;
    ash_budget budget;
    ash_limited limited;
    assert_true(ash_arena_init(&arena, NULL));
    ash_budget_init(&budget, 1000);
    ash_limited_init(&limited, ash_arena_resource(&arena), &budget);
    assert_non_null(ash_resource_alloc(ash_limited_resource(&limited), 600, 8));
    ash_arena_deinit(&arena);
    assert_int_equal(ash_budget_used(&budget), 600);
    ash_limited_deinit(&limited);
    assert_int_equal(ash_budget_used(&budget), 0);
    assert_int_equal(ash_limited_used(&limited), 0);
}

/* ---- failing ---- */

/* Which of 30 requests are refused, as bits; one of each kind in turn. */
static unsigned refusals(ash_failing *failing)
{
    ash_resource *resource = ash_failing_resource(failing);
    unsigned bits = 0;
    uint64_t refused = ash_failing_refused(failing), requests = ash_failing_requests(failing);
    void *p = ash_resource_alloc(ash_heap(), 16, 8);
    for (unsigned i = 0; i < 30; i++) {
        uint64_t before = ash_failing_refused(failing);
        bool served = true;
        if (i % 3 == 0) {
            void *q = ash_resource_alloc(resource, 8, 8);
            served = q != NULL;
            ash_resource_free(resource, q, 8, 8);
        } else if (i % 3 == 1) {
            (void)!ash_resource_resize(resource, p, 16, 16, 8); /* the heap never does */
            served = ash_failing_refused(failing) == before;
        } else {
            void *q = ash_resource_remap(resource, p, 16, 16, 8);
            served = q != NULL;
            p = q ? q : p;
        }
        assert_int_equal(ash_failing_refused(failing) - before, !served);
        bits |= (unsigned)!served << i;
    }
    ash_resource_free(ash_heap(), p, 16, 8);
    assert_int_equal(ash_failing_requests(failing), requests + 30);
    unsigned count = 0;
    for (unsigned i = 0; i < 30; i++)
        count += bits >> i & 1;
    assert_int_equal(ash_failing_refused(failing), refused + count);
    return bits;
}

static void test_failing_refuses_nothing_unless_told(void **state)
{
    (void)state;
    ash_failing failing;
    ash_failing_init(&failing, NULL);
    assert_int_equal(refusals(&failing), 0);
    ash_failing_at(&failing, 0);
    assert_int_equal(refusals(&failing), 0);
    ash_failing_every(&failing, 0);
    assert_int_equal(refusals(&failing), 0);
    ash_failing_fraction(&failing, 1, 0, 7);
    assert_int_equal(refusals(&failing), 0);
    ash_failing_fraction(&failing, 0, 1, 7);
    assert_int_equal(refusals(&failing), 0);
    assert_int_equal(ash_failing_refused(&failing), 0);
}

static void test_failing_refuses_the_nth_alone(void **state)
{
    (void)state;
    ash_failing failing;
    ash_failing_init(&failing, NULL);
    for (unsigned n = 1; n <= 30; n++) {
        ash_failing_at(&failing, n); /* counted from here */
        assert_int_equal(refusals(&failing), 1u << (n - 1));
        assert_int_equal(refusals(&failing), 0);
    }
}

static void test_failing_refuses_every_nth(void **state)
{
    (void)state;
    ash_failing failing;
    ash_failing_init(&failing, NULL);
    ash_failing_every(&failing, 1);
    assert_int_equal(refusals(&failing), (1u << 30) - 1);
    ash_failing_every(&failing, 7);
    assert_int_equal(refusals(&failing), 1u << 6 | 1u << 13 | 1u << 20 | 1u << 27);
    assert_int_equal(refusals(&failing), 1u << 4 | 1u << 11 | 1u << 18 | 1u << 25);
}

static void test_failing_fraction_is_the_same_each_time(void **state)
{
    (void)state;
    ash_failing failing;
    ash_failing_init(&failing, NULL);
    ash_failing_fraction(&failing, 1, 4, 42);
    unsigned first = refusals(&failing), second = refusals(&failing);
    assert_int_not_equal(first, second);
    ash_failing_fraction(&failing, 1, 4, 42);
    assert_int_equal(refusals(&failing), first);
    ash_failing_fraction(&failing, 1, 4, 43);
    assert_int_not_equal(refusals(&failing), first);
    assert_int_equal(first, 0x01184088); /* on every machine */
    ash_failing_fraction(&failing, 1, 1, 42);
    assert_int_equal(refusals(&failing), (1u << 30) - 1);
    ash_failing_at(&failing, 0);
    assert_int_equal(refusals(&failing), 0);
}

static void test_failing_fraction_is_the_share_it_says(void **state)
{
    (void)state;
    ash_failing failing;
    ash_failing_init(&failing, ash_null());
    ash_failing_fraction(&failing, 3, 10, 1);
    for (int i = 0; i < 100000; i++)
        assert_null(ash_resource_alloc(ash_failing_resource(&failing), 1, 1));
    assert_in_range(ash_failing_refused(&failing), 29000, 31000);
}

/* ---- traced ---- */

enum { EVENTS = 16 };

typedef struct events {
    ash_trace_event items[EVENTS];
    size_t count;
} events;

static void record(const ash_trace_event *event, void *ctx)
{
    events *all = ctx;
    assert_true(all->count < EVENTS);
    all->items[all->count++] = *event;
    errno = EIO;
}

static void assert_event(const ash_trace_event *event, ash_trace_op op, const void *p,
                         size_t old_size, size_t new_size, size_t align, const void *result)
{
    assert_string_equal(event->name, "heap");
    assert_int_equal(event->op, op);
    assert_ptr_equal(event->p, p);
    assert_int_equal(event->old_size, old_size);
    assert_int_equal(event->new_size, new_size);
    assert_int_equal(event->align, align);
    assert_ptr_equal(event->result, result);
    assert_int_equal(event->served, op == ASH_TRACE_FREE || result);
}

static void test_traced_tells_of_every_call(void **state)
{
    (void)state;
    events all = {.count = 0};
    ash_traced traced;
    ash_traced_init(&traced, ash_heap(), record, &all);
    ash_resource *resource = ash_traced_resource(&traced);
    errno = 0;
    void *p = ash_resource_alloc(resource, 24, 8);
    assert_false(ash_resource_resize(resource, p, 24, 48, 8));
    void *q = ash_resource_remap(resource, p, 24, 48, 8);
    assert_null(ash_resource_remap(resource, q, 48, PTRDIFF_MAX, 4096));
    ash_resource_free(resource, q, 48, 8);
    assert_null(ash_resource_alloc(resource, PTRDIFF_MAX, 1));
    assert_int_equal(errno, 0);
    assert_int_equal(all.count, 6);
    assert_event(&all.items[0], ASH_TRACE_ALLOC, NULL, 0, 24, 8, p);
    assert_event(&all.items[1], ASH_TRACE_RESIZE, p, 24, 48, 8, NULL);
    assert_event(&all.items[2], ASH_TRACE_REMAP, p, 24, 48, 8, q);
    assert_event(&all.items[3], ASH_TRACE_REMAP, q, 48, PTRDIFF_MAX, 4096, NULL);
    assert_event(&all.items[4], ASH_TRACE_FREE, q, 48, 0, 8, NULL);
    assert_event(&all.items[5], ASH_TRACE_ALLOC, NULL, 0, PTRDIFF_MAX, 1, NULL);
}

static void test_traced_resize_answers_the_same_address(void **state)
{
    (void)state;
    events all = {.count = 0};
    ash_arena arena;
    ash_traced traced;
    assert_true(ash_arena_init(&arena, NULL));
    ash_traced_init(&traced, ash_arena_resource(&arena), record, &all);
    ash_resource *resource = ash_traced_resource(&traced);
    void *p = ash_resource_alloc(resource, 24, 8);
    assert_true(ash_resource_resize(resource, p, 24, 48, 8));
    assert_true(all.items[1].served);
    assert_ptr_equal(all.items[1].result, p);
    ash_arena_deinit(&arena);
}

static void assert_line(const ash_trace_event *event, const char *expected)
{
    char line[128], small[10];
    assert_int_equal(ash_trace_format(event, line, sizeof line), strlen(expected));
    assert_string_equal(line, expected);
    assert_int_equal(ash_trace_format(event, small, sizeof small), strlen(expected));
    assert_memory_equal(small, expected, sizeof small - 1);
    assert_int_equal(small[sizeof small - 1], 0);
}

static void test_trace_lines(void **state)
{
    (void)state;
    const void *p = (const void *)(uintptr_t)0x1230, *q = (const void *)(uintptr_t)0xabc0;
    assert_line(&(ash_trace_event){ASH_TRACE_ALLOC, true, "heap", NULL, 0, 24, 8, p},
                "heap alloc 24 align 8 = 0x1230");
    assert_line(&(ash_trace_event){ASH_TRACE_ALLOC, false, "heap", NULL, 0, 24, 8, NULL},
                "heap alloc 24 align 8 = refused");
    assert_line(&(ash_trace_event){ASH_TRACE_RESIZE, true, "frame", p, 24, 48, 16, p},
                "frame resize 24 to 48 align 16 at 0x1230 = 0x1230");
    assert_line(&(ash_trace_event){ASH_TRACE_RESIZE, false, "frame", p, 24, 48, 16, NULL},
                "frame resize 24 to 48 align 16 at 0x1230 = refused");
    assert_line(&(ash_trace_event){ASH_TRACE_REMAP, true, "heap", p, 48, 24, 8, q},
                "heap remap 48 to 24 align 8 at 0x1230 = 0xabc0");
    assert_line(&(ash_trace_event){ASH_TRACE_FREE, true, "heap", q, 24, 0, 8, NULL},
                "heap free 24 align 8 at 0xabc0");
}

static void test_trace_print_writes_lines(void **state)
{
    (void)state;
    char text[512], expected[512];
    FILE *file = tmpfile();
    assert_non_null(file);
    ash_traced traced;
    ash_traced_init(&traced, ash_heap(), ash_trace_print, file);
    void *p = ash_resource_alloc(ash_traced_resource(&traced), 24, 8);
    snprintf(expected, sizeof expected,
             "heap alloc 24 align 8 = 0x%llx\nheap free 24 align 8 at 0x%llx\n",
             (unsigned long long)(uintptr_t)p, (unsigned long long)(uintptr_t)p);
    ash_resource_free(ash_traced_resource(&traced), p, 24, 8);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_string_equal(text, expected);
    fclose(file);
}

static void test_trace_print_cuts_no_line(void **state)
{
    (void)state;
    char name[1000], text[2048], expected[2048];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    FILE *file = tmpfile();
    assert_non_null(file);
    int p = 0;
    ash_trace_event event = {.op = ASH_TRACE_REMAP,
                             .name = name,
                             .p = &p,
                             .old_size = 1,
                             .new_size = SIZE_MAX,
                             .align = 8};
    ash_trace_print(&event, file);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    size_t length = ash_trace_format(&event, expected, sizeof expected);
    assert_int_equal(strlen(expected), length);
    assert_int_equal(strlen(text), length + 1);
    assert_int_equal(text[length], '\n');
    assert_memory_equal(text, expected, length);
    assert_non_null(strstr(text, " align 8 at 0x"));
    fclose(file);
}

/* ---- what is passed on ---- */

/* A wrapper of each kind, each over the one before. */
typedef struct tower {
    ash_counting counting;
    ash_budget budget;
    ash_limited limited;
    ash_failing failing;
    ash_traced traced;
    events all;
    ash_resource *levels[4];
} tower;

static void tower_init(tower *t, ash_resource *upstream)
{
    t->all.count = 0;
    ash_counting_init(&t->counting, upstream);
    t->levels[0] = ash_counting_resource(&t->counting);
    ash_budget_init(&t->budget, SIZE_MAX);
    ash_limited_init(&t->limited, t->levels[0], &t->budget);
    t->levels[1] = ash_limited_resource(&t->limited);
    ash_failing_init(&t->failing, t->levels[1]);
    t->levels[2] = ash_failing_resource(&t->failing);
    ash_traced_init(&t->traced, t->levels[2], record, &t->all);
    t->levels[3] = ash_traced_resource(&t->traced);
}

static void test_wrappers_answer_as_upstream_does(void **state)
{
    (void)state;
    ash_arena arena;
    tower t;
    ash_arena_config config = {.name = "ground"};
    assert_true(ash_arena_init(&arena, &config));
    tower_init(&t, ash_arena_resource(&arena));
    void *p = ash_alloc(&arena, 16, 8);
    for (size_t i = 0; i < countof(t.levels); i++) {
        assert_string_equal(ash_resource_name(t.levels[i]), "ground");
        assert_true(ash_resource_owns(t.levels[i], p));
        assert_false(ash_resource_owns(t.levels[i], &arena));
        assert_int_equal(ash_resource_epoch(t.levels[i]),
                         ash_resource_epoch(ash_arena_resource(&arena)));
    }
    ash_arena_deinit(&arena);
}

static uint64_t seven(const ash_resource *self)
{
    (void)self;
    return 7;
}

static void test_wrappers_pass_on_the_epoch(void **state)
{
    (void)state;
    tower t;
    ash_resource_ops ops = *ash_heap()->ops;
    ops.epoch = seven;
    ash_resource with_epoch = {&ops};
    tower_init(&t, &with_epoch);
    for (size_t i = 0; i < countof(t.levels); i++)
        assert_int_equal(ash_resource_epoch(t.levels[i]), 7);
}

static void test_wrappers_bear_an_upstream_without_optional_functions(void **state)
{
    (void)state;
    tower t;
    ash_resource_ops ops = {.alloc = ash_heap()->ops->alloc, .free = ash_heap()->ops->free};
    ash_resource bare = {&ops};
    tower_init(&t, &bare);
    ash_resource *top = t.levels[3];
    void *p = ash_resource_alloc(top, 16, 8);
    assert_false(ash_resource_resize(top, p, 16, 8, 8));
    assert_null(ash_resource_remap(top, p, 16, 8, 8));
    p = ash_resource_realloc(top, p, 16, 32, 8);
    assert_non_null(p);
    assert_false(ash_resource_owns(top, p));
    assert_int_equal(ash_resource_epoch(top), 0);
    assert_string_equal(ash_resource_name(top), "unnamed");
    ash_resource_free(top, p, 32, 8);
    assert_int_equal(ash_counting_live(&t.counting), 0);
}

static void test_wrappers_take_the_default_for_null(void **state)
{
    (void)state;
    test_upstream up;
    tower t;
    test_upstream_init(&up);
    ash_set_default(&up.resource);
    tower_init(&t, NULL);
    ash_set_default(NULL);
    assert_string_equal(ash_resource_name(t.levels[3]), "test upstream");
    void *p = ash_resource_alloc(t.levels[3], 16, 8);
    assert_int_equal(up.blocks, 1);
    ash_resource_free(t.levels[3], p, 16, 8);
    test_upstream_done(&up);
}

static void test_wrappers_begin_with_their_resource(void **state)
{
    (void)state;
    tower t;
    tower_init(&t, ash_heap());
    assert_ptr_equal(t.levels[0], (ash_resource *)(void *)&t.counting);
    assert_ptr_equal(t.levels[1], (ash_resource *)(void *)&t.limited);
    assert_ptr_equal(t.levels[2], (ash_resource *)(void *)&t.failing);
    assert_ptr_equal(t.levels[3], (ash_resource *)(void *)&t.traced);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counting_counts_each_kind),
        cmocka_unit_test(test_counting_follows_resizes),
        cmocka_unit_test(test_counting_reports_more_frees_than_allocations),
        cmocka_unit_test(test_counting_reports_one_allocation_freed_in_parts),
        cmocka_unit_test(test_counting_sees_what_an_arena_holds),
        cmocka_unit_test(test_limited_serves_exactly_its_budget),
        cmocka_unit_test(test_limited_remap_takes_the_difference),
        cmocka_unit_test(test_limited_resize_takes_the_difference),
        cmocka_unit_test(test_limited_refused_upstream_costs_nothing),
        cmocka_unit_test(test_limited_budget_is_shared),
        cmocka_unit_test(test_limited_does_not_wrap),
        cmocka_unit_test(test_limited_deinit_returns_what_died_with_an_arena),
        cmocka_unit_test(test_failing_refuses_nothing_unless_told),
        cmocka_unit_test(test_failing_refuses_the_nth_alone),
        cmocka_unit_test(test_failing_refuses_every_nth),
        cmocka_unit_test(test_failing_fraction_is_the_same_each_time),
        cmocka_unit_test(test_failing_fraction_is_the_share_it_says),
        cmocka_unit_test(test_traced_tells_of_every_call),
        cmocka_unit_test(test_traced_resize_answers_the_same_address),
        cmocka_unit_test(test_trace_lines),
        cmocka_unit_test(test_trace_print_writes_lines),
        cmocka_unit_test(test_trace_print_cuts_no_line),
        cmocka_unit_test(test_wrappers_answer_as_upstream_does),
        cmocka_unit_test(test_wrappers_pass_on_the_epoch),
        cmocka_unit_test(test_wrappers_bear_an_upstream_without_optional_functions),
        cmocka_unit_test(test_wrappers_take_the_default_for_null),
        cmocka_unit_test(test_wrappers_begin_with_their_resource),
    };
    return test_main(tests);
}
