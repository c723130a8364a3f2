/*
 * Sync pools under many threads: what one allocates another frees; threads that end, pools that go first,
 * fork meanwhile.
 *
 * Assertions jump, which only the test's own thread may: the others count what they found wrong.
 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4 };

static void run_threads(size_t count, void *(*body)(void *), void *arg)
{
    pthread_t threads[16];
    for (size_t i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, arg), 0);
    for (size_t i = 0; i < count; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong); /* how many things were */
    }
}

/* ---- work: cells that live for a while, some of them handed to whoever comes ---- */

typedef struct cell {
    char *p;
    size_t size;
    unsigned seed;
} cell;

enum { EXCHANGE = 64 };

typedef struct exchange {
    ash_sync_pools pools;
    pthread_mutex_t lock;
    cell cells[EXCHANGE];
    unsigned rounds;
    atomic_uint threads; /* that have come */
} exchange;

static uintptr_t take(exchange *x, cell *c, size_t size, unsigned seed)
{
    *c = (cell){ash_sync_pools_alloc(&x->pools, size, 8), size, seed};
    if (!c->p)
        return 1;
    fill_pattern(c->p, size, seed);
    return (uintptr_t)c->p % 8 != 0;
}

static uintptr_t give(exchange *x, cell *c)
{
    uintptr_t wrong = c->p && !is_pattern(c->p, c->size, c->seed);
    ash_sync_pools_free(&x->pools, c->p, c->size, 8);
    *c = (cell){0};
    return wrong;
}

static void swap_with_others(exchange *x, cell *c, size_t at)
{
    pthread_mutex_lock(&x->lock);
    cell other = x->cells[at];
    x->cells[at] = *c;
    *c = other;
    pthread_mutex_unlock(&x->lock);
}

static uintptr_t work(exchange *x, unsigned rounds, uint64_t stream)
{
    enum { LIVE = 300 };
    cell live[LIVE] = {{0}};
    test_rng rng;
    test_rng_init(&rng, stream);
    uintptr_t wrong = 0;
    for (unsigned round = 0; round < rounds; round++) {
        size_t i = test_rng_below(&rng, LIVE), size = test_rng_below(&rng, 600) + 1;
        if (round % 200 == 0)
            size = ASH_POOLS_LARGEST + size;
        wrong += give(x, &live[i]);
        wrong += take(x, &live[i], size, round);
        if (round % 3 == 0)
            swap_with_others(x, &live[i], test_rng_below(&rng, EXCHANGE));
    }
    for (size_t i = 0; i < LIVE; i++)
        wrong += give(x, &live[i]);
    return wrong;
}

static void *worker(void *arg)
{
    exchange *x = arg;
    return (void *)work(x, x->rounds, atomic_fetch_add(&x->threads, 1));
}

static void open_exchange(exchange *x, test_upstream *up, unsigned rounds)
{
    test_upstream_init(up);
    *x = (exchange){.rounds = rounds};
    pthread_mutex_init(&x->lock, NULL);
    ash_pools_config config = {.upstream = &up->resource, .slab_size = 2048, .name = "p"};
    assert_true(ash_sync_pools_init(&x->pools, &config));
}

static void close_exchange(exchange *x, test_upstream *up)
{
    for (size_t i = 0; i < EXCHANGE; i++)
        assert_int_equal(give(x, &x->cells[i]), 0);
    assert_true(ash_sync_pools_check(&x->pools));
    ash_sync_pools_deinit(&x->pools);
    test_upstream_done(up); /* which is called by one thread at a time, or would be broken by now */
    pthread_mutex_destroy(&x->lock);
}

static void test_sync_pools_threads_free_what_others_allocated(void **state)
{
    (void)state;
    static exchange x;
    test_upstream up;
    open_exchange(&x, &up, 8000);
    run_threads(THREADS, worker, &x);
    run_threads(THREADS, worker, &x);
    assert_int_equal(work(&x, 1000, 99), 0);
    close_exchange(&x, &up);
}

/* One only allocates, one only frees: cells come back by way of the shelves, and memory does not grow. */
typedef struct pipe_line {
    ash_sync_pools pools;
    pthread_mutex_t lock;
    pthread_cond_t turned;
    void *cells[50];
    bool full;
} pipe_line;

static void *consume(void *arg)
{
    pipe_line *line = arg;
    for (int round = 0; round < 400; round++) {
        pthread_mutex_lock(&line->lock);
        while (!line->full)
            pthread_cond_wait(&line->turned, &line->lock);
        for (size_t i = 0; i < 50; i++)
            ash_sync_pools_free(&line->pools, line->cells[i], 64, 8);
        line->full = false;
        pthread_cond_signal(&line->turned);
        pthread_mutex_unlock(&line->lock);
    }
    return NULL;
}

static void test_sync_pools_cells_of_a_consumer_come_back(void **state)
{
    (void)state;
    static pipe_line line = {.lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};
    test_upstream up;
    test_upstream_init(&up);
    ash_pools_config config = {.upstream = &up.resource, .slab_size = 2048};
    assert_true(ash_sync_pools_init(&line.pools, &config));
    pthread_t consumer;
    assert_int_equal(pthread_create(&consumer, NULL, consume, &line), 0);
    bool served = true;
    for (int round = 0; round < 400; round++) {
        pthread_mutex_lock(&line.lock);
        while (line.full)
            pthread_cond_wait(&line.turned, &line.lock);
        for (size_t i = 0; i < 50; i++) {
            line.cells[i] = ash_sync_pools_alloc(&line.pools, 64, 8);
            served = served && line.cells[i];
        }
        line.full = true;
        pthread_cond_signal(&line.turned);
        pthread_mutex_unlock(&line.lock);
    }
    pthread_join(consumer, NULL);
    assert_true(served);
    assert_true(ash_sync_pools_capacity(&line.pools) < 64 * 1024 * (TEST_RED_ZONES ? 2 : 1));
    assert_true(ash_sync_pools_check(&line.pools));
    ash_sync_pools_deinit(&line.pools);
    test_upstream_done(&up);
}

/* ---- threads that end ---- */

static void *use_a_little(void *arg)
{
    ash_sync_pools *pools = arg;
    void *p = ash_sync_pools_alloc(pools, 100, 8), *q = ash_sync_pools_alloc(pools, 100, 8);
    ash_sync_pools_free(pools, p, 100, 8);
    ash_sync_pools_free(pools, q, 100, 8);
    return (void *)(uintptr_t)(!p || !q);
}

static void test_sync_pools_cells_of_ended_threads_come_back(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_sync_pools pools;
    ash_pools_config config = {.upstream = &up.resource, .slab_size = 2048};
    assert_true(ash_sync_pools_init(&pools, &config));
    run_threads(1, use_a_little, &pools);
    size_t bytes = up.bytes;
    for (int i = 0; i < 200; i++)
        run_threads(1, use_a_little, &pools);
    assert_int_equal(up.bytes, bytes); /* neither new slabs nor new caches */
    assert_true(ash_sync_pools_check(&pools));
    ash_sync_pools_deinit(&pools);
    test_upstream_done(&up);
}

/* A thread-specific destructor that runs after the library's own may still use the pools. */
static ash_sync_pools late_pools;
static pthread_key_t late_key;

static void late_use(void *value)
{
    (void)value;
    use_a_little(&late_pools);
}

static void *use_and_end_late(void *arg)
{
    pthread_setspecific(late_key, arg);
    return use_a_little(arg);
}

static void test_sync_pools_used_while_a_thread_ends(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    assert_true(ash_sync_pools_init(&late_pools, &(ash_pools_config){.upstream = &up.resource}));
    assert_int_equal(pthread_key_create(&late_key, late_use), 0);
    run_threads(1, use_and_end_late, &late_pools);
    size_t bytes = up.bytes;
    for (int i = 0; i < 20; i++)
        run_threads(1, use_and_end_late, &late_pools);
    assert_int_equal(up.bytes, bytes);
    pthread_key_delete(late_key);
    assert_true(ash_sync_pools_check(&late_pools));
    ash_sync_pools_deinit(&late_pools);
    test_upstream_done(&up);
}

/* The pools go while threads still have cells of theirs; these end later, or use pools that stand at the
 * same place. */
static pthread_barrier_t barrier;

static void *outlive(void *arg)
{
    ash_sync_pools *pools = arg;
    uintptr_t wrong = (uintptr_t)use_a_little(pools);
    pthread_barrier_wait(&barrier); /* the pools go */
    pthread_barrier_wait(&barrier); /* and come again, at the same place */
    wrong += (uintptr_t)use_a_little(pools);
    pthread_barrier_wait(&barrier); /* and are released */
    pthread_barrier_wait(&barrier);
    wrong += (uintptr_t)use_a_little(pools);
    pthread_barrier_wait(&barrier); /* and go for good */
    pthread_barrier_wait(&barrier);
    return (void *)wrong;
}

static void test_sync_pools_go_before_their_threads(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_sync_pools pools;
    ash_pools_config config = {.upstream = &up.resource};
    assert_true(ash_sync_pools_init(&pools, &config));
    assert_int_equal(pthread_barrier_init(&barrier, NULL, 3), 0);
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, outlive, &pools), 0);
    pthread_barrier_wait(&barrier);
    ash_sync_pools_deinit(&pools);
    test_upstream_done(&up);
    assert_true(ash_sync_pools_init(&pools, &config));
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    assert_true(ash_sync_pools_check(&pools));
    ash_sync_pools_release(&pools);
    assert_int_equal(up.blocks, 1);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    assert_true(ash_sync_pools_check(&pools));
    ash_sync_pools_deinit(&pools);
    test_upstream_done(&up);
    pthread_barrier_wait(&barrier);
    for (size_t i = 0; i < 2; i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    pthread_barrier_destroy(&barrier);
}

/* Pools that come and go on each thread at once: the registry is shared. */
static void *come_and_go(void *arg)
{
    uintptr_t wrong = 0;
    for (int i = 0; i < 100; i++) {
        ash_sync_pools pools;
        wrong += !ash_sync_pools_init(&pools, NULL);
        wrong += (uintptr_t)use_a_little(&pools) + (uintptr_t)use_a_little(arg);
        wrong += !ash_sync_pools_check(&pools);
        ash_sync_pools_deinit(&pools);
    }
    return (void *)wrong;
}

static void test_sync_pools_come_and_go_on_each_thread(void **state)
{
    (void)state;
    ash_sync_pools shared;
    assert_true(ash_sync_pools_init(&shared, NULL));
    run_threads(THREADS, come_and_go, &shared);
    assert_true(ash_sync_pools_check(&shared));
    ash_sync_pools_deinit(&shared);
}

/* ---- fork ---- */

static atomic_bool stop;

static void *load(void *arg)
{
    exchange *x = arg;
    uintptr_t wrong = 0;
    uint64_t stream = atomic_fetch_add(&x->threads, 1);
    while (!atomic_load(&stop))
        wrong += work(x, 300, stream);
    return (void *)wrong;
}

static int child(exchange *x)
{
    uintptr_t wrong = 0;
    cell cells[200];
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < countof(cells); i++)
            wrong += take(x, &cells[i], i * 5 + 1, (unsigned)i);
        for (size_t i = 0; i < countof(cells); i++)
            wrong += give(x, &cells[i]);
    }
    ash_sync_pools_release(&x->pools);
    for (size_t i = 0; i < countof(cells); i++)
        wrong += take(x, &cells[i], i * 5 + 1, (unsigned)i);
    wrong += !ash_sync_pools_check(&x->pools);
    ash_sync_pools_deinit(&x->pools);
    return wrong != 0;
}

static void test_sync_pools_fork_under_load(void **state)
{
    (void)state;
    static exchange x;
    x = (exchange){.rounds = 0};
    pthread_mutex_init(&x.lock, NULL);
    /* In the child of a fork a sanitizer's malloc may wait for a thread that is no more. */
    ash_pools_config config = {.upstream = ash_pages(), .slab_size = 4000};
    assert_true(ash_sync_pools_init(&x.pools, &config));
    pthread_t threads[3];
    atomic_store(&stop, false);
    for (size_t i = 0; i < countof(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load, &x), 0);
    for (int i = 0; i < 30; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(child(&x));
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < countof(threads); i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    for (size_t i = 0; i < EXCHANGE; i++)
        assert_int_equal(give(&x, &x.cells[i]), 0);
    assert_true(ash_sync_pools_check(&x.pools));
    ash_sync_pools_deinit(&x.pools);
    pthread_mutex_destroy(&x.lock);
}

/* A second free on another thread finds the cell on the shelves. */
static void *keep_many(void *arg)
{
    void **cells = arg;
    ash_sync_pools *pools = cells[0];
    for (size_t i = 1; i < 1000; i++)
        cells[i] = ash_sync_pools_alloc(pools, 64, 8);
    for (size_t i = 1; i < 1000; i++)
        ash_sync_pools_free(pools, cells[i], 64, 8);
    return NULL;
}

static void expect_fatal_free(ash_sync_pools *pools, void *p)
{
    expect_fatal(ash_sync_pools_free(pools, p, 64, 8),
                 "ashlar: fatal: cell freed twice (arena unnamed, ADDR)");
}

static void test_sync_pools_second_free_on_another_thread(void **state)
{
    (void)state;
    static void *cells[1000];
    ash_sync_pools pools;
    assert_true(ash_sync_pools_init(&pools, NULL));
    cells[0] = &pools;
    run_threads(1, keep_many, cells);
    for (size_t i = 1; i < 1000; i += 37)
        expect_fatal_free(&pools, cells[i]);
    assert_true(ash_sync_pools_check(&pools));
    ash_sync_pools_deinit(&pools);
}

/* ---- sync pools over sync pools ---- */

/* `inner`, as many others as make `outer` share its place in what a thread has, and `outer` over `inner`. */
enum { PLACES = 8 };

typedef struct stack {
    test_upstream up;
    ash_sync_pools inner, between[PLACES - 1], outer, third;
} stack;

static void open_stack(stack *s, ash_resource *upstream)
{
    ash_pools_config config = {.upstream = upstream, .slab_size = 16384};
    assert_true(ash_sync_pools_init(&s->inner, &config));
    for (size_t i = 0; i < countof(s->between); i++)
        assert_true(ash_sync_pools_init(&s->between[i], &config));
    config = (ash_pools_config){ash_sync_pools_resource(&s->inner), 4096, 4096, "outer"};
    assert_true(ash_sync_pools_init(&s->outer, &config));
    for (size_t i = 0; i < countof(s->between); i++) {
        ash_sync_pools_deinit(&s->between[i]);
        assert_true(ash_sync_pools_init(&s->between[i], &(ash_pools_config){.upstream = upstream}));
    }
    assert_true(ash_sync_pools_init(&s->third, &(ash_pools_config){.upstream = upstream}));
    assert_int_equal(s->inner.serial_ % PLACES, s->outer.serial_ % PLACES);
    assert_int_equal(s->inner.serial_ % PLACES, s->third.serial_ % PLACES);
}

static bool close_stack(stack *s)
{
    bool right = ash_sync_pools_check(&s->outer) && ash_sync_pools_check(&s->inner);
    ash_sync_pools_deinit(&s->third);
    ash_sync_pools_deinit(&s->outer);
    right = right && ash_sync_pools_check(&s->inner);
    for (size_t i = 0; i < countof(s->between); i++)
        ash_sync_pools_deinit(&s->between[i]);
    ash_sync_pools_deinit(&s->inner);
    return right;
}

/* Cells of both, in turn, so that each comes upon the other's cells in its place. */
static uintptr_t use_stack(stack *s, size_t rounds)
{
    enum { LIVE = 300 };
    char *cells[LIVE] = {0};
    uintptr_t wrong = 0;
    for (size_t i = 0; i < rounds; i++) {
        char **cell = &cells[i % LIVE];
        wrong += *cell && !is_pattern(*cell, 100, (unsigned)(i - LIVE));
        ash_sync_pools_free(&s->outer, *cell, 100, 8);
        *cell = ash_sync_pools_alloc(&s->outer, 100, 8);
        wrong += !*cell;
        if (*cell)
            fill_pattern(*cell, 100, (unsigned)i);
        if (i % 64 == 0) {
            wrong += (uintptr_t)use_a_little(&s->third);
            wrong += (uintptr_t)use_a_little(&s->inner);
        }
    }
    for (size_t i = 0; i < LIVE; i++)
        ash_sync_pools_free(&s->outer, cells[i], 100, 8);
    return wrong;
}

static void test_sync_pools_over_sync_pools_in_the_same_place(void **state)
{
    (void)state;
    static stack s;
    test_upstream_init(&s.up);
    open_stack(&s, &s.up.resource);
    assert_int_equal(use_stack(&s, 3000), 0);
    assert_true(close_stack(&s));
    test_upstream_done(&s.up);
}

/* Each time it needs slabs, that is calls inner with outer's lock of upstream; and the place is taken. */
static void *use_up(void *arg)
{
    stack *s = arg;
    uintptr_t wrong = 0;
    for (int round = 0; round < 300; round++) {
        wrong += (uintptr_t)use_a_little(&s->third);
        for (int i = 0; i < 128; i++)
            wrong += !ash_sync_pools_alloc(&s->outer, 32, 8);
    }
    return (void *)wrong;
}

static void *use_and_end(void *arg)
{
    stack *s = arg;
    uintptr_t wrong = 0;
    void *p = ash_sync_pools_alloc(&s->outer, 32, 8);
    wrong += !p;
    ash_sync_pools_free(&s->outer, p, 32, 8);
    return (void *)wrong;
}

static void *start_threads_that_end(void *arg)
{
    uintptr_t wrong = 0;
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        void *more = NULL;
        wrong += pthread_create(&thread, NULL, use_and_end, arg) != 0;
        pthread_join(thread, &more);
        wrong += (uintptr_t)more;
    }
    return (void *)wrong;
}

static void test_sync_pools_over_sync_pools_while_threads_end(void **state)
{
    (void)state;
    static stack s;
    test_upstream_init(&s.up);
    open_stack(&s, &s.up.resource);
    pthread_t threads[3];
    for (size_t i = 0; i < countof(threads); i++)
        assert_int_equal(
            pthread_create(&threads[i], NULL, i == 0 ? use_up : start_threads_that_end, &s), 0);
    for (size_t i = 0; i < countof(threads); i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_true(close_stack(&s));
    test_upstream_done(&s.up);
}

static void *load_stack(void *arg)
{
    uintptr_t wrong = 0;
    while (!atomic_load(&stop))
        wrong += (uintptr_t)use_up(arg);
    return (void *)wrong;
}

/* After a release inner is the one that was entered last, as if it stood on outer. */
static void test_sync_pools_over_sync_pools_fork_under_load(void **state)
{
    (void)state;
    static stack s;
    open_stack(&s, ash_pages());
    ash_sync_pools_deinit(&s.outer);
    ash_pools_config config = {ash_sync_pools_resource(&s.inner), 4096, 4096, "outer"};
    assert_true(ash_sync_pools_init(&s.outer, &config));
    ash_sync_pools_release(&s.outer);
    pthread_t threads[2];
    atomic_store(&stop, false);
    for (size_t i = 0; i < countof(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load_stack, &s), 0);
    for (int i = 0; i < 100; i++) {
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(use_up(&s) != NULL);
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < countof(threads); i++) {
        void *wrong = NULL;
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_true(close_stack(&s));
}

/* ---- reports that are left by longjmp: whatever was locked, others find it free ---- */

#define WORN "ashlar: fatal: free cell overwritten (arena worn, ADDR)"

static void expect_worn_alloc(ash_sync_pools *pools, const void *cell)
{
    expect_fatal((void)!ash_sync_pools_alloc(pools, 64, 8), WORN);
    assert_int_equal(test_fatal_address(), (uintptr_t)cell);
}

static void expect_worn_free(ash_sync_pools *pools, void *p, const void *cell)
{
    expect_fatal(ash_sync_pools_free(pools, p, 64, 8), WORN);
    assert_int_equal(test_fatal_address(), (uintptr_t)cell);
}

static void *use_on_another_thread(void *arg)
{
    ash_sync_pools *pools = arg;
    void *p = ash_sync_pools_alloc(pools, 64, 8);
    ash_sync_pools_free(pools, p, 64, 8);
    return (void *)(uintptr_t)!p;
}

static ash_sync_pools worn_pools;
static char *worn_cells[1000];

/* The cells up to a few hundred are on the shelves then, in order; the last ones this thread still has. */
static void open_worn(void)
{
    assert_true(ash_sync_pools_init(&worn_pools, &(ash_pools_config){.name = "worn"}));
    for (size_t i = 0; i < countof(worn_cells); i++)
        worn_cells[i] = ash_sync_pools_alloc(&worn_pools, 64, 8);
    for (size_t i = 0; i < countof(worn_cells); i++)
        ash_sync_pools_free(&worn_pools, worn_cells[i], 64, 8);
}

static void close_worn(void)
{
    run_threads(1, use_on_another_thread, &worn_pools);
    assert_true(ash_sync_pools_check(&worn_pools));
    ash_sync_pools_deinit(&worn_pools);
}

static void test_sync_pools_report_from_a_search_leaves_no_lock(void **state)
{
    (void)state;
    open_worn();
    uint64_t link = raw_word(worn_cells[300]);
    raw_set_word(worn_cells[300], 0x1234);
    expect_worn_free(&worn_pools, worn_cells[10], worn_cells[300]);
    raw_set_word(worn_cells[300], link);
    close_worn();
}

/* The second word of a batch's first cell, which is the last that came into it. What is looked for is in the oldest
 * batch, behind all the others. */
static void test_sync_pools_report_of_a_batch_leaves_no_lock(void **state)
{
    (void)state;
    open_worn();
    size_t tops = 0;
    for (size_t i = 200; i < countof(worn_cells); i++) {
        uint64_t *second = (uint64_t *)(void *)worn_cells[i] + 1, link = raw_word(second);
        if (!link)
            continue;
        raw_set_word(second, link ^ 1);
        if (!ash_sync_pools_check(&worn_pools)) { /* it is one */
            expect_worn_free(&worn_pools, worn_cells[1], worn_cells[i]);
            tops++;
        }
        raw_set_word(second, link);
    }
    assert_true(tops > 2);
    close_worn();
}

/* With more pools than a thread has places: cells go back when another one needs the place. */
static void test_sync_pools_report_from_a_change_of_pools_leaves_no_lock(void **state)
{
    (void)state;
    open_worn();
    ash_sync_pools others[PLACES];
    for (size_t i = 0; i < countof(others); i++)
        assert_true(ash_sync_pools_init(&others[i], NULL));
    char *newest = worn_cells[countof(worn_cells) - 1];
    raw_set_word(newest, 0x1234);
    for (size_t i = 0; i < countof(others) - 1; i++)
        use_on_another_thread(&others[i]);
    expect_worn_alloc(&others[PLACES - 1], newest);
    for (size_t i = 0; i < countof(others); i++) {
        assert_null(use_on_another_thread(&others[i])); /* they are not to blame */
        ash_sync_pools_deinit(&others[i]);              /* under the lock of all */
    }
    assert_non_null(ash_sync_pools_alloc(&worn_pools, 64, 8));
    close_worn();
}

/* No memory for a thread's cells: single ones come from the shelf. */
static void test_sync_pools_report_of_a_single_cell_leaves_no_lock(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_pools_config config = {.upstream = &up.resource, .name = "worn"};
    assert_true(ash_sync_pools_init(&worn_pools, &config));
    up.fail_at = up.calls + 1;
    char *p = ash_sync_pools_alloc(&worn_pools, 64, 8);
    assert_non_null(p);
    up.fail_at = up.calls + 1;
    ash_sync_pools_free(&worn_pools, p, 64, 8);
    uint64_t link = raw_word(p);
    raw_set_word(p, 0x1234);
    up.fail_at = up.calls + 1;
    expect_worn_alloc(&worn_pools, p);
    raw_set_word(p, link);
    up.fail_at = up.calls + 1;
    assert_ptr_equal(ash_sync_pools_alloc(&worn_pools, 64, 8), p);
    close_worn();
    test_upstream_done(&up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_pools_threads_free_what_others_allocated),
        cmocka_unit_test(test_sync_pools_cells_of_a_consumer_come_back),
        cmocka_unit_test(test_sync_pools_cells_of_ended_threads_come_back),
        cmocka_unit_test(test_sync_pools_used_while_a_thread_ends),
        cmocka_unit_test(test_sync_pools_go_before_their_threads),
        cmocka_unit_test(test_sync_pools_come_and_go_on_each_thread),
        cmocka_unit_test(test_sync_pools_fork_under_load),
        cmocka_unit_test(test_sync_pools_second_free_on_another_thread),
        cmocka_unit_test(test_sync_pools_over_sync_pools_in_the_same_place),
        cmocka_unit_test(test_sync_pools_over_sync_pools_while_threads_end),
        cmocka_unit_test(test_sync_pools_over_sync_pools_fork_under_load),
        cmocka_unit_test(test_sync_pools_report_from_a_search_leaves_no_lock),
        cmocka_unit_test(test_sync_pools_report_of_a_batch_leaves_no_lock),
        cmocka_unit_test(test_sync_pools_report_from_a_change_of_pools_leaves_no_lock),
        cmocka_unit_test(test_sync_pools_report_of_a_single_cell_leaves_no_lock),
    };
    return test_main(tests);
}
