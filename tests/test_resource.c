/*
 * Level 0: the built-in resources and what the checking functions promise over any of them.
 */
#include "support.h"

#include <string.h>

static const size_t bad_aligns[] = {0,       3, 5, 12, 24, ASH_ALIGN_MAX * 2, (SIZE_MAX >> 1) + 1,
                                    SIZE_MAX};

static ash_resource *serving(size_t i)
{
    return i == 0 ? ash_heap() : i == 1 ? ash_pages() : ash_huge_pages();
}

enum { SERVING = 3 };

static void test_resource_every_alignment_is_served(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 7, 8, 15, 16, 17, 100, 4095, 4096, 4097, 70000};
    for (size_t r = 0; r < SERVING; r++)
        for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
            for (size_t i = 0; i < countof(sizes); i++) {
                char *p = ash_resource_alloc(serving(r), sizes[i], align);
                assert_non_null(p);
                assert_aligned(p, align);
                memset(p, 0x5a, sizes[i] ? sizes[i] : 1);
                ash_resource_free(serving(r), p, sizes[i], align);
            }
}

static void test_resource_bad_alignment_is_refused(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    for (size_t i = 0; i < countof(bad_aligns); i++) {
        for (size_t r = 0; r < SERVING; r++)
            assert_null(ash_resource_alloc(serving(r), 16, bad_aligns[i]));
        assert_null(ash_resource_alloc(&up.resource, 16, bad_aligns[i]));
        assert_null(ash_resource_realloc(&up.resource, NULL, 0, 16, bad_aligns[i]));
    }
    assert_int_equal(up.calls, 0); /* found at the door */
    test_upstream_done(&up);
}

static void test_resource_size_beyond_address_space_is_refused(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    for (size_t k = 0; k <= 64; k++)
        for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2) {
            for (size_t r = 0; r < SERVING; r++) {
                assert_null(ash_resource_alloc(serving(r), SIZE_MAX - k, align));
                assert_null(ash_resource_alloc(serving(r), (size_t)PTRDIFF_MAX - k, align));
            }
            assert_null(ash_resource_alloc(&up.resource, SIZE_MAX - k, align));
            assert_null(ash_resource_alloc(&up.resource, (size_t)PTRDIFF_MAX + 1 + k, align));
        }
    assert_int_equal(up.calls, 0);
    test_upstream_done(&up);
}

static void test_resource_size_zero_is_one(void **state)
{
    (void)state;
    for (size_t r = 0; r < SERVING; r++) {
        void *a = ash_resource_alloc(serving(r), 0, 1);
        void *b = ash_resource_alloc(serving(r), 0, 1);
        assert_non_null(a);
        assert_non_null(b);
        assert_ptr_not_equal(a, b);
        ash_resource_free(serving(r), a, 0, 1);
        ash_resource_free(serving(r), b, 0, 1);
    }
    test_upstream up;
    test_upstream_init(&up);
    void *p = ash_resource_alloc(&up.resource, 0, 8);
    assert_non_null(p);
    assert_int_equal(up.bytes, 1); /* the table never sees 0 */
    p = ash_resource_realloc(&up.resource, p, 0, 0, 8);
    assert_non_null(p);
    ash_resource_free(&up.resource, p, 0, 8);
    test_upstream_done(&up);
}

static void test_resource_null_is_nothing_to_free_or_resize(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource_free(&up.resource, NULL, 16, 8);
    assert_false(ash_resource_resize(&up.resource, NULL, 0, 16, 8));
    assert_null(ash_resource_remap(&up.resource, NULL, 0, 16, 8));
    assert_int_equal(up.calls, 0);
    for (size_t r = 0; r < SERVING; r++) {
        ash_resource_free(serving(r), NULL, 16, 8);
        assert_false(ash_resource_resize(serving(r), NULL, 0, 16, 8));
        assert_null(ash_resource_remap(serving(r), NULL, 0, 16, 8));
    }
}

static void test_resource_null_resource_refuses(void **state)
{
    (void)state;
    assert_null(ash_resource_alloc(ash_null(), 1, 1));
    assert_null(ash_resource_alloc(ash_null(), 0, 1));
    assert_null(ash_resource_realloc(ash_null(), NULL, 0, 8, 8));
    assert_false(ash_resource_owns(ash_null(), &state));
    assert_non_null(ash_resource_name(ash_null()));
}

static void test_resource_misaligned_answer_is_a_refusal(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    up.misaligned = true;
    assert_null(ash_resource_alloc(&up.resource, 100, 16));
    assert_null(ash_resource_alloc(&up.resource, 100, 4096));
    assert_int_equal(up.calls, 2);
    assert_int_equal(up.blocks, 0); /* it got its memory back */
    void *p = ash_resource_alloc(&up.resource, 100, 8);
    assert_non_null(p); /* 8 mod 16 is a multiple of 8 */
    ash_resource_free(&up.resource, p, 100, 8);
    test_upstream_done(&up);
}

static void test_resource_tables_without_resize_and_remap_never_do(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource_ops ops = {.alloc = up.resource.ops->alloc, .free = up.resource.ops->free};
    up.resource.ops = &ops;
    char *p = ash_resource_alloc(&up.resource, 40, 8);
    fill_pattern(p, 40, 1);
    assert_false(ash_resource_resize(&up.resource, p, 40, 20, 8));
    assert_null(ash_resource_remap(&up.resource, p, 40, 80, 8));
    assert_false(ash_resource_owns(&up.resource, p));
    assert_int_equal(ash_resource_epoch(&up.resource), 0);
    assert_non_null(ash_resource_name(&up.resource));
    p = ash_resource_realloc(&up.resource, p, 40, 80, 8);
    assert_true(is_pattern(p, 40, 1));
    assert_int_equal(up.blocks, 1);
    assert_int_equal(up.bytes, 80);
    p = ash_resource_realloc(&up.resource, p, 80, 10, 8);
    assert_true(is_pattern(p, 10, 1));
    ash_resource_free(&up.resource, p, 10, 8);
    test_upstream_done(&up);
}

static void check_realloc(ash_resource *resource, size_t from, size_t to, size_t align)
{
    char *p = ash_resource_alloc(resource, from, align);
    assert_non_null(p);
    fill_pattern(p, from, (unsigned)from);
    char *q = ash_resource_realloc(resource, p, from, to, align);
    assert_non_null(q);
    assert_aligned(q, align);
    assert_true(is_pattern(q, from < to ? from : to, (unsigned)from));
    memset(q, 1, to);
    ash_resource_free(resource, q, to, align);
}

static void test_resource_realloc_keeps_bytes_and_alignment(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 16, 100, 4096, 5000, 300000, (size_t)3 << 20};
    static const size_t aligns[] = {1, 16, 32, 64, 4096, 8192, ASH_ALIGN_MAX};
    for (size_t r = 0; r < SERVING; r++)
        for (size_t i = 0; i < countof(sizes); i++)
            for (size_t j = 0; j < countof(sizes); j++)
                for (size_t a = 0; a < countof(aligns); a++)
                    check_realloc(serving(r), sizes[i], sizes[j], aligns[a]);
}

static void test_resource_realloc_refused_leaves_the_old(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    char *p = ash_resource_alloc(&up.resource, 64, 16);
    fill_pattern(p, 64, 9);
    up.refuse = true;
    assert_null(ash_resource_realloc(&up.resource, p, 64, 128, 16));
    assert_null(ash_resource_remap(&up.resource, p, 64, 128, 16));
    assert_null(ash_resource_realloc(&up.resource, p, 64, SIZE_MAX, 16));
    assert_null(ash_resource_remap(&up.resource, p, 64, SIZE_MAX, 16));
    assert_false(ash_resource_resize(&up.resource, p, 64, SIZE_MAX, 16));
    assert_true(is_pattern(p, 64, 9));
    for (size_t r = 0; r < SERVING; r++) {
        char *q = ash_resource_alloc(serving(r), 64, 16);
        fill_pattern(q, 64, 9);
        assert_null(ash_resource_realloc(serving(r), q, 64, SIZE_MAX - 8, 16));
        assert_true(is_pattern(q, 64, 9));
        ash_resource_free(serving(r), q, 64, 16);
    }
    ash_resource_free(&up.resource, p, 64, 16);
    test_upstream_done(&up);
}

static void test_resource_pages_resize_within_the_pages_held(void **state)
{
    (void)state;
    char *p = ash_resource_alloc(ash_pages(), 100, 8);
    assert_non_null(p);
    fill_pattern(p, 100, 3);
    assert_true(ash_resource_resize(ash_pages(), p, 100, 4096, 8));
    memset(p + 100, 7, 4096 - 100);
    assert_true(is_pattern(p, 100, 3));
    assert_true(ash_resource_resize(ash_pages(), p, 4096, 10, 8));
    ash_resource_free(ash_pages(), p, 10, 8);
}

static void test_resource_large_pages_are_aligned_to_huge_pages(void **state)
{
    (void)state;
    size_t huge = (size_t)2 << 20;
    char *p = ash_resource_alloc(ash_pages(), 2 * huge + 4096, 8);
    assert_non_null(p);
    assert_aligned(p, huge);
    p[2 * huge + 4095] = 1;
    ash_resource_free(ash_pages(), p, 2 * huge + 4096, 8);
    p = ash_resource_alloc(ash_huge_pages(), 1, 8);
    assert_non_null(p);
    assert_aligned(p, huge);
    p[huge - 1] = 1; /* rounded up to a whole one */
    assert_true(ash_resource_resize(ash_huge_pages(), p, 1, huge, 8));
    ash_resource_free(ash_huge_pages(), p, huge, 8);
}

static void test_resource_fresh_pages_are_zero(void **state)
{
    (void)state;
    unsigned char *p = ash_resource_alloc(ash_pages(), 8192, 8);
    assert_non_null(p);
    assert_true(is_zero(p, 8192));
    ash_resource_free(ash_pages(), p, 8192, 8);
}

static void test_resource_default_is_heap_until_set(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    assert_ptr_equal(ash_default(), ash_heap());
    assert_ptr_equal(ash_set_default(&up.resource), ash_heap());
    assert_ptr_equal(ash_default(), &up.resource);
    assert_ptr_equal(ash_set_default(NULL), &up.resource);
    assert_ptr_equal(ash_default(), ash_heap());
}

static void test_resource_names_are_never_null(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    assert_string_equal(ash_resource_name(&up.resource), "test upstream");
    for (size_t r = 0; r < SERVING; r++)
        assert_true(strlen(ash_resource_name(serving(r))) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_resource_every_alignment_is_served),
        cmocka_unit_test(test_resource_bad_alignment_is_refused),
        cmocka_unit_test(test_resource_size_beyond_address_space_is_refused),
        cmocka_unit_test(test_resource_size_zero_is_one),
        cmocka_unit_test(test_resource_null_is_nothing_to_free_or_resize),
        cmocka_unit_test(test_resource_null_resource_refuses),
        cmocka_unit_test(test_resource_misaligned_answer_is_a_refusal),
        cmocka_unit_test(test_resource_tables_without_resize_and_remap_never_do),
        cmocka_unit_test(test_resource_realloc_keeps_bytes_and_alignment),
        cmocka_unit_test(test_resource_realloc_refused_leaves_the_old),
        cmocka_unit_test(test_resource_pages_resize_within_the_pages_held),
        cmocka_unit_test(test_resource_large_pages_are_aligned_to_huge_pages),
        cmocka_unit_test(test_resource_fresh_pages_are_zero),
        cmocka_unit_test(test_resource_default_is_heap_until_set),
        cmocka_unit_test(test_resource_names_are_never_null),
    };
    return test_main(tests);
}
