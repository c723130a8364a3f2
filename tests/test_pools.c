/*
 * Size classes, for one thread and shared: the same tests over both, through the resource interface
 * where they have the same names.
 */
#include "support.h"

#include <errno.h>
#include <string.h>

#define NO_CELL "ashlar: fatal: free of what is not a cell of the pool (arena p, ADDR)"
#define NO_CELL_UNNAMED \
    "ashlar: fatal: free of what is not a cell of the pool (arena unnamed, ADDR)"
#define TWICE   "ashlar: fatal: cell freed twice (arena p, ADDR)"
#define WORN    "ashlar: fatal: free cell overwritten (arena p, ADDR)"
#define YOUNGER "ashlar: fatal: pool grown inside a scope younger than it (arena p, ADDR)"

/* ---- both, alike ---- */

typedef struct both {
    bool shared;
    test_upstream up;
    ash_pools pools;
    ash_sync_pools sync;
    ash_resource *resource;
} both;

static void begin(both *b, bool shared, ash_pools_config config)
{
    b->shared = shared;
    test_upstream_init(&b->up);
    config.name = "p";
    if (!config.upstream)
        config.upstream = &b->up.resource;
    assert_true(shared ? ash_sync_pools_init(&b->sync, &config)
                       : ash_pools_init(&b->pools, &config));
    b->resource = shared ? ash_sync_pools_resource(&b->sync) : ash_pools_resource(&b->pools);
}

static bool check(const both *b)
{
    return b->shared ? ash_sync_pools_check(&b->sync) : ash_pools_check(&b->pools);
}

static size_t capacity(const both *b)
{
    return b->shared ? ash_sync_pools_capacity(&b->sync) : ash_pools_capacity(&b->pools);
}

static void release(both *b)
{
    if (b->shared)
        ash_sync_pools_release(&b->sync);
    else
        ash_pools_release(&b->pools);
}

static void end(both *b)
{
    assert_true(check(b));
    if (b->shared)
        ash_sync_pools_deinit(&b->sync);
    else
        ash_pools_deinit(&b->pools);
    test_upstream_done(&b->up);
}

static void expect_fatal_free(both *b, void *p, size_t size, const char *message)
{
    expect_fatal(ash_resource_free(b->resource, p, size, 8), message);
    assert_int_equal(test_fatal_address(), (uintptr_t)p);
}

static void expect_fatal_alloc(both *b, size_t size, const char *message)
{
    expect_fatal((void)!ash_resource_alloc(b->resource, size, 8), message);
}

/* A test of both: static void any_NAME(both *b, bool shared). */
#define TEST_BOTH(name) \
    static void test_pools_##name(void **state) \
    { \
        static both b; \
        (void)state; \
        any_##name(&b, false); \
    } \
    static void test_sync_pools_##name(void **state) \
    { \
        static both b; \
        (void)state; \
        any_##name(&b, true); \
    }

static void any_every_size_is_served_and_kept_apart(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    enum { SIZES = 2200 };
    static char *cells[SIZES];
    for (size_t size = 0; size < SIZES; size++) {
        cells[size] = ash_resource_alloc(b->resource, size * 17, 16);
        assert_aligned(cells[size], 16);
        assert_non_null(cells[size]);
        fill_pattern(cells[size], size * 17, (unsigned)size);
    }
    assert_true(check(b));
    for (size_t size = 0; size < SIZES; size++) {
        assert_true(is_pattern(cells[size], size * 17, (unsigned)size));
        ash_resource_free(b->resource, cells[size], size * 17, 16);
    }
    end(b);
}
TEST_BOTH(every_size_is_served_and_kept_apart)

static void any_every_alignment_is_honoured(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    const size_t sizes[] = {0,   1,   15,   16,    17,    33,    65,   100,
                            129, 150, 1000, 30000, 32767, 32768, 32769};
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
        for (size_t i = 0; i < countof(sizes); i++) {
            char *p = ash_resource_alloc(b->resource, sizes[i], align);
            char *q = ash_resource_alloc(b->resource, sizes[i], align);
            assert_non_null(p);
            assert_non_null(q);
            assert_ptr_not_equal(p, q);
            assert_aligned(p, align);
            assert_aligned(q, align);
            fill_pattern(p, sizes[i], 1);
            fill_pattern(q, sizes[i], 2);
            assert_true(is_pattern(p, sizes[i], 1));
            ash_resource_free(b->resource, p, sizes[i], align);
            ash_resource_free(b->resource, q, sizes[i], align);
            assert_true(check(b));
        }
    end(b);
}
TEST_BOTH(every_alignment_is_honoured)

static void any_thresholds_agree_between_alloc_and_free(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    for (size_t size = ASH_POOLS_LARGEST - 70; size < ASH_POOLS_LARGEST + 70; size++)
        for (size_t align = 1; align <= 128; align *= 2) {
            size_t blocks = b->up.blocks, held = capacity(b);
            char *p = ash_resource_alloc(b->resource, size, align);
            fill_pattern(p, size, 3);
            if (size > ASH_POOLS_LARGEST || align > ASH_POOLS_ALIGN) { /* straight through */
                assert_int_equal(b->up.blocks, blocks + 1);
                assert_int_equal(b->up.last_size, size);
                assert_int_equal(capacity(b), held);
            }
            ash_resource_free(b->resource, p, size, align);
        }
    end(b);
}
TEST_BOTH(thresholds_agree_between_alloc_and_free)

static void any_impossible_requests_are_refused(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    for (size_t k = 0; k < 64; k++)
        for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
            assert_null(ash_resource_alloc(b->resource, SIZE_MAX - k, align));
    size_t blocks = b->up.blocks;
    for (size_t align = 0; align < 4; align++) /* past what ash_resource_alloc checks */
        if (align == 0 || align == 3) {
            assert_null(shared ? ash_sync_pools_alloc(&b->sync, 40, align)
                               : ash_pools_alloc(&b->pools, 40, align));
            assert_null(shared ? ash_sync_pools_alloc(&b->sync, 40, align + 80)
                               : ash_pools_alloc(&b->pools, 40, align + 80));
        }
    assert_int_equal(b->up.blocks, blocks);
    end(b);
}
TEST_BOTH(impossible_requests_are_refused)

static void any_nothing_but_slabs_goes_upstream(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){.slab_size = 8192});
    char *cells[200];
    for (size_t i = 0; i < countof(cells); i++)
        cells[i] = ash_resource_alloc(b->resource, 40, 8);
    assert_true(b->up.blocks < 10);
    assert_true(capacity(b) <= b->up.bytes);
    for (size_t i = 0; i < countof(cells); i++)
        ash_resource_free(b->resource, cells[i], 40, 8);
    size_t calls = b->up.calls;
    for (int round = 0; round < 1000; round++) {
        char *p = ash_resource_alloc(b->resource, 41, 8);
        ash_resource_free(b->resource, p, 41, 8);
    }
    assert_int_equal(b->up.calls, calls);
    end(b);
}
TEST_BOTH(nothing_but_slabs_goes_upstream)

static void any_resize_is_true_within_a_class(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    char *p = ash_resource_alloc(b->resource, 130, 8);
    fill_pattern(p, 130, 1);
    assert_true(ash_resource_resize(b->resource, p, 130, 160, 8));
    assert_true(is_pattern(p, 130, 1));
    fill_pattern(p, 160, 2);
    assert_false(ash_resource_resize(b->resource, p, 160, 161, 8));
    assert_false(ash_resource_resize(b->resource, p, 160, 128, 8));
    assert_true(ash_resource_resize(b->resource, p, 160, 129, 8));
    assert_null(ash_resource_remap(b->resource, p, 129, 1000, 8));
    p = ash_resource_realloc(b->resource, p, 129, 5000, 8);
    assert_true(is_pattern(p, 129, 2));
    fill_pattern(p, 5000, 3);
    p = ash_resource_realloc(b->resource, p, 5000, 100000, 8); /* out to upstream */
    assert_true(is_pattern(p, 5000, 3));
    fill_pattern(p, 100000, 4);
    p = ash_resource_realloc(b->resource, p, 100000, 200000, 8); /* by its remap */
    assert_true(is_pattern(p, 100000, 4));
    p = ash_resource_realloc(b->resource, p, 200000, 10, 8); /* and back */
    assert_true(is_pattern(p, 10, 4));
    ash_resource_free(b->resource, p, 10, 8);
    end(b);
}
TEST_BOTH(resize_is_true_within_a_class)

static void any_release_and_use_again(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){.slab_size = 1024});
    size_t kept = b->up.blocks;
    for (int round = 0; round < 4; round++) {
        void *last = NULL;
        for (size_t i = 0; i < 2000; i++) {
            char *p = ash_resource_alloc(b->resource, i, 8);
            assert_non_null(p);
            memset(p, 0xff, i);
            if (i % 2)
                ash_resource_free(b->resource, p, i, 8);
            else
                last = p;
        }
        assert_true(ash_resource_owns(b->resource, last));
        assert_false(ash_resource_owns(b->resource, b));
        assert_true(check(b));
        release(b);
        assert_int_equal(b->up.blocks, kept);
        assert_int_equal(capacity(b), 0);
        assert_true(check(b));
    }
    end(b);
}
TEST_BOTH(release_and_use_again)

static void any_zeroed_is_valid_and_empty(both *b, bool shared)
{
    *b = (both){.shared = shared};
    if (shared) {
        assert_null(ash_sync_pools_alloc(&b->sync, 10, 8));
        assert_null(ash_sync_pools_alloc(&b->sync, 0, 8));
        assert_null(ash_sync_pools_alloc(&b->sync, 100000, 8));
        ash_sync_pools_free(&b->sync, NULL, 10, 8);
        ash_sync_pools_free(&b->sync, NULL, 100000, 8);
        assert_false(ash_sync_pools_owns(&b->sync, b));
    } else {
        assert_null(ash_pools_alloc(&b->pools, 10, 8));
        assert_null(ash_pools_alloc(&b->pools, 100000, 8));
        ash_pools_free(&b->pools, NULL, 10, 8);
        ash_pools_free(&b->pools, NULL, 100000, 8);
        assert_false(ash_pools_owns(&b->pools, b));
        assert_int_equal(ash_pools_used(&b->pools), 0);
    }
    static _Alignas(128) char data[128];
    b->resource = shared ? ash_sync_pools_resource(&b->sync) : ash_pools_resource(&b->pools);
    expect_fatal_free(b, data, 0, NO_CELL_UNNAMED);
    expect_fatal_free(b, data, 10, NO_CELL_UNNAMED);
    expect_fatal_free(b, data, 100000, NO_CELL_UNNAMED);
    release(b);
    assert_int_equal(capacity(b), 0);
    test_upstream_init(&b->up);
    end(b);
    ash_pools_deinit(NULL);
    ash_sync_pools_deinit(NULL);
}
TEST_BOTH(zeroed_is_valid_and_empty)

static void any_over_an_arena(both *b, bool shared)
{
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    ash_mark mark = ash_arena_mark(&arena);
    begin(b, shared, (ash_pools_config){.upstream = ash_arena_resource(&arena)});
    for (size_t i = 0; i < 3000; i++)
        assert_non_null(ash_resource_alloc(b->resource, i * 13, 8));
    assert_true(check(b));
    if (shared)
        end(b); /* this thread must not keep anything of it */
    ash_arena_rewind(&arena, mark);
    test_arena_done(&arena, &up);
}
TEST_BOTH(over_an_arena)

static void any_misuse_is_reported(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    static _Alignas(64) char data[128];
    static char *cells[600];
    for (size_t i = 0; i < countof(cells); i++)
        cells[i] = ash_resource_alloc(b->resource, 100, 8);
    expect_fatal_free(b, data, 100, NO_CELL);
    expect_fatal_free(b, cells[0] + 8, 100, NO_CELL);
    expect_fatal_free(b, unmapped_address(), 100, NO_CELL);
    for (size_t i = 0; i < countof(cells); i++) {
        ash_resource_free(b->resource, cells[i], 100, 8);
        expect_fatal_free(b, cells[i], 100, TWICE);
        expect_fatal_free(b, cells[i / 2], 100, TWICE);
    }
    assert_true(check(b));
    char *newest = cells[countof(cells) - 1];
    uint64_t link = raw_word(newest);
    for (int bit = 0; bit < 64; bit++) {
        raw_set_word(newest, link ^ (uint64_t)1 << bit);
        assert_false(check(b));
        expect_fatal_alloc(b, 100, WORN);
        assert_int_equal(test_fatal_address(), (uintptr_t)newest);
    }
    raw_set_word(newest, link);
    assert_ptr_equal(ash_resource_alloc(b->resource, 100, 8), newest);
    ash_resource_free(b->resource, newest, 100, 8);
    end(b);
}
TEST_BOTH(misuse_is_reported)

#ifdef NDEBUG
#define CHECKS_CELLS 0
#else
#define CHECKS_CELLS 1 /* all that is freed is looked for */
#endif

/* Without NDEBUG what is freed is a cell of its class that was handed out, and nothing else. */
static void any_what_is_no_cell_is_reported(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){.slab_size = 1024});
    static char *cells[100];
    char *between = NULL;
    for (size_t i = 0; i < countof(cells); i++) {
        cells[i] = ash_resource_alloc(b->resource, 112, 8);
        if (i == 0)
            between = ash_resource_alloc(&b->up.resource, 112, 64);
    }
    char *other = ash_resource_alloc(b->resource, 16, 8), *next = other;
    while (CHECKS_CELLS) {
        fill_pattern(cells[50], 112, 1);
        expect_fatal_free(b, cells[50] + 16, 112, NO_CELL);
        expect_fatal_free(b, cells[50] - 16, 112, NO_CELL);
        expect_fatal_free(b, cells[50], 96, NO_CELL);
        expect_fatal_free(b, cells[50], 128, NO_CELL);
        expect_fatal_free(b, other, 4096, NO_CELL);
        expect_fatal_free(b, between, 112, NO_CELL);
        while (ash_resource_owns(b->resource, next)) /* on to the end of its slab */
            next += 16;
        expect_fatal_free(b, next - (TEST_RED_ZONES ? 32 : 16), 16, shared ? TWICE : NO_CELL);
        break;
    }
    assert_true(check(b));
    ash_resource_free(&b->up.resource, between, 112, 64);
    end(b);
}
TEST_BOTH(what_is_no_cell_is_reported)

/* Whatever a live cell holds, its free is a first one. */
static void any_contents_that_look_free(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){0});
    char *p = ash_resource_alloc(b->resource, 64, 8), *q = ash_resource_alloc(b->resource, 64, 8);
    ash_resource_free(b->resource, p, 64, 8);
    uint64_t link_p = raw_word(p);
    ash_resource_free(b->resource, q, 64, 8);
    uint64_t link_q = raw_word(q);
    q = ash_resource_alloc(b->resource, 64, 8), p = ash_resource_alloc(b->resource, 64, 8);
    assert_int_equal(raw_word(p), 0);
    assert_int_equal(raw_word(q), 0);
    raw_set_word(p, link_p);
    raw_set_word(q, link_q);
    ash_resource_free(b->resource, p, 64, 8);
    ash_resource_free(b->resource, q, 64, 8);
    end(b);
}
TEST_BOTH(contents_that_look_free)

static void any_errno_is_kept(both *b, bool shared)
{
    begin(b, shared, (ash_pools_config){.upstream = ash_heap()});
    errno = 77;
    void *p = ash_resource_alloc(b->resource, 100, 8);
    void *q = ash_resource_alloc(b->resource, (size_t)PTRDIFF_MAX - 4096, 8);
    assert_int_equal(errno, 77);
    assert_null(q);
    ash_resource_free(b->resource, p, 100, 8);
    end(b);
}
TEST_BOTH(errno_is_kept)

/* ---- an upstream with scopes ---- */

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

static void any_grown_in_a_younger_scope(both *b, bool shared)
{
    scoped up = {{&scoped_ops}, 3};
    begin(b, shared, (ash_pools_config){.upstream = &up.resource});
    assert_int_equal(ash_resource_epoch(b->resource), 3);
    void *p = ash_resource_alloc(b->resource, 64, 8);
    up.epoch = 4;
    ash_resource_free(b->resource, p, 64, 8);
    assert_ptr_equal(ash_resource_alloc(b->resource, 64, 8), p);
    expect_fatal_alloc(b, 200, YOUNGER);
    expect_fatal_alloc(b, 200, YOUNGER); /* no lock was left behind */
    up.epoch = 0;
    assert_non_null(ash_resource_alloc(b->resource, 200, 8));
    end(b);
}
TEST_BOTH(grown_in_a_younger_scope)

/* ---- one alone ---- */

static void test_pools_used_counts_cells_and_what_passed_through(void **state)
{
    (void)state;
    static both b;
    begin(&b, false, (ash_pools_config){0});
    void *p = ash_pools_alloc(&b.pools, 33, 8), *q = ash_pools_alloc(&b.pools, 100000, 8);
    assert_int_equal(ash_pools_used(&b.pools), 48 + 100000);
    ash_pools_reset(&b.pools);
    assert_int_equal(ash_pools_used(&b.pools), 100000);
    ash_pools_free(&b.pools, q, 100000, 8);
    assert_int_equal(ash_pools_used(&b.pools), 0);
    assert_true(ash_pools_owns(&b.pools, p));
    end(&b);
}

static void test_pools_waste_a_quarter_at_most(void **state)
{
    (void)state;
    static both b;
    begin(&b, false, (ash_pools_config){0});
    for (size_t size = 1; size <= ASH_POOLS_LARGEST; size++) {
        void *p = ash_pools_alloc(&b.pools, size, 1);
        size_t cell = ash_pools_used(&b.pools);
        assert_true(cell >= size);
        assert_true(cell - size <= 15 || (cell - size) * 4 <= size);
        ash_pools_free(&b.pools, p, size, 1);
    }
    end(&b);
}

/* What a shelf has not cut from its slab yet is nobody's. */
static void test_sync_pools_cell_never_handed_out_is_reported(void **state)
{
    (void)state;
    static both b;
    begin(&b, true, (ash_pools_config){.slab_size = 65536});
    char *p = ash_resource_alloc(b.resource, 1000, 8); /* of a batch of 16 */
    size_t stride = TEST_RED_ZONES ? 1088 : 1024;
    for (size_t i = 1; i < 40 && CHECKS_CELLS; i++)
        expect_fatal_free(&b, p + i * stride, 1000, i < 16 ? TWICE : NO_CELL);
    ash_resource_free(b.resource, p, 1000, 8);
    end(&b);
}

/* More than a thread keeps at once, in turn; with each change cells go back and are found again. */
static void test_sync_pools_more_than_a_thread_keeps(void **state)
{
    (void)state;
    enum { MANY = 20 };
    static both many[MANY];
    static char *kept[MANY][30];
    for (size_t i = 0; i < MANY; i++)
        begin(&many[i], true, (ash_pools_config){.slab_size = 1024});
    for (size_t n = 0; n < 30; n++)
        for (size_t i = 0; i < MANY; i++) {
            kept[i][n] = ash_resource_alloc(many[i].resource, 50 + i, 8);
            fill_pattern(kept[i][n], 50 + i, (unsigned)(i + n));
            void *p = ash_resource_alloc(many[i].resource, 50 + i, 8);
            ash_resource_free(many[i].resource, p, 50 + i, 8);
            assert_true(check(&many[i]));
        }
    for (size_t i = 0; i < MANY; i++) {
        assert_true(many[i].up.bytes < 30000); /* one cache, and two slabs or three */
        for (size_t n = 0; n < 30; n++) {
            assert_true(is_pattern(kept[i][n], 50 + i, (unsigned)(i + n)));
            ash_resource_free(many[i].resource, kept[i][n], 50 + i, 8);
        }
    }
    for (size_t i = 0; i < MANY; i++)
        end(&many[i]);
}

#define CASES(name) cmocka_unit_test(test_pools_##name), cmocka_unit_test(test_sync_pools_##name)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASES(every_size_is_served_and_kept_apart),
        CASES(every_alignment_is_honoured),
        CASES(thresholds_agree_between_alloc_and_free),
        CASES(impossible_requests_are_refused),
        CASES(nothing_but_slabs_goes_upstream),
        CASES(resize_is_true_within_a_class),
        CASES(release_and_use_again),
        CASES(zeroed_is_valid_and_empty),
        CASES(over_an_arena),
        CASES(misuse_is_reported),
        CASES(what_is_no_cell_is_reported),
        CASES(contents_that_look_free),
        CASES(errno_is_kept),
        CASES(grown_in_a_younger_scope),
        cmocka_unit_test(test_pools_used_counts_cells_and_what_passed_through),
        cmocka_unit_test(test_pools_waste_a_quarter_at_most),
        cmocka_unit_test(test_sync_pools_cell_never_handed_out_is_reported),
        cmocka_unit_test(test_sync_pools_more_than_a_thread_keeps),
    };
    return test_main(tests);
}
