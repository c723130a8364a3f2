/*
 * Blocks: how they grow, what limits them, which are kept, and arenas over arenas.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

/* Fills with small plain memory until upstream is asked `blocks` times more; sizes[] says for what. */
static void fill_blocks(ash_arena *arena, test_upstream *up, size_t blocks, size_t *sizes)
{
    for (size_t i = 0; i < blocks; i++) {
        size_t calls = up->calls;
        while (up->calls == calls)
            assert_non_null(ash_alloc(arena, 100, 1));
        assert_int_equal(up->calls, calls + 1);
        sizes[i] = up->last_size;
    }
}

static void test_block_growth_doubles_what_is_held(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    size_t sizes[7], held = 0;
    fill_blocks(&arena, &up, countof(sizes), sizes);
    for (size_t i = 0; i < countof(sizes); i++) {
        assert_int_equal(sizes[i], held > 4096 ? held : 4096);
        held += sizes[i];
    }
    assert_int_equal(held, 4096 * 64);
    assert_int_equal(up.bytes, held);
    test_arena_done(&arena, &up);
}

static void test_block_growth_stops_at_block_max(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {.upstream = &up.resource, .block_size = 4096, .block_max = 16384};
    assert_true(ash_arena_init(&arena, &config));
    size_t sizes[8];
    fill_blocks(&arena, &up, countof(sizes), sizes);
    assert_int_equal(sizes[0], 4096);
    assert_int_equal(sizes[1], 4096);
    assert_int_equal(sizes[2], 8192);
    for (size_t i = 3; i < countof(sizes); i++)
        assert_int_equal(sizes[i], 16384);
    test_arena_done(&arena, &up);
}

static void test_block_equal_blocks(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {.upstream = &up.resource, .block_size = 2048, .block_max = 2048};
    assert_true(ash_arena_init(&arena, &config));
    size_t sizes[20];
    fill_blocks(&arena, &up, countof(sizes), sizes);
    for (size_t i = 0; i < countof(sizes); i++)
        assert_int_equal(sizes[i], 2048);
    assert_non_null(ash_alloc(&arena, 10000, 8)); /* one that needs more gets more */
    assert_true(up.last_size > 10000);
    fill_blocks(&arena, &up, 2, sizes);
    assert_int_equal(sizes[0], 2048);
    test_arena_done(&arena, &up);
}

static void test_block_oversize_does_not_advance_growth(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    size_t sizes[3];
    fill_blocks(&arena, &up, 1, sizes);
    assert_non_null(ash_alloc(&arena, 1 << 20, 8));
    assert_true(up.last_size >= 1 << 20);
    assert_true(up.last_size < (1 << 20) + 4096); /* the request and an overhead */
    fill_blocks(&arena, &up, 3, sizes);
    assert_int_equal(sizes[0], 4096);
    assert_int_equal(sizes[1], 8192);
    assert_int_equal(sizes[2], 16384);
    test_arena_done(&arena, &up);
}

static void test_block_sizes_around_a_whole_block(void **state)
{
    (void)state;
    for (size_t size = 1024 - 256; size <= 1024 + 64; size++)
        for (int object = 0; object < 2; object++) {
            ash_arena arena;
            test_upstream up;
            test_arena_over(&arena, &up, 1024);
            for (int i = 0; i < 3; i++) {
                char *p = object ? ash_object_alloc(&arena, size, 8) : ash_alloc(&arena, size, 1);
                assert_non_null(p);
                memset(p, 1, size);
            }
            test_arena_done(&arena, &up); /* each free with the size of its alloc */
        }
}

static void test_block_limit_is_never_passed(void **state)
{
    (void)state;
    for (size_t limit = 1; limit < 40000; limit += limit < 3000 ? 1 : 377) {
        char buffer[100];
        test_upstream up;
        test_upstream_init(&up);
        ash_arena arena;
        ash_arena_config config = {.upstream = &up.resource,
                                   .block_size = 4096,
                                   .limit = limit,
                                   .buffer = buffer,
                                   .buffer_size = limit % 2 ? sizeof buffer : 0};
        assert_true(ash_arena_init(&arena, &config));
        for (int i = 0; i < 300; i++) {
            void *p = i % 3 ? ash_alloc(&arena, 60, 8) : ash_object_alloc(&arena, 200, 8);
            assert_int_equal(!p, ash_arena_failed(&arena));
            ash_arena_clear_failed(&arena);
        }
        assert_true(up.most_bytes <= limit);
        test_arena_done(&arena, &up);
    }
}

static void test_block_is_clipped_to_what_the_limit_leaves(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {.upstream = &up.resource, .block_size = 4096, .limit = 10000};
    assert_true(ash_arena_init(&arena, &config));
    size_t sizes[3];
    fill_blocks(&arena, &up, 3, sizes);
    assert_int_equal(sizes[0], 4096);
    assert_int_equal(sizes[1], 4096);
    assert_in_range(sizes[2], 10000 - 2 * 4096 - 64, 10000 - 2 * 4096);
    while (ash_alloc(&arena, 100, 1))
        continue;
    assert_true(ash_arena_failed(&arena));
    assert_int_equal(up.calls, 3); /* the limit is the arena's own matter */
    assert_true(ash_arena_room(&arena) < 200);
    ash_arena_release(&arena); /* what was given back counts no more */
    fill_blocks(&arena, &up, 3, sizes);
    assert_int_equal(sizes[0], 4096);
    test_arena_done(&arena, &up);
}

static void test_block_limit_refuses_what_cannot_fit(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {.upstream = &up.resource, .block_size = 4096, .limit = 10000};
    assert_true(ash_arena_init(&arena, &config));
    assert_null(ash_alloc(&arena, 10001, 1));
    assert_null(ash_alloc(&arena, 10000, 1)); /* there is an overhead */
    assert_int_equal(up.calls, 0);
    assert_non_null(ash_alloc(&arena, 9500, 1));
    assert_null(ash_object_alloc(&arena, 1000, 8));
    test_arena_done(&arena, &up);
}

static void test_block_spare_too_small_is_skipped_and_kept(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    assert_non_null(ash_alloc(&arena, 500, 8));
    assert_non_null(ash_alloc(&arena, 600, 8));
    assert_non_null(ash_alloc(&arena, 20000, 8));
    size_t calls = up.calls, held = up.bytes;
    for (int round = 0; round < 5; round++) {
        ash_arena_reset(&arena);
        char *p = ash_alloc(&arena, 19000, 8); /* fits in the third alone */
        assert_non_null(p);
        memset(p, 1, 19000);
        assert_int_equal(up.calls, calls);
        assert_int_equal(up.bytes, held);
        assert_consistent(&arena);
        assert_non_null(ash_alloc(&arena, 600, 8)); /* those skipped are there still */
        assert_non_null(ash_alloc(&arena, 600, 8));
        assert_int_equal(up.bytes, held);
        assert_int_equal(up.calls, calls);
    }
    test_arena_done(&arena, &up);
}

/* Order of death across a chain some of whose spares were skipped. */
static unsigned last_id, out_of_order;

typedef struct numbered {
    unsigned id;
} numbered;

static void numbered_destroy(void *self)
{
    unsigned id = ((numbered *)self)->id;
    out_of_order += id >= last_id;
    last_id = id;
}
ASH_TYPE(numbered, .destroy = numbered_destroy);

static void test_block_order_of_death_over_skipped_spares(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 512);
    test_rng rng;
    test_rng_init(&rng, 6);
    out_of_order = 0;
    for (int round = 0; round < 50; round++) {
        for (unsigned id = 1; id <= 60; id++) {
            numbered *n = ash_new(&arena, numbered);
            n->id = id;
            size_t size = test_rng_below(&rng, 10) ? 40 : 400u << test_rng_below(&rng, 6);
            assert_non_null(id % 2 ? ash_alloc(&arena, size, 8)
                                   : ash_object_alloc(&arena, size, 8));
        }
        assert_consistent(&arena);
        last_id = 61;
        if (round % 2)
            ash_arena_reset(&arena);
        else
            ash_arena_release(&arena);
        assert_int_equal(last_id, 1);
        assert_int_equal(out_of_order, 0);
    }
    test_arena_done(&arena, &up);
}

static void test_block_trim_keeps_so_much_at_most(void **state)
{
    (void)state;
    for (size_t keep = 0; keep < 70000; keep += 997) {
        ash_arena arena;
        test_upstream up;
        test_arena_over(&arena, &up, 1024);
        for (int i = 0; i < 60; i++)
            assert_non_null(ash_alloc(&arena, 900, 8));
        size_t held = up.bytes;
        ash_arena_trim(&arena, keep);
        assert_int_equal(up.bytes, held); /* nothing is empty */
        ash_arena_reset(&arena);
        ash_arena_trim(&arena, keep);
        assert_true(ash_arena_capacity(&arena) <= keep);
        assert_int_equal(ash_arena_capacity(&arena), up.bytes);
        if (keep >= held)
            assert_int_equal(up.bytes, held);
        assert_consistent(&arena);
        assert_non_null(ash_alloc(&arena, 5000, 8));
        test_arena_done(&arena, &up);
    }
}

static void test_block_trim_gives_the_largest_last(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    static const size_t sizes[] = {900, 30000, 2000, 900};
    for (size_t i = 0; i < countof(sizes); i++)
        assert_non_null(ash_alloc(&arena, sizes[i], 8));
    size_t held = up.bytes;
    ash_arena_reset(&arena);
    ash_arena_trim(&arena, held - 1);
    assert_true(up.bytes < held);
    assert_true(ash_arena_room(&arena) >= 30000); /* a smaller one went */
    ash_arena_trim(&arena, 32000);
    assert_true(ash_arena_room(&arena) >= 30000);
    ash_arena_trim(&arena, 0);
    assert_int_equal(up.blocks, 0);
    assert_int_equal(ash_arena_room(&arena), 0);
    test_arena_done(&arena, &up);
}

static void test_block_trim_leaves_what_is_in_use(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    char *kept = ash_alloc(&arena, 800, 8);
    fill_pattern(kept, 800, 1);
    ash_mark mark = ash_arena_mark(&arena);
    for (int i = 0; i < 30; i++)
        assert_non_null(ash_object_alloc(&arena, 800, 8));
    ash_arena_rewind(&arena, mark);
    ash_arena_trim(&arena, 0);
    assert_true(up.blocks >= 1);
    assert_true(ash_arena_capacity(&arena) < 4096);
    assert_true(is_pattern(kept, 800, 1));
    assert_consistent(&arena);
    ash_arena_rewind(&arena, mark);
    assert_used(&arena, 800);
    test_arena_done(&arena, &up);
}

/* A block emptied of its objects is as roomy as one that never had any. */
static void test_block_room_of_a_block_emptied_of_objects(void **state)
{
    (void)state;
    char buffer[200];
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {
        .upstream = &up.resource, .block_size = 4096, .buffer = buffer, .buffer_size = 200};
    assert_true(ash_arena_init(&arena, &config));
    assert_non_null(ash_alloc(&arena, 100, 1));
    void *object = ash_object_alloc(&arena, 1000, 8);
    assert_non_null(object);
    ash_delete(&arena, object);
    up.refuse = true;
    size_t room = ash_arena_room(&arena);
    assert_null(ash_alloc(&arena, room + 1, 1));
    assert_int_equal(ash_arena_room(&arena), room);
    assert_non_null(ash_alloc(&arena, room, 1));
    test_arena_done(&arena, &up);
}

static void test_block_trim_keeps_the_peak(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    void *p = ash_object_alloc(&arena, 64, 8);
    assert_non_null(p);
    ash_delete(&arena, p);
    ash_arena_trim(&arena, 0);
    assert_int_equal(up.blocks, 0);
    assert_true(ash_arena_peak(&arena) >= 64);
    ash_resource *resource = ash_arena_resource(&arena);
    p = ash_resource_alloc(resource, 100, 8);
    ash_resource_free(resource, p, 100, 8);
    ash_arena_release(&arena);
    assert_true(ash_arena_peak(&arena) >= 100);
    test_arena_done(&arena, &up);
}

/*
 * Reserved arenas: one stretch of address space, no upstream, no second block.
 */
static bool count_blocks(const ash_walk_item *item, void *ctx)
{
    *(size_t *)ctx += item->kind == ASH_WALK_BLOCK;
    return true;
}

static size_t blocks_of(const ash_arena *arena)
{
    size_t count = 0;
    assert_true(ash_arena_walk(arena, count_blocks, &count));
    return count;
}

static void test_block_reserve_is_one_block_and_no_second(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {.name = "t", .upstream = &up.resource, .reserve = 1 << 20};
    assert_true(ash_arena_init(&arena, &config));
    size_t room = ash_arena_room(&arena);
    assert_in_range(room, (1 << 20) - 8192, (1 << 20) + 65536);
    for (int round = 0; round < 3; round++) {
        size_t served = 0;
        for (;; served++) {
            char *p = served % 2 ? ash_alloc(&arena, 1000, 8) : ash_object_alloc(&arena, 1000, 8);
            if (!p)
                break;
            fill_pattern(p, 1000, (unsigned)served);
        }
        assert_in_range(served, 900, 1100);
        assert_true(ash_arena_failed(&arena));
        assert_int_equal(blocks_of(&arena), 1);
        assert_int_equal(up.calls, 0);
        assert_consistent(&arena);
        if (round == 0)
            ash_arena_reset(&arena);
        else
            ash_arena_release(&arena);
        assert_int_equal(ash_arena_used(&arena), 0);
        ash_arena_trim(&arena, 0);
    }
    assert_non_null(
        ash_alloc(&arena, room - 65536, 8)); /* after release and trim: all of it again */
    test_arena_done(&arena, &up);
}

/* The limit is on what is committed, not on the address space. */
static void test_block_reserve_commits_up_to_the_limit(void **state)
{
    (void)state;
    for (size_t limit = 4096; limit < 200000; limit += 9973) {
        ash_arena arena;
        ash_arena_config config = {.upstream = ash_null(), .reserve = 1 << 22, .limit = limit};
        assert_true(ash_arena_init(&arena, &config));
        for (int i = 0; i < 1000; i++) {
            size_t room = ash_arena_room(&arena);
            char *p = i % 5 ? ash_alloc(&arena, 700, 8) : ash_object_alloc(&arena, 700, 8);
            assert_true(ash_arena_capacity(&arena) <= limit);
            assert_true(p || i % 5 == 0 || room < 700 + 7);
            if (p)
                memset(p, 1, 700);
        }
        assert_true(ash_arena_failed(&arena));
        assert_true(ash_arena_used(&arena) > 0);
        assert_consistent(&arena);
        ash_arena_deinit(&arena);
    }
}

static void test_block_reserve_serves_more_than_four_gib(void **state)
{
    (void)state;
#if SIZE_MAX > 0xffffffff
    size_t gib = (size_t)1 << 30;
    ash_arena arena;
    ash_arena_config config = {.upstream = ash_null(), .reserve = 12 * gib};
    assert_true(ash_arena_init(&arena, &config));
    assert_true(ash_arena_room(&arena) > 11 * gib);
    char *p = ash_alloc(&arena, 5 * gib, 4096);
    assert_non_null(p);
    p[0] = 1;
    p[5 * gib - 1] = 2;
    assert_used(&arena, 5 * gib);
    assert_true(ash_extend(&arena, p, 5 * gib, 5 * gib + 100));
    p[5 * gib + 99] = 3;
    char *q = ash_alloc_array(&arena, ((size_t)1 << 32) + 16, 1, 1);
    assert_non_null(q);
    q[((size_t)1 << 32) + 15] = 4;
    assert_true(q > p + 5 * gib);
    assert_null(ash_alloc(&arena, 5 * gib, 1)); /* not what is left over modulo 4 GiB */
    assert_int_equal(ash_object_inspect(&arena, q), ASH_OBJECT_FOREIGN);
    assert_consistent(&arena);
    assert_int_equal(blocks_of(&arena), 1);
    ash_arena_deinit(&arena);
#else
    skip_because("pointers have 32 bits");
#endif
}

static void test_block_reserve_holds_objects_beyond_four_gib(void **state)
{
    (void)state;
#if SIZE_MAX > 0xffffffff
    size_t gib = (size_t)1 << 30;
    ash_arena arena;
    ash_arena_config config = {.name = "t", .upstream = ash_null(), .reserve = 11 * gib};
    assert_true(ash_arena_init(&arena, &config));
    numbered *first = ash_new(&arena, numbered);
    assert_non_null(first);
    first->id = 1;
    char *big = ash_object_alloc(&arena, 5 * gib, 64);
    assert_non_null(big);
    big[0] = 1;
    big[5 * gib - 1] = 2;
    numbered *last = ash_new(&arena, numbered);
    assert_non_null(last);
    last->id = 2;
    assert_true((size_t)((char *)first - (char *)last) > 5 * gib);
    assert_int_equal(ash_object_inspect(&arena, big), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_inspect(&arena, big + gib * 4), ASH_OBJECT_FOREIGN);
    ash_delete(&arena, big);
    assert_int_equal(ash_object_inspect(&arena, big), ASH_OBJECT_DEAD);
    assert_true(ash_arena_used(&arena) > 5 * gib);
    last_id = 3;
    out_of_order = 0;
    ash_delete(&arena, last);
    assert_used(&arena, 16);
    assert_int_equal(last_id, 2);
    ash_arena_deinit(&arena);
    assert_int_equal(last_id, 1);
#else
    skip_because("pointers have 32 bits");
#endif
}

/*
 * Arenas over arenas.
 */
static void test_block_nested_arena_takes_and_gives_back(void **state)
{
    (void)state;
    ash_arena parent;
    test_upstream up;
    test_arena_over(&parent, &up, 1 << 16);
    assert_non_null(ash_alloc(&parent, 100, 8));
    size_t used = ash_arena_used(&parent);
    ash_arena child;
    ash_arena_config config = {
        .name = "child", .upstream = ash_arena_resource(&parent), .block_size = 4096};
    for (int round = 0; round < 5; round++) {
        assert_true(ash_arena_init(&child, &config));
        char *p = ash_alloc(&child, 100, 8);
        void *q = ash_object_alloc(&child, 100, 8);
        assert_true(ash_arena_owns(&parent, p));
        assert_int_equal(ash_object_inspect(&child, q), ASH_OBJECT_LIVE);
        assert_int_equal(ash_object_inspect(&parent, q), ASH_OBJECT_FOREIGN);
        assert_true(ash_arena_used(&parent) >= used + 4096);
        assert_consistent(&child);
        ash_arena_deinit(&child);
        /* one block, the newest of the parent: given back but for padding */
        assert_true(ash_arena_used(&parent) < used + 64);
        used = ash_arena_used(&parent);
    }
    test_arena_done(&parent, &up);
}

static void test_block_siblings_over_one_parent(void **state)
{
    (void)state;
    ash_arena parent, children[3];
    test_upstream up;
    test_arena_over(&parent, &up, 1 << 14);
    for (size_t c = 0; c < 3; c++) {
        ash_arena_config config = {.upstream = ash_arena_resource(&parent), .block_size = 512};
        assert_true(ash_arena_init(&children[c], &config));
    }
    char *p[300];
    for (unsigned i = 0; i < 300; i++) {
        p[i] = i % 2 ? ash_alloc(&children[i % 3], 50 + i, 8)
                     : ash_object_alloc(&children[i % 3], 50 + i, 8);
        fill_pattern(p[i], 50 + i, i);
        if (i % 50 == 0)
            assert_consistent(&parent);
    }
    for (unsigned i = 0; i < 300; i++)
        assert_true(is_pattern(p[i], 50 + i, i));
    ash_arena_reset(&children[1]);
    ash_arena_release(&children[2]); /* most cannot be given back: the parent's end frees them */
    for (unsigned i = 0; i < 300; i += 3)
        assert_true(is_pattern(p[i], 50 + i, i));
    for (size_t c = 0; c < 3; c++) {
        assert_consistent(&children[c]);
        ash_arena_deinit(&children[c]);
    }
    test_arena_done(&parent, &up);
}

static void test_block_child_fails_where_its_parent_does(void **state)
{
    (void)state;
    char buffer[4096];
    ash_arena parent, child, grandchild;
    ash_arena_init_fixed(&parent, buffer, sizeof buffer);
    ash_arena_config config = {.upstream = ash_arena_resource(&parent), .block_size = 512};
    assert_true(ash_arena_init(&child, &config));
    config.upstream = ash_arena_resource(&child);
    config.block_size = 400;
    assert_true(ash_arena_init(&grandchild, &config));
    size_t served = 0;
    while (ash_alloc(&grandchild, 32, 8))
        served++;
    assert_true(served > 10);
    assert_true(ash_arena_failed(&grandchild) && ash_arena_failed(&child));
    assert_true(ash_arena_failed(&parent));
    assert_consistent(&grandchild);
    ash_arena_deinit(&grandchild);
    ash_arena_deinit(&child);
    assert_consistent(&parent);
    ash_arena_deinit(&parent);
}

/*
 * Many blocks.
 */
enum { MANY = 10000 };

static void test_block_ten_thousand(void **state)
{
    (void)state;
    test_upstream up;
    test_upstream_init(&up);
    ash_arena arena;
    ash_arena_config config = {
        .name = "t", .upstream = &up.resource, .block_size = 1024, .block_max = 1024};
    assert_true(ash_arena_init(&arena, &config));
    static void *p[MANY];
    for (size_t i = 0; i < MANY; i++) {
        p[i] = ash_object_alloc(&arena, 600, 8);
        assert_non_null(p[i]);
    }
    assert_true(up.blocks >= MANY);
    assert_int_equal(ash_arena_capacity(&arena), up.bytes);
    test_rng rng;
    test_rng_init(&rng, 7);
    for (size_t i = MANY; i > 1; i--) { /* shuffled */
        size_t j = test_rng_below(&rng, i);
        void *swap = p[j];
        p[j] = p[i - 1];
        p[i - 1] = swap;
    }
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(ash_object_inspect(&arena, p[i]), ASH_OBJECT_LIVE);
        assert_int_equal(ash_object_inspect(&arena, (char *)p[i] + 8), ASH_OBJECT_FOREIGN);
    }
    for (size_t i = 0; i < MANY; i++) {
        ash_delete(&arena, p[i]);
        assert_int_not_equal(ash_object_inspect(&arena, p[i]), ASH_OBJECT_LIVE);
    }
    assert_int_equal(ash_arena_used(&arena), 0);
    test_arena_done(&arena, &up);
}

static void block_cycle(ash_resource *upstream, size_t block_size)
{
    ash_arena arena;
    ash_arena_config config = {.upstream = upstream, .block_size = block_size};
    assert_true(ash_arena_init(&arena, &config));
    for (int round = 0; round < 6; round++) {
        void *p[200];
        for (unsigned i = 0; i < 200; i++) {
            p[i] = ash_object_alloc(&arena, 10 + i * 20, 8);
            assert_non_null(p[i]);
            fill_pattern(p[i], 10 + i * 20, i);
            char *plain = ash_alloc(&arena, i * 10, 8);
            memset(plain, 0xff, i * 10);
        }
        for (unsigned i = 0; i < 200; i += 2)
            ash_delete(&arena, p[i]);
        for (unsigned i = 1; i < 200; i += 2) {
            assert_true(is_pattern(p[i], 10 + i * 20, i));
            assert_int_equal(ash_object_inspect(&arena, p[i]), ASH_OBJECT_LIVE);
        }
        assert_consistent(&arena);
        assert_true(ash_arena_capacity(&arena) > ash_arena_used(&arena));
        if (round % 3 == 0) {
            ash_arena_release(&arena);
            assert_int_equal(ash_arena_capacity(&arena), 0); /* the pages of maps too */
        } else
            ash_arena_reset(&arena);
        if (round % 3 == 1)
            ash_arena_trim(&arena, 0);
        assert_int_equal(ash_arena_used(&arena), 0);
    }
    ash_arena_deinit(&arena);
}

/* Where upstream is the heap or pages the maps lie apart, on pages of their own. */
static void test_block_over_heap_and_pages(void **state)
{
    (void)state;
    for (size_t size = 256; size <= (size_t)1 << 20; size *= 8) {
        block_cycle(ash_heap(), size);
        block_cycle(ash_pages(), size);
    }
    block_cycle(ash_huge_pages(), 4096);
}

/* Objects down to the block's first byte, where its map lies apart; and up again. */
static void test_block_filled_with_objects_to_the_first_byte(void **state)
{
    (void)state;
    ash_resource *const upstreams[] = {ash_heap(), ash_pages()};
    for (size_t u = 0; u < countof(upstreams); u++) {
        ash_arena arena;
        assert_true(ash_arena_init(&arena, &(ash_arena_config){.upstream = upstreams[u]}));
        void *first = ash_object_alloc(&arena, 64, 8);
        assert_non_null(first);
        size_t room = ash_arena_room(&arena);
        char *large = ash_object_alloc(&arena, room / 8 * 8 - 8, 8);
        assert_non_null(large);
        memset(large, 1, room / 8 * 8 - 8);
        void *last = ash_object_alloc(&arena, 8, 8);
        assert_non_null(last);
        assert_true(ash_arena_room(&arena) < 8);
        assert_consistent(&arena);
        ash_delete(&arena, last); /* what is left lies in the same leaf of the map */
        assert_consistent(&arena);
        assert_true(ash_arena_room(&arena) >= 8);
        ash_delete(&arena, large);
        assert_int_equal(ash_arena_room(&arena), room);
        char *plain = ash_alloc(&arena, room, 1);
        assert_non_null(plain);
        memset(plain, 2, room);
        assert_int_equal(ash_object_inspect(&arena, first), ASH_OBJECT_LIVE);
        assert_consistent(&arena);
        ash_arena_deinit(&arena);
    }
}

static void test_block_maps_apart_cannot_be_overrun(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.upstream = ash_pages()}));
    char *plain = ash_alloc(&arena, 1000, 8);
    void *object = ash_object_alloc(&arena, 64, 8);
    assert_non_null(object);
    size_t room = ash_arena_room(&arena);
    raw_fill(plain, 0xff, 1000 + room); /* everything up to the objects */
    assert_int_equal(ash_object_inspect(&arena, object), ASH_OBJECT_LIVE);
    assert_int_equal(ash_object_inspect(&arena, plain + 8), ASH_OBJECT_FOREIGN);
    assert_true(ash_arena_check(&arena));
    ash_delete(&arena, object);
    ash_arena_deinit(&arena);
}

/* A first block may be larger than blocks grow to by themselves. */
static void test_block_size_is_taken_as_it_is(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{(size_t)100 << 20, 0}, {8192, 4096}, {1000, 1 << 20}};
    for (size_t i = 0; i < countof(sizes); i++) {
        test_upstream up;
        test_upstream_init(&up);
        ash_arena arena;
        ash_arena_config config = {
            .upstream = &up.resource, .block_size = sizes[i][0], .block_max = sizes[i][1]};
        assert_true(ash_arena_init(&arena, &config));
        assert_non_null(ash_alloc(&arena, 1, 1));
        assert_int_equal(up.bytes, sizes[i][0]);
        test_arena_done(&arena, &up);
    }
}

/* Over the heap a map has a page of its own; where the limit has no room for one it lies inside. */
static void test_block_limited_has_room_for_the_map(void **state)
{
    (void)state;
    for (size_t limit = 5600; limit < 12000; limit += 100) {
        ash_arena arena;
        ash_arena_config config = {.upstream = ash_heap(), .block_size = 1024, .limit = limit};
        assert_true(ash_arena_init(&arena, &config));
        assert_non_null(ash_object_alloc(&arena, 4500, 8));
        assert_true(ash_arena_capacity(&arena) <= limit);
        assert_consistent(&arena);
        ash_arena_deinit(&arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_size_is_taken_as_it_is),
        cmocka_unit_test(test_block_limited_has_room_for_the_map),
        cmocka_unit_test(test_block_growth_doubles_what_is_held),
        cmocka_unit_test(test_block_growth_stops_at_block_max),
        cmocka_unit_test(test_block_equal_blocks),
        cmocka_unit_test(test_block_oversize_does_not_advance_growth),
        cmocka_unit_test(test_block_sizes_around_a_whole_block),
        cmocka_unit_test(test_block_limit_is_never_passed),
        cmocka_unit_test(test_block_is_clipped_to_what_the_limit_leaves),
        cmocka_unit_test(test_block_limit_refuses_what_cannot_fit),
        cmocka_unit_test(test_block_spare_too_small_is_skipped_and_kept),
        cmocka_unit_test(test_block_order_of_death_over_skipped_spares),
        cmocka_unit_test(test_block_trim_keeps_so_much_at_most),
        cmocka_unit_test(test_block_trim_gives_the_largest_last),
        cmocka_unit_test(test_block_trim_leaves_what_is_in_use),
        cmocka_unit_test(test_block_room_of_a_block_emptied_of_objects),
        cmocka_unit_test(test_block_trim_keeps_the_peak),
        cmocka_unit_test(test_block_reserve_is_one_block_and_no_second),
        cmocka_unit_test(test_block_reserve_commits_up_to_the_limit),
        cmocka_unit_test(test_block_reserve_serves_more_than_four_gib),
        cmocka_unit_test(test_block_reserve_holds_objects_beyond_four_gib),
        cmocka_unit_test(test_block_nested_arena_takes_and_gives_back),
        cmocka_unit_test(test_block_siblings_over_one_parent),
        cmocka_unit_test(test_block_child_fails_where_its_parent_does),
        cmocka_unit_test(test_block_ten_thousand),
        cmocka_unit_test(test_block_over_heap_and_pages),
        cmocka_unit_test(test_block_filled_with_objects_to_the_first_byte),
        cmocka_unit_test(test_block_maps_apart_cannot_be_overrun),
    };
    return test_main(tests);
}
