/*
 * What destructors make: it lives on after a delete, and dies by the same rewind in a rewind.
 */
#include "happened.h"

#include <stdlib.h>

/*
 * Destructors that allocate.
 */
static void allocate_a_lot(unsigned id, void *self)
{
    node *n = self;
    for (size_t size = 1; size < 200; size += 13) {
        char *p = ash_alloc(happened.arena, size, 8),
             *q = ash_object_alloc(happened.arena, size, 8);
        expect(p && q);
        if (!p || !q)
            return;
        expect(p + size <= (char *)n || p >= (char *)(n + 1));
        expect(q + size <= (char *)n || q >= (char *)(n + 1));
        memset(p, 0xee, size);
        memset(q, 0xee, size);
    }
    expect(n->id == id && is_pattern(n->pattern, 28, id)); /* its own memory is still its own */
    if (id < 6) {
        node *next = ash_new(happened.arena, node);
        expect(next != NULL);
        if (!next)
            return;
        next->id = id + 1;
        fill_pattern(next->pattern, 28, id + 1);
        happened.action[id + 1] = allocate_a_lot;
        happened.where[id + 1] = next;
    }
}

static void test_destructor_may_allocate(void **state)
{
    (void)state;
    for (int way = BY_REWIND; way <= BY_DEINIT; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 1024);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        fill_pattern(node_new(&arena, 0)->pattern, 28, 0);
        happened.action[0] = allocate_a_lot;
        node_new(&arena, 100);
        end_by(&arena, way, empty, NULL);
        assert_happened(100, 0, 1, 2, 3, 4, 5, 6); /* what is made meanwhile dies in the same end */
        assert_int_equal(ash_arena_used(&arena), 0);
        test_arena_done(&arena, &up);
    }
}

static void test_destructor_allocates_during_delete_what_lives_on(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    forget(&arena);
    fill_pattern(node_new(&arena, 0)->pattern, 28, 0);
    node_new(&arena, 100);
    happened.action[0] = allocate_a_lot;
    ash_delete(&arena, happened.where[0]);
    assert_happened(0);
    assert_int_equal(ash_object_inspect(&arena, happened.where[1]), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_inspect(&arena, happened.where[0]), ASH_OBJECT_DEAD);
    assert_consistent(&arena);
    ash_delete(&arena, happened.where[1]);
    assert_happened(1);
    ash_arena_reset(&arena);
    assert_happened(2, 3, 4, 5, 6, 100);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

/* A destructor in an older block leaves an heir in the newest, or in a new one with another behind. */
static size_t heir_gap;

static void leave_an_heir(unsigned id, void *self)
{
    (void)self;
    node *heir = ash_new(happened.arena, node);
    expect(heir != NULL);
    if (!heir)
        return;
    heir->id = id + 1000;
    if (heir_gap)
        expect(ash_alloc(happened.arena, heir_gap, 8) != NULL);
}

static void test_destructor_heirs_in_any_block_die_too(void **state)
{
    (void)state;
    static const size_t gaps[] = {0, 100, 600, 3000};
    for (size_t g = 0; g < countof(gaps); g++)
        for (int way = BY_REWIND; way <= BY_DEINIT; way++) {
            ash_arena arena;
            test_upstream up;
            test_arena_over(&arena, &up, 512);
            forget(&arena);
            heir_gap = gaps[g];
            ash_mark empty = ash_arena_mark(&arena);
            unsigned expected[60];
            for (unsigned i = 0; i < 30; i++) {
                node_new(&arena, i);
                happened.action[i] = leave_an_heir;
                expected[2 * (29 - i)] = i;
                expected[2 * (29 - i) + 1] = i + 1000;
            }
            assert_non_null(ash_alloc(&arena, 3000, 8)); /* the newest block has no object yet */
            end_by(&arena, way, empty, NULL);
            assert_log(expected, 60);
            assert_int_equal(ash_arena_used(&arena), 0);
            test_arena_done(&arena, &up);
        }
}

/* An heir that is an array too large for the block its maker lies in, so that it opens the next. */
enum { HEIRS = 20 };

static void leave_an_array(unsigned id, void *self)
{
    (void)id, (void)self;
    node *heirs = ash_new_array(happened.arena, node, HEIRS);
    expect(heirs != NULL);
    for (unsigned i = 0; heirs && i < HEIRS; i++)
        heirs[i].id = 1000 + i;
}

static void test_destructor_heirs_in_a_block_they_open_die_too(void **state)
{
    (void)state;
    for (int way = BY_REWIND; way <= BY_DEINIT; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 512);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        node_new(&arena, 0);
        happened.action[0] = leave_an_array;
        unsigned expected[1 + HEIRS] = {0};
        for (unsigned i = 0; i < HEIRS; i++)
            expected[1 + i] = 1000 + HEIRS - 1 - i;
        end_by(&arena, way, empty, NULL);
        assert_log(expected, 1 + HEIRS);
        assert_int_equal(ash_arena_used(&arena), 0);
        test_arena_done(&arena, &up);
    }
}

static unsigned deferred_ids[] = {200, 201};

static void defer_two(unsigned id, void *self)
{
    (void)id;
    (void)self;
    expect(ash_defer(happened.arena, on_defer, &deferred_ids[0]));
    expect(ash_defer(happened.arena, on_defer, &deferred_ids[1]));
}

static void test_destructor_may_defer(void **state)
{
    (void)state;
    for (int way = 0; way < ENDS; way++) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 1024);
        forget(&arena);
        ash_mark empty = ash_arena_mark(&arena);
        node_new(&arena, 0);
        node_new(&arena, 1);
        happened.action[1] = defer_two;
        end_by(&arena, way, empty, happened.where[1]);
        if (way == BY_DELETE) {
            assert_happened(1);
            ash_arena_reset(&arena);
            assert_happened(201, 200, 0);
        } else {
            assert_happened(1, 201, 200, 0);
        }
        test_arena_done(&arena, &up);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_destructor_may_allocate),
        cmocka_unit_test(test_destructor_allocates_during_delete_what_lives_on),
        cmocka_unit_test(test_destructor_heirs_in_any_block_die_too),
        cmocka_unit_test(test_destructor_heirs_in_a_block_they_open_die_too),
        cmocka_unit_test(test_destructor_may_defer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
