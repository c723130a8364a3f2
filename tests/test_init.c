/*
 * Types that have an init: it gets the arena as a resource, and where it fails nothing is left.
 */
#include "support.h"

#include <errno.h>
#include <string.h>

static int begun, destroyed, fails_at;

typedef struct text {
    char *bytes;
    ash_resource *resource;
} text;

static bool text_init(void *self, ash_resource *resource)
{
    text *t = self;
    assert_true(is_zero(t, sizeof *t));
    if (begun == fails_at)
        return errno = ERANGE, false;
    begun++;
    t->bytes = ash_resource_alloc(resource, 100, 1);
    t->resource = resource;
    return t->bytes;
}

static void text_end(void *self)
{
    text *t = self;
    errno = EDOM;
    if (t->resource)
        ash_resource_free(t->resource, t->bytes, 100, 1);
    destroyed++;
}

ASH_TYPE(text, .destroy = text_end, .init = text_init);

static void setup(ash_arena *arena, test_upstream *up, size_t size)
{
    test_arena_over(arena, up, size);
    begun = destroyed = 0;
    fails_at = -1;
}

static void test_init_gets_the_arena(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    setup(&arena, &up, 1 << 16);
    for (int round = 0; round < 2; round++) { /* the long way and the short */
        text *one = ash_new(&arena, text), *two = ash_new_array(&arena, text, 3);
        assert_true(one && two);
        assert_ptr_equal(one->resource, ash_arena_resource(&arena));
        assert_true(ash_arena_owns(&arena, two[2].bytes));
        assert_ptr_equal(ash_object_type(&arena, one), ash_type_of(text));
        assert_int_equal(ash_object_count(&arena, two), 3);
        assert_consistent(&arena);
    }
    assert_int_equal(begun, 8);
    ash_arena_reset(&arena);
    assert_int_equal(destroyed, 8);
    test_arena_done(&arena, &up);
}

static void test_init_that_fails_leaves_nothing(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    for (int count = 1; count <= 4; count++)
        for (int fail = 0; fail < count; fail++) {
            setup(&arena, &up, 1 << 16);
            text *before = ash_new(&arena, text);
            assert_non_null(before);
            char *plain = ash_alloc(&arena, 1, 1);
            size_t used = ash_arena_used(&arena);
            fails_at = fail + 1;
            errno = EINTR;
            assert_null(ash_object_new(&arena, ash_type_of(text), (size_t)count));
            assert_int_equal(errno, EINTR);
            assert_int_equal(destroyed, fail);
            assert_true(ash_arena_failed(&arena));
            assert_true(ash_arena_owns(&arena, plain));
            assert_true(ash_arena_used(&arena) >= used);
            assert_true(ash_object_is_top(&arena, before));
            assert_consistent(&arena);
            test_arena_done(&arena, &up);
            assert_int_equal(destroyed, fail + 1);
        }
}

static void test_init_out_of_memory_is_answered(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[512];
    for (size_t size = 0; size <= sizeof buffer; size++) {
        ash_arena arena;
        ash_arena_init_fixed(&arena, buffer, size);
        begun = destroyed = 0;
        fails_at = -1;
        text *t = ash_new(&arena, text);
        assert_int_equal(ash_arena_failed(&arena), !t);
        assert_consistent(&arena);
        ash_arena_deinit(&arena);
        assert_int_equal(destroyed, t ? 1 : 0);
    }
}

static ash_arena *meddled;

typedef struct meddler {
    int deleted;
} meddler;

static bool meddle(void *self, ash_resource *resource)
{
    (void)resource;
    meddler *m = self;
    ash_delete(meddled, self); /* not begun yet: ignored */
    m->deleted = 1;
    assert_int_equal(ash_object_inspect(meddled, self), ASH_OBJECT_DYING);
    for (int i = 0; i < 100; i++) /* others come below and go, and the map with them */
        assert_non_null(ash_object_alloc(meddled, 700, 8));
    return true;
}

static void meddler_end(void *self)
{
    destroyed += ((meddler *)self)->deleted;
}

ASH_TYPE(meddler, .destroy = meddler_end, .init = meddle);

static void test_init_may_allocate_and_may_not_undo_itself(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    setup(&arena, &up, 4096);
    meddled = &arena;
    for (int i = 0; i < 3; i++) {
        meddler *m = ash_new(&arena, meddler);
        assert_non_null(m);
        assert_int_equal(ash_object_inspect(&arena, m), ASH_OBJECT_LIVE);
        assert_consistent(&arena);
    }
    test_arena_done(&arena, &up);
    assert_int_equal(destroyed, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_init_gets_the_arena),
        cmocka_unit_test(test_init_that_fails_leaves_nothing),
        cmocka_unit_test(test_init_out_of_memory_is_answered),
        cmocka_unit_test(test_init_may_allocate_and_may_not_undo_itself),
    };
    return test_main(tests);
}
