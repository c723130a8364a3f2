/*
 * Scopes of an arena, on every kind of arena: what was made in one ends with it, newest first, and not a
 * byte more or less comes back; what is older stays, or waits for the end where it was deleted inside.
 */
#include "kinds.h"

#include <stdio.h>

/* ---- what ends, and what stays ---- */

static void all_ends(ash_arena *arena)
{
    make_some(arena, 0);
    char *old = ash_strdup(arena, "older");
    size_t used = ash_arena_used(arena);
    for (int i = 0; i < 3; i++) {
        ash_scope scope = ash_scope_begin(arena);
        assert_true(ash_scope_is_open(&scope));
        assert_consistent(arena);
        make_some(arena, 10);
        make_some(arena, 20);
        ash_scope_end(&scope);
        assert_false(ash_scope_is_open(&scope));
        assert_consistent(arena);
        assert_int_equal(ash_arena_used(arena), used);
        assert_happened(23, 22, 21, 20, 13, 12, 11, 10);
        assert_string_equal(old, "older");
    }
}

static void test_scope_ends_what_was_made_in_it(void **state)
{
    (void)state;
    on_each(all_ends);
}

static void an_empty_one(ash_arena *arena)
{
    size_t used = ash_arena_used(arena);
    for (int i = 0; i < 3; i++) {
        ash_scope outer = ash_scope_begin(arena), inner = ash_scope_begin(arena);
        assert_consistent(arena);
        ash_scope_end(&inner);
        assert_true(ash_scope_is_open(&outer) && !ash_scope_is_open(&inner));
        ash_scope_end(&outer);
        assert_int_equal(ash_arena_used(arena), used);
        assert_consistent(arena);
    }
}

static void test_scope_of_nothing(void **state)
{
    (void)state;
    on_each(an_empty_one);
}

enum { DEPTH = 20 };

static void nested(ash_arena *arena)
{
    ash_scope scopes[DEPTH];
    size_t used[DEPTH];
    for (unsigned i = 0; i < DEPTH; i++) {
        node_new(arena, 100 + i);
        used[i] = ash_arena_used(arena);
        scopes[i] = ash_scope_begin(arena);
        assert_consistent(arena);
        make_some(arena, i * 4);
        for (unsigned k = 0; k <= i; k++)
            assert_true(ash_scope_is_open(&scopes[k]));
    }
    for (unsigned i = DEPTH; i-- > 0;) {
        ash_scope_end(&scopes[i]);
        assert_consistent(arena);
        assert_int_equal(ash_arena_used(arena), used[i]);
        if (i == DEPTH - 1)
            assert_happened(i * 4 + 3, i * 4 + 2, i * 4 + 1, i * 4);
        else
            assert_happened(101 + i, i * 4 + 3, i * 4 + 2, i * 4 + 1, i * 4);
        for (unsigned k = 0; k < DEPTH; k++)
            assert_int_equal(ash_scope_is_open(&scopes[k]), k < i);
    }
}

static void test_scope_nested(void **state)
{
    (void)state;
    on_each(nested);
}

static void over_many_blocks(ash_arena *arena)
{
    node_new(arena, 0);
    size_t used = ash_arena_used(arena), held = 0;
    for (int round = 0; round < 4; round++) {
        ash_scope outer = ash_scope_begin(arena);
        for (unsigned i = 1; i < 300; i++) {
            node_new(arena, i);
            assert_non_null(ash_alloc(arena, i % 60 + 1, 1));
            if (i == 150) {
                ash_scope inner = ash_scope_begin(arena);
                for (unsigned k = 1; k < 80; k++)
                    node_new(arena, 400 + k);
                ash_scope_end(&inner);
                assert_int_equal(happened.logged, 79);
                assert_int_equal(happened.log[0], 479);
                assert_int_equal(happened.log[78], 401);
                happened.logged = 0;
                assert_consistent(arena);
            }
        }
        ash_scope_end(&outer);
        assert_consistent(arena);
        assert_int_equal(happened.logged, 299);
        for (unsigned i = 0; i < 299; i++)
            assert_int_equal(happened.log[i], 299 - i);
        happened.logged = 0;
        assert_int_equal(ash_arena_used(arena), used);
        if (round > 0) /* what one round took the next finds */
            assert_int_equal(ash_arena_capacity(arena), held);
        held = ash_arena_capacity(arena);
    }
}

static void test_scope_over_many_blocks(void **state)
{
    (void)state;
    on_each(over_many_blocks);
}

/* Every fill of the newest block when a scope begins: its record may open a block. */
static void at_every_fill(ash_arena *arena)
{
    for (size_t fill = 1; fill < 300; fill++) {
        ash_mark mark = ash_arena_mark(arena);
        size_t empty = ash_arena_used(arena);
        char *plain = ash_alloc(arena, fill, 1);
        assert_non_null(plain);
        fill_pattern(plain, fill, 5);
        size_t used = ash_arena_used(arena);
        for (int i = 0; i < 2; i++) {
            ash_scope scope = ash_scope_begin(arena);
            assert_true(ash_scope_is_open(&scope));
            assert_consistent(arena);
            node_new(arena, 7);
            assert_non_null(ash_alloc(arena, 50, 1));
            ash_scope_end(&scope);
            assert_consistent(arena);
            assert_int_equal(ash_arena_used(arena), used);
            assert_happened(7);
        }
        assert_true(is_pattern(plain, fill, 5));
        ash_arena_rewind(arena, mark);
        assert_int_equal(ash_arena_used(arena), empty);
    }
}

static void test_scope_at_every_fill_of_a_block(void **state)
{
    (void)state;
    on_each(at_every_fill);
}

static void marks_inside(ash_arena *arena)
{
    node_new(arena, 1);
    ash_scope scope = ash_scope_begin(arena);
    ash_mark first = ash_arena_mark(arena);
    size_t used = ash_arena_used(arena);
    for (int i = 0; i < 3; i++) {
        make_some(arena, 10);
        ash_mark second = ash_arena_mark(arena);
        make_some(arena, 20);
        ash_arena_rewind(arena, second);
        assert_happened(23, 22, 21, 20);
        ash_scope inner = ash_scope_begin(arena);
        make_some(arena, 30);
        ash_scope_end(&inner);
        assert_happened(33, 32, 31, 30);
        ash_arena_rewind(arena, first);
        assert_happened(13, 12, 11, 10);
        assert_int_equal(ash_arena_used(arena), used);
        assert_true(ash_scope_is_open(&scope));
        assert_consistent(arena);
    }
    ash_scope_end(&scope);
    assert_int_equal(happened.logged, 0);
}

static void test_scope_marks_inside(void **state)
{
    (void)state;
    on_each(marks_inside);
}

static void around_marks(ash_arena *arena)
{
    ash_mark mark = ash_arena_mark(arena);
    for (int i = 0; i < 3; i++) {
        ash_scope scope = ash_scope_begin(arena);
        node_new(arena, 5);
        ash_scope_end(&scope);
        node_new(arena, 6);
        ash_arena_rewind(arena, mark);
        assert_happened(5, 6);
        assert_int_equal(ash_arena_used(arena), 0);
    }
    ash_scope scope = ash_scope_begin(arena);
    ash_scope_end(&scope);
    ash_arena_reset(arena);
    ash_arena_release(arena);
    assert_int_equal(ash_arena_used(arena), 0);
}

static void test_scope_that_has_ended_is_no_floor(void **state)
{
    (void)state;
    on_each(around_marks);
}

/* ---- what is older ---- */

static void delete_older(ash_arena *arena)
{
    size_t none = ash_arena_used(arena);
    node_new(arena, 1);
    size_t first = ash_arena_used(arena);
    node_new(arena, 2);
    void *untyped = ash_object_alloc(arena, 64, 8);
    assert_non_null(untyped);
    size_t used = ash_arena_used(arena);

    ash_scope scope = ash_scope_begin(arena);
    size_t inside = ash_arena_used(arena);
    ash_delete(arena, untyped);
    ash_delete(arena, happened.where[2]);
    assert_happened(2);
    assert_consistent(arena);
    assert_true(ash_arena_used(arena) <= inside);
    if (arena->block_ == arena->oldest_) /* all of it waits for the end */
        assert_int_equal(ash_arena_used(arena), inside);
    assert_int_not_equal(ash_object_inspect(arena, untyped), ASH_OBJECT_LIVE);
    node_new(arena, 3);
    node_new(arena, 4);
    ash_delete(arena, happened.where[3]);
    assert_happened(3);
    ash_scope_end(&scope);
    assert_happened(4);
    assert_consistent(arena);
    assert_int_equal(ash_arena_used(arena), first);
    assert_true(first < used);

    scope = ash_scope_begin(arena);
    ash_scope inner = ash_scope_begin(arena);
    ash_delete(arena, happened.where[1]);
    assert_happened(1);
    ash_scope_end(&inner);
    assert_consistent(arena);
    ash_scope_end(&scope);
    assert_int_equal(happened.logged, 0);
    assert_int_equal(ash_arena_used(arena), none);
}

static void test_scope_delete_of_older_takes_effect_at_once(void **state)
{
    (void)state;
    on_each(delete_older);
}

static void delete_many_older(ash_arena *arena)
{
    enum { OLDER = 200 };
    for (unsigned i = 0; i < OLDER; i++)
        node_new(arena, i);
    ash_scope scope = ash_scope_begin(arena);
    for (unsigned i = 0; i < OLDER; i++) {
        ash_delete(arena, happened.where[(i * 77) % OLDER]);
        node_new(arena, OLDER + i);
        if (i % 20 == 0)
            ash_arena_trim(arena, 0);
        assert_consistent(arena);
    }
    happened.logged = 0;
    ash_scope_end(&scope);
    assert_int_equal(happened.logged, OLDER);
    for (unsigned i = 0; i < OLDER; i++)
        assert_int_equal(happened.log[i], 2 * OLDER - 1 - i);
    assert_int_equal(ash_arena_used(arena), 0);
    assert_consistent(arena);
    ash_arena_trim(arena, 0);
    assert_consistent(arena);
    node_new(arena, 3);
    assert_consistent(arena);
}

static void test_scope_delete_of_all_older_in_any_order(void **state)
{
    (void)state;
    on_each(delete_many_older);
}

static void trim_inside(ash_arena *arena)
{
    node_new(arena, 1);
    ash_scope outer = ash_scope_begin(arena);
    ash_arena_trim(arena, 0);
    assert_consistent(arena);
    ash_delete(arena, happened.where[1]);
    ash_arena_trim(arena, 0);
    ash_scope inner = ash_scope_begin(arena);
    ash_arena_trim(arena, 0);
    for (unsigned i = 0; i < 50; i++)
        node_new(arena, 50 + i);
    ash_arena_trim(arena, 0);
    for (unsigned i = 0; i < 50; i += 2)
        ash_delete(arena, happened.where[50 + i]);
    for (unsigned i = 1; i < 50; i += 2)
        ash_delete(arena, happened.where[50 + i]);
    ash_arena_trim(arena, 0);
    assert_consistent(arena);
    ash_scope_end(&inner);
    ash_arena_trim(arena, 0);
    assert_consistent(arena);
    ash_scope_end(&outer);
    ash_arena_trim(arena, 0);
    assert_consistent(arena);
    assert_int_equal(ash_arena_used(arena), 0);
}

static void test_scope_trim_inside(void **state)
{
    (void)state;
    on_each(trim_inside);
}

static void neither_grown_nor_given_back(ash_arena *arena)
{
    char *old = ash_alloc(arena, 40, 8);
    assert_non_null(old);
    fill_pattern(old, 40, 9);
    ash_scope scope = ash_scope_begin(arena);
    size_t used = ash_arena_used(arena);
    ash_resource *resource = ash_arena_resource(arena);
    assert_false(ash_extend(arena, old, 40, 41));
    assert_false(ash_resource_resize(resource, old, 40, 41, 8));
    assert_true(ash_extend(arena, old, 40, 20)); /* gives nothing back */
    assert_true(ash_extend(arena, old, 40, 40));
    assert_ptr_equal(ash_realloc(arena, old, 40, 20, 8), old);
    ash_resource_free(resource, old, 40, 8);
    assert_int_equal(ash_arena_used(arena), used);
    assert_false(ash_arena_failed(arena));
    assert_true(is_pattern(old, 40, 9));

    char *young = ash_alloc(arena, 40, 8);
    assert_non_null(young);
    assert_true(young + 40 <= old || young >= old + 40);
    if (ash_extend(arena, young, 40, 44))
        assert_true(ash_extend(arena, young, 44, 40));
    ash_resource_free(resource, young, 40, 8);
    char *grown = ash_realloc(arena, ash_alloc(arena, 10, 1), 10, 300, 1);
    assert_non_null(grown);
    memset(grown, 1, 300);
    assert_true(is_pattern(old, 40, 9));
    ash_scope_end(&scope);
    assert_true(is_pattern(old, 40, 9));
    assert_consistent(arena);
}

static void test_scope_older_plain_memory_neither_grows_nor_goes(void **state)
{
    (void)state;
    on_each(neither_grown_nor_given_back);
}

static void test_scope_over_it_older_plain_memory_is_newest_again(void **state)
{
    (void)state;
    ash_arena arena; /* over the heap: the object map lies apart */
    assert_true(ash_arena_init(&arena, NULL));
    char *p = ash_alloc(&arena, 40, 8);
    ash_scope scope = ash_scope_begin(&arena);
    char *first = ash_alloc(&arena, 40, 8); /* right where the older ends */
    ash_mark mark = ash_arena_mark(&arena);
    assert_true(first && ash_alloc(&arena, 8, 8));
    assert_true(ash_realloc(&arena, first, 40, 80, 8) != first); /* and yet is none of them */
    ash_arena_rewind(&arena, mark);
    size_t used = ash_arena_used(&arena);
    assert_true(ash_extend(&arena, first, 40, 80));
    ash_resource_free(ash_arena_resource(&arena), first, 80, 8);
    assert_true(ash_arena_used(&arena) < used);
    ash_scope_end(&scope);
    assert_true(ash_extend(&arena, p, 40, 60));
    memset(p, 1, 60);
    ash_resource_free(ash_arena_resource(&arena), p, 60, 8);
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_arena_deinit(&arena);
}

static void realloc_of_older(ash_arena *arena)
{
    static const char message[] = "realloc inside a scope of memory older than it (arena ";
    char *old = ash_alloc(arena, 40, 8), line[128];
    assert_non_null(old);
    snprintf(line, sizeof line, "ashlar: fatal: %s%s, ADDR)", message, ash_arena_name(arena));
    ash_scope outer = ash_scope_begin(arena);
    char *between = ash_alloc(arena, 300, 8);
    assert_non_null(between);
    ash_scope inner = ash_scope_begin(arena);
    assert_non_null(ash_alloc(arena, 300, 8));
    expect_fatal((void)!ash_realloc(arena, old, 40, 41, 8), line);
    expect_fatal((void)!ash_realloc(arena, between, 300, 301, 8), line);
    ash_scope_end(&inner);
    between = ash_realloc(arena, between, 300, 301, 8);
    assert_non_null(between);
    expect_fatal((void)!ash_realloc(arena, old, 40, 41, 8), line);
    ash_scope_end(&outer);
    assert_non_null(ash_realloc(arena, old, 40, 400, 8));
}

static void test_scope_realloc_of_older_is_reported(void **state)
{
    (void)state;
    on_each(realloc_of_older);
}

static void test_scope_epoch(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, NULL));
    ash_resource *resource = ash_arena_resource(&arena);
    assert_int_equal(ash_resource_epoch(resource), 0);
    ash_scope outer = ash_scope_begin(&arena);
    uint64_t first = ash_resource_epoch(resource);
    assert_true(first != 0);
    ash_scope inner = ash_scope_begin(&arena);
    uint64_t second = ash_resource_epoch(resource);
    assert_true(second > first);
    ash_scope_end(&inner);
    assert_int_equal(ash_resource_epoch(resource), first);
    inner = ash_scope_begin(&arena);
    assert_true(ash_resource_epoch(resource) > second); /* never the same again */
    ash_scope_end(&outer);
    assert_int_equal(ash_resource_epoch(resource), 0);
    ash_arena_deinit(&arena);
}

/* ---- questions inside ---- */

static bool count_objects(const ash_walk_item *item, void *ctx)
{
    *(size_t *)ctx += item->kind == ASH_WALK_OBJECT;
    return true;
}

static void questions(ash_arena *arena)
{
    node *old = node_new(arena, 1);
    char *plain = ash_alloc(arena, 16, 8);
    assert_true(ash_object_is_top(arena, old));
    ash_scope scope = ash_scope_begin(arena);
    assert_false(ash_object_is_top(arena, old)); /* the scope is newer */
    assert_int_equal(ash_object_inspect(arena, old), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_count(arena, old), 1);
    node *young = node_new(arena, 2);
    assert_true(ash_object_is_top(arena, young));
    assert_true(ash_object_type(arena, young) == ash_type_of(node));
    assert_int_equal(ash_object_inspect(arena, plain), ASH_OBJECT_FOREIGN);
    size_t objects = 0;
    assert_true(ash_arena_walk(arena, count_objects, &objects));
    assert_int_equal(objects, 3);
    ash_scope_end(&scope);
    assert_true(ash_object_is_top(arena, old));
    assert_int_not_equal(ash_object_inspect(arena, young), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_count(arena, young), 0);
    objects = 0;
    assert_true(ash_arena_walk(arena, count_objects, &objects));
    assert_int_equal(objects, 1);
    assert_happened(2);
}

static void test_scope_questions_inside(void **state)
{
    (void)state;
    on_each(questions);
}

static void test_scope_check_sees_a_record_overwritten(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.name = "t"}));
    ash_scope outer = ash_scope_begin(&arena), inner = ash_scope_begin(&arena);
    char *records[] = {outer.mark_.top_, inner.mark_.top_};
    for (size_t i = 0; i < 2; i++)
        for (size_t at = 0; at + 8 <= 16 + 2 * sizeof(void *); at += 8) {
            uint64_t word = raw_word(records[i] + at);
            raw_set_word(records[i] + at, (uintptr_t)records[i]);
            assert_false(ash_arena_check(&arena));
            expect_fatal(ash_scope_end(&outer),
                         "ashlar: fatal: record of an open scope overwritten (arena t, ADDR)");
            raw_set_word(records[i] + at, word);
            assert_true(ash_arena_check(&arena));
        }
    arena.scope_serial_++;
    assert_false(ash_arena_check(&arena));
    arena.scope_serial_ -= 2;
    assert_false(ash_arena_check(&arena));
    arena.scope_serial_++;
    assert_true(ash_arena_check(&arena));
    ash_scope_end(&outer);
    ash_arena_deinit(&arena);
}

/* A record tells nothing of the nonce that seals type words. */
static void test_scope_record_hides_the_nonce(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        ash_arena arena;
        assert_true(ash_arena_init(&arena, NULL));
        ash_scope scope = ash_scope_begin(&arena);
        for (size_t at = 0; at < 32; at += 8)
            for (uint64_t serial = 0; serial < 8; serial++)
                assert_true((raw_word(scope.mark_.top_ + at) ^ serial) != arena.nonce_);
        ash_scope_end(&scope);
        ash_arena_deinit(&arena);
    }
}

/* Its record may have opened a block of its own. */
static void test_scope_leaves_the_newest_as_it_was(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p = ash_alloc(&arena, 64, 8);
    assert_non_null(p);
    char *rest = ash_alloc(&arena, ash_arena_room(&arena) - 16, 1);
    assert_non_null(rest);
    size_t size = ash_arena_used(&arena) - 64, blocks = up.blocks;
    ash_scope scope = ash_scope_begin(&arena);
    assert_true(ash_scope_is_open(&scope));
    assert_true(up.blocks > blocks);
    ash_scope_end(&scope);
    bool grown = ash_extend(&arena, rest, size, size + 1);
    assert_true(grown || TEST_RED_ZONES);
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scope_leaves_the_newest_as_it_was),
        cmocka_unit_test(test_scope_ends_what_was_made_in_it),
        cmocka_unit_test(test_scope_of_nothing),
        cmocka_unit_test(test_scope_nested),
        cmocka_unit_test(test_scope_over_many_blocks),
        cmocka_unit_test(test_scope_at_every_fill_of_a_block),
        cmocka_unit_test(test_scope_marks_inside),
        cmocka_unit_test(test_scope_that_has_ended_is_no_floor),
        cmocka_unit_test(test_scope_delete_of_older_takes_effect_at_once),
        cmocka_unit_test(test_scope_delete_of_all_older_in_any_order),
        cmocka_unit_test(test_scope_trim_inside),
        cmocka_unit_test(test_scope_older_plain_memory_neither_grows_nor_goes),
        cmocka_unit_test(test_scope_over_it_older_plain_memory_is_newest_again),
        cmocka_unit_test(test_scope_realloc_of_older_is_reported),
        cmocka_unit_test(test_scope_epoch),
        cmocka_unit_test(test_scope_questions_inside),
        cmocka_unit_test(test_scope_check_sees_a_record_overwritten),
        cmocka_unit_test(test_scope_record_hides_the_nonce),
    };
    return test_main(tests);
}
