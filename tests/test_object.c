/*
 * Objects: what lives, what is dead, what was never one; deletes in every order.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

typedef struct pair {
    uint64_t a, b;
} pair;
ASH_TYPE(pair, .destroy = NULL);

typedef struct wide {
    _Alignas(64) char c[70];
} wide;
ASH_TYPE(wide, .destroy = NULL);

typedef struct page {
    _Alignas(4096) char c;
} page;
ASH_TYPE(page, .destroy = NULL);

typedef struct tiny {
    char c;
} tiny;
ASH_TYPE(tiny, .destroy = NULL);

static void test_object_macros_describe_the_type(void **state)
{
    (void)state;
    assert_string_equal(ash_type_of(wide)->name, "wide");
    assert_int_equal(ash_type_of(wide)->size, sizeof(wide));
    assert_int_equal(ash_type_of(wide)->align, 64);
    assert_null(ash_type_of(wide)->destroy);
}

static void test_object_new_is_zero_aligned_and_typed(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 16);
    for (size_t round = 0; round < 4; round++) {
        assert_non_null(ash_object_alloc(&arena, round * 3 + 1, 8)); /* shifts what follows */
        pair *a = ash_new(&arena, pair);
        wide *b = ash_new(&arena, wide), *c = ash_new_array(&arena, wide, 3);
        page *d = ash_new(&arena, page), *e = ash_new_array(&arena, page, 2);
        assert_aligned(a, sizeof(uint64_t));
        assert_aligned(b, 64);
        assert_aligned(c, 64);
        assert_aligned(d, 4096);
        assert_aligned(e, 4096);
        assert_true(is_zero(a, sizeof *a) && is_zero(b, sizeof *b) && is_zero(c, 3 * sizeof *c));
        assert_true(is_zero(d, sizeof *d) && is_zero(e, 2 * sizeof *e));
        assert_ptr_equal(ash_object_type(&arena, a), ash_type_of(pair));
        assert_ptr_equal(ash_object_type(&arena, c), ash_type_of(wide));
        assert_int_equal(ash_object_count(&arena, a), 1);
        assert_int_equal(ash_object_count(&arena, c), 3);
        assert_int_equal(ash_object_count(&arena, e), 2);
        memset(c, 0xff, 3 * sizeof *c);
        memset(e, 0xff, 2 * sizeof *e);
        assert_consistent(&arena);
        ash_arena_reset(&arena);
    }
    test_arena_done(&arena, &up);
}

static void test_object_untyped_has_no_type_and_count_one(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    void *p = ash_object_alloc(&arena, 100, 1);
    char *plain = ash_alloc(&arena, 16, 8);
    assert_aligned(p, 8);
    assert_null(ash_object_type(&arena, p));
    assert_int_equal(ash_object_count(&arena, p), 1);
    assert_null(ash_object_type(&arena, plain));
    assert_int_equal(ash_object_count(&arena, plain), 0);
    assert_int_equal(ash_object_count(&arena, NULL), 0);
    ash_delete(&arena, p);
    assert_int_equal(ash_object_count(&arena, p), 0);
    assert_null(ash_object_type(&arena, p));
    test_arena_done(&arena, &up);
}

static void test_object_overhead_is_nothing_eight_or_sixteen(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 16);
    for (int i = 0; i < 100; i++)
        assert_non_null(ash_object_alloc(&arena, 8, 8));
    assert_used(&arena, 800);
    for (int i = 0; i < 100; i++)
        assert_non_null(ash_new(&arena, pair));
    assert_used(&arena, 800 + 100 * (16 + 8));
    for (int i = 0; i < 100; i++)
        assert_non_null(ash_new_array(&arena, pair, 2));
    assert_used(&arena, 800 + 100 * (16 + 8) + 100 * (32 + 16));
    test_arena_done(&arena, &up);
}

static bool sum_map(const ash_walk_item *item, void *ctx)
{
    if (item->kind == ASH_WALK_MAP)
        *(size_t *)ctx += item->size;
    return true;
}

static void test_object_map_takes_a_thirty_second(void **state)
{
    (void)state;
    for (size_t size = 4096; size <= (size_t)16 << 20; size *= 4) {
        char *buffer = malloc(size);
        ash_arena arena;
        ash_arena_init_fixed(&arena, buffer, size);
        size_t map = 0;
        ash_arena_walk(&arena, sum_map, &map);
        assert_int_equal(map, 0); /* none before there is an object */
        assert_non_null(ash_object_alloc(&arena, 8, 8));
        ash_arena_walk(&arena, sum_map, &map);
        assert_in_range(map, size / 40, size / 32 + size / 1024 + 512);
        assert_true(ash_arena_used(&arena) + map + ash_arena_room(&arena) <= size);
        if (!TEST_RED_ZONES)
            assert_in_range(ash_arena_used(&arena) + map + ash_arena_room(&arena), size - 24, size);
        ash_arena_deinit(&arena);
        free(buffer);
    }
}

static void test_object_that_fails_lays_down_no_map(void **state)
{
    (void)state;
    _Alignas(16) char buffer[1024];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    size_t room = ash_arena_room(&arena), map = 0;
    assert_null(ash_object_alloc(&arena, room, 8)); /* without its map it would fit */
    assert_null(ash_object_alloc(&arena, room - 8, 8));
    assert_null(ash_new_array(&arena, pair, sizeof buffer / sizeof(pair)));
    ash_arena_walk(&arena, sum_map, &map);
    assert_int_equal(map, 0);
    assert_int_equal(ash_arena_room(&arena), room);
    assert_non_null(ash_alloc(&arena, room, 1));
    ash_arena_deinit(&arena);
}

static void test_object_exact_fit_fits(void **state)
{
    (void)state;
    _Alignas(64) static char buffer[4096];
    for (size_t before = 1; before < 20; before++) {
        ash_arena arena;
        ash_arena_init_fixed(&arena, buffer, sizeof buffer);
        assert_non_null(ash_object_alloc(&arena, 16, 8));
        assert_non_null(ash_alloc(&arena, before, 1));
        size_t most = ash_arena_room(&arena);
        void *p = NULL;
        for (; !p; most--) /* the largest object that fits leaves less than an alignment */
            p = ash_object_alloc(&arena, most, 8);
        if (!TEST_RED_ZONES)
            assert_true(ash_arena_room(&arena) < 8);
        memset(p, 1, most + 1);
        assert_null(ash_object_alloc(&arena, ash_arena_room(&arena) + 1, 8));
        assert_consistent(&arena);
        ash_delete(&arena, p);
        ash_arena_deinit(&arena);
    }
}

/* The first object of a block, and the map it brings, may take all there is. */
static void test_object_first_exact_fit_fits(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[8192];
    for (size_t size = 512; size <= sizeof buffer; size += 136)
        for (size_t before = 0; before < 10; before++) {
            ash_arena arena;
            ash_arena_init_fixed(&arena, buffer, size);
            assert_non_null(ash_alloc(&arena, before, 1));
            size_t room = ash_arena_room(&arena), most = room;
            while (!ash_object_alloc(&arena, most, 8))
                most--;
            size_t map = 0;
            ash_arena_walk(&arena, sum_map, &map);
            assert_true(most + map <= room);
            if (!TEST_RED_ZONES)
                assert_true(ash_arena_room(&arena) < 8);
            assert_consistent(&arena);
            ash_arena_deinit(&arena);
        }
}

static void test_object_typed_exact_fit_fits(void **state)
{
    (void)state;
    if (TEST_RED_ZONES)
        skip_because("a red zone lies behind an object where there is room");
    _Alignas(64) static char buffer[4096];
    for (size_t count = 1; count < 4; count++) {
        ash_arena arena;
        ash_arena_init_fixed(&arena, buffer, sizeof buffer);
        assert_non_null(ash_object_alloc(&arena, 16, 8));
        size_t need = count * sizeof(pair) + (count == 1 ? 8 : 16);
        assert_non_null(ash_alloc(&arena, ash_arena_room(&arena) - need, 1));
        assert_int_equal(ash_arena_room(&arena), need);
        ash_mark mark = ash_arena_mark(&arena);
        assert_non_null(ash_new_array(&arena, pair, count));
        assert_int_equal(ash_arena_room(&arena), 0);
        ash_arena_rewind(&arena, mark);
        assert_non_null(ash_alloc(&arena, 1, 1));
        assert_null(ash_new_array(&arena, pair, count)); /* one byte less does not do */
        assert_int_equal(ash_arena_room(&arena), need - 1);
        ash_arena_deinit(&arena);
    }
}

static void test_object_small_buffers_hold_what_they_can(void **state)
{
    (void)state;
    _Alignas(64) char buffer[700];
    size_t served = 0;
    for (size_t offset = 0; offset < 9; offset++)
        for (size_t size = 0; size <= 640; size++) {
            ash_arena arena;
            ash_arena_init_fixed(&arena, buffer + offset, size);
            char *p = ash_alloc(&arena, size / 8, 1), *q;
            while ((q = ash_object_alloc(&arena, 16, 8))) {
                assert_in_range((uintptr_t)q, (uintptr_t)buffer + offset,
                                (uintptr_t)buffer + offset + size - 16);
                memset(q, 0xff, 16);
                served++;
            }
            if (p)
                memset(p, 0xff, size / 8);
            assert_consistent(&arena);
            ash_arena_deinit(&arena);
        }
    assert_true(served > 10000);
}

static void test_object_array_that_overflows_is_refused(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    static const ash_type huge = {.name = "huge", .size = SIZE_MAX / 2 + 9, .align = 8};
    const size_t counts[] = {SIZE_MAX / sizeof(pair) + 1, SIZE_MAX / sizeof(pair), SIZE_MAX,
                             SIZE_MAX / 2};
    for (size_t i = 0; i < countof(counts); i++) {
        ash_arena_clear_failed(&arena);
        assert_null(ash_new_array(&arena, pair, counts[i]));
        assert_true(ash_arena_failed(&arena));
        assert_null(ash_new_array(&arena, page, counts[i]));
        assert_null(ash_object_new(&arena, &huge, i + 1));
    }
    for (size_t k = 0; k < 40; k++) { /* room for the words wraps, were it added unchecked */
        assert_null(ash_new_array(&arena, tiny, SIZE_MAX - k));
        assert_null(ash_new_array(&arena, tiny, (size_t)PTRDIFF_MAX - k));
    }
#if SIZE_MAX > 0xffffffff
    up.size_most = 1 << 20;
    assert_null(ash_new_array(&arena, tiny, ((size_t)1 << 32) + 16));
#endif
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_object_large_count_is_kept_whole(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    for (size_t count = 2; count < (size_t)1 << 22; count = count * 2 + 1) {
        tiny *p = ash_new_array(&arena, tiny, count);
        assert_non_null(p);
        assert_int_equal(ash_object_count(&arena, p), count);
        assert_ptr_equal(ash_object_type(&arena, p), ash_type_of(tiny));
        ash_delete(&arena, p);
    }
    test_arena_done(&arena, &up);
}

static void test_object_array_of_none_is_an_object(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    pair *a = ash_new_array(&arena, pair, 0), *b = ash_new_array(&arena, pair, 0);
    assert_non_null(a);
    assert_non_null(b);
    assert_ptr_not_equal(a, b);
    assert_int_equal(ash_object_inspect(&arena, a), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_count(&arena, a), 0);
    assert_ptr_equal(ash_object_type(&arena, a), ash_type_of(pair));
    ash_delete(&arena, a);
    assert_int_equal(ash_object_inspect(&arena, a), ASH_OBJECT_DEAD);
    ash_delete(&arena, b);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_object_size_zero_is_distinct(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    static const ash_type empty = {.name = "empty", .size = 0, .align = 1};
    void *p[] = {ash_object_alloc(&arena, 0, 1), ash_object_alloc(&arena, 0, 1),
                 ash_object_new(&arena, &empty, 1), ash_object_new(&arena, &empty, 5)};
    for (size_t i = 0; i < countof(p); i++) {
        assert_int_equal(ash_object_inspect(&arena, p[i]), ASH_OBJECT_LIVE);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(p[i], p[j]);
    }
    for (size_t i = 0; i < countof(p); i++)
        ash_delete(&arena, p[i]);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

/*
 * All permutations. Sizes lie around a granule, a map word (512 bytes) and a region (32 KiB).
 */
enum { MOST = 6 };

typedef struct order {
    ash_arena *arena;
    void *p[MOST];
    size_t size[MOST];
    bool live[MOST];
    size_t count;
} order;

static const size_t size_sets[][MOST] = {
    {8, 8, 8, 8, 8, 8},
    {1, 7, 9, 16, 504, 512},
    {504, 512, 520, 8, 496, 24},
    {32768, 8, 32760, 16, 8, 32776},
    {512, 512, 512, 512, 512, 512},
    {65536, 24, 8, 40000, 1, 600},
};

static void order_make(order *o, size_t set, size_t count)
{
    o->count = count;
    for (size_t i = 0; i < count; i++) {
        size_t size = size_sets[set][i];
        if ((i + set) % 3 == 0)
            o->p[i] = ash_object_alloc(o->arena, size, 8);
        else
            o->p[i] = ash_new_array(o->arena, tiny, (i + set) % 3 == 1 ? 1 : size);
        o->size[i] = (i + set) % 3 == 1 ? 1 : size;
        o->live[i] = true;
        assert_non_null(o->p[i]);
        fill_pattern(o->p[i], o->size[i] < 600 ? o->size[i] : 600, (unsigned)i);
    }
}

static void order_check(const order *o)
{
    size_t newest = MOST;
    for (size_t i = 0; i < o->count; i++)
        if (o->live[i])
            newest = i;
    for (size_t i = 0; i < o->count; i++) {
        ash_object_state now = ash_object_inspect(o->arena, o->p[i]);
        if (o->live[i]) {
            assert_int_equal(now, ASH_OBJECT_LIVE);
            assert_true(is_pattern(o->p[i], o->size[i] < 600 ? o->size[i] : 600, (unsigned)i));
        } else if (newest != MOST && newest > i) {
            assert_int_equal(now, ASH_OBJECT_DEAD); /* not reclaimed yet */
        } else {
            assert_true(now == ASH_OBJECT_DEAD || now == ASH_OBJECT_FOREIGN);
        }
        assert_int_equal(ash_object_is_top(o->arena, o->p[i]), i == newest);
    }
}

static void order_run(order *o, const size_t *permutation)
{
    size_t used_before = ash_arena_used(o->arena);
    for (size_t i = 0; i < o->count; i++) {
        size_t which = permutation[i], used = ash_arena_used(o->arena);
        bool top = ash_object_is_top(o->arena, o->p[which]);
        ash_delete(o->arena, o->p[which]);
        o->live[which] = false;
        order_check(o);
        if (top)
            assert_true(ash_arena_used(o->arena) <= used - o->size[which]);
        else
            assert_int_equal(ash_arena_used(o->arena), used);
        assert_true(ash_arena_check(o->arena));
    }
    assert_true(used_before > 0);
    assert_int_equal(ash_arena_used(o->arena), 0);
}

/* Calls order_run for each permutation of a[at..]. */
static void permute(order *o, size_t set, size_t *a, size_t at, size_t count)
{
    if (at == count) {
        order_make(o, set, count);
        order_check(o);
        order_run(o, a);
        return;
    }
    for (size_t i = at; i < count; i++) {
        size_t swap = a[at];
        a[at] = a[i];
        a[i] = swap;
        permute(o, set, a, at + 1, count);
        a[i] = a[at];
        a[at] = swap;
    }
}

static void test_object_deletes_in_every_order(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    for (size_t set = 0; set < countof(size_sets); set++) {
        test_arena_over(&arena, &up, (size_t)1 << 18);
        order o = {.arena = &arena};
        for (size_t count = 1; count <= MOST; count++) {
            size_t a[MOST] = {0, 1, 2, 3, 4, 5};
            permute(&o, set, a, 0, count);
        }
        test_arena_done(&arena, &up);
    }
}

/* Every bit of the map is stale by then: none may make a live object. */
static void assert_live_only(const ash_arena *arena, const char *low, const char *high,
                             void *const *live, size_t count)
{
    size_t found = 0;
    for (const char *p = low; p < high; p += 8) {
        bool expected = false;
        for (size_t i = 0; i < count; i++)
            expected |= live[i] == p;
        ash_object_state now = ash_object_inspect(arena, p);
        assert_int_equal(now == ASH_OBJECT_LIVE, expected);
        assert_int_not_equal(now, ASH_OBJECT_CORRUPT);
        found += expected;
    }
    assert_int_equal(found, count);
}

static void test_object_reused_memory_forgets_what_it_held(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[8192];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    test_rng rng;
    test_rng_init(&rng, 2);
    for (int round = 0; round < 60; round++) {
        ash_mark mark = ash_arena_mark(&arena);
        while (ash_object_alloc(&arena, 8, 8)) /* a start in every granule */
            continue;
        if (round % 2)
            ash_arena_reset(&arena);
        else
            ash_arena_rewind(&arena, mark);
        void *live[24];
        for (size_t i = 0; i < countof(live); i++) {
            size_t kind = test_rng_below(&rng, 3), size = 1 + test_rng_below(&rng, 120);
            live[i] = kind == 0   ? ash_object_alloc(&arena, size, 8)
                      : kind == 1 ? (void *)ash_new(&arena, wide)
                                  : (void *)ash_new_array(&arena, tiny, size + 1);
            assert_non_null(live[i]);
        }
        assert_live_only(&arena, buffer, buffer + sizeof buffer, live, countof(live));
        assert_consistent(&arena);
        ash_arena_reset(&arena);
        assert_live_only(&arena, buffer, buffer + sizeof buffer, NULL, 0);
    }
    ash_arena_deinit(&arena);
}

static void test_object_elements_and_interiors_are_foreign(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 14);
    pair *array = ash_new_array(&arena, pair, 10), *one = ash_new(&arena, pair);
    char *untyped = ash_object_alloc(&arena, 100, 8);
    for (size_t i = 1; i < 10; i++) {
        assert_int_equal(ash_object_inspect(&arena, &array[i]), ASH_OBJECT_FOREIGN);
        expect_fatal_delete(&arena, &array[i], NOT_START IN_ARENA("t"));
    }
    for (size_t i = 1; i < 100; i++)
        assert_int_equal(ash_object_inspect(&arena, untyped + i), ASH_OBJECT_FOREIGN);
    for (size_t i = 1; i < 16; i++) {
        assert_int_equal(ash_object_inspect(&arena, (char *)one + i), ASH_OBJECT_FOREIGN);
        assert_int_equal(ash_object_inspect(&arena, (char *)array - i), ASH_OBJECT_FOREIGN);
    }
    for (size_t i = 1; i <= 8; i++) /* the type word and in front of it */
        assert_int_equal(ash_object_inspect(&arena, (char *)one - i), ASH_OBJECT_FOREIGN);
    expect_fatal_delete(&arena, (char *)one + 1, NOT_START IN_ARENA("t"));
    expect_fatal_delete(&arena, (char *)one - 8, NOT_START IN_ARENA("t"));
    expect_fatal_delete(&arena, untyped + 8, NOT_START IN_ARENA("t"));
    ash_delete(&arena, array);
    ash_delete(&arena, one);
    ash_delete(&arena, untyped);
    test_arena_done(&arena, &up);
}

static void test_object_plain_memory_is_foreign(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 14);
    char *before = ash_alloc(&arena, 800, 8);
    assert_non_null(ash_object_alloc(&arena, 8, 8));
    char *after = ash_alloc(&arena, 800, 8);
    for (size_t i = 0; i < 800; i++) {
        assert_int_equal(ash_object_inspect(&arena, before + i), ASH_OBJECT_FOREIGN);
        assert_int_equal(ash_object_inspect(&arena, after + i), ASH_OBJECT_FOREIGN);
    }
    expect_fatal_delete(&arena, before, NOT_START IN_ARENA("t"));
    expect_fatal_delete(&arena, after, NOT_START IN_ARENA("t"));
    test_arena_done(&arena, &up);
}

/* What a map is laid over is dirt, most of which is never written: between objects that are larger
 * than what a leaf (512 bytes), a node (32 KiB) or a node of nodes (2 MiB) stands for. */
static void check_on_dirt(char *buffer, size_t size, int dirt, size_t large)
{
    memset(buffer, dirt, size);
    ash_arena arena;
    ash_arena_config config = {
        .name = "t", .buffer = buffer, .buffer_size = size, .upstream = ash_null()};
    assert_true(ash_arena_init(&arena, &config));
    char *p[24];
    for (size_t i = 0; i < countof(p); i++) {
        size_t bytes = i % 3 == 1 ? large + i * 8 : sizeof(pair);
        p[i] = i % 3 == 2 ? (char *)ash_new(&arena, pair) : ash_object_alloc(&arena, bytes, 8);
        assert_non_null(p[i]);
        for (size_t at = 8; at < bytes; at += bytes < 8192 ? 8 : bytes / 512 / 8 * 8)
            assert_int_equal(ash_object_inspect(&arena, p[i] + at), ASH_OBJECT_FOREIGN);
        if (bytes > 64) {
            expect_fatal_delete(&arena, p[i] + 48, NOT_START IN_ARENA("t"));
            expect_fatal_delete(&arena, p[i] + bytes / 16 * 8, NOT_START IN_ARENA("t"));
        }
        assert_consistent(&arena);
    }
    for (size_t i = 0; i < countof(p); i++) {
        size_t which = i * 7 % countof(p);
        assert_int_equal(ash_object_inspect(&arena, p[which]), ASH_OBJECT_LIVE);
        ash_delete(&arena, p[which]);
        assert_int_not_equal(ash_object_inspect(&arena, p[which]), ASH_OBJECT_LIVE);
        assert_consistent(&arena);
    }
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_arena_deinit(&arena);
}

static void test_object_map_over_dirt(void **state)
{
    (void)state;
    static const size_t larges[] = {600, 5000, 40000, 70000, 140000, 2500000, 5000000};
    static const int dirts[] = {0, 0xff, 0xaa, 0x55, 0x01, 0x80};
    for (size_t l = 0; l < countof(larges); l++) {
        size_t size = larges[l] * 9 + 20000;
        char *buffer = malloc(size);
        assert_non_null(buffer);
        for (size_t d = 0; d < countof(dirts); d++)
            check_on_dirt(buffer, size, dirts[d], larges[l]);
        free(buffer);
    }
}

/* Objects where plain memory lies now: the map must not remember them. */
static void test_object_plain_memory_over_old_objects_is_foreign(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[4096];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    ash_mark mark = ash_arena_mark(&arena);
    while (ash_object_alloc(&arena, 8, 8))
        continue;
    ash_arena_rewind(&arena, mark);
    void *object = ash_object_alloc(&arena, 8, 8);
    size_t room = ash_arena_room(&arena);
    char *plain = ash_alloc(&arena, room, 1);
    memset(plain, 0xff, room);
    for (size_t i = 0; i < room; i++)
        assert_int_not_equal(ash_object_inspect(&arena, plain + i), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_inspect(&arena, object), ASH_OBJECT_LIVE);
    ash_arena_deinit(&arena);
}

static int a_static;

static void test_object_inspect_takes_any_pointer(void **state)
{
    (void)state;
    ash_arena arena, other;
    test_upstream up, other_up;
    test_arena_over(&arena, &up, 1 << 14);
    test_arena_over(&other, &other_up, 1 << 14);
    pair *mine = ash_new(&arena, pair), *theirs = ash_new(&other, pair);
    uint64_t on_stack[4] = {0};
    void (*function)(void **) = test_object_inspect_takes_any_pointer;
    void *code;
    memcpy(&code, &function, sizeof code);
    void *const odd[] = {NULL,
                         (void *)1,
                         (void *)8,
                         (void *)UINTPTR_MAX,
                         (void *)(UINTPTR_MAX - 7),
                         on_stack,
                         &on_stack[1],
                         unmapped_address(),
                         theirs,
                         code,
                         &a_static,
                         &arena,
                         arena.next_,
                         up.newest,
                         (void *)(UINTPTR_MAX / 2 + 1)};
    for (size_t i = 0; i < countof(odd); i++) {
        assert_int_equal(ash_object_inspect(&arena, odd[i]), ASH_OBJECT_FOREIGN);
        assert_int_equal(ash_object_count(&arena, odd[i]), 0);
        assert_null(ash_object_type(&arena, odd[i]));
        assert_false(ash_object_is_top(&arena, odd[i]));
        if (odd[i])
            expect_fatal_delete(&arena, odd[i], NOT_START IN_ARENA("t"));
    }
    test_rng rng;
    test_rng_init(&rng, 3);
    for (int i = 0; i < 100000; i++) {
        void *p = (void *)(uintptr_t)test_rng_next(&rng);
        assert_int_equal(ash_object_inspect(&arena, p), ASH_OBJECT_FOREIGN);
    }
    assert_int_equal(ash_object_inspect(&arena, mine), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_inspect(&other, mine), ASH_OBJECT_FOREIGN);
    test_arena_done(&arena, &up);
    test_arena_done(&other, &other_up);
}

static void test_object_before_the_first_everything_is_foreign(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p = ash_alloc(&arena, 64, 8);
    assert_int_equal(ash_object_inspect(&arena, p), ASH_OBJECT_FOREIGN);
    assert_int_equal(ash_object_inspect(&arena, NULL), ASH_OBJECT_FOREIGN);
    expect_fatal_delete(&arena, p, NOT_START IN_ARENA("t"));
    ash_delete(&arena, NULL);
    test_arena_done(&arena, &up);
}

/* An arena that gave all its blocks back knows nothing of what lay in them. */
static void test_object_after_release_nothing_is_known(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_resource *const upstreams[] = {&up.resource, ash_heap(), ash_pages()};
    for (size_t i = 0; i < 2 * countof(upstreams); i++) {
        ash_arena arena;
        ash_arena_config config = {.name = "t", .upstream = upstreams[i / 2]};
        assert_true(ash_arena_init(&arena, &config));
        void *p = ash_object_alloc(&arena, 64, 8);
        assert_non_null(p);
        ash_arena_reset(&arena);
        if (i % 2)
            ash_arena_release(&arena);
        else
            ash_arena_trim(&arena, 0);
        assert_int_equal(ash_arena_capacity(&arena), 0);
        ash_delete(&arena, NULL);
        assert_int_equal(ash_object_inspect(&arena, p), ASH_OBJECT_FOREIGN);
        expect_fatal_delete(&arena, p, NOT_START IN_ARENA("t"));
        assert_non_null(ash_object_alloc(&arena, 64, 8));
        assert_consistent(&arena);
        ash_arena_deinit(&arena);
    }
    test_upstream_done(&up);
}

static void test_object_second_delete_is_reported(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    void *p[] = {ash_object_alloc(&arena, 24, 8), ash_new(&arena, pair),
                 ash_new_array(&arena, pair, 3), ash_object_alloc(&arena, 8, 8)};
    for (size_t i = 0; i + 1 < countof(p); i++) {
        ash_delete(&arena, p[i]);
        expect_fatal_delete(&arena, p[i], DELETED IN_ARENA("t"));
        assert_int_equal(ash_object_inspect(&arena, p[i]), ASH_OBJECT_DEAD);
        assert_consistent(&arena);
    }
    ash_delete(&arena, p[3]);
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_object_unnamed_arena_is_called_so(void **state)
{
    (void)state;
    char buffer[512];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_non_null(ash_object_alloc(&arena, 8, 8));
    expect_fatal_delete(&arena, buffer, NOT_START IN_ARENA("unnamed"));
    ash_arena_deinit(&arena);
}

/* Bytes around an object decide nothing: overflow all over, and the map answers as before. */
static void test_object_overflow_does_not_change_the_answer(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *p[8];
    for (size_t i = 0; i < countof(p); i++)
        p[i] = ash_object_alloc(&arena, 16, 8);
    for (unsigned byte = 0; byte < 256; byte += 51)
        for (size_t i = 0; i < countof(p); i++) {
            raw_fill(p[i], (unsigned char)byte, 16);
            for (size_t j = 0; j < countof(p); j++) {
                assert_int_equal(ash_object_inspect(&arena, p[j]), ASH_OBJECT_LIVE);
                assert_int_equal(ash_object_inspect(&arena, p[j] + 8), ASH_OBJECT_FOREIGN);
            }
        }
    for (size_t i = 0; i < countof(p); i += 2)
        ash_delete(&arena, p[i]);
    for (size_t i = 0; i < countof(p); i++)
        raw_fill(p[i], 0xff, 16);
    for (size_t i = 0; i < countof(p); i++)
        assert_int_equal(ash_object_inspect(&arena, p[i]),
                         i % 2 ? ASH_OBJECT_LIVE : ASH_OBJECT_DEAD);
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_macros_describe_the_type),
        cmocka_unit_test(test_object_new_is_zero_aligned_and_typed),
        cmocka_unit_test(test_object_untyped_has_no_type_and_count_one),
        cmocka_unit_test(test_object_overhead_is_nothing_eight_or_sixteen),
        cmocka_unit_test(test_object_map_takes_a_thirty_second),
        cmocka_unit_test(test_object_that_fails_lays_down_no_map),
        cmocka_unit_test(test_object_exact_fit_fits),
        cmocka_unit_test(test_object_first_exact_fit_fits),
        cmocka_unit_test(test_object_typed_exact_fit_fits),
        cmocka_unit_test(test_object_small_buffers_hold_what_they_can),
        cmocka_unit_test(test_object_array_that_overflows_is_refused),
        cmocka_unit_test(test_object_large_count_is_kept_whole),
        cmocka_unit_test(test_object_array_of_none_is_an_object),
        cmocka_unit_test(test_object_size_zero_is_distinct),
        cmocka_unit_test(test_object_deletes_in_every_order),
        cmocka_unit_test(test_object_reused_memory_forgets_what_it_held),
        cmocka_unit_test(test_object_elements_and_interiors_are_foreign),
        cmocka_unit_test(test_object_plain_memory_is_foreign),
        cmocka_unit_test(test_object_map_over_dirt),
        cmocka_unit_test(test_object_plain_memory_over_old_objects_is_foreign),
        cmocka_unit_test(test_object_inspect_takes_any_pointer),
        cmocka_unit_test(test_object_before_the_first_everything_is_foreign),
        cmocka_unit_test(test_object_after_release_nothing_is_known),
        cmocka_unit_test(test_object_second_delete_is_reported),
        cmocka_unit_test(test_object_unnamed_arena_is_called_so),
        cmocka_unit_test(test_object_overflow_does_not_change_the_answer),
    };
    return test_main(tests);
}
