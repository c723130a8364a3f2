/*
 * One budget for many threads: never exceeded, and whole again when all is given back.
 *
 * Assertions jump, which only the test's own thread may: the others count what they found wrong.
 */
#include "support.h"

#include <pthread.h>
#include <string.h>

/* The limit is less than one thread would take: it is met however they are scheduled. */
enum { THREADS = 6, STEPS = 30000, SLOTS = 16, LARGEST = 1000, LIMIT = 4000 };

typedef struct worker {
    ash_budget *budget;
    ash_resource *resource;
    uint64_t stream;
    uintptr_t served, refused;
} worker;

typedef struct slot {
    char *p;
    size_t size;
} slot;

static uintptr_t step(worker *w, slot *s, size_t size)
{
    if (!s->p) {
        s->p = ash_resource_alloc(w->resource, size, 8);
        s->size = size;
        *(s->p ? &w->served : &w->refused) += 1;
    } else if (size % 3 == 0) {
        ash_resource_free(w->resource, s->p, s->size, 8);
        s->p = NULL;
    } else {
        char *q = ash_resource_realloc(w->resource, s->p, s->size, size, 8);
        s->p = q ? q : s->p;
        s->size = q ? size : s->size;
    }
    if (s->p)
        memset(s->p, 1, s->size);
    return ash_budget_used(w->budget) > LIMIT;
}

static pthread_barrier_t start;

static void *work(void *arg)
{
    worker *w = arg;
    slot slots[SLOTS] = {{0}};
    test_rng rng;
    test_rng_init(&rng, w->stream);
    uintptr_t wrong = 0;
    pthread_barrier_wait(&start);
    for (size_t i = 0; i < STEPS; i++)
        wrong += step(w, &slots[test_rng_below(&rng, SLOTS)], 1 + test_rng_below(&rng, LARGEST));
    for (size_t i = 0; i < SLOTS; i++)
        ash_resource_free(w->resource, slots[i].p, slots[i].size, 8);
    return (void *)wrong;
}

static void run_all(worker *workers)
{
    pthread_t threads[THREADS];
    uintptr_t served = 0, refused = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
        served += workers[i].served;
        refused += workers[i].refused;
    }
    pthread_barrier_destroy(&start);
    assert_true(served > 0 && refused > 0); /* the limit was met */
}

static void test_budget_shared_by_one_limited_each(void **state)
{
    (void)state;
    ash_budget budget;
    ash_limited limited[THREADS];
    worker workers[THREADS];
    ash_budget_init(&budget, LIMIT);
    for (size_t i = 0; i < THREADS; i++) {
        ash_limited_init(&limited[i], i % 2 ? ash_pages() : ash_heap(), &budget);
        workers[i] = (worker){&budget, ash_limited_resource(&limited[i]), i, 0, 0};
    }
    run_all(workers);
    assert_int_equal(ash_budget_used(&budget), 0);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(ash_limited_used(&limited[i]), 0);
}

static void test_budget_of_one_limited_for_all(void **state)
{
    (void)state;
    ash_budget budget;
    ash_limited limited;
    worker workers[THREADS];
    ash_budget_init(&budget, LIMIT);
    ash_limited_init(&limited, ash_heap(), &budget);
    for (size_t i = 0; i < THREADS; i++)
        workers[i] = (worker){&budget, ash_limited_resource(&limited), i + 100, 0, 0};
    run_all(workers);
    assert_int_equal(ash_budget_used(&budget), 0);
    assert_int_equal(ash_limited_used(&limited), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_budget_shared_by_one_limited_each),
        cmocka_unit_test(test_budget_of_one_limited_for_all),
    };
    return test_main(tests);
}
