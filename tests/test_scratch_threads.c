/*
 * Scratch arenas: which one is answered, that each thread has its own, and what happens when threads end, fork,
 * or have no memory.
 *
 * Assertions jump, which only the test's own thread may: the others count what they found wrong.
 */
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8 };

/* Things note the order in which they die, and may do something then. */
static atomic_uint deaths;
static atomic_uint wrongs;

typedef struct thing {
    unsigned id;
    void (*action)(unsigned id);
} thing;

static _Thread_local unsigned last_died;

static void thing_destroy(void *self)
{
    thing *t = self;
    atomic_fetch_add(&deaths, 1);
    last_died = t->id;
    if (t->action)
        t->action(t->id);
}
ASH_TYPE(thing, .destroy = thing_destroy);

static void wrong_unless(bool so)
{
    atomic_fetch_add(&wrongs, !so);
}

static thing *make(ash_arena *arena, unsigned id)
{
    thing *t = arena ? ash_new(arena, thing) : NULL;
    wrong_unless(t != NULL);
    if (t)
        t->id = id;
    return t;
}

static void on_thread(void *(*body)(void *), void *arg)
{
    pthread_t thread;
    void *result;
    assert_int_equal(pthread_create(&thread, NULL, body, arg), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_int_equal(atomic_load(&wrongs), 0);
}

static int begin(void **state)
{
    (void)state;
    ash_scratch_release();
    atomic_store(&deaths, 0);
    atomic_store(&wrongs, 0);
    return 0;
}

/* ---- which one ---- */

static void test_scratch_is_none_of_the_conflicts(void **state)
{
    (void)state;
    const ash_arena *all[6] = {NULL};
    for (size_t count = 0; count < countof(all); count++) {
        ash_arena *got = ash_scratch(all, count);
        assert_non_null(got);
        for (size_t i = 0; i < count; i++)
            assert_ptr_not_equal(got, all[i]);
        assert_ptr_equal(ash_scratch(all, count), got); /* the same again */
        all[count] = got;
    }
    assert_ptr_equal(ash_scratch(NULL, 0), all[0]);
    for (size_t missing = 0; missing < countof(all); missing++) {
        const ash_arena *others[countof(all)];
        for (size_t i = 0; i < countof(all); i++)
            others[i] = i == missing ? NULL : all[countof(all) - 1 - i];
        assert_ptr_equal(ash_scratch(others, countof(all)), all[countof(all) - 1 - missing]);
    }
}

static void test_scratch_other_arenas_are_no_conflict(void **state)
{
    (void)state;
    ash_arena other = {0};
    const ash_arena *conflicts[] = {NULL, &other, NULL};
    ash_arena *first = ash_scratch(NULL, 0);
    assert_non_null(first);
    assert_ptr_equal(ash_scratch(conflicts, 3), first);
    assert_ptr_equal(ash_scratch(conflicts, 0), first);
    assert_string_equal(ash_arena_name(first), "scratch");
}

static void test_scratch_is_not_emptied(void **state)
{
    (void)state;
    ash_arena *scratch = ash_scratch(NULL, 0);
    char *text = ash_strdup(scratch, "stays");
    {
        ash_auto(ash_scope) scope = ash_scope_begin(ash_scratch(NULL, 0));
        make(ash_scratch(NULL, 0), 1);
    }
    assert_int_equal(atomic_load(&deaths), 1);
    assert_string_equal(text, "stays");
    ash_scratch_release();
    assert_int_equal(atomic_load(&deaths), 1);
}

/* The use that the rule is for: a function whose result arena may be a scratch arena of its caller. */
static char *joined(ash_arena *result, unsigned depth)
{
    const ash_arena *mine[] = {result};
    ash_arena *scratch = ash_scratch(mine, 1);
    if (!scratch || scratch == result)
        return NULL;
    ash_auto(ash_scope) scope = ash_scope_begin(scratch);
    char *inner = depth ? joined(scratch, depth - 1) : ash_strdup(scratch, "0");
    return inner ? ash_printf(result, "%s,%u", inner, depth) : NULL;
}

static void test_scratch_through_nested_calls(void **state)
{
    (void)state;
    ash_arena *scratch = ash_scratch(NULL, 0);
    assert_string_equal(joined(scratch, 5), "0,0,1,2,3,4,5");
    const ash_arena *first[] = {scratch};
    assert_int_equal(ash_arena_used(ash_scratch(first, 1)), 0);
    const ash_arena *both[] = {scratch, ash_scratch(first, 1)};
    (void)both; /* two were enough */
}

/* ---- release ---- */

static void test_scratch_release_ends_all(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource *before = ash_set_default(&up.resource);
    for (int round = 0; round < 3; round++) {
        ash_arena *first = ash_scratch(NULL, 0);
        const ash_arena *mine[] = {first};
        ash_arena *second = ash_scratch(mine, 1);
        make(first, 1);
        make(second, 2);
        ash_scope scope = ash_scope_begin(first);
        assert_true(ash_scope_is_open(&scope));
        make(first, 3);
        expect_fatal(ash_scratch_release(), "ashlar: fatal: scratch arenas released inside an open "
                                            "scope (arena scratch, ADDR)");
        assert_true(ash_scope_is_open(&scope));
        ash_scope_end(&scope);
        ash_scratch_release();
        assert_int_equal(atomic_exchange(&deaths, 0), 3);
        test_upstream_done(&up);
        ash_scratch_release(); /* of nothing */
    }
    ash_set_default(before);
}

static void test_scratch_keeps_the_upstream_it_began_with(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource *before = ash_set_default(&up.resource);
    ash_arena *scratch = ash_scratch(NULL, 0);
    ash_set_default(before);
    make(scratch, 1);
    assert_true(up.blocks > 1);
    ash_scratch_release();
    test_upstream_done(&up);
}

static void test_scratch_out_of_memory(void **state)
{
    (void)state;
    for (size_t n = 1; n < 4; n++) {
        test_upstream up;
        test_upstream_init(&up);
        up.fail_at = n;
        ash_resource *before = ash_set_default(&up.resource);
        ash_arena *first = ash_scratch(NULL, 0);
        assert_int_equal(first != NULL, n != 1);
        const ash_arena *mine[] = {first};
        ash_arena *second = ash_scratch(mine, 1);
        assert_int_equal(second != NULL, n != 2);
        ash_arena *again = ash_scratch(NULL, 0);
        assert_non_null(again);
        assert_true(n == 1 || again == first);
        ash_scratch_release();
        ash_set_default(before);
        test_upstream_done(&up);
    }
}

/* ---- threads ---- */

static pthread_barrier_t barrier;
static ash_arena *of_thread[THREADS];

static void *own_scratch(void *arg)
{
    unsigned mine = *(unsigned *)arg;
    ash_arena *scratch = ash_scratch(NULL, 0);
    of_thread[mine] = scratch;
    pthread_barrier_wait(&barrier); /* all live at once */
    for (unsigned i = 0; i < THREADS; i++)
        wrong_unless(i == mine || of_thread[i] != scratch);
    for (unsigned round = 0; round < 100; round++) {
        const ash_arena *one[] = {scratch};
        ash_arena *other = ash_scratch(one, 1);
        ash_auto(ash_scope) scope = ash_scope_begin(scratch);
        ash_auto(ash_scope) another = ash_scope_begin(other);
        make(scratch, 1);
        make(other, 2);
        char *text = ash_printf(other, "%u of %u", round, mine);
        wrong_unless(text != NULL && ash_scratch(NULL, 0) == scratch);
    }
    wrong_unless(ash_arena_used(scratch) == 0 && ash_arena_check(scratch));
    make(scratch, 3); /* dies with the thread */
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void test_scratch_of_many_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    unsigned numbers[THREADS];
    assert_int_equal(pthread_barrier_init(&barrier, NULL, THREADS), 0);
    for (unsigned i = 0; i < THREADS; i++) {
        numbers[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, own_scratch, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    pthread_barrier_destroy(&barrier);
    assert_int_equal(atomic_load(&wrongs), 0);
    assert_int_equal(atomic_load(&deaths), THREADS * 201);
}

static void *leave_everything(void *arg)
{
    (void)arg;
    ash_arena *first = ash_scratch(NULL, 0);
    const ash_arena *mine[] = {first};
    ash_arena *second = ash_scratch(mine, 1);
    make(first, 1);
    ash_scope outer = ash_scope_begin(first), inner = ash_scope_begin(first);
    wrong_unless(ash_scope_is_open(&outer) && ash_scope_is_open(&inner));
    make(first, 2);
    make(second, 3);
    wrong_unless(ash_alloc(first, 100000, 8) != NULL);
    return NULL;
}

static void test_scratch_thread_ends_with_objects_and_open_scopes(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource *before = ash_set_default(&up.resource);
    for (int i = 0; i < 5; i++)
        on_thread(leave_everything, NULL);
    ash_set_default(before);
    assert_int_equal(atomic_load(&deaths), 15);
    test_upstream_done(&up);
}

static void *exits_thread(void *arg)
{
    ash_auto(ash_scope) scope = ash_scope_begin(ash_scratch(NULL, 0));
    make(ash_scratch(NULL, 0), 1);
    if (arg == NULL)
        pthread_exit(NULL); /* runs no ends; the thread's end does */
    return NULL;
}

static void test_scratch_thread_leaves_by_pthread_exit(void **state)
{
    (void)state;
    on_thread(exits_thread, NULL);
    assert_int_equal(atomic_load(&deaths), 1);
}

/* A destructor that asks for a scratch arena when the thread ends gets a new one, which ends too. */
static void ask_again(unsigned id)
{
    ash_arena *scratch = ash_scratch(NULL, 0);
    wrong_unless(scratch != NULL);
    if (scratch)
        make(scratch, id + 100);
}

static void *ask_at_the_end(void *arg)
{
    (void)arg;
    make(ash_scratch(NULL, 0), 1)->action = ask_again;
    return NULL;
}

static void test_scratch_asked_for_while_the_thread_ends(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource *before = ash_set_default(&up.resource);
    on_thread(ask_at_the_end, NULL);
    ash_set_default(before);
    assert_int_equal(atomic_load(&deaths), 2);
    test_upstream_done(&up);
}

/* Destructors on one scratch arena use what is on the other; both are there until all have run. */
typedef struct reader {
    const char *text;
} reader;

static void reader_destroy(void *self)
{
    const reader *r = self;
    wrong_unless(strcmp(r->text, "on the other") == 0);
    atomic_fetch_add(&deaths, 1);
}
ASH_TYPE(reader, .destroy = reader_destroy);

static void *read_across(void *arg)
{
    (void)arg;
    ash_arena *arenas[2] = {ash_scratch(NULL, 0)};
    const ash_arena *mine[] = {arenas[0]};
    arenas[1] = ash_scratch(mine, 1);
    for (int i = 0; i < 2; i++) {
        reader *r = ash_new(arenas[i], reader);
        wrong_unless(r != NULL);
        if (r)
            r->text = ash_strdup(arenas[!i], "on the other");
    }
    return NULL;
}

static void test_scratch_destructors_see_the_others(void **state)
{
    (void)state;
    test_upstream up; /* overwrites what it gets back */
    test_upstream_init(&up);
    ash_resource *before = ash_set_default(&up.resource);
    on_thread(read_across, NULL);
    assert_int_equal(atomic_load(&deaths), 2);
    read_across(NULL);
    ash_scratch_release();
    assert_int_equal(atomic_load(&deaths), 4);
    ash_set_default(before);
    assert_int_equal(atomic_load(&wrongs), 0);
    test_upstream_done(&up);
}

/* A destructor that releases while the thread ends, or while all are released: there is nothing left to do. */
static void release_again(unsigned id)
{
    (void)id;
    ash_scratch_release();
}

static void *release_at_the_end(void *arg)
{
    (void)arg;
    make(ash_scratch(NULL, 0), 1)->action = release_again;
    make(ash_scratch(NULL, 0), 2)->action = release_again;
    return NULL;
}

static void test_scratch_released_while_it_ends(void **state)
{
    (void)state;
    on_thread(release_at_the_end, NULL);
    assert_int_equal(atomic_load(&deaths), 2);
    release_at_the_end(NULL);
    ash_scratch_release();
    assert_int_equal(atomic_load(&deaths), 4);
}

/* ---- fork ---- */

static atomic_bool stop;

static void *load(void *arg)
{
    (void)arg;
    while (!atomic_load(&stop)) {
        ash_scope scope = ash_scope_begin(ash_scratch(NULL, 0));
        make(ash_scratch(NULL, 0), 1);
        ash_scope_end(&scope);
        ash_scratch_release();
    }
    return NULL;
}

static int child(ash_arena *inherited, const char *text)
{
    unsigned before = atomic_load(&deaths);
    wrong_unless(ash_scratch(NULL, 0) == inherited && strcmp(text, "inherited") == 0);
    ash_scope scope = ash_scope_begin(inherited);
    make(inherited, 2);
    ash_scope_end(&scope);
    ash_scratch_release();
    wrong_unless(atomic_load(&deaths) == before + 2);
    make(ash_scratch(NULL, 0), 3);
    ash_scratch_release();
    wrong_unless(atomic_load(&deaths) == before + 3);
    return atomic_load(&wrongs) != 0;
}

static void fork_once(void)
{
    ash_arena *scratch = ash_scratch(NULL, 0);
    char *text = ash_strdup(scratch, "inherited");
    make(scratch, 1);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(child(scratch, text));
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_string_equal(text, "inherited");
    ash_scratch_release();
}

static void test_scratch_fork_under_load(void **state)
{
    (void)state;
    /* In the child of a fork a sanitizer's malloc may wait for a thread that is no more, and what the other
     * threads had is lost there, which valgrind would tell. */
    ash_resource *before = ash_set_default(ash_pages());
    pthread_t threads[3];
    atomic_store(&stop, false);
    for (size_t i = 0; i < countof(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, load, NULL), 0);
    for (int i = 0; i < 20; i++)
        fork_once();
    atomic_store(&stop, true);
    for (size_t i = 0; i < countof(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    ash_set_default(before);
    assert_int_equal(atomic_load(&wrongs), 0);
}

/* ---- exit ---- */

static test_upstream dangling;

/* Runs in a child, which exits by `how`; its status is what is asked for. */
static int status_of(void (*how)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        how();
        _exit(77);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void never(unsigned id)
{
    (void)id;
    _exit(6);
}

static void exit_with_objects(void)
{
    make(ash_scratch(NULL, 0), 1)->action = never;
    exit(5);
}

static void exit_empty(void)
{
    wrong_unless(ash_scratch(NULL, 0) != NULL);
    exit(5);
}

/* Its upstream is gone by the time the process ends, as one on main's stack would be. */
static void exit_without_upstream(void)
{
    test_upstream_init(&dangling);
    ash_set_default(&dangling.resource);
    wrong_unless(ash_scratch(NULL, 0) != NULL);
    dangling.resource.ops = NULL;
    exit(5);
}

static void at_exit(void)
{
    make(ash_scratch(NULL, 0), 1);
}

static void exit_with_a_handler(void)
{
    atexit(at_exit);
    exit(5);
}

static void *exit_from_thread(void *arg)
{
    (void)arg;
    make(ash_scratch(NULL, 0), 1);
    exit(5);
}

static void exit_elsewhere(void)
{
    pthread_t thread;
    make(ash_scratch(NULL, 0), 1);
    pthread_create(&thread, NULL, exit_from_thread, NULL);
    pthread_join(thread, NULL);
}

static void test_scratch_exit(void **state)
{
    (void)state;
    void (*const ways[])(void) = {exit_with_objects, exit_empty, exit_without_upstream,
                                  exit_with_a_handler, exit_elsewhere};
    for (size_t i = 0; i < countof(ways); i++)
        assert_int_equal(status_of(ways[i]), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_scratch_is_none_of_the_conflicts, begin),
        cmocka_unit_test_setup(test_scratch_other_arenas_are_no_conflict, begin),
        cmocka_unit_test_setup(test_scratch_is_not_emptied, begin),
        cmocka_unit_test_setup(test_scratch_through_nested_calls, begin),
        cmocka_unit_test_setup(test_scratch_release_ends_all, begin),
        cmocka_unit_test_setup(test_scratch_keeps_the_upstream_it_began_with, begin),
        cmocka_unit_test_setup(test_scratch_out_of_memory, begin),
        cmocka_unit_test_setup(test_scratch_of_many_threads, begin),
        cmocka_unit_test_setup(test_scratch_thread_ends_with_objects_and_open_scopes, begin),
        cmocka_unit_test_setup(test_scratch_thread_leaves_by_pthread_exit, begin),
        cmocka_unit_test_setup(test_scratch_asked_for_while_the_thread_ends, begin),
        cmocka_unit_test_setup(test_scratch_destructors_see_the_others, begin),
        cmocka_unit_test_setup(test_scratch_released_while_it_ends, begin),
        cmocka_unit_test_setup(test_scratch_fork_under_load, begin),
        cmocka_unit_test_setup(test_scratch_exit, begin),
    };
    return test_main(tests);
}
