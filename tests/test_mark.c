/*
 * Marks, rewind and reset: what comes back, what stays, and marks that are gone.
 */
#include "support.h"

#include <string.h>

static void test_mark_rewind_gives_the_same_memory_again(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *kept = ash_alloc(&arena, 10, 1);
    fill_pattern(kept, 10, 1);
    void *object = ash_object_alloc(&arena, 24, 8);
    fill_pattern(object, 24, 2);
    size_t used = ash_arena_used(&arena), room = ash_arena_room(&arena);
    ash_mark mark = ash_arena_mark(&arena);
    char *p = ash_alloc(&arena, 100, 1);
    void *q = ash_object_alloc(&arena, 100, 8);
    memset(p, 0xff, 100);
    memset(q, 0xff, 100);
    ash_arena_rewind(&arena, mark);
    assert_int_equal(ash_arena_used(&arena), used);
    assert_int_equal(ash_arena_room(&arena), room);
    assert_int_not_equal(ash_object_inspect(&arena, q), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_inspect(&arena, object), ASH_OBJECT_LIVE);
    assert_true(is_pattern(kept, 10, 1));
    assert_true(is_pattern(object, 24, 2));
    assert_ptr_equal(ash_alloc(&arena, 100, 1), p);
    assert_ptr_equal(ash_object_alloc(&arena, 100, 8), q);
    test_arena_done(&arena, &up);
}

static void test_mark_may_be_used_again(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    assert_non_null(ash_alloc(&arena, 50, 1));
    size_t used = ash_arena_used(&arena);
    ash_mark mark = ash_arena_mark(&arena);
    for (size_t i = 0; i < 30; i++) {
        for (size_t j = 0; j <= i; j++)
            assert_non_null(j % 2 ? ash_object_alloc(&arena, 80, 8) : ash_alloc(&arena, 80, 8));
        ash_arena_rewind(&arena, mark);
        assert_int_equal(ash_arena_used(&arena), used);
        assert_consistent(&arena);
    }
    ash_arena_rewind(&arena, mark); /* nothing since: nothing to do */
    assert_int_equal(ash_arena_used(&arena), used);
    test_arena_done(&arena, &up);
}

static void test_mark_on_an_empty_arena(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    ash_mark mark = ash_arena_mark(&arena);
    ash_arena_rewind(&arena, mark);
    for (int i = 0; i < 20; i++)
        assert_non_null(ash_object_alloc(&arena, 200, 8));
    ash_arena_rewind(&arena, mark);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

enum { DEPTH = 40 };

static void test_mark_nested_across_blocks(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 300);
    ash_mark marks[DEPTH];
    size_t used[DEPTH];
    char *plain[DEPTH];
    void *objects[DEPTH];
    for (unsigned i = 0; i < DEPTH; i++) {
        marks[i] = ash_arena_mark(&arena);
        used[i] = ash_arena_used(&arena);
        plain[i] = ash_alloc(&arena, 100 + i, 1);
        objects[i] = ash_object_alloc(&arena, 90 + i, 8);
        fill_pattern(plain[i], 100 + i, i);
        fill_pattern(objects[i], 90 + i, i + 100);
    }
    assert_true(up.blocks > 2);
    for (unsigned i = DEPTH; i-- > 0;) {
        ash_arena_rewind(&arena, marks[i]);
        assert_int_equal(ash_arena_used(&arena), used[i]);
        assert_int_not_equal(ash_object_inspect(&arena, objects[i]), ASH_OBJECT_LIVE);
        for (unsigned j = 0; j < i; j++) {
            assert_true(is_pattern(plain[j], 100 + j, j));
            assert_true(is_pattern(objects[j], 90 + j, j + 100));
            assert_int_equal(ash_object_inspect(&arena, objects[j]), ASH_OBJECT_LIVE);
        }
        assert_consistent(&arena);
    }
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_mark_rewind_keeps_blocks_as_spares(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    ash_mark empty = ash_arena_mark(&arena);
    for (int i = 0; i < 50; i++)
        assert_non_null(ash_alloc(&arena, 500, 8));
    size_t blocks = up.blocks, calls = up.calls;
    for (int round = 0; round < 10; round++) {
        if (round % 2)
            ash_arena_reset(&arena);
        else
            ash_arena_rewind(&arena, empty);
        assert_int_equal(ash_arena_used(&arena), 0);
        assert_int_equal(up.blocks, blocks);
        for (int i = 0; i < 50; i++) {
            char *p = ash_alloc(&arena, 500, 8);
            assert_non_null(p);
            memset(p, round, 500);
        }
    }
    assert_int_equal(up.calls, calls);
    test_arena_done(&arena, &up);
}

static void test_mark_beyond_what_is_in_use_is_gone(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    ash_mark outer = ash_arena_mark(&arena);
    assert_non_null(ash_alloc(&arena, 64, 8));
    ash_mark inner = ash_arena_mark(&arena);
    ash_arena_rewind(&arena, outer);
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_non_null(ash_alloc(&arena, 10, 8)); /* usable as before */
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    test_arena_done(&arena, &up);
}

static void test_mark_past_the_objects_is_gone(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    void *object = ash_object_alloc(&arena, 64, 8);
    ash_mark inner = ash_arena_mark(&arena);
    ash_delete(&arena, object); /* older than the mark: undercuts it */
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    test_arena_done(&arena, &up);
}

static void test_mark_undercut_by_a_shrink_is_gone(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p = ash_alloc(&arena, 200, 8);
    ash_mark inner = ash_arena_mark(&arena);
    assert_true(ash_extend(&arena, p, 200, 10));
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    test_arena_done(&arena, &up);
}

static void test_mark_in_a_block_given_up_is_gone(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 512);
    ash_mark outer = ash_arena_mark(&arena);
    for (int i = 0; i < 10; i++)
        assert_non_null(ash_alloc(&arena, 400, 8));
    ash_mark inner = ash_arena_mark(&arena);
    ash_arena_rewind(&arena, outer);
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    ash_arena_trim(&arena, 0);
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    ash_arena_release(&arena);
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    /* the same upstream addresses may come again: it is another block all the same */
    for (int i = 0; i < 3; i++)
        assert_non_null(ash_alloc(&arena, 100, 8));
    expect_fatal_rewind(&arena, inner, MARK_GONE IN_ARENA("t"));
    test_arena_done(&arena, &up);
}

/* One block of a parent over a buffer, given back and taken again, lies at the same address. */
static void test_mark_of_another_block_at_the_same_address_is_gone(void **state)
{
    (void)state;
    _Alignas(64) static char buffer[8192];
    ash_arena parent, arena;
    ash_arena_init_fixed(&parent, buffer, sizeof buffer);
    ash_arena_config config = {
        .name = "t", .upstream = ash_arena_resource(&parent), .block_size = 2048};
    assert_true(ash_arena_init(&arena, &config));
    char *p = ash_alloc(&arena, 100, 8);
    assert_non_null(p);
    ash_mark mark = ash_arena_mark(&arena);
    ash_arena_release(&arena);
    assert_int_equal(ash_arena_used(&parent), 0);
    assert_ptr_equal(ash_alloc(&arena, 100, 8), p);
    assert_non_null(ash_alloc(&arena, 100, 8));
    expect_fatal_rewind(&arena, mark, MARK_GONE IN_ARENA("t"));
    ash_arena_deinit(&arena);
    ash_arena_deinit(&parent);
}

static void test_mark_of_another_arena_is_gone(void **state)
{
    (void)state;
    ash_arena arena, other;
    test_upstream up, other_up;
    test_arena_over(&arena, &up, 1024);
    test_arena_over(&other, &other_up, 1024);
    assert_non_null(ash_alloc(&arena, 100, 8));
    assert_non_null(ash_alloc(&other, 100, 8));
    ash_mark mark = ash_arena_mark(&other);
    assert_non_null(ash_alloc(&other, 100, 8));
    expect_fatal_rewind(&arena, mark, MARK_GONE IN_ARENA("t"));
    assert_used(&arena, 100);
    ash_arena_rewind(&other, mark);
    test_arena_done(&arena, &up);
    test_arena_done(&other, &other_up);
}

static void test_mark_delete_after_a_rewind_is_reported(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    void *older = ash_object_alloc(&arena, 32, 8);
    ash_mark mark = ash_arena_mark(&arena);
    void *object = ash_object_alloc(&arena, 32, 8);
    ash_arena_rewind(&arena, mark);
    ash_object_state now = ash_object_inspect(&arena, object);
    assert_true(now == ASH_OBJECT_DEAD || now == ASH_OBJECT_FOREIGN);
    expect_fatal_delete(&arena, object,
                        now == ASH_OBJECT_DEAD ? DELETED IN_ARENA("t") : NOT_START IN_ARENA("t"));
    assert_int_equal(ash_object_inspect(&arena, older), ASH_OBJECT_LIVE);
    ash_delete(&arena, older);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_mark_deletes_of_what_came_after_it_keep_it(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 512);
    void *older = ash_object_alloc(&arena, 40, 8);
    size_t used = ash_arena_used(&arena);
    ash_mark mark = ash_arena_mark(&arena);
    void *objects[30];
    for (size_t i = 0; i < countof(objects); i++)
        objects[i] = ash_object_alloc(&arena, 40 + i, 8);
    for (size_t i = 0; i < countof(objects); i += 2)
        ash_delete(&arena, objects[i]);
    ash_arena_rewind(&arena, mark);
    assert_int_equal(ash_arena_used(&arena), used);
    for (size_t i = 0; i < countof(objects); i++)
        objects[i] = ash_object_alloc(&arena, 40 + i, 8);
    for (size_t i = countof(objects); i-- > 0;)
        ash_delete(&arena, objects[i]);
    assert_int_equal(ash_arena_used(&arena), used);
    ash_arena_rewind(&arena, mark);
    assert_int_equal(ash_arena_used(&arena), used);
    assert_int_equal(ash_object_inspect(&arena, older), ASH_OBJECT_LIVE);
    test_arena_done(&arena, &up);
}

static void test_mark_reset_then_use_touches_nothing_released(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < 30; i++)
            memset(ash_alloc(&arena, 100, 8), round, 100);
        ash_arena_reset(&arena);
        if (round % 3 == 0)
            ash_arena_trim(&arena, round % 2 ? 300 : 0);
        if (round % 5 == 0)
            ash_arena_release(&arena);
        char *p = ash_alloc(&arena, 100, 8);
        assert_non_null(p);
        memset(p, round, 100);
        assert_consistent(&arena);
    }
    test_arena_done(&arena, &up);
}

static void test_mark_reset_keeps_the_callers_buffer_first(void **state)
{
    (void)state;
    _Alignas(16) char buffer[256];
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {
        .upstream = &up.resource, .buffer = buffer, .buffer_size = sizeof buffer};
    assert_true(ash_arena_init(&arena, &config));
    for (int round = 0; round < 4; round++) {
        char *p = ash_alloc(&arena, 100, 8);
        assert_in_range((uintptr_t)p, (uintptr_t)buffer, (uintptr_t)buffer + sizeof buffer);
        assert_non_null(ash_alloc(&arena, 5000, 8));
        assert_int_equal(up.blocks, 1);
        if (round % 2)
            ash_arena_reset(&arena);
        else
            ash_arena_release(&arena);
        assert_int_equal(up.blocks, round % 2);
        ash_arena_trim(&arena, 0);
        assert_int_equal(up.blocks, 0); /* the buffer is never given to upstream */
    }
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mark_rewind_gives_the_same_memory_again),
        cmocka_unit_test(test_mark_may_be_used_again),
        cmocka_unit_test(test_mark_on_an_empty_arena),
        cmocka_unit_test(test_mark_nested_across_blocks),
        cmocka_unit_test(test_mark_rewind_keeps_blocks_as_spares),
        cmocka_unit_test(test_mark_beyond_what_is_in_use_is_gone),
        cmocka_unit_test(test_mark_past_the_objects_is_gone),
        cmocka_unit_test(test_mark_undercut_by_a_shrink_is_gone),
        cmocka_unit_test(test_mark_in_a_block_given_up_is_gone),
        cmocka_unit_test(test_mark_of_another_block_at_the_same_address_is_gone),
        cmocka_unit_test(test_mark_of_another_arena_is_gone),
        cmocka_unit_test(test_mark_delete_after_a_rewind_is_reported),
        cmocka_unit_test(test_mark_deletes_of_what_came_after_it_keep_it),
        cmocka_unit_test(test_mark_reset_then_use_touches_nothing_released),
        cmocka_unit_test(test_mark_reset_keeps_the_callers_buffer_first),
    };
    return test_main(tests);
}
