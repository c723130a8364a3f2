/*
 * Growing and shrinking plain memory: by ash_extend, ash_realloc, and the arena as a resource.
 */
#include "support.h"

#include <string.h>

static void test_realloc_newest_grows_in_place(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    assert_non_null(ash_alloc(&arena, 7, 1));
    char *p = ash_alloc(&arena, 16, 8);
    for (size_t size = 16; size < 2000; size += 50) {
        fill_pattern(p, size, 5);
        if (size % 100 < 50)
            assert_true(ash_extend(&arena, p, size, size + 50));
        else
            assert_ptr_equal(ash_realloc(&arena, p, size, size + 50, 8), p);
        assert_true(is_pattern(p, size, 5));
        memset(p + size, 1, 50); /* the new tail is writable */
    }
    assert_false(ash_arena_failed(&arena));
    test_arena_done(&arena, &up);
}

static void test_realloc_newest_grows_to_the_last_byte(void **state)
{
    (void)state;
    _Alignas(16) char buffer[512];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_non_null(ash_object_alloc(&arena, 16, 8)); /* the other end is taken too */
    char *p = ash_alloc(&arena, 10, 1);
    size_t room = ash_arena_room(&arena);
    assert_false(
        ash_extend(&arena, p, 10, 10 + room + 64)); /* 64: more than any red zone's slack */
    assert_false(ash_extend(&arena, p, 10, SIZE_MAX));
    assert_false(ash_extend(&arena, p, 10, SIZE_MAX - (uintptr_t)p));
    assert_false(ash_extend(&arena, p, 10, (size_t)PTRDIFF_MAX));
    if (!TEST_RED_ZONES)
        assert_false(ash_extend(&arena, p, 10, 10 + room + 1));
    assert_false(ash_arena_failed(&arena)); /* answers, not failures */
    assert_int_equal(ash_arena_room(&arena), room);
    assert_true(ash_extend(&arena, p, 10, 10 + room));
    memset(p, 1, 10 + room);
    if (!TEST_RED_ZONES)
        assert_int_equal(ash_arena_room(&arena), 0);
    assert_consistent(&arena);
    ash_arena_deinit(&arena);
}

static void test_realloc_extend_never_asks_upstream(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    char *p = ash_alloc(&arena, 100, 1);
    size_t calls = up.calls, used = ash_arena_used(&arena);
    assert_false(ash_extend(&arena, p, 100, 10000));
    assert_false(ash_resource_resize(ash_arena_resource(&arena), p, 100, 10000, 1));
    assert_int_equal(up.calls, calls);
    assert_int_equal(ash_arena_used(&arena), used);
    assert_false(ash_arena_failed(&arena));
    assert_false(ash_extend(&arena, NULL, 0, 10));
    assert_false(ash_arena_failed(&arena));
    test_arena_done(&arena, &up);
}

static void test_realloc_extend_of_what_is_not_newest(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p = ash_alloc(&arena, 100, 8), *q = ash_alloc(&arena, 100, 8);
    fill_pattern(p, 100, 1);
    fill_pattern(q, 100, 2);
    size_t used = ash_arena_used(&arena);
    assert_false(ash_extend(&arena, p, 100, 101));
    assert_false(ash_extend(&arena, p, 100, 300));
    assert_true(ash_extend(&arena, p, 100, 100));
    assert_true(ash_extend(&arena, p, 100, 30)); /* true, and gives nothing back */
    assert_int_equal(ash_arena_used(&arena), used);
    assert_true(is_pattern(p, 30, 1));
    assert_true(is_pattern(q, 100, 2));
    char *r = ash_alloc(&arena, 50, 1);
    memset(r, 0xff, 50);
    assert_true(is_pattern(q, 100, 2));
    assert_true(is_pattern(p, 30, 1));
    test_arena_done(&arena, &up);
}

static void test_realloc_shrink_of_newest_gives_back(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p = ash_alloc(&arena, 1000, 8);
    size_t used = ash_arena_used(&arena);
    fill_pattern(p, 1000, 1);
    assert_true(ash_extend(&arena, p, 1000, 100));
    assert_used(&arena, 100);
    assert_true(ash_arena_used(&arena) <= used - 800);
    assert_ptr_equal(ash_realloc(&arena, p, 100, 40, 8), p);
    assert_used(&arena, 40);
    assert_true(is_pattern(p, 40, 1));
    assert_ptr_equal(ash_realloc(&arena, p, 40, 0, 8), p); /* shrinks to 1, never frees */
    assert_used(&arena, 1);
    assert_true(is_pattern(p, 1, 1));
    assert_true(ash_extend(&arena, p, 1, 0));
    assert_used(&arena, 1);
    assert_true(ash_extend(&arena, p, 0, 2)); /* 0 was served as 1 */
    assert_used(&arena, 2);
    test_arena_done(&arena, &up);
}

static void test_realloc_of_null_is_alloc(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p = ash_realloc(&arena, NULL, 0, 100, 64), *q = ash_realloc(&arena, NULL, 50, 0, 1);
    assert_non_null(p);
    assert_non_null(q);
    assert_aligned(p, 64);
    assert_ptr_not_equal(p, q);
    test_arena_done(&arena, &up);
}

static void test_realloc_copies_old_size_only(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    memset(ash_alloc(&arena, 2000, 8), 0x11, 2000);
    ash_arena_reset(&arena);
    char *p = ash_alloc(&arena, 10, 8);
    char *secret = ash_alloc(&arena, 100, 1);
    memset(p, 0x22, 10);
    memset(secret, 0x33, 100);
    char *q = ash_realloc(&arena, p, 10, 200, 8);
    assert_non_null(q);
    assert_ptr_not_equal(p, q);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(q[i], 0x22);
    for (size_t i = 10; i < 200; i++)
        assert_int_not_equal(q[i], 0x33); /* the neighbour's bytes did not come along */
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(secret[i], 0x33);
    test_arena_done(&arena, &up);
}

static void test_realloc_refused_leaves_the_old(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 512);
    char *p = ash_alloc(&arena, 100, 8), *q = ash_alloc(&arena, 10, 8);
    fill_pattern(p, 100, 1);
    fill_pattern(q, 10, 2);
    up.refuse = true;
    size_t used = ash_arena_used(&arena);
    assert_null(ash_realloc(&arena, p, 100, 5000, 8));
    assert_true(ash_arena_failed(&arena));
    assert_null(ash_realloc(&arena, q, 10, 5000, 8)); /* newest, no room */
    assert_null(ash_realloc(&arena, q, 10, SIZE_MAX, 8));
    assert_null(ash_realloc(&arena, q, 10, SIZE_MAX - 9, 8));
    assert_int_equal(ash_arena_used(&arena), used);
    assert_true(is_pattern(p, 100, 1));
    assert_true(is_pattern(q, 10, 2));
    assert_true(ash_extend(&arena, q, 10, 12)); /* still the newest */
    test_arena_done(&arena, &up);
}

static void check_realloc(bool newest, size_t from, size_t from_align, size_t to, size_t to_align)
{
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 2048);
    assert_non_null(ash_alloc(&arena, 5, 1));
    char *p = ash_alloc(&arena, from, from_align), *neighbour = NULL;
    fill_pattern(p, from, 3);
    if (!newest) {
        neighbour = ash_alloc(&arena, 30, 1);
        fill_pattern(neighbour, 30, 4);
    }
    size_t room = ash_arena_room(&arena);
    char *q = ash_realloc(&arena, p, from, to, to_align);
    assert_non_null(q);
    assert_aligned(q, to_align);
    size_t common = from < to ? from : to;
    assert_true(is_pattern(q, common, 3));
    if (newest && (uintptr_t)p % to_align == 0 && to <= from + room)
        assert_ptr_equal(q, p);
    if (to <= from && (uintptr_t)p % to_align == 0)
        assert_ptr_equal(q, p);
    memset(q, 0xcc, to);
    assert_true(!neighbour || is_pattern(neighbour, 30, 4));
    char *next = ash_alloc(&arena, 20, 1);
    memset(next, 0xdd, 20);
    for (size_t i = 0; i < to; i++)
        assert_int_equal((unsigned char)q[i], 0xcc); /* and nothing else lies there */
    test_arena_done(&arena, &up);
}

static void test_realloc_from_any_size_and_alignment_to_any(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 7, 64, 600, 3000}, aligns[] = {1, 8, 16, 64, 4096};
    for (size_t i = 0; i < countof(sizes); i++)
        for (size_t j = 0; j < countof(sizes); j++)
            for (size_t a = 0; a < countof(aligns); a++)
                for (size_t b = 0; b < countof(aligns); b++) {
                    check_realloc(true, sizes[i], aligns[a], sizes[j], aligns[b]);
                    check_realloc(false, sizes[i], aligns[a], sizes[j], aligns[b]);
                }
}

/* An older one that was squeezed in under an object that is gone now: whatever lies where (red zones
 * too), it is not the newest, and cutting it takes nothing from the one behind it. */
static bool check_squeezed(size_t object_size, size_t older_size, size_t newer_size)
{
    static _Alignas(16) char buffer[2048];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_non_null(ash_object_alloc(&arena, 16, 8));
    void *object = ash_object_alloc(&arena, object_size, 8);
    assert_non_null(ash_alloc(&arena, ash_arena_room(&arena) - older_size, 1));
    char *older = ash_alloc(&arena, older_size, 1);
    ash_delete(&arena, object);
    char *newer =
        older ? ash_alloc(&arena, newer_size, 1) : NULL; /* a red zone may have taken its place */
    if (newer) {
        fill_pattern(newer, newer_size, 7);
        assert_true(ash_extend(&arena, older, older_size, older_size / 2));
        ash_resource_free(ash_arena_resource(&arena), older, older_size / 2, 1);
        char *last = ash_alloc(&arena, 1, 1);
        if (last) {
            *last = 0;
            assert_true(last < newer || last >= newer + newer_size);
        }
        assert_true(is_pattern(newer, newer_size, 7));
    }
    ash_arena_deinit(&arena);
    return newer != NULL;
}

static void test_realloc_older_is_never_taken_for_the_newest(void **state)
{
    (void)state;
    unsigned squeezed = 0;
    for (size_t object_size = 8; object_size <= 64; object_size += 8)
        for (size_t older_size = 2; older_size <= 40; older_size++)
            for (size_t newer_size = 1; newer_size <= 40; newer_size++)
                squeezed += check_squeezed(object_size, older_size, newer_size);
    assert_true(squeezed > 2000);
}

static void test_realloc_in_an_older_block_copies(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 512);
    char *p = ash_alloc(&arena, 100, 8);
    fill_pattern(p, 100, 6);
    assert_non_null(ash_alloc(&arena, 4000, 8)); /* p is the newest of its block only */
    size_t used = ash_arena_used(&arena);
    assert_true(ash_extend(&arena, p, 100, 50));
    assert_true(ash_arena_used(&arena) <= used);
    char *q = ash_realloc(&arena, p, 50, 150, 8);
    assert_non_null(q);
    assert_true(is_pattern(q, 50, 6));
    test_arena_done(&arena, &up);
}

static void extend(ash_arena *arena, void *p, size_t old_size, size_t new_size)
{
    assert_true(ash_extend(arena, p, old_size, new_size));
}

static void resize(ash_resource *resource, void *p, size_t old_size, size_t new_size)
{
    assert_true(ash_resource_resize(resource, p, old_size, new_size, 8));
}

static void test_realloc_of_an_object_is_reported(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    static const ash_type type = {.name = "four", .size = 4, .align = 4};
    void *objects[] = {ash_object_alloc(&arena, 32, 8), ash_object_new(&arena, &type, 1),
                       ash_object_new(&arena, &type, 8)};
    ash_resource *resource = ash_arena_resource(&arena);
    for (size_t i = 0; i < countof(objects); i++) {
        void *p = objects[i];
        void *volatile ignored = NULL;
        expect_fatal(extend(&arena, p, 4, 64), "ashlar: fatal: extend of an object" IN_ARENA("t"));
        assert_int_equal(test_fatal_address(), (uintptr_t)p);
        expect_fatal(extend(&arena, p, 4, 1), "ashlar: fatal: extend of an object" IN_ARENA("t"));
        expect_fatal(ignored = ash_realloc(&arena, p, 4, 64, 8),
                     "ashlar: fatal: realloc of an object" IN_ARENA("t"));
        assert_int_equal(test_fatal_address(), (uintptr_t)p);
        expect_fatal(ignored = ash_realloc(&arena, p, 4, 2, 1),
                     "ashlar: fatal: realloc of an object" IN_ARENA("t"));
        expect_fatal(resize(resource, p, 4, 64),
                     "ashlar: fatal: extend of an object" IN_ARENA("t"));
        assert_null(ignored);
        assert_int_equal(ash_object_inspect(&arena, p), ASH_OBJECT_LIVE);
        ash_delete(&arena, p);
    }
    test_arena_done(&arena, &up);
}

static void test_realloc_resource_free_gives_back_the_newest(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    ash_resource *resource = ash_arena_resource(&arena);
    assert_non_null(ash_resource_name(resource));
    char *p = ash_resource_alloc(resource, 100, 8), *q = ash_resource_alloc(resource, 48, 8);
    fill_pattern(p, 100, 1);
    size_t used = ash_arena_used(&arena);
    ash_resource_free(resource, p, 100, 8); /* not the newest: nothing */
    assert_int_equal(ash_arena_used(&arena), used);
    assert_true(is_pattern(p, 100, 1));
    ash_resource_free(resource, q, 48, 8);
    assert_true(ash_arena_used(&arena) <= used - 48);
    assert_ptr_equal(ash_resource_alloc(resource, 48, 8), q);
    assert_true(ash_resource_resize(resource, q, 48, 480, 8));
    memset(q, 1, 480);
    assert_true(ash_resource_resize(resource, q, 480, 8, 8));
    assert_false(ash_resource_resize(resource, p, 100, 101, 8));
    ash_resource_free(resource, NULL, 1, 1);
    char *r = ash_resource_realloc(resource, p, 100, 200, 8);
    assert_true(is_pattern(r, 100, 1));
    assert_int_equal(ash_resource_epoch(resource), 0);
    test_arena_done(&arena, &up);
}

static void test_realloc_grown_through_remap_keeps_the_bytes(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    ash_resource *resource = ash_arena_resource(&arena);
    size_t size = 8;
    char *p = ash_resource_alloc(resource, size, 8);
    fill_pattern(p, size, 2);
    for (int i = 0; i < 12; i++, size *= 2) {
        char *q = ash_resource_remap(resource, p, size, size * 2, 8);
        if (!q) /* it need not have a cheap way */
            q = ash_resource_realloc(resource, p, size, size * 2, 8);
        assert_non_null(q);
        assert_true(is_pattern(q, size, 2));
        p = q;
        fill_pattern(p, size * 2, 2);
        assert_consistent(&arena);
    }
    ash_resource_free(resource, p, size, 8);
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_realloc_newest_grows_in_place),
        cmocka_unit_test(test_realloc_newest_grows_to_the_last_byte),
        cmocka_unit_test(test_realloc_extend_never_asks_upstream),
        cmocka_unit_test(test_realloc_extend_of_what_is_not_newest),
        cmocka_unit_test(test_realloc_shrink_of_newest_gives_back),
        cmocka_unit_test(test_realloc_of_null_is_alloc),
        cmocka_unit_test(test_realloc_copies_old_size_only),
        cmocka_unit_test(test_realloc_refused_leaves_the_old),
        cmocka_unit_test(test_realloc_from_any_size_and_alignment_to_any),
        cmocka_unit_test(test_realloc_older_is_never_taken_for_the_newest),
        cmocka_unit_test(test_realloc_in_an_older_block_copies),
        cmocka_unit_test(test_realloc_of_an_object_is_reported),
        cmocka_unit_test(test_realloc_resource_free_gives_back_the_newest),
        cmocka_unit_test(test_realloc_grown_through_remap_keeps_the_bytes),
    };
    return test_main(tests);
}
