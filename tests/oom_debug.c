/*
 * Out of memory under the wrappers: for n = 1, 2, ... the n-th request is refused, until a run makes
 * fewer. A refusal is answered and has no effect: the counts stay those of what lives, the budget is
 * whole at the end, and upstream has its memory back.
 */
#include "support.h"

#include <string.h>

enum { SLOTS = 200 };

typedef struct run {
    test_upstream up; /* under all, refuses nothing */
    ash_failing failing;
    ash_counting counting;
    ash_budget budget;
    ash_limited limited;
    ash_guarded guarded;
    char *p[SLOTS];
    size_t size[SLOTS], live, live_bytes;
} run;

static void run_begin(run *r, uint64_t n)
{
    memset(r, 0, sizeof *r);
    test_upstream_init(&r->up);
    ash_failing_init(&r->failing, &r->up.resource);
    ash_failing_at(&r->failing, n);
    ash_budget_init(&r->budget, SIZE_MAX);
    ash_limited_init(&r->limited, ash_failing_resource(&r->failing), &r->budget);
    ash_counting_init(&r->counting, ash_limited_resource(&r->limited));
    ash_guarded_init(&r->guarded, ash_counting_resource(&r->counting));
}

static void run_end(run *r)
{
    ash_guarded_deinit(&r->guarded);
    assert_int_equal(ash_counting_counts(&r->counting).live, 0);
    assert_int_equal(ash_counting_live(&r->counting), 0);
    assert_int_equal(ash_limited_used(&r->limited), 0);
    assert_int_equal(ash_budget_used(&r->budget), 0);
    test_upstream_done(&r->up);
}

static void resized(run *r, size_t i, char *p, size_t size)
{
    if (!p)
        return;
    r->live_bytes += size - r->size[i];
    r->p[i] = p;
    r->size[i] = size;
    fill_pattern(p, size, (unsigned)i);
}

/* Allocates, changes and frees; some of it is refused. */
static void program(run *r, ash_resource *resource)
{
    for (size_t i = 0; i < SLOTS; i++) {
        char *p = ash_resource_alloc(resource, i + 1, 8);
        r->live += p != NULL;
        resized(r, i, p, i + 1);
        size_t j = i * 7 % SLOTS;
        if (r->p[j])
            resized(r, j, ash_resource_realloc(resource, r->p[j], r->size[j], j + i + 1, 8),
                    j + i + 1);
        if (r->p[j])
            assert_true(is_pattern(r->p[j], r->size[j] < i + 1 ? r->size[j] : i + 1, (unsigned)j));
    }
}

static void free_all(run *r, ash_resource *resource)
{
    for (size_t i = 0; i < SLOTS; i++) {
        if (r->p[i])
            assert_true(is_pattern(r->p[i], r->size[i], (unsigned)i));
        ash_resource_free(resource, r->p[i], r->size[i], 8);
    }
}

static void test_oom_limited_and_counting_stay_exact(void **state)
{
    (void)state;
    run r;
    for (uint64_t n = 1;; n++) {
        run_begin(&r, n);
        ash_resource *resource = ash_counting_resource(&r.counting);
        program(&r, resource);
        ash_counts counts = ash_counting_counts(&r.counting);
        assert_int_equal(counts.live, r.live);
        assert_int_equal(counts.live_bytes, r.live_bytes);
        assert_int_equal(ash_budget_used(&r.budget), r.live_bytes);
        assert_int_equal(r.up.bytes, r.live_bytes);
        uint64_t refused = ash_failing_refused(&r.failing);
        free_all(&r, resource);
        run_end(&r);
        if (!refused)
            break;
        assert_int_equal(refused, 1);
    }
}

static void test_oom_guarded_table(void **state)
{
    (void)state;
    run r;
    uint64_t n = 1;
    for (;; n++) {
        run_begin(&r, n);
        ash_resource *resource = ash_guarded_resource(&r.guarded);
        program(&r, resource);
        assert_int_equal(ash_guarded_live(&r.guarded), r.live);
        uint64_t refused = ash_failing_refused(&r.failing);
        assert_true(r.live == SLOTS || (refused && r.live == SLOTS - 1)); /* or a realloc was */
        free_all(&r, resource);
        run_end(&r);
        if (!refused)
            break;
    }
    assert_int_equal(n, 5); /* tables of 64, 128, 256 and 512 */
}

static void test_oom_arena_over_wrappers(void **state)
{
    (void)state;
    run r;
    for (uint64_t n = 1;; n++) {
        run_begin(&r, n);
        ash_arena arena;
        ash_arena_config config = {.upstream = ash_counting_resource(&r.counting),
                                   .block_size = 1024};
        assert_true(ash_arena_init(&arena, &config));
        for (size_t i = 0; i < 100; i++) {
            (void)!ash_alloc(&arena, i * 10, 8);
            (void)!ash_object_alloc(&arena, i * 3, 8);
            assert_int_equal(ash_arena_capacity(&arena), ash_budget_used(&r.budget));
        }
        uint64_t refused = ash_failing_refused(&r.failing);
        assert_true(refused || !ash_arena_failed(&arena));
        ash_arena_deinit(&arena);
        run_end(&r);
        if (!refused)
            break;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom_limited_and_counting_stay_exact),
        cmocka_unit_test(test_oom_guarded_table),
        cmocka_unit_test(test_oom_arena_over_wrappers),
    };
    return test_main(tests);
}
