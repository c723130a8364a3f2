/*
 * Plain memory: what fits, what does not, and what an arena says of itself.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

static const size_t bad_aligns[] = {0,       3, 5, 12, 24, ASH_ALIGN_MAX * 2, (SIZE_MAX >> 1) + 1,
                                    SIZE_MAX};

/* The state a refused call must leave. */
typedef struct snapshot {
    size_t used, capacity, room, peak, upstream_bytes;
} snapshot;

static snapshot snap(const ash_arena *arena, const test_upstream *up)
{
    return (snapshot){ash_arena_used(arena), ash_arena_capacity(arena), ash_arena_room(arena),
                      ash_arena_peak(arena), up ? up->bytes : 0};
}

static void assert_same(const ash_arena *arena, const test_upstream *up, snapshot before)
{
    snapshot now = snap(arena, up);
    assert_memory_equal(&now, &before, sizeof now);
}

/* A call that must answer NULL, say so, and change nothing. */
#define assert_refused(arena, up, call) \
    do { \
        snapshot before_ = snap((arena), (up)); \
        ash_arena_clear_failed(arena); \
        assert_null(call); \
        assert_true(ash_arena_failed(arena)); \
        assert_same((arena), (up), before_); \
    } while (0)

/* Most bytes at `align` the newest block can still give, asked of nothing but addresses. */
static size_t most_at(ash_arena *arena, size_t align)
{
    ash_mark mark = ash_arena_mark(arena);
    size_t room = ash_arena_room(arena);
    char *next = ash_alloc(arena, 1, 1);
    assert_non_null(next);
    ash_arena_rewind(arena, mark);
    size_t padding = (align - (uintptr_t)next % align) % align;
    return padding < room ? room - padding : 0;
}

static void test_arena_zeroed_is_valid_and_empty(void **state)
{
    (void)state;
    ash_arena arena = {0};
    assert_null(ash_alloc(&arena, 1, 1));
    assert_true(ash_arena_failed(&arena));
    ash_arena_clear_failed(&arena);
    assert_false(ash_arena_failed(&arena));
    assert_null(ash_zalloc(&arena, 0, 8));
    assert_null(ash_object_alloc(&arena, 8, 8));
    assert_false(ash_defer(&arena, free, NULL));
    assert_null(ash_strdup(&arena, ""));
    assert_null(ash_printf(&arena, "%d", 1));
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_int_equal(ash_arena_room(&arena), 0);
    assert_int_equal(ash_arena_capacity(&arena), 0);
    assert_int_equal(ash_arena_peak(&arena), 0);
    assert_false(ash_arena_owns(&arena, &arena));
    assert_int_equal(ash_object_inspect(&arena, &arena), ASH_OBJECT_FOREIGN);
    assert_string_equal(ash_arena_name(&arena), "unnamed");
    ash_arena_rewind(&arena, ash_arena_mark(&arena));
    ash_arena_reset(&arena);
    ash_arena_trim(&arena, 0);
    ash_arena_release(&arena);
    ash_delete(&arena, NULL);
    assert_consistent(&arena);
    assert_null(ash_resource_alloc(ash_arena_resource(&arena), 8, 8));
    ash_arena_deinit(&arena);
    ash_arena_deinit(&arena);
    ash_arena_deinit(NULL);
}

static void test_arena_null_config_means_defaults(void **state)
{
    (void)state;
    ash_arena arenas[2];
    assert_true(ash_arena_init(&arenas[0], NULL));
    assert_true(ash_arena_init(&arenas[1], &(ash_arena_config){0}));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ash_arena_capacity(&arenas[i]), 0);
        char *p = ash_alloc(&arenas[i], 100, 8);
        assert_non_null(p);
        memset(p, 1, 100);
        assert_true(ash_arena_capacity(&arenas[i]) >= 65536);
        assert_string_equal(ash_arena_name(&arenas[i]), "unnamed");
        assert_consistent(&arenas[i]);
        ash_arena_deinit(&arenas[i]);
        assert_null(ash_alloc(&arenas[i], 1, 1)); /* a zeroed one now */
    }
}

static void test_arena_init_takes_no_memory(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    assert_int_equal(up.calls, 0);
    assert_string_equal(ash_arena_name(&arena), "t");
    test_arena_done(&arena, &up);
    assert_int_equal(up.calls, 0);
}

static void test_arena_contradictory_config_is_refused(void **state)
{
    (void)state;
    char buffer[64];
    const ash_arena_config configs[] = {
        {.buffer_size = 64},
        {.buffer = buffer, .buffer_size = sizeof buffer, .reserve = 1 << 20},
        {.reserve = SIZE_MAX},
        {.reserve = SIZE_MAX - 4095},
    };
    for (size_t i = 0; i < countof(configs); i++) {
        ash_arena arena;
        memset(&arena, 0xff, sizeof arena);
        assert_false(ash_arena_init(&arena, &configs[i]));
        assert_null(ash_alloc(&arena, 1, 1));
        assert_int_equal(ash_arena_capacity(&arena), 0);
        assert_null(ash_arena_create(&configs[i]));
        ash_arena_deinit(&arena);
    }
}

static void test_arena_size_near_the_top_is_refused(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    assert_non_null(ash_alloc(&arena, 3, 1));
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
        for (size_t k = 0; k <= 64; k++) {
            assert_refused(&arena, &up, ash_alloc(&arena, SIZE_MAX - k, align));
            assert_refused(&arena, &up, ash_alloc(&arena, (size_t)PTRDIFF_MAX - k, align));
            assert_refused(&arena, &up, ash_alloc(&arena, (size_t)PTRDIFF_MAX + 1 + k, align));
            assert_refused(&arena, &up, ash_zalloc(&arena, SIZE_MAX - k, align));
            assert_refused(&arena, &up, ash_object_alloc(&arena, SIZE_MAX - k, align));
            assert_refused(&arena, &up, ash_object_alloc(&arena, (size_t)PTRDIFF_MAX - k, align));
            assert_refused(&arena, &up, ash_realloc(&arena, NULL, 0, SIZE_MAX - k, align));
            assert_refused(&arena, &up, ash_memdup(&arena, &up, SIZE_MAX - k, align));
        }
    test_arena_done(&arena, &up);
}

static void test_arena_size_near_the_top_is_refused_by_a_buffer(void **state)
{
    (void)state;
    char buffer[512];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_non_null(ash_object_alloc(&arena, 8, 8)); /* there is a map */
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
        for (size_t k = 0; k <= 64; k++) {
            assert_refused(&arena, NULL, ash_alloc(&arena, SIZE_MAX - k, align));
            assert_refused(&arena, NULL, ash_object_alloc(&arena, SIZE_MAX - k, align));
            size_t most = (size_t)PTRDIFF_MAX - k;
            assert_refused(&arena, NULL, ash_alloc(&arena, most, align));
            assert_refused(&arena, NULL, ash_object_alloc(&arena, most, align));
            ash_type type = {.name = "most", .size = most, .align = align};
            assert_refused(&arena, NULL, ash_object_new(&arena, &type, 1));
            /* the address just past the end of the space, seen from next */
            size_t wrap = SIZE_MAX - (uintptr_t)buffer - k;
            assert_refused(&arena, NULL, ash_alloc(&arena, wrap, align));
            assert_refused(&arena, NULL, ash_object_alloc(&arena, wrap, align));
            assert_refused(&arena, NULL, ash_object_alloc(&arena, (uintptr_t)buffer + k, align));
        }
    assert_consistent(&arena);
    ash_arena_deinit(&arena);
}

static void test_arena_bad_alignment_is_refused(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 8 * ASH_ALIGN_MAX); /* there would be room */
    char *p = ash_alloc(&arena, 16, 8);
    for (size_t i = 0; i < countof(bad_aligns); i++) {
        size_t align = bad_aligns[i];
        assert_refused(&arena, &up, ash_alloc(&arena, 16, align));
        assert_refused(&arena, &up, ash_alloc(&arena, 0, align));
        assert_refused(&arena, &up, ash_zalloc(&arena, 16, align));
        assert_refused(&arena, &up, ash_alloc_array(&arena, 2, 8, align));
        assert_refused(&arena, &up, ash_zalloc_array(&arena, 2, 8, align));
        assert_refused(&arena, &up, ash_object_alloc(&arena, 16, align));
        assert_refused(&arena, &up, ash_memdup(&arena, p, 4, align));
        assert_refused(&arena, &up, ash_realloc(&arena, NULL, 0, 16, align));
        assert_refused(&arena, &up, ash_realloc(&arena, p, 16, 32, align));
        assert_refused(&arena, &up, ash_realloc(&arena, p, 16, 8, align));
        ash_type type = {.name = "odd", .size = 8, .align = align};
        assert_refused(&arena, &up, ash_object_new(&arena, &type, 1));
        assert_null(ash_resource_alloc(ash_arena_resource(&arena), 16, align));
    }
    test_arena_done(&arena, &up);
}

static void test_arena_product_that_overflows_is_refused(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena_config config = {.upstream = &up.resource, .limit = 1 << 20};
    assert_true(ash_arena_init(&arena, &config));
    assert_non_null(ash_alloc(&arena, 16, 8));
    assert_refused(&arena, &up, ash_alloc_array(&arena, SIZE_MAX / 8 + 2, 8, 8));
    assert_refused(&arena, &up, ash_alloc_array(&arena, 8, SIZE_MAX / 8 + 2, 8));
    assert_refused(&arena, &up, ash_alloc_array(&arena, SIZE_MAX, SIZE_MAX, 1));
    assert_refused(&arena, &up, ash_zalloc_array(&arena, SIZE_MAX / 16 + 1, 16, 16));
    assert_refused(&arena, &up, ash_make_array(&arena, uint64_t, SIZE_MAX / 8 + 2));
    assert_refused(&arena, &up, ash_alloc_array(&arena, SIZE_MAX / 2, 2, 1));
#if SIZE_MAX > 0xffffffff
    /* a count or a product cut to 32 bits would be 16 */
    assert_refused(&arena, &up, ash_alloc_array(&arena, ((size_t)1 << 32) + 16, 1, 1));
    assert_refused(&arena, &up, ash_zalloc_array(&arena, 1, ((size_t)1 << 32) + 16, 1));
    assert_refused(&arena, &up, ash_alloc(&arena, ((size_t)1 << 32) + 16, 1));
    assert_refused(&arena, &up, ash_object_alloc(&arena, ((size_t)1 << 32) + 16, 8));
#endif
    ash_arena_deinit(&arena);
    test_upstream_done(&up);
}

static void test_arena_array_of_nothing_is_distinct(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    void *a = ash_alloc_array(&arena, 0, 8, 8);
    void *b = ash_zalloc_array(&arena, 0, 8, 8);
    void *c = ash_make_array(&arena, int, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_non_null(c);
    assert_ptr_not_equal(a, b);
    assert_ptr_not_equal(b, c);
    test_arena_done(&arena, &up);
}

static void test_arena_size_zero_is_distinct_on_empty_and_full(void **state)
{
    (void)state;
    _Alignas(16) char buffer[64];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    char *a = ash_alloc(&arena, 0, 1), *b = ash_alloc(&arena, 0, 1);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    *a = 1;
    *b = 2;
    assert_used(&arena, 2);
    ash_resource *resource = ash_arena_resource(&arena);
    void *c = ash_resource_alloc(resource, 0, 1), *d = ash_resource_alloc(resource, 0, 1);
    assert_ptr_not_equal(c, d);
    ash_resource_free(resource, d, 0, 1);
    ash_resource_free(resource, c, 0, 1);
    assert_used(&arena, 2); /* both free: newest first */
    assert_non_null(ash_alloc(&arena, ash_arena_room(&arena), 1));
    assert_int_equal(ash_arena_room(&arena), 0);
    assert_refused(&arena, NULL, ash_alloc(&arena, 0, 1));
    assert_refused(&arena, NULL, ash_object_alloc(&arena, 0, 1));
    ash_arena_deinit(&arena);
}

static void test_arena_fixed_hands_out_every_byte(void **state)
{
    (void)state;
    _Alignas(64) char buffer[200];
    for (size_t offset = 0; offset < 64; offset++)
        for (size_t size = 0; size <= 64; size++) {
            ash_arena arena;
            ash_arena_init_fixed(&arena, buffer + offset, size);
            assert_int_equal(ash_arena_capacity(&arena), size);
            size_t room = ash_arena_room(&arena);
            if (!TEST_RED_ZONES)
                assert_int_equal(room, size);
            assert_refused(&arena, NULL, ash_alloc(&arena, room + 1, 1));
            if (room > 0) {
                char *p = ash_alloc(&arena, room, 1);
                assert_non_null(p);
                assert_in_range((uintptr_t)p, (uintptr_t)(buffer + offset),
                                (uintptr_t)(buffer + offset + size - room));
                memset(p, 1, room);
            }
            assert_int_equal(ash_arena_room(&arena), 0);
            assert_refused(&arena, NULL, ash_alloc(&arena, 1, 1));
            ash_arena_deinit(&arena);
            memset(buffer, 0, sizeof buffer); /* the caller's again: no poison left */
        }
}

static void test_arena_fixed_over_nothing(void **state)
{
    (void)state;
    ash_arena arena;
    ash_arena_init_fixed(&arena, NULL, 0);
    assert_refused(&arena, NULL, ash_alloc(&arena, 1, 1));
    ash_arena_deinit(&arena);
    ash_arena_init_fixed(&arena, NULL, 100); /* taken as 0 */
    assert_refused(&arena, NULL, ash_alloc(&arena, 1, 1));
    assert_int_equal(ash_arena_capacity(&arena), 0);
    ash_arena_deinit(&arena);
}

static void test_arena_exact_fit_fits(void **state)
{
    (void)state;
    _Alignas(256) static char buffer[2048];
    for (size_t align = 1; align <= 1024; align *= 2)
        for (size_t before = 1; before <= 17; before++) {
            ash_arena arena;
            ash_arena_init_fixed(&arena, buffer, sizeof buffer);
            assert_non_null(ash_alloc(&arena, before, 1));
            size_t most = most_at(&arena, align);
            if (most == 0)
                continue;
            assert_refused(&arena, NULL, ash_alloc(&arena, most + 1, align));
            char *p = ash_alloc(&arena, most, align);
            assert_non_null(p);
            assert_aligned(p, align);
            memset(p, 1, most);
            assert_int_equal(ash_arena_room(&arena), 0);
            ash_arena_deinit(&arena);
        }
}

static void test_arena_room_is_what_fits_without_upstream(void **state)
{
    (void)state;
    test_rng rng;
    test_rng_init(&rng, 1);
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 512);
    assert_int_equal(ash_arena_room(&arena), 0);
    for (int round = 0; round < 500; round++) {
        ash_mark mark = ash_arena_mark(&arena);
        size_t room = ash_arena_room(&arena), calls = up.calls;
        up.refuse = true;
        assert_null(ash_alloc(&arena, room + 1, 1));
        calls = up.calls;
        if (room)
            assert_non_null(ash_alloc(&arena, room, 1));
        assert_int_equal(up.calls, calls);
        ash_arena_rewind(&arena, mark);
        up.refuse = false;
        if (test_rng_below(&rng, 40) == 0)
            ash_arena_reset(&arena);
        else if (test_rng_below(&rng, 3))
            assert_non_null(ash_alloc(&arena, test_rng_below(&rng, 900), 1));
        else
            assert_non_null(ash_object_alloc(&arena, test_rng_below(&rng, 300), 8));
        assert_consistent(&arena);
    }
    test_arena_done(&arena, &up);
}

static void test_arena_over_aligned_on_a_fresh_arena(void **state)
{
    (void)state;
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
        for (int object = 0; object < 2; object++) {
            ash_arena arena;
            test_upstream up;
            test_arena_over(&arena, &up, 1024);
            up.align_most = 16; /* as malloc */
            char *p =
                object ? ash_object_alloc(&arena, 1024, align) : ash_alloc(&arena, 1024, align);
            assert_non_null(p);
            assert_aligned(p, align);
            memset(p, 1, 1024);
            test_arena_done(&arena, &up);
        }
}

typedef struct wide32 {
    _Alignas(32) char c[40];
} wide32;
typedef struct wide128 {
    _Alignas(128) char c;
} wide128;
typedef struct wide4096 {
    _Alignas(4096) char c[10];
} wide4096;

static void test_arena_make_is_aligned_and_zero(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    for (int round = 0; round < 3; round++) {
        assert_non_null(ash_alloc(&arena, (size_t)round * 7 + 1, 1));
        wide32 *a = ash_make(&arena, wide32);
        wide128 *b = ash_make(&arena, wide128);
        wide4096 *c = ash_make(&arena, wide4096);
        wide128 *d = ash_make_array(&arena, wide128, 5);
        double *e = ash_make(&arena, double);
        assert_aligned(a, 32);
        assert_aligned(b, 128);
        assert_aligned(c, 4096);
        assert_aligned(d, 128);
        assert_aligned(e, sizeof(double));
        assert_true(is_zero(a, sizeof *a) && is_zero(b, sizeof *b) && is_zero(c, sizeof *c));
        assert_true(is_zero(d, 5 * sizeof *d));
        memset(a, 0xff, sizeof *a);
        memset(c, 0xff, sizeof *c);
        memset(d, 0xff, 5 * sizeof *d);
        ash_arena_reset(&arena); /* the next round gets these bytes again */
    }
    test_arena_done(&arena, &up);
}

static void test_arena_zalloc_clears_used_memory(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    for (size_t size = 1; size < 300; size += 13) {
        memset(ash_alloc(&arena, 2000, 8), 0xee, 2000);
        ash_arena_reset(&arena);
        assert_true(is_zero(ash_zalloc(&arena, size, 8), size));
        assert_true(is_zero(ash_zalloc_array(&arena, 3, size, 8), 3 * size));
        ash_arena_reset(&arena);
    }
    test_arena_done(&arena, &up);
}

static void test_arena_sizes_are_byte_exact(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p[17];
    for (size_t size = 1; size <= 16; size++) {
        p[size] = ash_alloc(&arena, size, 1);
        fill_pattern(p[size], size, (unsigned)size);
    }
    assert_used(&arena, 16 * 17 / 2);
    for (size_t size = 1; size <= 16; size++)
        assert_true(is_pattern(p[size], size, (unsigned)size));
    test_arena_done(&arena, &up);
}

static void test_arena_failed_stays_until_cleared(void **state)
{
    (void)state;
    char buffer[128];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_false(ash_arena_failed(&arena));
    assert_null(ash_alloc(&arena, 4096, 1));
    assert_true(ash_arena_failed(&arena));
    ash_mark mark = ash_arena_mark(&arena);
    assert_non_null(ash_alloc(&arena, 8, 1)); /* success does not clear it */
    assert_true(ash_arena_failed(&arena));
    ash_arena_rewind(&arena, mark);
    assert_true(ash_arena_failed(&arena));
    ash_arena_reset(&arena);
    assert_true(ash_arena_failed(&arena));
    ash_arena_trim(&arena, 0);
    ash_arena_release(&arena);
    assert_true(ash_arena_failed(&arena));
    ash_arena_clear_failed(&arena);
    assert_false(ash_arena_failed(&arena));
    assert_non_null(ash_alloc(&arena, 8, 1));
    assert_false(ash_arena_failed(&arena));
    ash_arena_deinit(&arena);
}

typedef struct exhaustion {
    ash_arena *arena;
    size_t calls, size, align;
    test_upstream *up;
    jmp_buf *leave;
} exhaustion;

static void on_exhausted(ash_arena *arena, size_t size, size_t align, void *ctx)
{
    exhaustion *e = ctx;
    e->arena = arena;
    e->calls++;
    e->size = size;
    e->align = align;
    e->up->refuse = false; /* there would be memory now: it must not be tried */
    if (e->leave)
        longjmp(*e->leave, 1);
}

static void test_arena_on_exhausted_sees_every_null(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    exhaustion e = {.up = &up};
    ash_arena arena;
    ash_arena_config config = {.upstream = &up.resource,
                               .block_size = 4096,
                               .limit = 1 << 16,
                               .on_exhausted = on_exhausted,
                               .exhausted_ctx = &e};
    assert_true(ash_arena_init(&arena, &config));
    up.refuse = true;
    assert_null(ash_alloc(&arena, 100, 16));
    assert_ptr_equal(e.arena, &arena);
    assert_int_equal(e.calls, 1);
    assert_int_equal(e.size, 100);
    assert_int_equal(e.align, 16);
    assert_non_null(ash_alloc(&arena, 100, 16));
    assert_int_equal(e.calls, 1);
    assert_null(ash_alloc_array(&arena, SIZE_MAX / 2, 3, 8));
    assert_int_equal(e.calls, 2);
    assert_int_equal(e.size, SIZE_MAX);
    assert_null(ash_object_alloc(&arena, 1 << 20, 32));
    assert_int_equal(e.calls, 3);
    assert_int_equal(e.align, 32);
    assert_null(ash_alloc(&arena, 8, 3));
    assert_int_equal(e.calls, 4);
    assert_int_equal(e.align, 3);
    assert_null(ash_printf(&arena, "%100000d", 1));
    assert_int_equal(e.calls, 5);
    assert_null(ash_realloc(&arena, NULL, 0, 1 << 20, 8));
    assert_int_equal(e.calls, 6);
    void *newest = ash_alloc(&arena, 8, 8);
    assert_false(ash_extend(&arena, newest, 8, 1 << 20)); /* an answer, not a failure */
    assert_int_equal(e.calls, 6);
    ash_arena_deinit(&arena);
    test_upstream_done(&up);
}

static size_t refused_by_jump(ash_arena *arena, exhaustion *e, bool object)
{
    jmp_buf here;
    e->leave = &here;
    if (setjmp(here) == 0) {
        void *p = object ? ash_object_alloc(arena, 1 << 20, 8) : ash_alloc(arena, 1 << 20, 8);
        assert_null(p);
        return 0;
    }
    return e->size;
}

static void test_arena_on_exhausted_may_jump_away(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    exhaustion e = {.up = &up};
    ash_arena arena;
    ash_arena_config config = {.upstream = &up.resource,
                               .limit = 1 << 17,
                               .on_exhausted = on_exhausted,
                               .exhausted_ctx = &e};
    assert_true(ash_arena_init(&arena, &config));
    char *kept = ash_alloc(&arena, 50, 1);
    fill_pattern(kept, 50, 4);
    for (int object = 0; object < 2; object++) {
        snapshot before = snap(&arena, &up);
        assert_int_equal(refused_by_jump(&arena, &e, object), 1 << 20);
        assert_true(ash_arena_failed(&arena));
        assert_same(&arena, &up, before);
        assert_consistent(&arena);
    }
    assert_true(is_pattern(kept, 50, 4));
    assert_non_null(ash_alloc(&arena, 50, 1));
    test_arena_done(&arena, &up);
}

static void test_arena_used_and_peak_count_both_ends(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 16);
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_mark empty = ash_arena_mark(&arena);
    assert_non_null(ash_alloc(&arena, 1000, 1));
    assert_used(&arena, 1000);
    void *object = ash_object_alloc(&arena, 512, 8);
    assert_used(&arena, 1512);
    size_t high = ash_arena_used(&arena);
    assert_int_equal(ash_arena_peak(&arena), high);
    ash_delete(&arena, object);
    assert_used(&arena, 1000);
    assert_int_equal(ash_arena_peak(&arena), high);
    ash_arena_rewind(&arena, empty);
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_int_equal(ash_arena_peak(&arena), high);
    assert_non_null(ash_alloc(&arena, 100, 1));
    assert_int_equal(ash_arena_peak(&arena), high);
    assert_non_null(ash_alloc(&arena, 5000, 1));
    assert_int_equal(ash_arena_peak(&arena), ash_arena_used(&arena));
    assert_true(ash_arena_peak(&arena) > high);
    high = ash_arena_peak(&arena);
    ash_arena_reset(&arena);
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_int_equal(ash_arena_peak(&arena), high);
    test_arena_done(&arena, &up);
}

static void test_arena_peak_sees_what_nobody_asked_about(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 14);
    ash_mark empty = ash_arena_mark(&arena);
    for (size_t i = 0; i < 40; i++) /* several blocks, never looked at in between */
        assert_non_null(i % 2 ? ash_alloc(&arena, 1000, 1) : ash_object_alloc(&arena, 1000, 8));
    ash_arena_rewind(&arena, empty);
    assert_non_null(ash_alloc(&arena, 1, 1));
    assert_used(&arena, 1);
    if (!TEST_RED_ZONES)
        assert_int_equal(ash_arena_peak(&arena), 40000);
    assert_true(ash_arena_peak(&arena) >= 40000);
    test_arena_done(&arena, &up);
}

static void test_arena_capacity_is_all_that_is_held(void **state)
{
    (void)state;
    char buffer[300];
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {
        .upstream = &up.resource, .buffer = buffer, .buffer_size = sizeof buffer};
    assert_true(ash_arena_init(&arena, &config));
    for (size_t i = 0; i < 300; i++) {
        assert_non_null(i % 3 ? ash_alloc(&arena, i * 9, 8) : ash_object_alloc(&arena, i * 99, 8));
        assert_int_equal(ash_arena_capacity(&arena), up.bytes + sizeof buffer);
    }
    ash_arena_reset(&arena);
    assert_int_equal(ash_arena_capacity(&arena), up.bytes + sizeof buffer);
    ash_arena_release(&arena);
    assert_int_equal(up.bytes, 0);
    assert_int_equal(ash_arena_capacity(&arena), sizeof buffer);
    assert_non_null(ash_alloc(&arena, 5000, 8)); /* it can be used again */
    assert_true(up.blocks > 0);
    test_arena_done(&arena, &up);
    memset(buffer, 1, sizeof buffer);
}

static void test_arena_created_lives_upstream(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena_config config = {.name = "made", .upstream = &up.resource};
    ash_arena *arena = ash_arena_create(&config);
    assert_non_null(arena);
    assert_true(up.bytes >= sizeof(ash_arena));
    assert_int_equal(ash_arena_capacity(arena), up.bytes);
    assert_int_equal(ash_arena_used(arena), 0);
    assert_string_equal(ash_arena_name(arena), "made");
    size_t storage = up.bytes;
    assert_non_null(ash_alloc(arena, 100, 8));
    assert_non_null(ash_object_alloc(arena, 100, 8));
    assert_int_equal(ash_arena_capacity(arena), up.bytes);
    ash_arena_release(arena);
    assert_int_equal(up.bytes, storage);
    assert_non_null(ash_alloc(arena, 100, 8));
    assert_consistent(arena);
    ash_arena_destroy(arena);
    test_upstream_done(&up);
    ash_arena_destroy(NULL);
    up.refuse = true;
    assert_null(ash_arena_create(&config));
    up.refuse = false;
    config.limit = sizeof(ash_arena) - 1; /* its own storage counts */
    assert_null(ash_arena_create(&config));
    test_upstream_done(&up);
}

static void test_arena_keeps_the_default_it_was_made_with(void **state)
{
    (void)state;
    test_upstream first, second;
    test_upstream_init(&first);
    test_upstream_init(&second);
    ash_set_default(&first.resource);
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.block_size = 1024}));
    assert_non_null(ash_alloc(&arena, 100, 8));
    ash_set_default(&second.resource);
    for (int i = 0; i < 20; i++)
        assert_non_null(ash_object_alloc(&arena, 1000, 8));
    assert_int_equal(ash_arena_capacity(&arena), first.bytes);
    ash_set_default(NULL);
    ash_arena_deinit(&arena);
    test_upstream_done(&first);
    assert_int_equal(second.calls, 0);
}

static void test_arena_over_a_misaligned_upstream_never_misaligns(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    up.misaligned = true;
    for (size_t align = 1; align <= 4096; align *= 2) {
        char *p = ash_alloc(&arena, 700, align);
        char *q = ash_object_alloc(&arena, 700, align);
        assert_aligned(p, align); /* NULL is */
        assert_aligned(q, align);
        assert_int_equal(ash_arena_failed(&arena), !p || !q);
        ash_arena_clear_failed(&arena);
    }
    up.misaligned = false; /* it recovers */
    assert_non_null(ash_alloc(&arena, 5000, 64));
    test_arena_done(&arena, &up);
}

static void test_arena_owns_its_blocks_only(void **state)
{
    (void)state;
    ash_arena arena, other;
    test_upstream up, other_up;
    test_arena_over(&arena, &up, 1024);
    test_arena_over(&other, &other_up, 1024);
    char *p[20];
    for (size_t i = 0; i < countof(p); i++) {
        p[i] = ash_alloc(&arena, 500, 1);
        assert_non_null(p[i]);
    }
    char *q = ash_object_alloc(&other, 10, 8);
    for (size_t i = 0; i < countof(p); i++) {
        assert_true(ash_arena_owns(&arena, p[i]));
        assert_true(ash_arena_owns(&arena, p[i] + 499));
        assert_false(ash_arena_owns(&other, p[i]));
    }
    assert_true(ash_arena_owns(&other, q));
    assert_true(ash_resource_owns(ash_arena_resource(&other), q));
    assert_false(ash_arena_owns(&arena, q));
    assert_false(ash_arena_owns(&arena, NULL));
    assert_false(ash_arena_owns(&arena, &arena));
    assert_false(ash_arena_owns(&arena, unmapped_address()));
    test_arena_done(&arena, &up);
    test_arena_done(&other, &other_up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_zeroed_is_valid_and_empty),
        cmocka_unit_test(test_arena_null_config_means_defaults),
        cmocka_unit_test(test_arena_init_takes_no_memory),
        cmocka_unit_test(test_arena_contradictory_config_is_refused),
        cmocka_unit_test(test_arena_size_near_the_top_is_refused),
        cmocka_unit_test(test_arena_size_near_the_top_is_refused_by_a_buffer),
        cmocka_unit_test(test_arena_bad_alignment_is_refused),
        cmocka_unit_test(test_arena_product_that_overflows_is_refused),
        cmocka_unit_test(test_arena_array_of_nothing_is_distinct),
        cmocka_unit_test(test_arena_size_zero_is_distinct_on_empty_and_full),
        cmocka_unit_test(test_arena_fixed_hands_out_every_byte),
        cmocka_unit_test(test_arena_fixed_over_nothing),
        cmocka_unit_test(test_arena_exact_fit_fits),
        cmocka_unit_test(test_arena_room_is_what_fits_without_upstream),
        cmocka_unit_test(test_arena_over_aligned_on_a_fresh_arena),
        cmocka_unit_test(test_arena_make_is_aligned_and_zero),
        cmocka_unit_test(test_arena_zalloc_clears_used_memory),
        cmocka_unit_test(test_arena_sizes_are_byte_exact),
        cmocka_unit_test(test_arena_failed_stays_until_cleared),
        cmocka_unit_test(test_arena_on_exhausted_sees_every_null),
        cmocka_unit_test(test_arena_on_exhausted_may_jump_away),
        cmocka_unit_test(test_arena_used_and_peak_count_both_ends),
        cmocka_unit_test(test_arena_peak_sees_what_nobody_asked_about),
        cmocka_unit_test(test_arena_capacity_is_all_that_is_held),
        cmocka_unit_test(test_arena_created_lives_upstream),
        cmocka_unit_test(test_arena_keeps_the_default_it_was_made_with),
        cmocka_unit_test(test_arena_over_a_misaligned_upstream_never_misaligns),
        cmocka_unit_test(test_arena_owns_its_blocks_only),
    };
    return test_main(tests);
}
