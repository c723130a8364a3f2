/*
 * ash_guarded: where allocations stand, what is found when they are freed, what the system is left with.
 * That the guards fault is shown by die/guarded_*.c.
 */
#define _DEFAULT_SOURCE /* mincore */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

/* Can the byte be read? Asked of the kernel, which answers instead of faulting. */
static bool is_readable(const void *p)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    bool readable = write(ends[1], p, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return readable;
}

/* The first byte behind p that cannot be read. */
static uintptr_t guard_behind(const char *p, size_t size)
{
    uintptr_t at = ((uintptr_t)p + size + page_size() - 1) / page_size() * page_size();
    assert_true(is_readable(p + size - 1));
    assert_true(is_readable((const char *)(at - 1)));
    assert_false(is_readable((const char *)at));
    return at;
}

static void test_guarded_ends_against_the_guard(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 2, 7, 8, 24, 100, 4095, 4096, 4097, 8192, 70001};
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    for (size_t i = 0; i < countof(sizes); i++)
        for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2) {
            char *p = ash_resource_alloc(resource, sizes[i], align);
            assert_non_null(p);
            assert_aligned(p, align);
            size_t slack = guard_behind(p, sizes[i]) - ((uintptr_t)p + sizes[i]);
            assert_true(slack < align && slack < page_size());
            uintptr_t first = (uintptr_t)p / page_size() * page_size();
            assert_false(is_readable((const char *)(first - 1)));
            fill_pattern(p, sizes[i], 3);
            assert_true(is_pattern(p, sizes[i], 3));
            ash_resource_free(resource, p, sizes[i], align);
            assert_false(is_readable(p));
        }
    assert_int_equal(ash_guarded_live(&guarded), 0);
    assert_int_equal(ash_guarded_held(&guarded), 0);
    ash_guarded_deinit(&guarded);
}

static void test_guarded_memory_is_not_zero(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    unsigned char *p = ash_resource_alloc(ash_guarded_resource(&guarded), 100, 4);
    for (size_t i = 0; i < 100; i++)
        assert_int_not_equal(p[i], 0);
    ash_guarded_deinit(&guarded);
}

#define REPORT(what) "ashlar: fatal: " what " (arena heap, ADDR)"

/* Apart, so that no loop's variables are alive across the jump. */
static void expect_fatal_change(ash_resource *resource, char *p, size_t size, const char *message)
{
    expect_fatal(ash_resource_free(resource, p, size, 64), message);
    expect_fatal((void)!ash_resource_resize(resource, p, size, size + 1, 64), message);
}

static void test_guarded_reports_wrong_frees(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    char local, *p = ash_resource_alloc(resource, 100, 16);
    expect_fatal(ash_resource_free(resource, p, 99, 16), REPORT("allocated with another size"));
    assert_int_equal(test_fatal_address(), (uintptr_t)p);
    expect_fatal(ash_resource_free(resource, p, 112, 16), REPORT("allocated with another size"));
    expect_fatal(ash_resource_free(resource, p, 100, 8),
                 REPORT("allocated with another alignment"));
    expect_fatal(ash_resource_free(resource, p + 1, 99, 1), REPORT("not a live allocation"));
    expect_fatal(ash_resource_free(resource, &local, 1, 1), REPORT("not a live allocation"));
    expect_fatal((void)!ash_resource_resize(resource, p, 99, 98, 16),
                 REPORT("allocated with another size"));
    expect_fatal((void)!ash_resource_resize(resource, p, 100, 98, 32),
                 REPORT("allocated with another alignment"));
    assert_int_equal(ash_guarded_live(&guarded), 1);
    ash_resource_free(resource, p, 100, 16);
    expect_fatal(ash_resource_free(resource, p, 100, 16), REPORT("not a live allocation"));
    ash_guarded_deinit(&guarded);
    expect_fatal(ash_resource_free(resource, p, 100, 16), REPORT("not a live allocation"));
}

/* Each byte of what is filled, before and behind. */
static void test_guarded_reports_each_byte_written_beside(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    char *p = ash_resource_alloc(resource, 100, 64);
    for (size_t i = 100; i < 128; i++) {
        p[i]++;
        expect_fatal_change(resource, p, 100, REPORT("written behind an allocation"));
        p[i]--;
    }
    for (size_t i = 1; i <= page_size() - 128; i++) {
        p[-(ptrdiff_t)i]++;
        expect_fatal_change(resource, p, 100, REPORT("written in front of an allocation"));
        p[-(ptrdiff_t)i]--;
    }
    ash_resource_free(resource, p, 100, 64);
    ash_guarded_deinit(&guarded);
}

static void test_guarded_resize_where_the_place_stays(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    char *p = ash_resource_alloc(resource, 20, 16);
    fill_pattern(p, 20, 1);
    assert_false(ash_resource_resize(resource, p, 20, 33, 16));
    assert_false(ash_resource_resize(resource, p, 20, 16, 16));
    assert_false(ash_resource_resize(resource, p, 20, PTRDIFF_MAX, 16));
    assert_null(ash_resource_remap(resource, p, 20, 33, 16));
    assert_true(ash_resource_resize(resource, p, 20, 32, 16));
    fill_pattern(p, 32, 1);
    assert_true(ash_resource_resize(resource, p, 32, 17, 16));
    assert_true(is_pattern(p, 17, 1));
    p[17]++; /* it is slack again */
    expect_fatal(ash_resource_free(resource, p, 17, 16), REPORT("written behind an allocation"));
    p[17]--;
    p = ash_resource_realloc(resource, p, 17, 5000, 16);
    assert_true(is_pattern(p, 17, 1));
    ash_resource_free(resource, p, 5000, 16);
    ash_guarded_deinit(&guarded);
}

static void test_guarded_counts_pages(void **state)
{
    (void)state;
    test_upstream up;
    ash_guarded guarded;
    test_upstream_init(&up);
    ash_guarded_init(&guarded, &up.resource);
    ash_resource *resource = ash_guarded_resource(&guarded);
    void *a = ash_resource_alloc(resource, 1, 1);
    void *b = ash_resource_alloc(resource, page_size() + 1, ASH_ALIGN_MAX);
    assert_int_equal(ash_guarded_live(&guarded), 2);
    assert_int_equal(ash_guarded_held(&guarded), 3 * page_size());
    assert_int_equal(up.blocks, 1); /* the table */
    ash_resource_free(resource, a, 1, 1);
    assert_int_equal(ash_guarded_held(&guarded), 2 * page_size());
    ash_guarded_deinit(&guarded);
    assert_int_equal(ash_guarded_live(&guarded), 0);
    assert_int_equal(ash_guarded_held(&guarded), 0);
    assert_false(is_readable(b));
    test_upstream_done(&up);
}

static void test_guarded_refuses_what_the_system_does(void **state)
{
    (void)state;
    test_upstream up;
    ash_guarded guarded;
    test_upstream_init(&up);
    ash_guarded_init(&guarded, &up.resource);
    ash_resource *resource = ash_guarded_resource(&guarded);
    errno = 0;
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
        for (size_t k = 0; k < 64; k++) {
            assert_null(ash_resource_alloc(resource, (size_t)PTRDIFF_MAX - k, align));
            assert_null(ash_resource_alloc(resource, SIZE_MAX - k, align));
        }
    up.refuse = true;
    for (size_t i = 0; i < 32; i++)
        assert_non_null(ash_resource_alloc(resource, 8, 8));
    assert_null(ash_resource_alloc(resource, 8, 8)); /* no room in the table */
    assert_int_equal(ash_guarded_live(&guarded), 32);
    assert_int_equal(errno, 0);
    ash_guarded_deinit(&guarded);
    test_upstream_done(&up);
}

static void test_guarded_owns_its_allocations(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    assert_false(ash_resource_owns(resource, &guarded));
    char *p = ash_resource_alloc(resource, 100, 64);
    assert_true(ash_resource_owns(resource, p));
    assert_true(ash_resource_owns(resource, p + 99));
    assert_false(ash_resource_owns(resource, p + 100));
    assert_false(ash_resource_owns(resource, p - 1));
    ash_resource_free(resource, p, 100, 64);
    assert_false(ash_resource_owns(resource, p));
    ash_guarded_deinit(&guarded);
}

enum { MANY = 3000 };

/* The table grows, and gives each its own record back, whatever the order. */
static void test_guarded_bears_many(void **state)
{
    (void)state;
    static char *p[MANY];
    size_t size[MANY];
    ash_guarded guarded;
    test_rng rng;
    test_rng_init(&rng, 1);
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    memset(p, 0, sizeof p);
    for (size_t step = 0; step < 4 * MANY; step++) {
        size_t i = test_rng_below(&rng, MANY);
        if (p[i]) {
            assert_true(is_pattern(p[i], size[i], (unsigned)i));
            ash_resource_free(resource, p[i], size[i], 8);
            p[i] = NULL;
            continue;
        }
        size[i] = 1 + test_rng_below(&rng, 100);
        p[i] = ash_resource_alloc(resource, size[i], 8);
        assert_non_null(p[i]);
        fill_pattern(p[i], size[i], (unsigned)i);
    }
    for (size_t i = 0; i < MANY; i++)
        if (p[i])
            ash_resource_free(resource, p[i], size[i], 8);
    assert_int_equal(ash_guarded_live(&guarded), 0);
    ash_guarded_deinit(&guarded);
}

/* Is there anything at the address, be it without access? */
static bool is_mapped(const void *p)
{
    unsigned char in_memory;
    uintptr_t page = (uintptr_t)p / page_size() * page_size();
    return mincore((void *)page, page_size(), &in_memory) == 0;
}

/* Address space of freed memory is kept from use for a while, not for ever. */
static void test_guarded_addresses_come_back_late(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    char *old = ash_resource_alloc(resource, 8, 8);
    ash_resource_free(resource, old, 8, 8);
    for (size_t i = 0; i < 60; i++) {
        char *p = ash_resource_alloc(resource, 8, 8);
        assert_ptr_not_equal(p, old);
        ash_resource_free(resource, p, 8, 8);
        assert_false(is_readable(old));
    }
    for (size_t i = 0; i < 70000; i++) /* more than there are mappings for */
        ash_resource_free(resource, ash_resource_alloc(resource, 8, 8), 8, 8);
    ash_guarded_deinit(&guarded);
}

static void test_guarded_leaves_nothing_mapped(void **state)
{
    (void)state;
    static char *p[MANY];
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    for (size_t i = 0; i < MANY; i++) {
        p[i] = ash_resource_alloc(resource, 8, 8);
        assert_true(is_mapped(p[i]));
    }
    for (size_t i = 10; i < MANY; i++)
        ash_resource_free(resource, p[i], 8, 8);
    assert_true(is_mapped(p[MANY - 1]));
    ash_guarded_deinit(&guarded);
    for (size_t i = 0; i < MANY; i++)
        assert_false(is_mapped(p[i]));
}

static uint64_t seven(const ash_resource *self)
{
    (void)self;
    return 7;
}

static void test_guarded_answers_as_upstream_does(void **state)
{
    (void)state;
    ash_resource_ops ops = *ash_heap()->ops;
    ops.epoch = seven;
    ash_resource with_epoch = {&ops};
    ash_guarded guarded;
    ash_guarded_init(&guarded, &with_epoch);
    assert_ptr_equal(ash_guarded_resource(&guarded), (ash_resource *)(void *)&guarded);
    assert_int_equal(ash_resource_epoch(ash_guarded_resource(&guarded)), 7);
    assert_string_equal(ash_resource_name(ash_guarded_resource(&guarded)), "heap");
    ash_guarded_deinit(&guarded);
}

static void test_guarded_under_an_arena(void **state)
{
    (void)state;
    ash_guarded guarded;
    ash_arena arena;
    ash_guarded_init(&guarded, NULL);
    ash_arena_config config = {.upstream = ash_guarded_resource(&guarded), .block_size = 4096};
    assert_true(ash_arena_init(&arena, &config));
    for (size_t i = 0; i < 1000; i++) {
        char *plain = ash_alloc(&arena, i, 8);
        void *object = ash_object_alloc(&arena, 48, 16);
        assert_non_null(plain);
        assert_non_null(object);
        memset(plain, 1, i);
        memset(object, 2, 48);
    }
    assert_consistent(&arena);
    assert_true(ash_guarded_live(&guarded) > 0);
    ash_arena_deinit(&arena);
    assert_int_equal(ash_guarded_live(&guarded), 0);
    ash_guarded_deinit(&guarded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_guarded_ends_against_the_guard),
        cmocka_unit_test(test_guarded_memory_is_not_zero),
        cmocka_unit_test(test_guarded_reports_wrong_frees),
        cmocka_unit_test(test_guarded_reports_each_byte_written_beside),
        cmocka_unit_test(test_guarded_resize_where_the_place_stays),
        cmocka_unit_test(test_guarded_counts_pages),
        cmocka_unit_test(test_guarded_refuses_what_the_system_does),
        cmocka_unit_test(test_guarded_owns_its_allocations),
        cmocka_unit_test(test_guarded_bears_many),
        cmocka_unit_test(test_guarded_addresses_come_back_late),
        cmocka_unit_test(test_guarded_leaves_nothing_mapped),
        cmocka_unit_test(test_guarded_answers_as_upstream_does),
        cmocka_unit_test(test_guarded_under_an_arena),
    };
    return test_main(tests);
}
