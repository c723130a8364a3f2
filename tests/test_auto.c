/*
 * Objects on the C stack that end with their block: every way of leaving one, in what order they end, and
 * that they end once; arenas in a frame.
 */
#include "support.h"

#include <string.h>

/* A type of this program, made usable by one line. */
typedef struct thing {
    int id; /* 0: none */
} thing;

static int ended[64];
static size_t ends;

static void thing_end(thing *t)
{
    if (t->id)
        ended[ends++] = t->id;
}
ASH_AUTO_DEFINE(thing, thing_end)

static thing a_thing(int id)
{
    return (thing){id};
}

static void assert_ids(const int *ids, size_t count)
{
    assert_int_equal(ends, count);
    assert_memory_equal(ended, ids, count * sizeof *ids);
    ends = 0;
}

#define assert_ended(...) \
    assert_ids((const int[]){__VA_ARGS__}, sizeof(int[]){__VA_ARGS__} / sizeof(int))

static void test_auto_ends_in_reverse_when_the_block_is_left(void **state)
{
    (void)state;
    {
        ash_auto(thing) one = a_thing(1);
        ash_auto(thing) two = {2};
        ash_auto(thing) none = {0};
        ash_auto(thing) three = {3};
        assert_int_equal(ends, 0);
        assert_int_equal(one.id + two.id + three.id + none.id, 6);
    }
    assert_ended(3, 2, 1);
}

static int returns_early(int way)
{
    ash_auto(thing) one = a_thing(1);
    if (way == 0)
        return 10;
    ash_auto(thing) two = a_thing(2);
    if (way == 1)
        return one.id + two.id; /* computed before they end */
    {
        ash_auto(thing) three = a_thing(3);
        if (way == 2)
            return (int)ends + three.id;
    }
    return (int)ends;
}

static void test_auto_return(void **state)
{
    (void)state;
    assert_int_equal(returns_early(0), 10);
    assert_ended(1);
    assert_int_equal(returns_early(1), 3);
    assert_ended(2, 1);
    assert_int_equal(returns_early(2), 3);
    assert_ended(3, 2, 1);
    assert_int_equal(returns_early(3), 1);
    assert_ended(3, 2, 1);
}

static thing given_back(void)
{
    ash_auto(thing) mine = a_thing(1);
    thing copy = mine;
    mine.id = 0; /* given up: nothing to end */
    return copy;
}

static void test_auto_given_to_the_caller(void **state)
{
    (void)state;
    thing t = given_back();
    assert_int_equal(ends, 0);
    assert_int_equal(t.id, 1);
}

static void test_auto_loops(void **state)
{
    (void)state;
    for (int i = 1; i <= 5; i++) {
        ash_auto(thing) each = a_thing(i);
        if (i == 2)
            continue;
        if (i == 4)
            break;
        ash_auto(thing) more = a_thing(10 + i);
        assert_true(each.id && more.id);
    }
    assert_ended(11, 1, 2, 13, 3, 4);
    int i = 0;
    do {
        ash_auto(thing) each = a_thing(++i);
        if (each.id == 1)
            continue;
        ash_auto(thing) inner = a_thing(20 + i);
        (void)inner;
    } while (i < 3);
    assert_ended(1, 22, 2, 23, 3);
    while (i-- > 0) {
        ash_auto(thing) outer = a_thing(1);
        for (;;) {
            ash_auto(thing) inner = a_thing(2);
            if (inner.id == 2)
                break;
        }
        if (outer.id == 1)
            break;
    }
    assert_ended(2, 1);
}

static void test_auto_goto_out(void **state)
{
    (void)state;
    int rounds = 0;
    {
        ash_auto(thing) one = a_thing(1);
        {
            ash_auto(thing) two = a_thing(2);
            rounds += one.id + two.id;
            if (rounds)
                goto out;
        }
        ended[ends++] = 99;
    }
out:
    assert_ended(2, 1);
}

static void test_auto_goto_back(void **state)
{
    (void)state;
    int round = 0;
again:
    round++;
    ash_auto(thing) each = a_thing(round);
    if (round < 3)
        goto again; /* over the declaration: it ends, and begins anew */
    assert_int_equal(each.id, 3);
    assert_ended(1, 2);
    each.id = 0;
}

static void test_auto_goto_within_the_block(void **state)
{
    (void)state;
    {
        int rounds = 0;
        ash_auto(thing) one = a_thing(1);
    again:
        if (rounds++ < 3)
            goto again; /* it stays */
        assert_int_equal(ends, 0);
        one.id = 7;
    }
    assert_ended(7);
}

static int switches(int which)
{
    switch (which) {
    case 1: {
        ash_auto(thing) one = a_thing(1);
        if (one.id)
            break;
    }
        ended[ends++] = 99;
        break;
    case 2: {
        ash_auto(thing) two = a_thing(2);
        (void)two;
    } /* falls through */
    case 3: {
        ash_auto(thing) three = a_thing(3);
        return three.id;
    }
    default:
        break;
    }
    return 0;
}

static void test_auto_switch(void **state)
{
    (void)state;
    assert_int_equal(switches(1), 0);
    assert_ended(1);
    assert_int_equal(switches(2), 3);
    assert_ended(2, 3);
    assert_int_equal(switches(3), 3);
    assert_ended(3);
    assert_int_equal(switches(4), 0);
    assert_int_equal(ends, 0);
}

static void recurse(int depth)
{
    ash_auto(thing) here = a_thing(depth);
    if (depth < 5)
        recurse(depth + 1);
    (void)here;
}

static void test_auto_recursion(void **state)
{
    (void)state;
    recurse(1);
    assert_ended(5, 4, 3, 2, 1);
}

/* ---- with scopes ---- */

typedef struct noisy {
    int id;
} noisy;

static void noisy_destroy(void *self)
{
    ended[ends++] = ((noisy *)self)->id;
}
ASH_TYPE(noisy, .destroy = noisy_destroy);

static void make(ash_arena *arena, int id)
{
    noisy *n = ash_new(arena, noisy);
    assert_non_null(n);
    n->id = id;
}

static size_t used_inside(ash_arena *arena, bool early)
{
    ash_auto(ash_scope) scope = ash_scope_begin(arena);
    ash_auto(thing) first = a_thing(1);
    make(arena, 10);
    ash_auto(ash_scope) inner = ash_scope_begin(arena);
    make(arena, 11);
    if (early)
        return ash_arena_used(arena);
    ash_auto(thing) last = a_thing(2);
    make(arena, 12);
    return ash_arena_used(arena) + (size_t)(first.id + last.id) * 0;
}

static void test_auto_scopes_and_objects_interleave(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, NULL));
    assert_true(used_inside(&arena, true) > 0);
    assert_ended(11, 1, 10);
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_true(used_inside(&arena, false) > 0);
    assert_ended(2, 12, 11, 1, 10);
    assert_int_equal(ash_arena_used(&arena), 0);
    for (int i = 0; i < 100; i++) {
        ash_auto(ash_scope) scope = ash_scope_begin(&arena);
        make(&arena, i);
        assert_int_equal(ends, 0);
        if (i % 3 == 0) {
            i++;
            ends = 0;
            ash_scope_end(&scope);
            scope = (ash_scope){0}; /* ended by hand: nothing to do */
            assert_ended(i - 1);
            continue;
        }
        ends = 0;
        assert_true(ash_scope_is_open(&scope));
        if (i > 90)
            break;
        ash_scope_end(&scope);
        scope = ash_scope_begin(&arena);
        ends = 0;
    }
    ends = 0;
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_arena_deinit(&arena);
}

static void an_arena(void)
{
    ash_auto(ash_arena) arena = {0};
    assert_true(ash_arena_init(&arena, NULL));
    make(&arena, 1);
    ash_auto(ash_scope) scope = ash_scope_begin(&arena);
    make(&arena, 2);
    ash_auto(ash_arena) never = {0};
    (void)never;
}

static void test_auto_arena(void **state)
{
    (void)state;
    an_arena();
    assert_ended(2, 1);
}

/* ---- arenas in a frame ---- */

static int local_small(ash_arena **where, char **first)
{
    ASH_LOCAL_ARENA(local, 2048);
    *where = &local;
    *first = ash_alloc(&local, 100, 8);
    assert_true(*first >= local_buffer_ && *first < local_buffer_ + sizeof local_buffer_);
    assert_string_equal(ash_arena_name(&local), "local");
    make(&local, 1);
    assert_int_equal(ash_arena_capacity(&local), sizeof local_buffer_);
    return ash_arena_check(&local) ? 5 : 0;
}

static void test_local_arena_lies_in_the_frame(void **state)
{
    (void)state;
    ash_arena *arena;
    char *first;
    assert_int_equal(local_small(&arena, &first), 5);
    assert_ended(1);
}

static void test_local_arena_spills_upstream_and_gives_back(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource *before = ash_set_default(&up.resource);
    for (int round = 1; round < 4; round++) {
        ASH_LOCAL_ARENA(local, 256);
        ASH_LOCAL_ARENA(other, 64);
        for (int i = 0; i < 100; i++) {
            char *p = ash_alloc(&local, (size_t)i + 1, 1), *q = ash_alloc(&other, 16, 16);
            assert_true(p && q);
            memset(p, i, (size_t)i + 1);
            memset(q, i, 16);
        }
        make(&local, round);
        make(&other, round + 10);
        assert_consistent(&local);
        assert_consistent(&other);
        assert_true(up.blocks > 0);
        if (round == 2)
            continue;
        ash_auto(ash_scope) scope = ash_scope_begin(&local);
        make(&local, round + 20);
        assert_true(ash_scope_is_open(&scope));
    }
    ash_set_default(before);
    test_upstream_done(&up);
    assert_ended(21, 11, 1, 12, 2, 23, 13, 3);
}

static const char *returned_early(size_t size)
{
    ASH_LOCAL_ARENA(tiny, 1);
    char *p = ash_alloc(&tiny, size, 1);
    if (!p)
        return NULL;
    p[size - 1] = 1;
    if (size > 1)
        return "large";
    return "small";
}

static void test_local_arena_of_one_byte(void **state)
{
    (void)state;
    assert_string_equal(returned_early(1), "small");
    assert_string_equal(returned_early(100000), "large");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_auto_ends_in_reverse_when_the_block_is_left),
        cmocka_unit_test(test_auto_return),
        cmocka_unit_test(test_auto_given_to_the_caller),
        cmocka_unit_test(test_auto_loops),
        cmocka_unit_test(test_auto_goto_out),
        cmocka_unit_test(test_auto_goto_back),
        cmocka_unit_test(test_auto_goto_within_the_block),
        cmocka_unit_test(test_auto_switch),
        cmocka_unit_test(test_auto_recursion),
        cmocka_unit_test(test_auto_scopes_and_objects_interleave),
        cmocka_unit_test(test_auto_arena),
        cmocka_unit_test(test_local_arena_lies_in_the_frame),
        cmocka_unit_test(test_local_arena_spills_upstream_and_gives_back),
        cmocka_unit_test(test_local_arena_of_one_byte),
    };
    return test_main(tests);
}
