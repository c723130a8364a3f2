/*
 * Vectors of plain elements, and of elements with a type: what each function does, where the array lies,
 * and how it grows.
 */
#include "support.h"

#include <errno.h>
#include <string.h>

typedef struct point {
    int x, y;
    double weight;
} point;

typedef struct wide {
    _Alignas(32) char bytes[160];
} wide;

ASH_VEC_DEFINE(ints, int)
ASH_VEC_DEFINE(points, point)
ASH_VEC_DEFINE(wides, wide)
ASH_VEC_DEFINE(texts, const char *)
ASH_VEC_DEFINE(chars, char)

/* ---- a type that counts, with a pointer to itself ---- */

static int begun, destroyed, relocated, order[64], fails_at;

typedef struct part {
    struct part *self;
    int number;
    ash_resource *given;
} part;

static bool part_init(void *self, ash_resource *resource)
{
    part *p = self;
    assert_true(is_zero(p, sizeof *p));
    if (begun == fails_at)
        return false;
    *p = (part){p, begun++, resource};
    return true;
}

static void part_destroy(void *self)
{
    part *p = self;
    assert_ptr_equal(p->self, p);
    order[destroyed++ % 64] = p->number;
    errno = 77;
    p->self = NULL;
}

static bool part_copy(void *to, const void *from, ash_resource *resource)
{
    const part *p = from;
    if (begun == fails_at)
        return false;
    begun++;
    *(part *)to = (part){to, p->number, resource};
    return true;
}

static void part_relocate(void *to, void *from)
{
    part *p = to;
    memcpy(to, from, sizeof *p);
    memset(from, 0xee, sizeof *p);
    p->self = p;
    relocated++;
}

ASH_TYPE(part, .destroy = part_destroy, .init = part_init, .copy = part_copy,
         .relocate = part_relocate);
ASH_VEC_DEFINE(parts, part, ash_type_of(part))

/* ---- a tree: a vector of what is not complete yet ---- */

typedef struct node node;
ASH_VEC_DECLARE(nodes, node);
struct node {
    int value;
    nodes children;
};
ASH_VEC_IMPLEMENT(nodes, node)

/* ---- setting ---- */

static ash_arena arena;
static test_upstream up;
static ints v;
static parts ps;

static int setup(void **state)
{
    (void)state;
    test_arena_over(&arena, &up, 1 << 16);
    ints_init(&v, ash_arena_resource(&arena));
    parts_init(&ps, ash_arena_resource(&arena));
    begun = destroyed = relocated = 0;
    fails_at = -1;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_true(ints_check(&v) && parts_check(&ps));
    parts_deinit(&ps);
    ints_deinit(&v);
    test_arena_done(&arena, &up);
    return 0;
}

static void interfere(void)
{
    assert_non_null(ash_alloc(&arena, 1, 1));
}

static void fill(ints *to, int count)
{
    for (int i = 0; i < count; i++)
        assert_true(ints_push(to, i));
}

static void assert_ints(const ints *of, const int *expected, size_t count)
{
    assert_true(ints_check(of));
    assert_int_equal(of->count, count);
    if (count)
        assert_memory_equal(of->data, expected, count * sizeof *expected);
}

#define assert_these(of, ...) \
    assert_ints((of), (const int[]){__VA_ARGS__}, countof(((const int[]){__VA_ARGS__})))

/* ---- empty ones ---- */

static void test_vec_init_takes_no_memory(void **state)
{
    (void)state;
    assert_null(v.data);
    assert_int_equal(v.count + v.capacity, 0);
    assert_ptr_equal(v.resource, ash_arena_resource(&arena));
    assert_int_equal(up.calls, 0);
    ints null;
    ints_init(&null, NULL);
    assert_ptr_equal(null.resource, ash_default());
}

static void test_vec_zeroed_is_empty(void **state)
{
    (void)state;
    ints zero = {0}, other = {0};
    int out = 5;
    assert_true(ints_check(&zero));
    assert_false(ints_pop(&zero, &out));
    assert_false(ints_pop(&zero, NULL));
    assert_int_equal(out, 5);
    assert_true(ints_append(&zero, NULL, 0));
    assert_true(ints_remove(&zero, 0, 0));
    assert_false(ints_remove(&zero, 0, 1));
    assert_true(ints_resize(&zero, 0));
    assert_true(ints_reserve(&zero, 0));
    assert_true(ints_shrink(&zero));
    assert_true(ints_steal(&zero, &other) && ints_swap(&zero, &other) && ints_copy(&zero, &other));
    ints_clear(&zero);
    assert_null(ints_at(&zero, 0));
    assert_ptr_equal(ints_begin(&zero), ints_end(&zero));
    assert_null(zero.data);
    assert_null(zero.resource);
    ints_deinit(&zero);
}

static void test_vec_zeroed_takes_the_default_when_it_grows(void **state)
{
    (void)state;
    test_upstream default_up;
    test_upstream_init(&default_up);
    ints zero = {0};
    ash_resource *old = ash_set_default(&default_up.resource);
    default_up.refuse = true;
    assert_false(ints_push(&zero, 1));
    assert_null(zero.resource); /* a refusal changes nothing */
    default_up.refuse = false;
    assert_true(ints_push(&zero, 1));
    ash_set_default(old);
    fill(&zero, 100); /* and it stays */
    assert_ptr_equal(zero.resource, &default_up.resource);
    ints_deinit(&zero);
    test_upstream_done(&default_up);
}

/* ---- one element ---- */

static void test_vec_push_and_pop(void **state)
{
    (void)state;
    fill(&v, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(v.data[i], i);
    assert_true(ints_check(&v));
    for (int i = 999, out; i >= 10; i--) {
        assert_true(ints_pop(&v, &out));
        assert_int_equal(out, i);
    }
    assert_true(ints_pop(&v, NULL));
    assert_these(&v, 0, 1, 2, 3, 4, 5, 6, 7, 8);
}

static void test_vec_push_of_its_own_element(void **state)
{
    (void)state;
    assert_true(ints_push(&v, 42));
    while (v.count < 1000)
        assert_true(ints_push(&v, v.data[v.count - 1]));
    assert_int_equal(v.data[999], 42);
    ints heap;
    ints_init(&heap, &up.resource);
    assert_true(ints_push(&heap, 42));
    while (heap.count < 1000) {
        assert_true(ints_shrink(&heap));
        assert_true(ints_insert(&heap, 0, heap.data[heap.count - 1]));
    }
    assert_int_equal(heap.data[0], 42);
    ints_deinit(&heap);
}

static void test_vec_insert_and_remove(void **state)
{
    (void)state;
    assert_true(ints_insert(&v, 0, 3));
    assert_true(ints_insert(&v, 0, 1));
    assert_true(ints_insert(&v, 1, 2));
    assert_true(ints_insert(&v, 3, 4));
    assert_these(&v, 1, 2, 3, 4);
    assert_false(ints_insert(&v, 5, 9));
    assert_true(ints_remove(&v, 1, 2));
    assert_these(&v, 1, 4);
    assert_false(ints_remove(&v, 1, 2));
    assert_false(ints_remove(&v, 2, 1));
    assert_false(ints_remove(&v, 3, 0));
    assert_false(ints_remove(&v, 1, SIZE_MAX));
    assert_true(ints_remove(&v, 2, 0));
    assert_true(ints_remove(&v, 0, 1));
    assert_these(&v, 4);
    assert_true(ints_remove(&v, 0, 1));
    assert_int_equal(v.count, 0);
}

static void test_vec_at_begin_end(void **state)
{
    (void)state;
    fill(&v, 10);
    assert_ptr_equal(ints_at(&v, 0), v.data);
    assert_int_equal(*ints_at(&v, 9), 9);
    assert_null(ints_at(&v, 10));
    assert_null(ints_at(&v, SIZE_MAX));
    int sum = 0;
    for (int *i = ints_begin(&v); i != ints_end(&v); i++)
        sum += *i;
    assert_int_equal(sum, 45);
}

static void test_vec_emplace_is_zeroed(void **state)
{
    (void)state;
    points p;
    points_init(&p, &up.resource); /* memory that is not clean */
    for (int i = 0; i < 100; i++) {
        point *made = points_emplace(&p);
        assert_ptr_equal(made, points_at(&p, (size_t)i));
        assert_true(is_zero(made, sizeof *made));
        made->x = i + 1;
        if (i % 7 == 0)
            assert_true(points_pop(&p, NULL) && points_emplace(&p));
    }
    assert_int_equal(p.count, 100);
    points_deinit(&p);
}

/* ---- several ---- */

static void test_vec_append(void **state)
{
    (void)state;
    assert_true(ints_append(&v, (int[]){1, 2, 3}, 3));
    assert_true(ints_append(&v, v.data + 1, 2));
    assert_true(ints_append(&v, NULL, 0));
    assert_these(&v, 1, 2, 3, 2, 3);
}

static void test_vec_append_of_itself(void **state)
{
    (void)state;
    ints heap;
    ints_init(&heap, &up.resource);
    ints *both[] = {&v, &heap};
    for (size_t which = 0; which < 2; which++) {
        ints *of = both[which];
        fill(of, 5);
        for (int round = 0; round < 8; round++) {
            size_t count = of->count;
            assert_true(ints_shrink(of));
            interfere(); /* it moves */
            assert_true(ints_append(of, of->data + 2, count - 2));
            assert_int_equal(of->count, 2 * count - 2);
            assert_memory_equal(of->data + count, of->data + 2, (count - 2) * sizeof(int));
            for (int i = 0; i < 5; i++)
                assert_int_equal(of->data[i], i);
            assert_true(ints_check(of));
        }
    }
    ints_deinit(&heap);
}

static void test_vec_resize(void **state)
{
    (void)state;
    fill(&v, 3);
    assert_true(ints_resize(&v, 5));
    assert_these(&v, 0, 1, 2, 0, 0);
    assert_true(ints_resize(&v, 1));
    assert_these(&v, 0);
    assert_true(ints_resize(&v, 1000));
    assert_int_equal(v.count, 1000);
    assert_true(is_zero(v.data, 1000 * sizeof(int)));
    int *data = v.data;
    ints_clear(&v);
    assert_int_equal(v.count, 0);
    assert_ptr_equal(v.data, data);
}

/* ---- where it lies ---- */

static void test_vec_grows_in_place_on_an_arena(void **state)
{
    (void)state;
    assert_true(ints_push(&v, 0));
    int *data = v.data;
    fill(&v, 8000);
    assert_ptr_equal(v.data, data);
    ash_vec_stats stats = ints_stats(&v);
    assert_int_equal(stats.moved, 0);
    assert_int_equal(stats.bytes_moved, 0);
    assert_int_equal(stats.in_place, 9); /* 16 to 8192 */
    assert_int_equal(v.capacity, 8192);
    fill(&v, 6000); /* twice as much is not there; some is */
    assert_ptr_equal(v.data, data);
    assert_true(v.capacity < 16384);
}

static void test_vec_moves_where_it_must(void **state)
{
    (void)state;
    fill(&v, 16);
    int *data = v.data;
    interfere();
    assert_ptr_equal(v.data, data);
    assert_true(ints_push(&v, 16));
    assert_ptr_not_equal(v.data, data);
    ash_vec_stats stats = ints_stats(&v);
    assert_int_equal(stats.in_place, 0);
    assert_int_equal(stats.moved, 1);
    assert_int_equal(stats.bytes_moved, 16 * sizeof(int));
    for (int i = 0; i < 17; i++)
        assert_int_equal(v.data[i], i);
}

static void test_vec_remaps_over_the_heap(void **state)
{
    (void)state;
    ints heap;
    ints_init(&heap, &up.resource);
    fill(&heap, 1000);
    ash_vec_stats stats = ints_stats(&heap);
    assert_int_equal(stats.moved, 6);
    assert_int_equal(stats.bytes_moved, 0); /* remapped, each time */
    assert_int_equal(up.blocks, 1);
    ints_deinit(&heap);
    assert_int_equal(up.blocks, 0);
}

static void test_vec_of_pages_moves_without_copying(void **state)
{
    (void)state;
    enum { COUNT = 3 << 20 };
    ints pages;
    ints_init(&pages, ash_pages());
    for (int i = 0; i < COUNT; i++)
        if (!ints_push(&pages, i))
            skip_because("no pages to be had");
    for (int i = 0; i < COUNT; i++)
        if (pages.data[i] != i)
            fail_msg("element %d is %d", i, pages.data[i]);
    ash_vec_stats stats = ints_stats(&pages);
    assert_true(stats.in_place + stats.moved > 10);
#if defined(__linux__)
    assert_int_equal(stats.bytes_moved, 0);
#endif
    assert_true(ints_resize(&pages, 100));
    assert_true(ints_shrink(&pages));
    assert_int_equal(pages.data[99], 99);
    ints_deinit(&pages);
}

static void test_vec_element_sizes_and_alignment(void **state)
{
    (void)state;
    wides w;
    chars c;
    texts t;
    wides_init(&w, ash_arena_resource(&arena));
    chars_init(&c, ash_arena_resource(&arena));
    texts_init(&t, ash_arena_resource(&arena));
    for (int i = 0; i < 300; i++) {
        wide one;
        memset(&one, i, sizeof one);
        assert_true(wides_push(&w, one));
        assert_true(chars_push(&c, (char)i));
        assert_true(texts_push(&t, "text"));
        assert_aligned(w.data, 32);
    }
    for (int i = 0; i < 300; i++) {
        assert_int_equal((unsigned char)w.data[i].bytes[159], i & 255);
        assert_int_equal((unsigned char)c.data[i], i & 255);
        assert_string_equal(t.data[i], "text");
    }
    assert_true(wides_check(&w) && chars_check(&c) && texts_check(&t));
}

/* All of a fixed buffer can be used, up to the last element. */
static void test_vec_fills_a_buffer(void **state)
{
    (void)state;
    static _Alignas(16) char buffer[5000];
    for (size_t size = 0; size <= sizeof buffer; size += 1 + size / 16) {
        ash_arena fixed;
        ash_arena_init_fixed(&fixed, buffer, size);
        ints of;
        ints_init(&of, ash_arena_resource(&fixed));
        for (int i = 0; ints_push(&of, i);)
            assert_int_equal(of.data[i], i), i++;
        assert_int_equal(of.count, size / sizeof(int));
        assert_true(ints_check(&of));
        assert_int_equal(ints_stats(&of).moved, 0);
        assert_true(ints_stats(&of).in_place < 20); /* not once an element */
        ash_arena_deinit(&fixed);
    }
}

static void test_vec_reserve_and_shrink(void **state)
{
    (void)state;
    assert_true(ints_reserve(&v, 100));
    assert_int_equal(v.capacity, 100);
    int *data = v.data;
    fill(&v, 100);
    assert_ptr_equal(v.data, data);
    assert_int_equal(v.capacity, 100);
    assert_true(ints_reserve(&v, 5));
    assert_int_equal(v.capacity, 100);
    assert_true(ints_resize(&v, 10));
    size_t used = ash_arena_used(&arena);
    assert_true(ints_shrink(&v));
    assert_int_equal(v.capacity, 10);
    assert_true(ash_arena_used(&arena) < used);
    ints_clear(&v);
    assert_true(ints_shrink(&v));
    assert_null(v.data);
    assert_int_equal(ash_arena_used(&arena), 0);
}

static void test_vec_shrink_that_cannot(void **state)
{
    (void)state;
    ints heap;
    ints_init(&heap, &up.resource);
    fill(&heap, 3);
    up.refuse = true;
    assert_false(ints_shrink(&heap));
    assert_these(&heap, 0, 1, 2);
    assert_int_equal(heap.capacity, 16);
    up.refuse = false;
    assert_true(ints_shrink(&heap));
    assert_these(&heap, 0, 1, 2);
    assert_int_equal(heap.capacity, 3);
    assert_int_equal(ints_stats(&heap).moved, 0); /* it grew never */
    ints_deinit(&heap);
}

static void test_vec_deinit_keeps_the_resource(void **state)
{
    (void)state;
    fill(&v, 100);
    ints_deinit(&v);
    assert_int_equal(ash_arena_used(&arena), 0);
    ints_deinit(&v);
    fill(&v, 3);
    assert_true(ash_arena_owns(&arena, v.data));
}

/* ---- what does not fit ---- */

static void test_vec_sizes_that_overflow(void **state)
{
    (void)state;
    points p;
    points_init(&p, ash_arena_resource(&arena));
    assert_non_null(points_emplace(&p));
    points before = p;
    static const size_t counts[] = {SIZE_MAX,
                                    SIZE_MAX - 1,
                                    SIZE_MAX / sizeof(point),
                                    SIZE_MAX / sizeof(point) + 1,
                                    SIZE_MAX / sizeof(point) + 2,
                                    PTRDIFF_MAX,
                                    PTRDIFF_MAX / sizeof(point) + 1,
                                    SIZE_MAX / 2 + 1};
    for (size_t i = 0; i < countof(counts); i++) {
        assert_false(points_reserve(&p, counts[i]));
        assert_false(points_resize(&p, counts[i]));
        assert_false(points_append(&p, p.data, counts[i]));
        assert_memory_equal(&p, &before, sizeof p);
    }
    if (sizeof(size_t) > 4)
        assert_false(points_append(&p, p.data, (size_t)1 << 60));
    assert_int_equal(up.bytes, ash_arena_capacity(&arena));
}

static void test_vec_refusal_changes_nothing(void **state)
{
    (void)state;
    fill(&v, 16);
    ints before = v;
    while (ash_arena_room(&arena)) /* nothing is left */
        assert_non_null(ash_alloc(&arena, ash_arena_room(&arena), 1));
    up.refuse = true;
    assert_false(ints_push(&v, 1));
    assert_false(ints_insert(&v, 3, 1));
    assert_null(ints_emplace(&v));
    assert_false(ints_append(&v, v.data, 4));
    assert_false(ints_resize(&v, 17));
    assert_false(ints_reserve(&v, 17));
    assert_memory_equal(&v, &before, sizeof v);
    for (int i = 0; i < 16; i++)
        assert_int_equal(v.data[i], i);
    assert_true(ints_pop(&v, NULL) && ints_push(&v, 15));
    up.refuse = false;
}

/* What is needed is had, if not what would be good to have. */
static void test_vec_takes_less_where_much_is_refused(void **state)
{
    (void)state;
    ints heap;
    ints_init(&heap, &up.resource);
    fill(&heap, 16);
    up.size_most = 20 * sizeof(int);
    for (int i = 16; i < 20; i++)
        assert_true(ints_push(&heap, i));
    assert_false(ints_push(&heap, 20));
    assert_int_equal(heap.count, 20);
    for (int i = 0; i < 20; i++)
        assert_int_equal(heap.data[i], i);
    ints_deinit(&heap);
}

/* ---- types ---- */

static void test_vec_types_begin_and_end(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        part *p = parts_emplace(&ps);
        assert_non_null(p);
        assert_int_equal(p->number, i);
        assert_ptr_equal(p->given, ash_arena_resource(&arena));
        interfere();
    }
    assert_true(relocated >= 32 + 16);
    assert_true(parts_resize(&ps, 44));
    for (int i = 0; i < 44; i++)
        assert_ptr_equal(ps.data[i].self, &ps.data[i]);
    assert_true(parts_resize(&ps, 40));
    assert_int_equal(destroyed, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(order[i], 43 - i);
    assert_true(parts_remove(&ps, 1, 3));
    assert_int_equal(destroyed, 7);
    assert_int_equal(order[4], 3);
    assert_int_equal(order[6], 1);
    assert_ptr_equal(ps.data[1].self, &ps.data[1]);
    assert_int_equal(ps.data[1].number, 4);
    assert_true(parts_pop(&ps, NULL));
    assert_int_equal(order[7], 39);
    errno = 3;
    parts_clear(&ps);
    assert_int_equal(errno, 3);
    assert_int_equal(destroyed, 44);
    assert_int_equal(order[43], 0);
    assert_non_null(parts_emplace(&ps));
    parts_deinit(&ps);
    assert_int_equal(destroyed, 45);
}

static void test_vec_types_are_relocated(void **state)
{
    (void)state;
    parts heap;
    parts_init(&heap, &up.resource); /* which could remap: not for these */
    for (int i = 0; i < 100; i++) {
        assert_non_null(parts_emplace(&heap));
        for (size_t j = 0; j < heap.count; j++)
            assert_ptr_equal(heap.data[j].self, &heap.data[j]);
    }
    assert_int_equal(parts_stats(&heap).moved, 3);
    assert_int_equal(parts_stats(&heap).bytes_moved, (16 + 32 + 64) * sizeof(part));
    part out;
    assert_true(parts_pop(&heap, &out));
    assert_ptr_equal(out.self, &out);
    assert_int_equal(out.number, 99);
    assert_true(parts_insert(&heap, 50, out));
    assert_int_equal(heap.count, 100);
    assert_int_equal(heap.data[50].number, 99);
    assert_int_equal(heap.data[99].number, 98);
    assert_true(parts_remove(&heap, 0, 10));
    assert_true(parts_shrink(&heap));
    for (size_t j = 0; j < heap.count; j++)
        assert_ptr_equal(heap.data[j].self, &heap.data[j]);
    parts_deinit(&heap);
    assert_int_equal(destroyed, 100);
}

static void test_vec_init_that_fails_leaves_nothing(void **state)
{
    (void)state;
    assert_true(parts_resize(&ps, 2));
    for (int at = 0; at < 5; at++) {
        fails_at = begun + at;
        int gone = destroyed;
        assert_false(parts_resize(&ps, 7));
        assert_int_equal(destroyed - gone, at);
        assert_int_equal(ps.count, 2);
        assert_true(parts_check(&ps));
    }
    fails_at = begun;
    assert_null(parts_emplace(&ps));
    assert_int_equal(ps.count, 2);
}

static void test_vec_copy_that_fails_leaves_nothing(void **state)
{
    (void)state;
    assert_true(parts_resize(&ps, 5));
    for (int at = 0; at < 5; at++) {
        fails_at = begun + at;
        int gone = destroyed;
        assert_false(parts_append(&ps, ps.data, 5));
        assert_int_equal(destroyed - gone, at);
        assert_int_equal(ps.count, 5);
        parts copy;
        parts_init(&copy, &up.resource);
        fails_at = begun + at;
        assert_false(parts_copy(&copy, &ps));
        assert_int_equal(destroyed - gone, 2 * at);
        assert_int_equal(up.bytes, ash_arena_capacity(&arena));
        assert_null(copy.data);
    }
    fails_at = -1;
    assert_true(parts_append(&ps, ps.data, 5));
    assert_int_equal(ps.data[9].number, ps.data[4].number);
    assert_ptr_equal(ps.data[9].self, &ps.data[9]);
}

static ash_type wrong_type = {"wrong", 3, 1, NULL, NULL, NULL, NULL, NULL};
ASH_VEC_DEFINE(wrongs, int, &wrong_type)

static void test_vec_type_of_another_size_is_reported(void **state)
{
    (void)state;
    wrongs w;
    wrongs_init(&w, ash_heap());
    expect_fatal((void)!wrongs_push(&w, 1),
                 "ashlar: fatal: container made with a type of another size (arena heap, ADDR)");
}

/* ---- itself ---- */

static void test_vec_of_itself_makes_a_tree(void **state)
{
    (void)state;
    node root = {1, {0}};
    nodes_init(&root.children, ash_arena_resource(&arena));
    for (int i = 0; i < 40; i++) {
        node child = {i, {0}};
        nodes_init(&child.children, ash_arena_resource(&arena));
        assert_true(nodes_push(&child.children, (node){i * 2, {0}}));
        assert_true(nodes_push(&root.children, child));
    }
    for (int i = 0; i < 40; i++)
        assert_int_equal(root.children.data[i].children.data[0].value, 2 * i);
}

static void test_vec_check_finds_what_is_wrong(void **state)
{
    (void)state;
    fill(&v, 3);
    ints bad[6] = {v, v, v, v, v, {0}};
    bad[0].count = v.capacity + 1;
    bad[1].data = NULL;
    bad[2].resource = NULL;
    bad[3].data = (int *)(void *)((char *)v.data + 1);
    bad[4].capacity = SIZE_MAX;
    bad[5].capacity = 1;
    for (size_t i = 0; i < countof(bad); i++)
        assert_false(ints_check(&bad[i]));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_vec_init_takes_no_memory),
        TEST(test_vec_zeroed_is_empty),
        TEST(test_vec_zeroed_takes_the_default_when_it_grows),
        TEST(test_vec_push_and_pop),
        TEST(test_vec_push_of_its_own_element),
        TEST(test_vec_insert_and_remove),
        TEST(test_vec_at_begin_end),
        TEST(test_vec_emplace_is_zeroed),
        TEST(test_vec_append),
        TEST(test_vec_append_of_itself),
        TEST(test_vec_resize),
        TEST(test_vec_grows_in_place_on_an_arena),
        TEST(test_vec_moves_where_it_must),
        TEST(test_vec_remaps_over_the_heap),
        TEST(test_vec_of_pages_moves_without_copying),
        TEST(test_vec_element_sizes_and_alignment),
        TEST(test_vec_fills_a_buffer),
        TEST(test_vec_reserve_and_shrink),
        TEST(test_vec_shrink_that_cannot),
        TEST(test_vec_deinit_keeps_the_resource),
        TEST(test_vec_sizes_that_overflow),
        TEST(test_vec_refusal_changes_nothing),
        TEST(test_vec_takes_less_where_much_is_refused),
        TEST(test_vec_types_begin_and_end),
        TEST(test_vec_types_are_relocated),
        TEST(test_vec_init_that_fails_leaves_nothing),
        TEST(test_vec_copy_that_fails_leaves_nothing),
        TEST(test_vec_type_of_another_size_is_reported),
        TEST(test_vec_of_itself_makes_a_tree),
        TEST(test_vec_check_finds_what_is_wrong),
    };
    return test_main(tests);
}
