/*
 * Pools of cells of one size: what they hand out, what they report, what goes back upstream.
 */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_CELL "ashlar: fatal: free of what is not a cell of the pool (arena p, ADDR)"
#define TWICE   "ashlar: fatal: cell freed twice (arena p, ADDR)"
#define WORN    "ashlar: fatal: free cell overwritten (arena p, ADDR)"
#define YOUNGER "ashlar: fatal: pool grown inside a scope younger than it (arena p, ADDR)"

/* In functions of their own: what jumps out of them must not be inlined beside what it jumps past. */
static void expect_fatal_free(ash_pool *pool, void *p, const char *message)
{
    expect_fatal(ash_pool_free(pool, p), message);
    assert_int_equal(test_fatal_address(), (uintptr_t)p);
}

static void expect_fatal_alloc(ash_pool *pool, const char *message)
{
    expect_fatal((void)!ash_pool_alloc(pool), message);
}

static void pool_over(ash_pool *pool, test_upstream *up, ash_pool_config config)
{
    test_upstream_init(up);
    config.upstream = &up->resource;
    config.name = "p";
    assert_true(ash_pool_init(pool, &config));
}

static void pool_done(ash_pool *pool, test_upstream *up)
{
    assert_true(ash_pool_check(pool));
    ash_pool_deinit(pool);
    test_upstream_done(up);
}

static void test_pool_any_size_and_alignment(void **state)
{
    (void)state;
    const size_t sizes[] = {1,  2,  7,  8,   9,    12,   16,   17,    24,
                            48, 63, 64, 100, 1000, 4096, 5000, 100000};
    for (size_t i = 0; i < countof(sizes); i++)
        for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 4) {
            ash_pool pool;
            test_upstream up;
            pool_over(&pool, &up, (ash_pool_config){.size = sizes[i], .align = align});
            char *cells[20];
            for (size_t n = 0; n < countof(cells); n++) {
                cells[n] = ash_pool_alloc(&pool);
                assert_non_null(cells[n]);
                assert_aligned(cells[n], align);
                fill_pattern(cells[n], sizes[i], (unsigned)n);
            }
            assert_int_equal(ash_pool_used(&pool), 20 * sizes[i]);
            for (size_t n = 0; n < countof(cells); n++) {
                assert_true(is_pattern(cells[n], sizes[i], (unsigned)n));
                ash_pool_free(&pool, cells[n]);
                assert_true(ash_pool_check(&pool));
            }
            assert_int_equal(ash_pool_used(&pool), 0);
            pool_done(&pool, &up);
        }
}

static void test_pool_bad_configs_are_refused(void **state)
{
    (void)state;
    const ash_pool_config bad[] = {{.size = 0},
                                   {.size = SIZE_MAX},
                                   {.size = PTRDIFF_MAX},
                                   {.size = 8, .align = 3},
                                   {.size = 8, .align = 2 * ASH_ALIGN_MAX},
                                   {.size = 8, .align = SIZE_MAX}};
    for (size_t i = 0; i < countof(bad); i++) {
        ash_pool pool;
        assert_false(ash_pool_init(&pool, &bad[i]));
        assert_null(ash_pool_alloc(&pool));
        assert_true(ash_pool_check(&pool));
        ash_pool_deinit(&pool);
    }
}

static void test_pool_sizes_near_the_end_of_the_address_space(void **state)
{
    (void)state;
    for (size_t k = 0; k < 64; k++) {
        ash_pool pool;
        test_upstream up;
        test_upstream_init(&up);
        ash_pool_config config = {.size = (size_t)PTRDIFF_MAX - 4 * ASH_ALIGN_MAX - k,
                                  .align = (size_t)1 << k % 21,
                                  .slab_size = SIZE_MAX - k,
                                  .slab_max = SIZE_MAX,
                                  .upstream = &up.resource};
        assert_true(ash_pool_init(&pool, &config));
        up.size_most = 1000;
        assert_null(ash_pool_alloc(&pool));
        assert_true(up.last_size >= config.size);
        pool_done(&pool, &up);
    }
}

static void test_pool_zeroed_is_valid_and_empty(void **state)
{
    (void)state;
    ash_pool pool = {0};
    assert_null(ash_pool_alloc(&pool));
    ash_pool_free(&pool, NULL);
    assert_true(ash_pool_check(&pool));
    assert_false(ash_pool_owns(&pool, &pool));
    assert_null(ash_resource_alloc(ash_pool_resource(&pool), 1, 1));
    ash_pool_reset(&pool);
    ash_pool_release(&pool);
    ash_pool_deinit(&pool);
    ash_pool_deinit(NULL);
}

static void test_pool_newest_free_cell_comes_first(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 24});
    void *a = ash_pool_alloc(&pool), *b = ash_pool_alloc(&pool), *c = ash_pool_alloc(&pool);
    ash_pool_free(&pool, a);
    ash_pool_free(&pool, c);
    assert_ptr_equal(ash_pool_alloc(&pool), c);
    assert_ptr_equal(ash_pool_alloc(&pool), a);
    assert_ptr_not_equal(ash_pool_alloc(&pool), b);
    pool_done(&pool, &up);
}

static void test_pool_new_slabs_are_not_touched_in_advance(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 64, .slab_size = 8192});
    char *cell = ash_pool_alloc(&pool);
    assert_non_null(cell);
    unsigned char far = 0;
    raw_copy(&far, cell + 4000, 1);
    assert_int_equal(far, 0x96); /* as upstream gave it */
    pool_done(&pool, &up);
}

static void test_pool_slabs_grow_and_stop_growing(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 64, .slab_size = 1024, .slab_max = 8192});
    size_t most = 0, calls = 0;
    for (int i = 0; i < 2000; i++) {
        assert_non_null(ash_pool_alloc(&pool));
        if (up.calls == calls)
            continue;
        calls = up.calls;
        assert_true(up.last_size <= 8192);
        assert_true(up.last_size + 64 + 200 > most);
        most = up.last_size > most ? up.last_size : most;
    }
    assert_true(most > 8192 - 200);
    assert_int_equal(ash_pool_capacity(&pool), up.bytes);
    assert_int_equal(ash_pool_count(&pool), 2000);
    pool_done(&pool, &up);
}

static void test_pool_limit_is_kept_and_used(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 64, .slab_size = 1024, .limit = 5000});
    size_t count = 0;
    while (ash_pool_alloc(&pool))
        count++;
    assert_true(up.bytes <= 5000);
    if (!TEST_RED_ZONES)
        assert_true(count * 64 > 5000 - 4 * 64 - 4 * sizeof(ash_slab_));
    assert_int_equal(ash_pool_count(&pool), count);
    pool_done(&pool, &up);
}

static void test_pool_refused_large_slab_is_asked_for_small(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 64, .slab_size = 1024});
    up.size_most = 1500;
    for (int i = 0; i < 500; i++)
        assert_non_null(ash_pool_alloc(&pool));
    up.refuse = true;
    while (ash_pool_alloc(&pool))
        ;
    size_t count = ash_pool_count(&pool), held = ash_pool_capacity(&pool);
    assert_null(ash_pool_alloc(&pool));
    assert_int_equal(ash_pool_count(&pool), count);
    assert_int_equal(ash_pool_capacity(&pool), held);
    pool_done(&pool, &up);
}

static void test_pool_reset_keeps_slabs_and_release_gives_them_back(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 40, .slab_size = 512});
    for (int round = 0; round < 5; round++) {
        size_t calls = up.calls;
        void *last = NULL;
        for (int i = 0; i < 300; i++) {
            void *cell = ash_pool_alloc(&pool);
            assert_non_null(cell);
            memset(cell, 0xff, 40);
            if (i % 3 == 0)
                ash_pool_free(&pool, cell);
            last = cell;
        }
        assert_true(ash_pool_owns(&pool, last));
        assert_true(round == 0 || round == 3 || up.calls == calls);
        if (round == 2) {
            ash_pool_release(&pool);
            assert_int_equal(up.blocks, 0);
            assert_int_equal(ash_pool_capacity(&pool), 0);
            assert_false(ash_pool_owns(&pool, last));
        } else {
            ash_pool_reset(&pool);
        }
        assert_int_equal(ash_pool_count(&pool), 0);
        assert_true(ash_pool_check(&pool));
    }
    pool_done(&pool, &up);
}

static void test_pool_over_an_arena_goes_with_one_rewind(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    ash_mark mark = ash_arena_mark(&arena);
    for (int round = 0; round < 3; round++) {
        ash_pool pool;
        ash_pool_config config = {.size = 48, .upstream = ash_arena_resource(&arena)};
        assert_true(ash_pool_init(&pool, &config));
        for (int i = 0; i < 1000; i++) {
            void *cell = ash_pool_alloc(&pool);
            assert_non_null(cell);
            memset(cell, i, 48);
        }
        assert_true(ash_arena_used(&arena) >= 48000);
        ash_arena_rewind(&arena, mark); /* and that is all */
        assert_int_equal(ash_arena_used(&arena), 0);
    }
    test_arena_done(&arena, &up);
}

static void test_pool_as_a_resource(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 48, .align = 32});
    ash_resource *resource = ash_pool_resource(&pool);
    char *p = ash_resource_alloc(resource, 20, 8), *q = ash_resource_alloc(resource, 48, 32);
    assert_non_null(p);
    assert_aligned(q, 32);
    assert_null(ash_resource_alloc(resource, 49, 8));
    assert_null(ash_resource_alloc(resource, 8, 64));
    assert_null(ash_resource_alloc(resource, SIZE_MAX, 8));
    fill_pattern(p, 20, 1);
    assert_true(ash_resource_resize(resource, p, 20, 48, 8));
    assert_true(is_pattern(p, 20, 1));
    fill_pattern(p, 48, 2);
    assert_false(ash_resource_resize(resource, p, 48, 49, 8));
    assert_true(ash_resource_resize(resource, p, 48, 1, 8));
    assert_true(ash_resource_owns(resource, p));
    assert_true(ash_resource_owns(resource, q + 47));
    assert_false(ash_resource_owns(resource, &pool));
    assert_string_equal(ash_resource_name(resource), "p");
    assert_int_equal(ash_resource_epoch(resource), 0);
    ash_resource_free(resource, p, 1, 8);
    ash_resource_free(resource, q, 48, 32);
    assert_int_equal(ash_pool_count(&pool), 0);
    pool_done(&pool, &up);
}

static void test_pool_keeps_its_default_upstream(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_set_default(&up.resource);
    ash_pool pool;
    assert_true(ash_pool_init(&pool, &(ash_pool_config){.size = 8}));
    ash_set_default(NULL);
    assert_non_null(ash_pool_alloc(&pool));
    assert_int_equal(up.blocks, 1);
    pool_done(&pool, &up);
}

static void test_pool_misaligned_upstream_is_a_refusal(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 32, .align = 16});
    up.misaligned = true;
    assert_null(ash_pool_alloc(&pool));
    up.misaligned = false;
    assert_aligned(ash_pool_alloc(&pool), 16);
    pool_done(&pool, &up);
}

static void test_pool_errno_is_kept(void **state)
{
    (void)state;
    ash_pool pool;
    assert_true(
        ash_pool_init(&pool, &(ash_pool_config){.size = (size_t)1 << (sizeof(size_t) * 8 - 3)}));
    errno = 77;
    assert_null(ash_pool_alloc(&pool));
    assert_int_equal(errno, 77);
    ash_pool_deinit(&pool);
}

/* ---- misuse ---- */

static void test_pool_second_free_is_reported(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 8});
    void *cells[50];
    for (size_t i = 0; i < countof(cells); i++)
        cells[i] = ash_pool_alloc(&pool);
    for (size_t i = 0; i < countof(cells); i++) {
        ash_pool_free(&pool, cells[i]);
        expect_fatal_free(&pool, cells[i], TWICE);
        expect_fatal_free(&pool, cells[i / 2], TWICE);
        assert_true(ash_pool_check(&pool));
    }
    pool_done(&pool, &up);
}

static void test_pool_free_of_foreign_pointers_is_reported(void **state)
{
    (void)state;
    ash_pool pool, other;
    test_upstream up, more;
    pool_over(&pool, &up, (ash_pool_config){.size = 48, .align = 16});
    pool_over(&other, &more, (ash_pool_config){.size = 48});
    char *cell = ash_pool_alloc(&pool), *theirs = ash_pool_alloc(&other);
    static char data[64];
    expect_fatal_free(&pool, theirs, NO_CELL);
    expect_fatal_free(&pool, data, NO_CELL);
    expect_fatal_free(&pool, &pool, NO_CELL);
    expect_fatal_free(&pool, (void *)(uintptr_t)8, NO_CELL);
    expect_fatal_free(&pool, unmapped_address(), NO_CELL);
    for (int i = 1; i < 16; i++)
        expect_fatal_free(&pool, cell + i, NO_CELL);
#ifndef NDEBUG
    expect_fatal_free(&pool, cell + 16, NO_CELL);
    expect_fatal_free(&pool, cell + 480, NO_CELL); /* never handed out */
    expect_fatal_free(&pool, pool.oldest_, NO_CELL);
#endif
    ash_pool_free(&pool, cell);
    ash_pool_free(&other, theirs);
    pool_done(&pool, &up);
    pool_done(&other, &more);
}

/* Whatever a live cell holds, its free is a first one. */
static void test_pool_contents_that_look_free(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 16});
    void *a = ash_pool_alloc(&pool), *b = ash_pool_alloc(&pool);
    ash_pool_free(&pool, a);
    uint64_t link = raw_word(a);
    ash_pool_free(&pool, b);
    uint64_t other = raw_word(b);
    a = ash_pool_alloc(&pool), b = ash_pool_alloc(&pool);
    raw_set_word(a, link); /* the end of the list */
    raw_set_word(b, other);
    ash_pool_free(&pool, a);
    ash_pool_free(&pool, b);
    assert_int_equal(ash_pool_count(&pool), 0);
    pool_done(&pool, &up);
}

static void test_pool_handed_out_cells_give_no_link_away(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 16});
    void *cells[10];
    for (int round = 0; round < 3; round++) { /* new ones, then from the list, the last one too */
        for (size_t i = 0; i < countof(cells); i++) {
            cells[i] = ash_pool_alloc(&pool);
            assert_int_equal(raw_word(cells[i]), 0);
            raw_set_word(cells[i], ~(uint64_t)0);
        }
        for (size_t i = 0; i < countof(cells); i++)
            ash_pool_free(&pool, cells[i]);
    }
    pool_done(&pool, &up);
}

/* Each single byte of a free cell's link, and all of it. */
static void test_pool_write_to_a_free_cell_is_reported(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 32});
    void *below = ash_pool_alloc(&pool), *cell = ash_pool_alloc(&pool);
    ash_pool_free(&pool, below);
    ash_pool_free(&pool, cell);
    uint64_t link = raw_word(cell);
    for (int bit = 0; bit < 64; bit++) {
        raw_set_word(cell, link ^ (uint64_t)1 << bit);
        assert_false(ash_pool_check(&pool));
        expect_fatal_alloc(&pool, WORN);
        assert_int_equal(test_fatal_address(), (uintptr_t)cell);
    }
    const uint64_t wrong[] = {
        0, 1, ~(uint64_t)0, (uintptr_t)cell, (uintptr_t)below, (uintptr_t)&pool};
    for (size_t i = 0; i < countof(wrong); i++) {
        raw_set_word(cell, wrong[i]);
        expect_fatal_alloc(&pool, WORN);
    }
    raw_set_word(cell, link);
    assert_ptr_equal(ash_pool_alloc(&pool), cell);
    assert_ptr_equal(ash_pool_alloc(&pool), below);
    pool_done(&pool, &up);
}

/* One slab in static memory, the next from the system: most of the address space lies between. */
static char near_slab[512];
static bool near_taken;

static void *far_apart_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    if (!near_taken) {
        near_taken = true;
        assert_true(size + align <= sizeof near_slab);
        return near_slab + ((0 - (uintptr_t)near_slab) & (align - 1));
    }
    return ash_resource_alloc(ash_pages(), size, align);
}

static void far_apart_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self;
    if ((uintptr_t)p - (uintptr_t)near_slab >= sizeof near_slab)
        ash_resource_free(ash_pages(), p, size, align);
}

static void test_pool_write_is_reported_however_far_slabs_lie_apart(void **state)
{
    (void)state;
    ash_pool pool;
    static const ash_resource_ops ops = {.alloc = far_apart_alloc, .free = far_apart_free};
    ash_resource far_apart = {&ops};
    ash_pool_config config = {.name = "p",
                              .size = 32,
                              .align = 8,
                              .upstream = &far_apart,
                              .slab_size = 256,
                              .slab_max = 256};
    assert_true(ash_pool_init(&pool, &config));
    void *cells[20];
    for (size_t i = 0; i < countof(cells); i++)
        assert_non_null(cells[i] = ash_pool_alloc(&pool));
    for (size_t i = 0; i < countof(cells); i++)
        ash_pool_free(&pool, cells[i]);
    void *newest = cells[countof(cells) - 1];
    uint64_t link = raw_word(newest);
    for (int shift = 0; shift < 64; shift += 8)
        for (uint64_t change = 1; change < 256; change++) {
            raw_set_word(newest, link ^ change << shift);
            expect_fatal_alloc(&pool, WORN);
        }
    raw_set_word(newest, link);
    assert_true(ash_pool_check(&pool));
    ash_pool_deinit(&pool);
}

static void test_pool_check_sees_a_cycle_and_a_wrong_count(void **state)
{
    (void)state;
    ash_pool pool;
    test_upstream up;
    pool_over(&pool, &up, (ash_pool_config){.size = 32});
    void *a = ash_pool_alloc(&pool), *b = ash_pool_alloc(&pool);
    ash_pool_free(&pool, a);
    uint64_t end = raw_word(a);
    ash_pool_free(&pool, b);
    uint64_t to_a = raw_word(b);
    raw_set_word(a, to_a); /* a links to itself */
    assert_false(ash_pool_check(&pool));
    raw_set_word(a, end);
    assert_true(ash_pool_check(&pool));
    pool.live_++;
    assert_false(ash_pool_check(&pool));
    pool.live_--;
    raw_set_word(b, end); /* a is lost */
    assert_false(ash_pool_check(&pool));
    raw_set_word(b, to_a);
    pool_done(&pool, &up);
}

/* ---- scopes: upstream with an epoch ---- */

typedef struct scoped {
    ash_resource resource;
    uint64_t epoch;
} scoped;

static void *scoped_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    return ash_resource_alloc(ash_heap(), size, align);
}

static void scoped_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self;
    ash_resource_free(ash_heap(), p, size, align);
}

static uint64_t scoped_epoch(const ash_resource *self)
{
    return ((const scoped *)self)->epoch;
}

static const ash_resource_ops scoped_ops = {
    .alloc = scoped_alloc, .free = scoped_free, .epoch = scoped_epoch};

static void test_pool_grown_in_a_younger_scope_is_reported(void **state)
{
    (void)state;
    scoped up = {{&scoped_ops}, 5};
    ash_pool pool;
    ash_pool_config config = {.size = 64, .slab_size = 1024, .name = "p", .upstream = &up.resource};
    assert_true(ash_pool_init(&pool, &config));
    assert_int_equal(ash_resource_epoch(ash_pool_resource(&pool)), 5);
    void *cell = ash_pool_alloc(&pool);
    up.epoch = 6;
    ash_pool_free(&pool, cell);
    assert_ptr_equal(ash_pool_alloc(&pool), cell); /* what it has it may hand out */
    size_t count = 1;
    for (; pool.next_ != pool.end_; count++)
        assert_non_null(ash_pool_alloc(&pool));
    expect_fatal_alloc(&pool, YOUNGER);
    assert_int_equal(ash_pool_count(&pool), count);
    up.epoch = 0; /* no scope at all */
    assert_non_null(ash_pool_alloc(&pool));
    up.epoch = 5;
    assert_true(ash_pool_check(&pool));
    ash_pool_deinit(&pool);
}

/* Bytes behind a cell are somebody else's, to the byte, under AddressSanitizer. */
static void test_pool_cells_are_poisoned_to_the_byte(void **state)
{
    (void)state;
#if TEST_ASAN
    extern int __asan_address_is_poisoned(void const volatile *p);
    for (size_t size = 1; size <= 32; size++) {
        ash_pool pool;
        test_upstream up;
        pool_over(&pool, &up, (ash_pool_config){.size = size, .align = 1});
        char *cell = ash_pool_alloc(&pool);
        assert_non_null(cell);
        for (size_t i = 0; i < size; i++)
            assert_false(__asan_address_is_poisoned(cell + i));
        if (TEST_RED_ZONES || size % 8)
            assert_true(__asan_address_is_poisoned(cell + size));
        ash_pool_free(&pool, cell);
        for (size_t i = 0; i < size; i++)
            assert_true(__asan_address_is_poisoned(cell + i));
        cell = ash_pool_alloc(&pool);
        assert_false(__asan_address_is_poisoned(cell));
        ash_pool_reset(&pool);
        assert_true(__asan_address_is_poisoned(cell));
        pool_done(&pool, &up);
    }
#else
    skip_because("not built with AddressSanitizer");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pool_any_size_and_alignment),
        cmocka_unit_test(test_pool_bad_configs_are_refused),
        cmocka_unit_test(test_pool_sizes_near_the_end_of_the_address_space),
        cmocka_unit_test(test_pool_zeroed_is_valid_and_empty),
        cmocka_unit_test(test_pool_newest_free_cell_comes_first),
        cmocka_unit_test(test_pool_new_slabs_are_not_touched_in_advance),
        cmocka_unit_test(test_pool_slabs_grow_and_stop_growing),
        cmocka_unit_test(test_pool_limit_is_kept_and_used),
        cmocka_unit_test(test_pool_refused_large_slab_is_asked_for_small),
        cmocka_unit_test(test_pool_reset_keeps_slabs_and_release_gives_them_back),
        cmocka_unit_test(test_pool_over_an_arena_goes_with_one_rewind),
        cmocka_unit_test(test_pool_as_a_resource),
        cmocka_unit_test(test_pool_keeps_its_default_upstream),
        cmocka_unit_test(test_pool_misaligned_upstream_is_a_refusal),
        cmocka_unit_test(test_pool_errno_is_kept),
        cmocka_unit_test(test_pool_second_free_is_reported),
        cmocka_unit_test(test_pool_free_of_foreign_pointers_is_reported),
        cmocka_unit_test(test_pool_contents_that_look_free),
        cmocka_unit_test(test_pool_handed_out_cells_give_no_link_away),
        cmocka_unit_test(test_pool_write_to_a_free_cell_is_reported),
        cmocka_unit_test(test_pool_write_is_reported_however_far_slabs_lie_apart),
        cmocka_unit_test(test_pool_check_sees_a_cycle_and_a_wrong_count),
        cmocka_unit_test(test_pool_grown_in_a_younger_scope_is_reported),
        cmocka_unit_test(test_pool_cells_are_poisoned_to_the_byte),
    };
    return test_main(tests);
}
