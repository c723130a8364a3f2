/*
 * The walk: every byte of every block under one name, every live object by its type and count.
 */
#include "support.h"

#include <string.h>

typedef struct item {
    int a[5];
} item;
ASH_TYPE(item, .destroy = NULL);

enum { MOST = 4000 };

typedef struct seen {
    ash_walk_item items[MOST];
    size_t count, stop_after;
} seen;

static bool see(const ash_walk_item *what, void *ctx)
{
    seen *s = ctx;
    if (s->count < MOST)
        s->items[s->count] = *what;
    s->count++;
    return s->count != s->stop_after;
}

static size_t walk(const ash_arena *arena, seen *s)
{
    s->count = s->stop_after = 0;
    assert_true(ash_arena_walk(arena, see, s));
    assert_true(s->count <= MOST);
    return s->count;
}

static const ash_walk_item *find(const seen *s, ash_walk_kind kind, const void *start)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].kind == kind && s->items[i].start == start)
            return &s->items[i];
    return NULL;
}

static size_t sum(const seen *s, ash_walk_kind kind)
{
    size_t bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        bytes += s->items[i].kind == kind ? s->items[i].size : 0;
    return bytes;
}

static size_t number(const seen *s, ash_walk_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        count += s->items[i].kind == kind;
    return count;
}

static seen s;

static void test_walk_of_an_empty_arena(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    assert_int_equal(walk(&arena, &s), 0);
    assert_non_null(ash_alloc(&arena, 100, 8));
    ash_arena_reset(&arena);
    walk(&arena, &s);
    assert_int_equal(number(&s, ASH_WALK_BLOCK), 1);
    assert_int_equal(sum(&s, ASH_WALK_FREE), sum(&s, ASH_WALK_BLOCK));
    test_arena_done(&arena, &up);
}

static void test_walk_shows_the_callers_buffer_whole(void **state)
{
    (void)state;
    _Alignas(16) char buffer[1000];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    assert_non_null(ash_alloc(&arena, 101, 1));
    size_t room = ash_arena_room(&arena);
    walk(&arena, &s);
    assert_int_equal(s.items[0].kind, ASH_WALK_BLOCK);
    assert_ptr_equal(s.items[0].start, buffer);
    assert_int_equal(s.items[0].size, sizeof buffer);
    assert_int_equal(s.items[1].kind, ASH_WALK_PLAIN);
    assert_ptr_equal(s.items[1].start, buffer);
    assert_int_equal(sum(&s, ASH_WALK_PLAIN), ash_arena_used(&arena));
    if (!TEST_RED_ZONES)
        assert_int_equal(sum(&s, ASH_WALK_FREE), room);
    ash_arena_deinit(&arena);
}

static void test_walk_names_every_live_object(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 14);
    char *plain = ash_alloc(&arena, 40, 1);
    void *untyped = ash_object_alloc(&arena, 24, 8);
    item *one = ash_new(&arena, item), *array = ash_new_array(&arena, item, 7);
    item *none = ash_new_array(&arena, item, 0);
    walk(&arena, &s);
    assert_true(find(&s, ASH_WALK_PLAIN, plain) != NULL);
    assert_int_equal(number(&s, ASH_WALK_OBJECT), 4 - (find(&s, ASH_WALK_OBJECT, none) == NULL));
    assert_int_equal(number(&s, ASH_WALK_WORD), 3);
    const ash_walk_item *found = find(&s, ASH_WALK_OBJECT, untyped);
    assert_non_null(found);
    assert_null(found->type);
    assert_int_equal(found->count, 1);
    assert_true(found->size >= 24);
    found = find(&s, ASH_WALK_OBJECT, one);
    assert_non_null(found);
    assert_ptr_equal(found->type, ash_type_of(item));
    assert_int_equal(found->count, 1);
    assert_in_range(found->size, sizeof(item), sizeof(item) + 7);
    found = find(&s, ASH_WALK_OBJECT, array);
    assert_non_null(found);
    assert_int_equal(found->count, 7);
    assert_in_range(found->size, 7 * sizeof(item), 7 * sizeof(item) + 7);
    found = find(&s, ASH_WALK_WORD, (char *)one - 8);
    assert_non_null(found);
    assert_int_equal(found->size, 8);
    found = find(&s, ASH_WALK_WORD, (char *)array - 16);
    assert_non_null(found);
    assert_int_equal(found->size, 16);
    test_arena_done(&arena, &up);
}

static void test_walk_shows_the_dead_until_they_are_reclaimed(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 14);
    char *a = ash_object_alloc(&arena, 64, 8), *b = ash_object_alloc(&arena, 48, 8);
    char *c = ash_object_alloc(&arena, 32, 8);
    ash_delete(&arena, b);
    walk(&arena, &s);
    assert_int_equal(number(&s, ASH_WALK_OBJECT), 2);
    assert_true(sum(&s, ASH_WALK_DEAD) >= 48);
    bool named = false;
    for (size_t i = 0; i < s.count; i++)
        if (s.items[i].kind == ASH_WALK_DEAD)
            named |= (const char *)s.items[i].start <= b &&
                     b + 48 <= (const char *)s.items[i].start + s.items[i].size;
    assert_true(named);
    assert_non_null(find(&s, ASH_WALK_OBJECT, a));
    ash_delete(&arena, c);
    walk(&arena, &s);
    assert_int_equal(sum(&s, ASH_WALK_DEAD), 0);
    ash_delete(&arena, a);
    walk(&arena, &s);
    assert_int_equal(sum(&s, ASH_WALK_DEAD) + sum(&s, ASH_WALK_OBJECT), 0);
    test_arena_done(&arena, &up);
}

static void test_walk_shows_padding_of_objects(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1 << 15);
    void *a = ash_object_alloc(&arena, 8, 8), *b = ash_object_alloc(&arena, 8, 4096);
    assert_non_null(a);
    assert_non_null(b);
    walk(&arena, &s);
    size_t shown = sum(&s, ASH_WALK_OBJECT) + sum(&s, ASH_WALK_PADDING) + sum(&s, ASH_WALK_DEAD);
    assert_int_equal(shown, ash_arena_used(&arena));
    assert_true(find(&s, ASH_WALK_OBJECT, b) != NULL);
    assert_consistent(&arena);
    test_arena_done(&arena, &up);
}

static void test_walk_shows_blocks_oldest_first(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    void *objects[60];
    for (size_t i = 0; i < countof(objects); i++)
        objects[i] = i % 2 ? (void *)ash_new(&arena, item) : ash_object_alloc(&arena, 200, 8);
    walk(&arena, &s);
    assert_true(number(&s, ASH_WALK_BLOCK) > 2);
    size_t newest_block = 0, block = 0;
    for (size_t i = 0; i < countof(objects); i++) { /* each object's block is the last's or later */
        for (size_t j = 0; j < s.count; j++)
            if (s.items[j].kind == ASH_WALK_BLOCK &&
                (size_t)((char *)objects[i] - (const char *)s.items[j].start) < s.items[j].size)
                block = j;
        assert_true(block >= newest_block);
        newest_block = block;
        assert_non_null(find(&s, ASH_WALK_OBJECT, objects[i]));
    }
    assert_int_equal(number(&s, ASH_WALK_OBJECT), countof(objects));
    test_arena_done(&arena, &up);
}

static void test_walk_stops_when_told(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    for (int i = 0; i < 30; i++)
        assert_non_null(ash_new_array(&arena, item, 3));
    size_t all = walk(&arena, &s);
    for (size_t stop = 1; stop <= all; stop++) {
        s.count = 0;
        s.stop_after = stop;
        assert_false(ash_arena_walk(&arena, see, &s));
        assert_int_equal(s.count, stop);
    }
    test_arena_done(&arena, &up);
}

static void test_walk_goes_on_over_a_corrupt_word(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    void *older = ash_object_alloc(&arena, 24, 8);
    item *one = ash_new(&arena, item);
    uint64_t own = raw_word((char *)one - 8);
    raw_set_word((char *)one - 8, ~own);
    if (ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT) { /* all but once in 65536 */
        walk(&arena, &s);
        assert_non_null(find(&s, ASH_WALK_OBJECT, older));
        size_t bytes = 0;
        for (size_t i = 0; i < s.count; i++)
            bytes += s.items[i].kind == ASH_WALK_BLOCK ? 0 : s.items[i].size;
        assert_int_equal(bytes, sum(&s, ASH_WALK_BLOCK));
    }
    raw_set_word((char *)one - 8, own);
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk_of_an_empty_arena),
        cmocka_unit_test(test_walk_shows_the_callers_buffer_whole),
        cmocka_unit_test(test_walk_names_every_live_object),
        cmocka_unit_test(test_walk_shows_the_dead_until_they_are_reclaimed),
        cmocka_unit_test(test_walk_shows_padding_of_objects),
        cmocka_unit_test(test_walk_shows_blocks_oldest_first),
        cmocka_unit_test(test_walk_stops_when_told),
        cmocka_unit_test(test_walk_goes_on_over_a_corrupt_word),
    };
    return test_main(tests);
}
