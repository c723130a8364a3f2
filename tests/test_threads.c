/*
 * Threads: an arena each, handing one over, asking a const one from many, and fork meanwhile.
 *
 * Assertions jump, which only the test's own thread may: the others count what they found wrong.
 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

typedef struct thing {
    unsigned value;
} thing;

static _Thread_local unsigned destroyed;

static void thing_destroy(void *self)
{
    destroyed += ((thing *)self)->value == 77;
}
ASH_TYPE(thing, .destroy = thing_destroy);

static void run_threads(void *(*body)(void *), void **args)
{
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, body, args[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong); /* how many things were */
    }
}

/* A round of everything on an arena; answers what was wrong. */
static uintptr_t work(ash_arena *arena, unsigned rounds)
{
    uintptr_t wrong = 0;
    for (unsigned round = 0; round < rounds; round++) {
        ash_mark mark = ash_arena_mark(arena);
        destroyed = 0;
        thing *things[50];
        for (unsigned i = 0; i < 50; i++) {
            things[i] = ash_new(arena, thing);
            char *plain = ash_alloc(arena, i * 8 + 1, 8);
            void *untyped = ash_object_alloc(arena, i * 16, 16);
            if (!things[i] || !plain || !untyped)
                return wrong + 1;
            things[i]->value = 77;
            memset(plain, (int)i, i * 8 + 1);
        }
        for (unsigned i = 0; i < 50; i += 2)
            ash_delete(arena, things[i]);
        wrong += destroyed != 25 || !ash_printf(arena, "%u", round);
        ash_arena_rewind(arena, mark);
        wrong += destroyed != 50 || !ash_arena_check(arena);
    }
    return wrong;
}

static uintptr_t work_over(ash_resource *upstream, unsigned rounds)
{
    ash_arena arena;
    ash_arena_config config = {.block_size = 1024, .upstream = upstream};
    uintptr_t wrong = !ash_arena_init(&arena, &config);
    wrong += work(&arena, rounds);
    ash_arena_deinit(&arena);
    return wrong;
}

static void *own_arena(void *arg)
{
    return (void *)work_over(NULL, *(unsigned *)arg);
}

static void test_threads_an_arena_each(void **state)
{
    (void)state;
    unsigned rounds = 200;
    void *args[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        args[i] = &rounds;
    run_threads(own_arena, args);
}

static pthread_barrier_t barrier;

/* The first typed objects of the process: whatever keys they need are made by one of many. */
static void *first_typed(void *arg)
{
    ash_arena arena;
    uintptr_t wrong = !ash_arena_init(&arena, NULL);
    pthread_barrier_wait(&barrier);
    thing *t = ash_new(&arena, thing);
    if (!t)
        return (void *)(wrong + 1);
    t->value = 77;
    (void)arg;
    wrong += ash_object_inspect(&arena, t) != ASH_OBJECT_LIVE;
    pthread_barrier_wait(&barrier);
    wrong += ash_object_inspect(&arena, t) != ASH_OBJECT_LIVE; /* the key is still the same */
    wrong += ash_object_type(&arena, t) != ash_type_of(thing);
    destroyed = 0;
    ash_delete(&arena, t);
    wrong += destroyed != 1;
    ash_arena_deinit(&arena);
    return (void *)wrong;
}

static void test_threads_first_typed_object_at_once(void **state)
{
    (void)state;
    void *args[THREADS] = {NULL};
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    run_threads(first_typed, args);
    pthread_barrier_destroy(&barrier);
}

/* One arena goes round: each thread adds, and deletes what the one before it made. */
typedef struct baton {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    ash_arena arena;
    thing *last;
    unsigned turn;
} baton;

static baton shared = {.lock = PTHREAD_MUTEX_INITIALIZER, .turned = PTHREAD_COND_INITIALIZER};

static uintptr_t take_turn(void)
{
    destroyed = 0;
    if (shared.last)
        ash_delete(&shared.arena, shared.last);
    uintptr_t wrong = destroyed != (shared.last != NULL);
    shared.last = ash_new(&shared.arena, thing);
    if (!shared.last)
        return wrong + 1;
    shared.last->value = 77;
    return wrong + work(&shared.arena, 1);
}

static void *pass_round(void *arg)
{
    unsigned mine = *(unsigned *)arg;
    uintptr_t wrong = 0;
    for (unsigned round = 0; round < 50; round++) {
        pthread_mutex_lock(&shared.lock);
        while (shared.turn % THREADS != mine)
            pthread_cond_wait(&shared.turned, &shared.lock);
        wrong += take_turn();
        shared.turn++;
        pthread_cond_broadcast(&shared.turned);
        pthread_mutex_unlock(&shared.lock);
    }
    return (void *)wrong;
}

static void test_threads_hand_an_arena_over(void **state)
{
    (void)state;
    unsigned numbers[THREADS];
    void *args[THREADS];
    assert_true(ash_arena_init(&shared.arena, &(ash_arena_config){.block_size = 2048}));
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        args[i] = &numbers[i];
    }
    run_threads(pass_round, args);
    assert_int_equal(shared.turn, THREADS * 50);
    destroyed = 0;
    ash_arena_deinit(&shared.arena);
    assert_int_equal(destroyed, 1);
}

/* Calls on const arenas write nothing. */
typedef struct quarry {
    ash_arena arena;
    thing *things[200];
    char *plain;
    size_t used, room, capacity, peak;
} quarry;

static bool count_items(const ash_walk_item *item, void *ctx)
{
    *(size_t *)ctx += item->size > 0;
    return true;
}

static void *ask(void *arg)
{
    const quarry *q = arg;
    const ash_arena *arena = &q->arena;
    uintptr_t wrong = 0;
    for (int round = 0; round < 100; round++) {
        size_t items = 0;
        for (size_t i = 0; i < 200; i++) {
            wrong += ash_object_inspect(arena, q->things[i]) !=
                     (i % 3 ? ASH_OBJECT_LIVE : ASH_OBJECT_DEAD);
            wrong += ash_object_count(arena, q->things[i]) != (i % 3 != 0);
            wrong += ash_object_is_top(arena, q->things[i]) != (i == 199);
        }
        wrong += ash_object_inspect(arena, q->plain) != ASH_OBJECT_FOREIGN;
        wrong += ash_arena_used(arena) != q->used || ash_arena_room(arena) != q->room;
        wrong += ash_arena_capacity(arena) != q->capacity || ash_arena_peak(arena) != q->peak;
        wrong += !ash_arena_owns(arena, q->plain) || ash_arena_failed(arena);
        wrong += !ash_arena_check(arena) || !ash_arena_walk(arena, count_items, &items);
        wrong += items < 200;
    }
    return (void *)wrong;
}

static void test_threads_ask_one_const_arena_at_once(void **state)
{
    (void)state;
    static quarry q;
    assert_true(ash_arena_init(&q.arena, &(ash_arena_config){.block_size = 65536}));
    q.plain = ash_alloc(&q.arena, 100, 8);
    for (size_t i = 0; i < 200; i++) {
        q.things[i] = ash_new(&q.arena, thing);
        assert_non_null(q.things[i]);
        q.things[i]->value = 77;
    }
    for (size_t i = 0; i < 200; i += 3)
        ash_delete(&q.arena, q.things[i]);
    q.used = ash_arena_used(&q.arena);
    q.room = ash_arena_room(&q.arena);
    q.capacity = ash_arena_capacity(&q.arena);
    q.peak = ash_arena_peak(&q.arena);
    void *args[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        args[i] = &q;
    ash_arena before = q.arena;
    run_threads(ask, args);
    assert_memory_equal(&before, &q.arena, sizeof before);
    ash_arena_deinit(&q.arena);
}

/* fork while other threads are at work: the child's arenas, old and new, go on. */
static atomic_bool stop;

static void *load(void *arg)
{
    uintptr_t wrong = 0;
    while (!atomic_load(&stop))
        wrong += (uintptr_t)own_arena(arg);
    return (void *)wrong;
}

/* In the child of a fork a sanitizer's malloc may wait for a thread that is no more. */
static ash_resource *fork_upstream(void)
{
    return TEST_ASAN || TEST_TSAN ? ash_pages() : ash_heap();
}

static int child(ash_arena *inherited, thing *t)
{
    destroyed = 0;
    uintptr_t wrong = work(inherited, 3);
    wrong += ash_object_inspect(inherited, t) != ASH_OBJECT_LIVE;
    destroyed = 0;
    ash_arena_deinit(inherited);
    wrong += destroyed != 1;
    wrong += work_over(fork_upstream(), 3);
    return wrong != 0;
}

static void test_threads_fork_under_load(void **state)
{
    (void)state;
    unsigned rounds = 1;
    pthread_t threads[3];
    atomic_store(&stop, false);
    for (size_t i = 0; i < countof(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load, &rounds), 0);
    for (int i = 0; i < 20; i++) {
        ash_arena arena;
        assert_true(ash_arena_init(&arena, &(ash_arena_config){.upstream = fork_upstream()}));
        thing *t = ash_new(&arena, thing);
        assert_non_null(t);
        t->value = 77;
        pid_t pid = fork();
        assert_true(pid >= 0);
        if (pid == 0)
            _exit(child(&arena, t));
        int status = 0;
        assert_int_equal(waitpid(pid, &status, 0), pid);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        ash_arena_deinit(&arena);
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < countof(threads); i++) {
        void *wrong = NULL;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

static void *swap_default(void *arg)
{
    uintptr_t wrong = 0;
    for (int i = 0; i < 2000; i++) {
        ash_resource *old = ash_set_default(i % 2 ? ash_pages() : NULL);
        wrong += old != ash_heap() && old != ash_pages();
        ash_resource *now = ash_default(); /* once: the others change it meanwhile */
        wrong += now != ash_heap() && now != ash_pages();
    }
    (void)arg;
    return (void *)wrong;
}

static void test_threads_swap_the_default(void **state)
{
    (void)state;
    void *args[THREADS] = {NULL};
    run_threads(swap_default, args);
    ash_set_default(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_first_typed_object_at_once), /* before there is a key */
        cmocka_unit_test(test_threads_an_arena_each),
        cmocka_unit_test(test_threads_hand_an_arena_over),
        cmocka_unit_test(test_threads_ask_one_const_arena_at_once),
        cmocka_unit_test(test_threads_fork_under_load),
        cmocka_unit_test(test_threads_swap_the_default),
    };
    return test_main(tests);
}
