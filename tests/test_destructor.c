/*
 * Destructors and deferred calls: when they run, in which order, and what they may do meanwhile.
 */
#include "happened.h"

#include <errno.h>
#include <stdlib.h>

static void test_destructor_newest_first(void **state)
{
    (void)state;
    for (int way = BY_REWIND; way <= BY_DEINIT; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 512); /* several blocks */
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        unsigned expected[300];
        for (unsigned i = 0; i < 300; i++) {
            node_new(&arena, i);
            if (i % 5 == 0)
                assert_non_null(ash_object_alloc(&arena, i * 3, 8)); /* these have none */
            expected[299 - i] = i;
        }
        assert_true(up.blocks > 3);
        end_by(&arena, way, empty, NULL);
        assert_log(expected, 300);
        test_arena_done(&arena, &up);
        assert_int_equal(happened.logged, 300); /* once */
    }
}

static void test_destructor_rewind_takes_only_the_newer(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    forget(&arena);
    node_new(&arena, 0);
    ash_mark mark = ash_arena_mark(&arena);
    node_new(&arena, 1);
    node_new(&arena, 2);
    ash_arena_rewind(&arena, mark);
    assert_happened(2, 1);
    ash_arena_rewind(&arena, mark);
    assert_int_equal(happened.logged, 0);
    node_new(&arena, 3);
    ash_arena_reset(&arena);
    assert_happened(3, 0);
    test_arena_done(&arena, &up);
}

static void test_destructor_delete_runs_it_now_and_once(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    forget(&arena);
    for (unsigned i = 0; i < 6; i++)
        node_new(&arena, i);
    ash_delete(&arena, happened.where[2]);
    assert_happened(2);
    ash_delete(&arena, happened.where[5]);
    assert_happened(5);
    ash_delete(&arena, happened.where[0]);
    assert_happened(0);
    expect_fatal_delete(&arena, happened.where[0], DELETED IN_ARENA("t"));
    assert_int_equal(happened.logged, 0);
    ash_arena_reset(&arena);
    assert_happened(4, 3, 1);
    test_arena_done(&arena, &up);
}

static void test_destructor_array_last_element_first(void **state)
{
    (void)state;
    for (int way = 0; way < ENDS; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 4096);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        node *v = ash_new_array(&arena, node, 5);
        for (unsigned i = 0; i < 5; i++)
            v[i].id = i + 10;
        ash_delete(&arena, ash_new_array(&arena, node, 0)); /* of none, none is destroyed */
        assert_non_null(ash_new_array(&arena, node, 0));
        end_by(&arena, way, empty, v);
        assert_happened(14, 13, 12, 11, 10);
        test_arena_done(&arena, &up);
        assert_int_equal(happened.logged, 0);
    }
}

static void test_destructor_takes_a_zeroed_object(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    memset(ash_object_alloc(&arena, 2000, 8), 0xff, 2000);
    ash_arena_reset(&arena);
    forget(&arena);
    ash_delete(&arena, ash_new(&arena, node));
    assert_happened(0);
    assert_non_null(ash_new_array(&arena, node, 3));
    ash_arena_reset(&arena);
    assert_happened(0, 0, 0);
    test_arena_done(&arena, &up);
}

/*
 * Deferred calls.
 */
static void test_defer_takes_its_place_among_objects(void **state)
{
    (void)state;
    static unsigned args[] = {100, 101, 102};
    for (int way = BY_REWIND; way <= BY_DEINIT; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 4096);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        assert_true(ash_defer(&arena, on_defer, &args[0]));
        node_new(&arena, 1);
        assert_true(ash_defer(&arena, on_defer, &args[1]));
        assert_true(ash_defer(&arena, on_defer, &args[2]));
        node_new(&arena, 2);
        node *gone = node_new(&arena, 3);
        ash_delete(&arena, gone);
        assert_happened(3);
        end_by(&arena, way, empty, NULL);
        assert_happened(2, 102, 101, 1, 100);
        test_arena_done(&arena, &up);
    }
}

static void test_defer_frees_what_malloc_gave(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    ash_mark mark = ash_arena_mark(&arena);
    for (int i = 0; i < 100; i++) { /* a leak checker sees one that is forgotten */
        void *p = malloc(10);
        if (!ash_defer(&arena, free, p))
            free(p);
        if (i % 10 == 9)
            ash_arena_rewind(&arena, mark);
    }
    test_arena_done(&arena, &up);
}

static void test_defer_that_fails_calls_nothing(void **state)
{
    (void)state;
    static unsigned arg = 7;
    _Alignas(16) char buffer[1024];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    forget(&arena);
    size_t registered = 0;
    while (ash_defer(&arena, on_defer, &arg))
        registered++;
    assert_true(registered > 4);
    assert_true(ash_arena_failed(&arena));
    ash_arena_deinit(&arena);
    assert_int_equal(happened.logged, registered);
}

static void test_defer_is_neither_seen_nor_deleted(void **state)
{
    (void)state;
    static unsigned arg = 7;
    static _Alignas(16) char buffer[2048];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    forget(&arena);
    node *older = node_new(&arena, 1);
    assert_true(ash_defer(&arena, on_defer, &arg));
    for (char *p = buffer; p < buffer + sizeof buffer; p++)
        assert_int_equal(ash_object_inspect(&arena, p) == ASH_OBJECT_LIVE, p == (char *)older);
    assert_false(ash_object_is_top(&arena, older)); /* a defer counts */
    for (char *p = (char *)older - 48; p < (char *)older; p += 8) {
        assert_int_equal(ash_object_count(&arena, p), 0);
        assert_null(ash_object_type(&arena, p));
        expect_fatal_delete(&arena, p, NOT_START IN_ARENA("unnamed"));
    }
    assert_int_equal(happened.logged, 0);
    ash_arena_deinit(&arena);
    assert_happened(7, 1);
}

/*
 * Who frees whom: three objects, each of which deletes one of the three or none.
 */
enum { NONE = 3 };

static int victims[3];

static void delete_victim(unsigned id, void *self)
{
    expect(ash_object_inspect(happened.arena, self) == ASH_OBJECT_DYING);
    int victim = victims[id];
    if (victim == NONE)
        return;
    ash_object_state now = ash_object_inspect(happened.arena, happened.where[victim]);
    expect(victim != (int)id || now == ASH_OBJECT_DYING);
    if (now == ASH_OBJECT_LIVE || now == ASH_OBJECT_DYING)
        ash_delete(happened.arena, happened.where[victim]);
    expect(ash_object_inspect(happened.arena, self) == ASH_OBJECT_DYING);
    expect(((node *)self)->id == id && is_pattern(((node *)self)->pattern, 28, id));
}

/* The same by the book. */
static void model_die(unsigned id, bool *gone, unsigned *order, size_t *count)
{
    if (gone[id])
        return;
    gone[id] = true;
    order[(*count)++] = id;
    if (victims[id] != NONE)
        model_die((unsigned)victims[id], gone, order, count);
}

static void check_victims(int way, unsigned first)
{
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    forget(&arena);
    ash_mark empty = ash_arena_mark(&arena);
    unsigned order[3];
    bool gone[3] = {false};
    size_t count = 0;
    for (unsigned i = 0; i < 3; i++) {
        fill_pattern(node_new(&arena, i)->pattern, 28, i);
        happened.action[i] = delete_victim;
    }
    if (way == BY_DELETE)
        model_die(first, gone, order, &count);
    else
        for (unsigned i = 3; i-- > 0;)
            model_die(i, gone, order, &count);
    end_by(&arena, way, empty, happened.where[first]);
    assert_log(order, count);
    for (unsigned i = 0; way == BY_DELETE && i < 3; i++)
        assert_int_equal(ash_object_inspect(&arena, happened.where[i]) == ASH_OBJECT_LIVE,
                         !gone[i]);
    assert_consistent(&arena);
    for (unsigned i = 3; i-- > 0;)
        model_die(i, gone, order, &count);
    ash_arena_reset(&arena);
    assert_log(order, count);
    assert_int_equal(count, 3);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_destructor_every_who_frees_whom(void **state)
{
    (void)state;
    for (int program = 0; program < 64; program++) {
        for (int i = 0; i < 3; i++)
            victims[i] = program >> (2 * i) & 3;
        for (int way = BY_REWIND; way <= BY_DEINIT; way++)
            check_victims(way, 0);
        for (unsigned first = 0; first < 3; first++)
            check_victims(BY_DELETE, first);
    }
}

static void delete_next(unsigned id, void *self)
{
    (void)self;
    if (happened.where[id + 1])
        ash_delete(happened.arena, happened.where[id + 1]);
}

static void test_destructor_chain_of_a_thousand(void **state)
{
    (void)state;
    for (int newest_first = 0; newest_first < 2; newest_first++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 1024);
        forget(&arena);
        for (unsigned i = 0; i < 1000; i++) {
            unsigned id = newest_first ? i : 999 - i;
            node_new(&arena, id);
            happened.action[id] = delete_next;
        }
        ash_delete(&arena, happened.where[0]);
        assert_int_equal(happened.wrong, 0);
        assert_int_equal(happened.logged, 1000);
        for (unsigned i = 0; i < 1000; i++)
            assert_int_equal(happened.log[i], i);
        assert_int_equal(ash_arena_used(&arena), 0);
        test_arena_done(&arena, &up);
    }
}

/* An array whose elements delete the array, and an older object. */
static void delete_array_and_older(unsigned id, void *self)
{
    (void)self;
    ash_delete(happened.arena, happened.where[50]);
    if (id == 52)
        ash_delete(happened.arena, happened.where[1]);
}

static void test_destructor_elements_delete_their_array(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    forget(&arena);
    node_new(&arena, 1);
    node *v = ash_new_array(&arena, node, 4);
    for (unsigned i = 0; i < 4; i++) {
        v[i].id = 50 + i;
        happened.action[50 + i] = delete_array_and_older;
    }
    happened.where[50] = v;
    ash_delete(&arena, v);
    assert_happened(53, 52, 1, 51, 50);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

/*
 * Marks and destructors.
 */
static void rewind_inside(unsigned id, void *self)
{
    node *n = self;
    (void)id;
    ash_mark mark = ash_arena_mark(happened.arena);
    size_t used = ash_arena_used(happened.arena);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 30; i++)
            expect(ash_alloc(happened.arena, 50, 8) && ash_object_alloc(happened.arena, 50, 8));
        node *inner = ash_new(happened.arena, node);
        expect(inner != NULL);
        if (inner)
            inner->id = 300 + (unsigned)round;
        ash_arena_rewind(happened.arena, mark);
        expect(ash_arena_used(happened.arena) == used);
        expect(is_pattern(n->pattern, 28, 9));
        expect(ash_object_inspect(happened.arena, self) == ASH_OBJECT_DYING);
    }
}

static void test_destructor_may_rewind_to_marks_of_its_own(void **state)
{
    (void)state;
    for (int way = 0; way < ENDS; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 512);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        node_new(&arena, 0);
        fill_pattern(node_new(&arena, 1)->pattern, 28, 9);
        happened.action[1] = rewind_inside;
        end_by(&arena, way, empty, happened.where[1]);
        if (way == BY_DELETE)
            assert_happened(1, 300, 301, 302);
        else
            assert_happened(1, 300, 301, 302, 0);
        test_arena_done(&arena, &up);
    }
}

static ash_mark outside;

static void rewind_outside(unsigned id, void *self)
{
    ash_arena *arena = happened.arena;
    (void)id;
    expect_fatal(ash_arena_rewind(arena, outside), PAST_DYING IN_ARENA("t"));
    expect_fatal(ash_arena_reset(arena), PAST_DYING IN_ARENA("t"));
    expect_fatal(ash_arena_release(arena), PAST_DYING IN_ARENA("t"));
    expect_fatal(ash_arena_deinit(arena), PAST_DYING IN_ARENA("t"));
    expect(ash_object_inspect(arena, self) == ASH_OBJECT_DYING);
    expect(ash_object_inspect(arena, happened.where[0]) == ASH_OBJECT_LIVE);
    expect(ash_alloc(arena, 10, 8) != NULL);
}

static void test_destructor_may_not_rewind_past_itself(void **state)
{
    (void)state;
    for (int way = 0; way < ENDS; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 1024);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        node_new(&arena, 0);
        outside = ash_arena_mark(&arena);
        assert_non_null(ash_alloc(&arena, 100, 8));
        node_new(&arena, 1);
        happened.action[1] = rewind_outside;
        end_by(&arena, way, empty, happened.where[1]);
        assert_int_equal(happened.log[0], 1);
        assert_int_equal(happened.logged, way == BY_DELETE ? 1 : 2);
        ash_arena_reset(&arena); /* afterwards one may again */
        assert_int_equal(happened.logged, 2);
        assert_int_equal(happened.wrong, 0);
        test_arena_done(&arena, &up);
    }
}

/* The inner destructor's marks end where the outer ones go on. */
static void delete_zero(unsigned id, void *self)
{
    (void)id;
    (void)self;
    outside = ash_arena_mark(happened.arena);
    expect(ash_object_alloc(happened.arena, 20, 8) != NULL);
    ash_delete(happened.arena, happened.where[0]);
    ash_arena_rewind(happened.arena, outside); /* fine here */
    expect_fatal(ash_arena_reset(happened.arena),
                 PAST_DYING IN_ARENA("t")); /* this is not, still */
}

static void rewind_to_the_outer_ones(unsigned id, void *self)
{
    (void)id;
    (void)self;
    expect_fatal(ash_arena_rewind(happened.arena, outside), PAST_DYING IN_ARENA("t"));
}

static void test_destructor_nested_has_its_own_floor(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    forget(&arena);
    node_new(&arena, 0);
    node_new(&arena, 1);
    happened.action[1] = delete_zero;
    happened.action[0] = rewind_to_the_outer_ones;
    ash_delete(&arena, happened.where[1]);
    assert_happened(1, 0);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

/*
 * errno.
 */
static void set_errno(unsigned id, void *self)
{
    (void)self;
    errno = (int)id + 1000;
}

static void test_destructor_keeps_errno(void **state)
{
    (void)state;
    static unsigned arg = 3;
    for (int way = 0; way < ENDS; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 1024);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        for (unsigned i = 0; i < 4; i++)
            happened.action[i] = set_errno;
        node_new(&arena, 0);
        assert_true(ash_defer(&arena, on_defer, &arg));
        node_new(&arena, 1);
        errno = EDOM;
        end_by(&arena, way, empty, happened.where[1]);
        assert_int_equal(errno, EDOM);
        assert_int_equal(happened.logged, way == BY_DELETE ? 1 : 3);
        ash_arena_reset(&arena);
        assert_int_equal(errno, EDOM);
        test_arena_done(&arena, &up);
    }
}

static void test_destructor_runs_after_deletes_at_random(void **state)
{
    (void)state;
    test_rng rng;
    test_rng_init(&rng, 4);
    for (int round = 0; round < 20; round++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 2048);
        forget(&arena);
        bool gone[1000] = {false};
        for (unsigned i = 0; i < 1000; i++) {
            node_new(&arena, i);
            unsigned victim = (unsigned)test_rng_below(&rng, i + 1);
            if (!gone[victim] && test_rng_below(&rng, 3) == 0) {
                happened.logged = 0;
                ash_delete(&arena, happened.where[victim]);
                gone[victim] = true;
                assert_happened(victim);
            }
        }
        unsigned expected[1000];
        size_t count = 0;
        for (unsigned i = 1000; i-- > 0;)
            if (!gone[i])
                expected[count++] = i;
        ash_arena_reset(&arena);
        assert_log(expected, count);
        test_arena_done(&arena, &up);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destructor_newest_first),
        cmocka_unit_test(test_destructor_rewind_takes_only_the_newer),
        cmocka_unit_test(test_destructor_delete_runs_it_now_and_once),
        cmocka_unit_test(test_destructor_array_last_element_first),
        cmocka_unit_test(test_destructor_takes_a_zeroed_object),
        cmocka_unit_test(test_defer_takes_its_place_among_objects),
        cmocka_unit_test(test_defer_frees_what_malloc_gave),
        cmocka_unit_test(test_defer_that_fails_calls_nothing),
        cmocka_unit_test(test_defer_is_neither_seen_nor_deleted),
        cmocka_unit_test(test_destructor_every_who_frees_whom),
        cmocka_unit_test(test_destructor_chain_of_a_thousand),
        cmocka_unit_test(test_destructor_elements_delete_their_array),
        cmocka_unit_test(test_destructor_may_rewind_to_marks_of_its_own),
        cmocka_unit_test(test_destructor_may_not_rewind_past_itself),
        cmocka_unit_test(test_destructor_nested_has_its_own_floor),
        cmocka_unit_test(test_destructor_keeps_errno),
        cmocka_unit_test(test_destructor_runs_after_deletes_at_random),
    };
    return test_main(tests);
}
