/*
 * adapt/gc.h over the real libgc: as a resource under arenas, and finalizers of types.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_include) && !defined(TEST_WITHOUT_GC)
#if __has_include(<gc.h>)
#define HAVE_GC 1
#endif
#endif

#ifndef HAVE_GC

int main(void)
{
    puts("skipped: libgc-dev is not installed");
    return 77;
}

#else

#include "ashlar/adapt/gc.h"
#include "ashlar/vec.h"

/* ---- as a resource ---- */

static void test_gc_serves_every_alignment(void **state)
{
    (void)state;
    static void *blocks[21][4];
    const size_t sizes[4] = {1, 40, 5000, 300000};
    for (size_t bits = 0; bits <= 20; bits++) {
        for (size_t i = 0; i < 4; i++) {
            void *p = ash_resource_alloc(ash_gc(), sizes[i], (size_t)1 << bits);
            assert_non_null(p);
            assert_aligned(p, (size_t)1 << bits);
            assert_true(is_zero(p, sizes[i]));
            fill_pattern(p, sizes[i], (unsigned)(bits * 4 + i));
            blocks[bits][i] = p;
        }
    }
    GC_gcollect();
    for (size_t bits = 0; bits <= 20; bits++) {
        for (size_t i = 0; i < 4; i++) {
            char *p = blocks[bits][i];
            assert_true(is_pattern(p, sizes[i], (unsigned)(bits * 4 + i)));
            assert_true(ash_resource_owns(ash_gc(), p));
            assert_true(ash_resource_owns(ash_gc(), p + sizes[i] - 1));
            ash_resource_free(ash_gc(), p, sizes[i], (size_t)1 << bits);
        }
    }
    memset(blocks, 0, sizeof blocks);
}

static void test_gc_owns_nothing_else(void **state)
{
    (void)state;
    int here = 0;
    assert_false(ash_resource_owns(ash_gc(), &here));
    assert_false(ash_resource_owns(ash_gc(), NULL));
    assert_string_equal(ash_resource_name(ash_gc()), "gc");
    assert_int_equal(ash_resource_epoch(ash_gc()), 0);
}

static void test_gc_realloc_keeps_bytes(void **state)
{
    (void)state;
    for (size_t align = 1; align <= 4096; align *= 16) {
        size_t size = 24;
        char *p = ash_resource_alloc(ash_gc(), size, align);
        assert_non_null(p);
        fill_pattern(p, size, 7);
        for (; size < 200000; size = size * 3 + 1) {
            p = ash_resource_realloc(ash_gc(), p, size, size * 3 + 1, align);
            assert_non_null(p);
            assert_aligned(p, align);
            assert_true(is_pattern(p, 24, 7));
        }
        p = ash_resource_realloc(ash_gc(), p, size, 24, align);
        assert_true(p && is_pattern(p, 24, 7));
        ash_resource_free(ash_gc(), p, 24, align);
    }
}

static void silent(char *message, GC_word argument)
{
    (void)message;
    (void)argument;
}

static void test_gc_refuses_what_is_too_large(void **state)
{
    (void)state;
    GC_warn_proc former = GC_get_warn_proc();
    GC_set_warn_proc(silent);
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 32) {
        assert_null(ash_resource_alloc(ash_gc(), PTRDIFF_MAX, align));
        assert_null(ash_resource_alloc(ash_gc(), SIZE_MAX, align));
    }
    void *p = ash_resource_alloc(ash_gc(), 64, 8);
    assert_non_null(p);
    fill_pattern(p, 64, 3);
    assert_null(ash_resource_realloc(ash_gc(), p, 64, PTRDIFF_MAX, 8));
    assert_true(is_pattern(p, 64, 3));
    ash_resource_free(ash_gc(), p, 64, 8);
    GC_set_warn_proc(former);
}

/* ---- finalizers ---- */

enum { THINGS = 200 };

static struct {
    unsigned begun, destroyed, misaligned, worn, sick;
    bool fails;
} seen;

typedef struct thing {
    void *self; /* a circle of one */
    int id;
    unsigned char pattern[64];
} thing;

static void thing_destroy(void *self)
{
    thing *t = self;
    if (!t->self)
        return; /* zeroed */
    seen.destroyed++;
    seen.misaligned += (uintptr_t)self % _Alignof(thing) != 0;
    seen.worn += t->self != self || !is_pattern(t->pattern, sizeof t->pattern, (unsigned)t->id);
    errno = ENOSPC;
}
ASH_TYPE(thing, .destroy = thing_destroy);

static void thing_fill(thing *t, int id)
{
    t->self = t;
    t->id = id;
    fill_pattern(t->pattern, sizeof t->pattern, (unsigned)id);
}

static thing *kept[THINGS];

static void make_things(void)
{
    for (int i = 0; i < THINGS; i++) {
        kept[i] = ash_gc_new(thing);
        assert_non_null(kept[i]);
        assert_true(is_zero(kept[i], sizeof *kept[i]));
        thing_fill(kept[i], i);
    }
}

/* What calls left on the stack looks like pointers. */
static void clear_stack(void)
{
    volatile char room[1 << 14];
    for (size_t i = 0; i < sizeof room; i++)
        room[i] = 0;
}

static void collect(void)
{
    for (int i = 0; i < 6; i++) {
        clear_stack();
        GC_gcollect();
        GC_invoke_finalizers();
    }
}

static void test_gc_finalizer_runs_once_nothing_points_there(void **state)
{
    (void)state;
    make_things();
    errno = E2BIG;
    collect();
    assert_int_equal(seen.destroyed, 0); /* kept points there */
    for (int i = 0; i < THINGS; i++)
        assert_true(is_pattern(kept[i]->pattern, 64, (unsigned)i));
    memset(kept, 0, sizeof kept);
    collect();
    assert_int_equal(errno, E2BIG);
    assert_in_range(seen.destroyed, THINGS - 10, THINGS); /* some word may look like a pointer */
    unsigned destroyed = seen.destroyed;
    collect();
    assert_in_range(seen.destroyed, destroyed, THINGS); /* none twice */
    assert_int_equal(seen.misaligned, 0);
    assert_int_equal(seen.worn, 0);
}

typedef struct wide {
    _Alignas(256) char bytes[256];
} wide;

static void wide_destroy(void *self)
{
    seen.destroyed++;
    seen.misaligned += (uintptr_t)self % 256 != 0;
    seen.worn += !is_pattern(self, sizeof(wide), 9);
}
ASH_TYPE(wide, .destroy = wide_destroy);

static void make_wide(void)
{
    for (int i = 0; i < THINGS; i++) {
        wide *w = ash_gc_new(wide);
        assert_non_null(w);
        assert_aligned(w, 256);
        fill_pattern(w, sizeof *w, 9);
    }
}

static void test_gc_finalizer_gets_the_aligned_object(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    make_wide();
    collect();
    assert_in_range(seen.destroyed, THINGS - 10, THINGS);
    assert_int_equal(seen.misaligned, 0);
    assert_int_equal(seen.worn, 0);
}

enum { CHAINS = 100, LINKS = 5 };

static int died[CHAINS], early; /* of each chain; before the one that points to it */

typedef struct link {
    struct link *next;
    int chain, place;
} link;

static void link_destroy(void *self)
{
    const link *l = self;
    early += l->place != died[l->chain]++;
}
ASH_TYPE(link, .destroy = link_destroy);

static void make_chain(int chain)
{
    link *last = NULL;
    for (int i = LINKS - 1; i >= 0; i--) {
        link *l = ash_gc_new(link);
        assert_non_null(l);
        *l = (link){last, chain, i};
        last = l;
    }
}

static void test_gc_finalizer_runs_before_those_it_points_to(void **state)
{
    (void)state;
    int complete = 0;
    for (int i = 0; i < CHAINS; i++)
        make_chain(i);
    for (int i = 0; i < LINKS; i++)
        collect(); /* each takes one link more */
    for (int i = 0; i < CHAINS; i++)
        complete += died[i] == LINKS;
    assert_int_equal(early, 0);
    assert_in_range(complete, CHAINS - 10, CHAINS);
}

typedef struct text {
    char *bytes;
} text;

static bool text_init(void *self, ash_resource *resource)
{
    seen.begun++;
    if (seen.fails)
        return false;
    ((text *)self)->bytes = ash_resource_alloc(resource, 100, 1);
    return resource == ash_gc() && ((text *)self)->bytes;
}
ASH_TYPE(text, .init = text_init);

static void test_gc_object_is_begun(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    text *t = ash_gc_new(text);
    assert_true(t && t->bytes);
    seen.fails = true;
    assert_null(ash_gc_new(text));
    assert_int_equal(seen.begun, 2);
}

/* ---- under an arena ---- */

static ash_arena arena; /* static data: a root */

static void hold_by_plain_memory(size_t count)
{
    void **first = NULL;
    for (size_t i = 0; i < count; i++) {
        void **cell = ash_alloc(&arena, 2 * sizeof *cell, sizeof *cell);
        thing *t = ash_gc_new(thing);
        assert_true(cell && t);
        thing_fill(t, (int)i);
        cell[0] = t;
        cell[1] = first;
        first = cell;
    }
}

static void test_gc_arena_keeps_what_it_points_to(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    assert_true(
        ash_arena_init(&arena, &(ash_arena_config){.upstream = ash_gc(), .block_size = 512}));
    hold_by_plain_memory(THINGS);
    for (int i = 0; i < 100; i++) {
        thing *own = ash_new(&arena, thing);
        assert_non_null(own);
        thing_fill(own, i);
    }
    collect();
    assert_int_equal(seen.destroyed, 0);
    assert_consistent(&arena);
    ash_arena_deinit(&arena);
    assert_int_equal(seen.destroyed, 100); /* its own objects */
    collect();
    assert_in_range(seen.destroyed, 100 + THINGS - 10, 100 + THINGS);
    assert_int_equal(seen.worn, 0);
}

static void test_gc_arena_grows_over_it(void **state)
{
    (void)state;
    assert_true(
        ash_arena_init(&arena, &(ash_arena_config){.upstream = ash_gc(), .block_size = 256}));
    for (int round = 0; round < 20; round++) {
        char *p = ash_alloc(&arena, 10, 1);
        assert_non_null(p);
        fill_pattern(p, 10, 1);
        for (size_t size = 10; size < 100000; size *= 2) {
            p = ash_realloc(&arena, p, size, size * 2, 1);
            assert_true(p && is_pattern(p, 10, 1));
        }
        GC_gcollect();
        assert_consistent(&arena);
        ash_arena_reset(&arena);
    }
    ash_arena_deinit(&arena);
}

/* ---- under a vector ---- */

ASH_VEC_DEFINE(things, thing *)

static things vector; /* static data: a root */

static void push_things(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        thing *t = ash_gc_new(thing);
        assert_non_null(t);
        thing_fill(t, (int)i);
        assert_true(things_push(&vector, t));
        if (i % 50 == 0)
            GC_gcollect();
    }
}

static void test_gc_vector_keeps_its_elements(void **state)
{
    (void)state;
    memset(&seen, 0, sizeof seen);
    things_init(&vector, ash_gc());
    push_things(1000);
    collect();
    assert_int_equal(seen.destroyed, 0);
    for (size_t i = 0; i < vector.count; i++)
        assert_true(is_pattern(vector.data[i]->pattern, 64, (unsigned)i));
    assert_true(ash_resource_owns(ash_gc(), vector.data));
    assert_true(things_shrink(&vector));
    things_deinit(&vector);
    collect();
    assert_in_range(seen.destroyed, 990, 1000);
    assert_int_equal(seen.worn, 0);
}

int main(void)
{
    GC_INIT();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gc_serves_every_alignment),
        cmocka_unit_test(test_gc_owns_nothing_else),
        cmocka_unit_test(test_gc_realloc_keeps_bytes),
        cmocka_unit_test(test_gc_refuses_what_is_too_large),
        cmocka_unit_test(test_gc_finalizer_runs_once_nothing_points_there),
        cmocka_unit_test(test_gc_finalizer_gets_the_aligned_object),
        cmocka_unit_test(test_gc_finalizer_runs_before_those_it_points_to),
        cmocka_unit_test(test_gc_object_is_begun),
        cmocka_unit_test(test_gc_arena_keeps_what_it_points_to),
        cmocka_unit_test(test_gc_arena_grows_over_it),
        cmocka_unit_test(test_gc_vector_keeps_its_elements),
    };
    return test_main(tests);
}

#endif
