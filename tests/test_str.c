/*
 * Strings and views.
 */
#include "support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define assert_str(s, expected) \
    do { \
        assert_true(ash_str_check(s)); \
        assert_int_equal((s)->size, sizeof(expected) - 1); \
        assert_memory_equal(ash_str_cstr(s), expected, sizeof(expected)); \
    } while (0)

#define assert_view(view, expected) \
    do { \
        assert_int_equal((view).size, sizeof(expected) - 1); \
        assert_memory_equal((view).data, expected, sizeof(expected) - 1); \
    } while (0)

static ash_arena arena;
static test_upstream up;
static ash_str s;

static int setup(void **state)
{
    (void)state;
    test_arena_over(&arena, &up, 1 << 16);
    ash_str_init(&s, ash_arena_resource(&arena));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_true(ash_str_check(&s));
    ash_str_deinit(&s);
    test_arena_done(&arena, &up);
    return 0;
}

/* Something is on top of the string, so that it has to move. */
static void interfere(void)
{
    assert_non_null(ash_alloc(&arena, 1, 1));
}

/* ---- empty ones ---- */

static void test_str_zeroed_is_empty(void **state)
{
    (void)state;
    ash_str zero = {0};
    assert_str(&zero, "");
    ash_str_clear(&zero);
    ash_str_truncate(&zero, 0);
    ash_str_trim(&zero);
    assert_true(ash_str_shrink(&zero));
    assert_true(ash_str_append(&zero, NULL, 0));
    assert_true(ash_str_put(&zero, (ash_view){NULL, 0}));
    assert_true(ash_str_insert(&zero, 0, NULL, 0));
    assert_true(ash_str_remove(&zero, 0, 0));
    assert_false(ash_str_remove(&zero, 0, 1));
    assert_true(ash_str_replace(&zero, ASH_VIEW("a"), ASH_VIEW("b")));
    assert_null(zero.data);
    assert_str(&zero, "");
    assert_int_equal(ash_str_view(&zero).size, 0);
    assert_non_null(ash_str_view(&zero).data);
    ash_str_deinit(&zero);
}

static void test_str_zeroed_takes_the_default(void **state)
{
    (void)state;
    ash_resource *old = ash_set_default(ash_arena_resource(&arena));
    ash_str zero = {0}, null;
    ash_str_init(&null, NULL);
    assert_true(ash_str_putc(&zero, 'x'));
    ash_set_default(old);
    assert_true(ash_str_putc(&null, 'y'));
    assert_ptr_equal(zero.resource, ash_arena_resource(&arena));
    assert_ptr_equal(null.resource, ash_arena_resource(&arena));
    assert_true(ash_arena_owns(&arena, zero.data) && ash_arena_owns(&arena, null.data));
}

static void test_str_init_takes_no_memory(void **state)
{
    (void)state;
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_null(s.data);
    assert_str(&s, "");
    assert_int_equal(up.calls, 0);
}

/* ---- adding ---- */

static void test_str_append(void **state)
{
    (void)state;
    assert_true(ash_str_append(&s, "ab\0c", 4));
    assert_str(&s, "ab\0c");
    assert_true(ash_str_puts(&s, "def"));
    assert_true(ash_str_putc(&s, 'g'));
    assert_true(ash_str_put(&s, ASH_VIEW("hi")));
    assert_true(ash_str_append(&s, "", 0));
    assert_true(ash_str_append(&s, NULL, 0));
    assert_str(&s, "ab\0cdefghi");
}

/* Each way of adding, at each distance from the end of the room. */
static void test_str_every_fit(void **state)
{
    (void)state;
    for (size_t room = 0; room < 12; room++)
        for (int way = 0; way < 4; way++) {
            ash_str t;
            ash_str_init(&t, ash_heap());
            while (!t.capacity || t.size + 1 + room < t.capacity)
                assert_true(ash_str_putc(&t, 'x'));
            size_t capacity = t.capacity, size = t.size;
            bool done = way == 0   ? ash_str_append(&t, "12345", 5)
                        : way == 1 ? ash_str_printf(&t, "%d", 12345)
                        : way == 2 ? ash_str_insert(&t, size, "12345", 5)
                                   : ash_str_join(&t, &ASH_VIEW("12345"), 1, ASH_VIEW("-"));
            assert_true(done);
            assert_true(ash_str_check(&t));
            assert_int_equal(t.capacity != capacity, room < 5);
            assert_int_equal(t.size, size + 5);
            assert_string_equal(t.data + size, "12345");
            assert_int_equal(t.data[size - 1], 'x');
            ash_str_deinit(&t);
        }
}

static void test_str_append_of_itself(void **state)
{
    (void)state;
    for (int moves = 0; moves < 2; moves++) {
        ash_str_clear(&s);
        assert_true(ash_str_puts(&s, "abc"));
        for (int i = 0; i < 12; i++) {
            size_t size = s.size;
            if (moves)
                interfere();
            assert_true(ash_str_append(&s, s.data + 1, s.size - 1));
            assert_memory_equal(s.data + size, s.data + 1, size - 1);
            assert_true(ash_str_check(&s));
        }
        if (moves)
            ash_str_deinit(&s);
    }
    assert_true(ash_str_puts(&s, "q"));
}

/* Over the heap, which moves it and frees the old one. */
static void test_str_of_itself_on_the_heap(void **state)
{
    (void)state;
    ash_str t;
    ash_str_init(&t, &up.resource);
    assert_true(ash_str_puts(&t, "0123456789"));
    for (int i = 0; i < 8; i++) {
        size_t size = t.size;
        assert_true(ash_str_shrink(&t));
        assert_true(ash_str_append(&t, t.data + 3, 7));
        assert_memory_equal(t.data + size, "3456789", 8);
        assert_true(ash_str_shrink(&t));
        ash_view parts[] = {{t.data, 2}, {t.data + 5, 3}};
        assert_true(ash_str_join(&t, parts, 2, (ash_view){t.data + 9, 1}));
        assert_memory_equal(t.data + size + 7, "019567", 7);
        assert_true(ash_str_shrink(&t));
        assert_true(ash_str_insert(&t, 4, t.data + 2, 5));
        assert_memory_equal(t.data,
                            "0123"
                            "23456"
                            "456789",
                            15);
        assert_true(ash_str_remove(&t, 4, 5));
        assert_true(ash_str_check(&t));
    }
    ash_str_deinit(&t);
}

static void test_str_insert_every_piece_of_itself(void **state)
{
    (void)state;
    const char text[] = "abcdefgh";
    for (size_t index = 0; index <= 8; index++)
        for (size_t from = 0; from < 8; from++)
            for (size_t size = 0; from + size <= 8; size++) {
                char expected[17];
                memcpy(expected, text, index);
                memcpy(expected + index, text + from, size);
                memcpy(expected + index + size, text + index, 9 - index);
                ash_str_clear(&s);
                assert_true(ash_str_puts(&s, text));
                assert_true(ash_str_insert(&s, index, s.data + from, size));
                assert_true(ash_str_check(&s));
                assert_int_equal(s.size, 8 + size);
                assert_string_equal(s.data, expected);
            }
    assert_false(ash_str_insert(&s, s.size + 1, "x", 1));
    assert_false(ash_str_failed(&s));
}

static void test_str_printf(void **state)
{
    (void)state;
    assert_true(ash_str_printf(&s, "%s=%d;", "a", 1));
    assert_true(ash_str_printf(&s, "%s", ""));
    assert_true(ash_str_printf(&s, "%0100d", 7));
    assert_int_equal(s.size, 104);
    assert_memory_equal(s.data, "a=1;000", 7);
    assert_string_equal(s.data + 100, "0007");
    assert_true(ash_str_check(&s));
    ash_str_clear(&s);
    for (int i = 0; i < 3000; i += 7) { /* longer than the room every time */
        ash_str_deinit(&s);
        assert_true(ash_str_printf(&s, "%*d", i, 5));
        assert_int_equal(s.size, i ? i : 1);
        assert_int_equal(s.data[s.size - 1], '5');
        assert_true(ash_str_check(&s));
    }
}

static void test_str_printf_that_cannot_be(void **state)
{
    (void)state;
    assert_true(ash_str_puts(&s, "kept"));
    errno = 5;
    wchar_t bad[] = {(wchar_t)0x7ffffffe, 0};
    assert_false(ash_str_printf(&s, "some %ls", bad));
    assert_int_equal(errno, 5);
    assert_true(ash_str_failed(&s));
    assert_str(&s, "kept");
}

static void test_str_join(void **state)
{
    (void)state;
    ash_view parts[] = {ASH_VIEW("usr"), {NULL, 0}, ASH_VIEW("include")};
    assert_true(ash_str_join(&s, parts, 0, ASH_VIEW("/")));
    assert_str(&s, "");
    assert_true(ash_str_join(&s, parts, 3, ASH_VIEW("/")));
    assert_str(&s, "usr//include");
    assert_true(ash_str_join(&s, parts, 1, ASH_VIEW("/")));
    assert_true(ash_str_join(&s, parts, 3, (ash_view){NULL, 0}));
    assert_str(&s, "usr//includeusrusrinclude");
    assert_int_equal(s.size, 25);
    ash_view huge[] = {{"", SIZE_MAX / 2}, {"", SIZE_MAX / 2}, {"", 3}};
    assert_false(ash_str_join(&s, huge, 3, ASH_VIEW("")));
    assert_int_equal(s.size, 25);
}

/* ---- changing ---- */

static void test_str_remove_and_truncate(void **state)
{
    (void)state;
    assert_true(ash_str_puts(&s, "0123456789"));
    assert_true(ash_str_remove(&s, 2, 3));
    assert_str(&s, "0156789");
    assert_true(ash_str_remove(&s, 5, 2));
    assert_str(&s, "01567");
    assert_false(ash_str_remove(&s, 5, 1));
    assert_false(ash_str_remove(&s, 6, 0));
    assert_false(ash_str_remove(&s, 1, SIZE_MAX));
    assert_true(ash_str_remove(&s, 5, 0));
    ash_str_truncate(&s, 7);
    assert_str(&s, "01567");
    ash_str_truncate(&s, 2);
    assert_str(&s, "01");
    ash_str_clear(&s);
    assert_str(&s, "");
    assert_non_null(s.data);
}

static void test_str_trim(void **state)
{
    (void)state;
    assert_true(ash_str_puts(&s, " \t\n\v\f\r a b \r\n"));
    ash_str_trim(&s);
    assert_str(&s, "a b");
    ash_str_trim(&s);
    assert_str(&s, "a b");
    ash_str_clear(&s);
    assert_true(ash_str_puts(&s, "   "));
    ash_str_trim(&s);
    assert_str(&s, "");
}

static void test_str_replace(void **state)
{
    (void)state;
    assert_true(ash_str_puts(&s, "aabaa"));
    assert_true(ash_str_replace(&s, ASH_VIEW("x"), ASH_VIEW("y")));
    assert_str(&s, "aabaa");
    assert_true(ash_str_replace(&s, ASH_VIEW(""), ASH_VIEW("y")));
    assert_str(&s, "aabaa");
    assert_true(ash_str_replace(&s, ASH_VIEW("a"), ASH_VIEW("xyz")));
    assert_str(&s, "xyzxyzbxyzxyz");
    assert_true(ash_str_replace(&s, (ash_view){s.data, 3}, (ash_view){s.data + 5, 2}));
    assert_str(&s, "zbzbbzbzb");
    assert_true(ash_str_replace(&s, ASH_VIEW("zb"), (ash_view){NULL, 0}));
    assert_str(&s, "b");
    assert_true(ash_str_replace(&s, ASH_VIEW("b"), ASH_VIEW("")));
    assert_str(&s, "");
}

/* ---- room ---- */

static void test_str_grows_in_place_on_an_arena(void **state)
{
    (void)state;
    assert_true(ash_str_puts(&s, "first"));
    char *data = s.data;
    while (s.size < 20000)
        assert_true(ash_str_puts(&s, "and more; "));
    assert_ptr_equal(s.data, data);
    assert_int_equal(ash_str_stats(&s).moved, 0);
    assert_int_equal(ash_str_stats(&s).bytes_moved, 0);
    assert_true(ash_str_stats(&s).in_place > 5);
    interfere();
    while (ash_str_stats(&s).moved == 0)
        assert_true(ash_str_putc(&s, '!'));
    assert_ptr_not_equal(s.data, data);
    assert_memory_equal(s.data, "firstand more; and", 18);
}

static void test_str_reserve_and_shrink(void **state)
{
    (void)state;
    assert_true(ash_str_reserve(&s, 100));
    assert_int_equal(s.capacity, 101);
    char *data = s.data;
    for (int i = 0; i < 100; i++)
        assert_true(ash_str_putc(&s, 'x'));
    assert_ptr_equal(s.data, data);
    assert_int_equal(s.capacity, 101);
    assert_true(ash_str_reserve(&s, 50));
    assert_int_equal(s.capacity, 101);
    ash_str_truncate(&s, 10);
    assert_true(ash_str_shrink(&s));
    assert_int_equal(s.capacity, 11);
    assert_used(&arena, 11);
    ash_str_clear(&s);
    assert_true(ash_str_shrink(&s));
    assert_null(s.data);
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_false(ash_str_reserve(&s, SIZE_MAX));
    assert_false(ash_str_reserve(&s, SIZE_MAX - 1));
    assert_false(ash_str_reserve(&s, PTRDIFF_MAX));
    assert_false(ash_str_append(&s, "", SIZE_MAX));
    assert_null(s.data);
}

static void test_str_release_keeps_the_bytes(void **state)
{
    (void)state;
    size_t size = 0;
    assert_true(ash_str_puts(&s, "kept on the arena"));
    char *kept = ash_str_release(&s, &size);
    assert_int_equal(size, 17);
    assert_string_equal(kept, "kept on the arena");
    assert_true(ash_arena_owns(&arena, kept));
    assert_used(&arena, 18);
    assert_str(&s, "");
    assert_true(ash_str_puts(&s, "next"));
    char *next = ash_str_release(&s, NULL), *none = ash_str_release(&s, NULL);
    assert_string_equal(next, "next");
    assert_string_equal(none, "");
    assert_string_equal(kept, "kept on the arena");
}

static void test_str_release_on_the_heap(void **state)
{
    (void)state;
    ash_str t;
    size_t size = 0;
    ash_str_init(&t, &up.resource);
    assert_true(ash_str_puts(&t, "bytes"));
    char *bytes = ash_str_release(&t, &size);
    ash_resource_free(&up.resource, bytes, size + 1, 1);
    up.refuse = true;
    assert_null(ash_str_release(&t, &size));
    assert_true(ash_str_failed(&t));
    up.refuse = false;
    ash_str_deinit(&t);
}

static void test_str_failure_sticks(void **state)
{
    (void)state;
    ash_str t;
    ash_str_init(&t, ash_null());
    assert_false(ash_str_failed(&t));
    assert_false(ash_str_putc(&t, 'x'));
    assert_true(ash_str_failed(&t));
    ash_str_clear(&t);
    assert_true(ash_str_failed(&t));
    ash_str_clear_failed(&t);
    assert_false(ash_str_failed(&t));
    assert_false(ash_str_puts(&t, "x") || ash_str_printf(&t, "x"));
    assert_true(ash_str_failed(&t));
    assert_true(ash_str_printf(&t, "%s", "")); /* nothing needs no memory */
    assert_str(&t, "");
    t.resource = &up.resource;
    assert_true(ash_str_puts(&t, "works again"));
    assert_true(ash_str_append(&t, t.data, t.size));
    while (t.size < 200)
        assert_true(ash_str_puts(&t, "and grows"));
    assert_true(ash_str_failed(&t));
    ash_str_deinit(&t);
}

/* All of a fixed buffer can be used, up to the last byte. */
static void test_str_fills_a_buffer(void **state)
{
    (void)state;
    for (size_t size = 1; size < 300; size++) {
        char buffer[300];
        ash_arena fixed;
        ash_arena_init_fixed(&fixed, buffer, size);
        ash_str t;
        ash_str_init(&t, ash_arena_resource(&fixed));
        while (ash_str_putc(&t, 'x'))
            assert_true(ash_str_check(&t));
        assert_int_equal(t.size, size > 1 ? size - 1 : 0);
        assert_true(ash_str_check(&t));
        ash_arena_deinit(&fixed);
    }
}

/* ---- from one to another ---- */

static void test_str_copy(void **state)
{
    (void)state;
    ash_str to = {0};
    assert_true(ash_str_puts(&s, "text"));
    ash_str_init(&to, &up.resource);
    assert_true(ash_str_copy(&to, &s));
    assert_str(&to, "text");
    assert_ptr_equal(to.resource, &up.resource);
    assert_ptr_not_equal(to.data, s.data);
    char *data = to.data;
    assert_true(ash_str_reserve(&to, 100));
    data = to.data;
    ash_str_clear(&s);
    assert_true(ash_str_puts(&s, "longer"));
    assert_true(ash_str_copy(&to, &s));
    assert_ptr_equal(to.data, data);
    assert_str(&to, "longer");
    assert_true(ash_str_copy(&to, &(ash_str){0}));
    assert_str(&to, "");
    assert_true(ash_str_copy(&to, &to));
    ash_str_deinit(&to);
}

static void test_str_steal(void **state)
{
    (void)state;
    ash_str to = {0}, here, there;
    assert_true(ash_str_puts(&s, "text"));
    char *data = s.data;
    assert_true(ash_str_steal(&to, &s)); /* zeroed: resource and all */
    assert_ptr_equal(to.data, data);
    assert_ptr_equal(to.resource, &arena.resource_);
    assert_str(&s, "");
    ash_str_init(&here, ash_arena_resource(&arena));
    assert_true(ash_str_puts(&here, "old"));
    assert_true(ash_str_steal(&here, &to));
    assert_ptr_equal(here.data, data);
    assert_str(&here, "text");
    assert_str(&to, "");
    ash_str_init(&there, &up.resource);
    assert_true(ash_str_puts(&there, "old"));
    assert_true(ash_str_steal(&there, &here)); /* across: copied */
    assert_ptr_not_equal(there.data, data);
    assert_false(ash_arena_owns(&arena, there.data));
    assert_str(&there, "text");
    assert_str(&here, "");
    assert_ptr_equal(here.resource, &arena.resource_);
    assert_true(ash_str_steal(&there, &there));
    assert_str(&there, "text");
    ash_str_deinit(&there);
}

static void test_str_swap(void **state)
{
    (void)state;
    ash_str one, other;
    ash_str_init(&one, ash_arena_resource(&arena));
    ash_str_init(&other, &up.resource);
    assert_true(ash_str_puts(&s, "s"));
    assert_true(ash_str_puts(&one, "one"));
    assert_true(ash_str_puts(&other, "other"));
    char *data = s.data;
    assert_true(ash_str_swap(&s, &one));
    assert_ptr_equal(one.data, data);
    assert_str(&s, "one");
    assert_true(ash_str_swap(&s, &other));
    assert_str(&s, "other");
    assert_str(&other, "one");
    assert_true(ash_arena_owns(&arena, s.data) && !ash_arena_owns(&arena, other.data));
    up.refuse = true;
    assert_false(ash_str_swap(&other, &s));
    assert_true(ash_str_failed(&other));
    up.refuse = false;
    assert_str(&s, "other");
    assert_str(&other, "one");
    ash_str zero = {0};
    assert_true(ash_str_swap(&zero, &other));
    assert_str(&zero, "one");
    assert_ptr_equal(zero.resource, &up.resource);
    assert_null(other.resource);
    ash_str_deinit(&zero);
}

static void test_str_is_an_object(void **state)
{
    (void)state;
    ash_str *object = ash_new(&arena, ash_str);
    assert_ptr_equal(object->resource, ash_arena_resource(&arena));
    assert_true(ash_str_puts(object, "object"));
    assert_true(ash_arena_owns(&arena, object->data));
    ash_delete(&arena, object);
}

/* ---- views ---- */

static void test_view_find(void **state)
{
    (void)state;
    ash_view text = ASH_VIEW("abcabcab");
    assert_int_equal(ash_view_find(text, ASH_VIEW("a")), 0);
    assert_int_equal(ash_view_find(text, ASH_VIEW("cab")), 2);
    assert_int_equal(ash_view_find(text, text), 0);
    assert_int_equal(ash_view_find(text, ASH_VIEW("abcabcabc")), ASH_NOT_FOUND);
    assert_int_equal(ash_view_find(text, ASH_VIEW("bb")), ASH_NOT_FOUND);
    assert_int_equal(ash_view_find(text, ASH_VIEW("")), 0);
    assert_int_equal(ash_view_find(ASH_VIEW(""), ASH_VIEW("a")), ASH_NOT_FOUND);
    assert_int_equal(ash_view_find((ash_view){NULL, 0}, ASH_VIEW("a")), ASH_NOT_FOUND);
    assert_int_equal(ash_view_find_last(text, ASH_VIEW("a")), 6);
    assert_int_equal(ash_view_find_last(text, ASH_VIEW("cab")), 5);
    assert_int_equal(ash_view_find_last(text, text), 0);
    assert_int_equal(ash_view_find_last(text, ASH_VIEW("bb")), ASH_NOT_FOUND);
    assert_int_equal(ash_view_find_last(text, ASH_VIEW("abcabcabc")), ASH_NOT_FOUND);
    assert_int_equal(ash_view_find_last(text, ASH_VIEW("")), 8);
    assert_int_equal(ash_view_find((ash_view){"a\0b", 3}, (ash_view){"\0b", 2}), 1);
}

/* Against the plainest search, over all texts and parts of two letters. */
static void test_view_find_all(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 256; bits++)
        for (size_t size = 1; size <= 4; size++)
            for (unsigned wanted = 0; wanted < 1u << size; wanted++) {
                char text[8], part[4];
                for (size_t i = 0; i < 8; i++)
                    text[i] = (char)('a' + (bits >> i & 1));
                for (size_t i = 0; i < size; i++)
                    part[i] = (char)('a' + (wanted >> i & 1));
                size_t first = ASH_NOT_FOUND, last = ASH_NOT_FOUND;
                for (size_t i = 0; i + size <= 8; i++)
                    if (memcmp(text + i, part, size) == 0) {
                        last = i;
                        first = first == ASH_NOT_FOUND ? i : first;
                    }
                char *exact = malloc(8); /* so that a sanitizer sees its end */
                memcpy(exact, text, 8);
                assert_int_equal(ash_view_find((ash_view){exact, 8}, (ash_view){part, size}),
                                 first);
                assert_int_equal(ash_view_find_last((ash_view){exact, 8}, (ash_view){part, size}),
                                 last);
                free(exact);
            }
}

static void test_view_split(void **state)
{
    (void)state;
    ash_view rest = ASH_VIEW("a,,bc,"), part;
    assert_true(ash_view_split(&rest, ASH_VIEW(","), &part));
    assert_view(part, "a");
    assert_true(ash_view_split(&rest, ASH_VIEW(","), &part));
    assert_view(part, "");
    assert_true(ash_view_split(&rest, ASH_VIEW(","), &part));
    assert_view(part, "bc");
    assert_true(ash_view_split(&rest, ASH_VIEW(","), &part));
    assert_view(part, "");
    assert_false(ash_view_split(&rest, ASH_VIEW(","), &part));
    assert_false(ash_view_split(&rest, ASH_VIEW(","), &part));
    rest = ASH_VIEW("");
    assert_true(ash_view_split(&rest, ASH_VIEW(","), &part));
    assert_view(part, "");
    assert_false(ash_view_split(&rest, ASH_VIEW(","), &part));
    rest = ASH_VIEW("a--b---c");
    assert_true(ash_view_split(&rest, ASH_VIEW("--"), &part));
    assert_view(part, "a");
    assert_true(ash_view_split(&rest, ASH_VIEW("--"), &part));
    assert_view(part, "b");
    assert_true(ash_view_split(&rest, ASH_VIEW(""), &part));
    assert_view(part, "-c");
    assert_false(ash_view_split(&rest, ASH_VIEW(""), &part));
}

static void test_view_compare(void **state)
{
    (void)state;
    assert_true(ash_view_compare(ASH_VIEW("a"), ASH_VIEW("b")) < 0);
    assert_true(ash_view_compare(ASH_VIEW("b"), ASH_VIEW("a")) > 0);
    assert_true(ash_view_compare(ASH_VIEW("a"), ASH_VIEW("ab")) < 0);
    assert_true(ash_view_compare(ASH_VIEW("ab"), ASH_VIEW("a")) > 0);
    assert_true(ash_view_compare(ASH_VIEW("\xff"), ASH_VIEW("a")) > 0);
    assert_int_equal(ash_view_compare(ASH_VIEW("ab"), ASH_VIEW("ab")), 0);
    assert_int_equal(ash_view_compare((ash_view){NULL, 0}, ASH_VIEW("")), 0);
    assert_true(ash_view_equal(ASH_VIEW("ab"), ash_view_of("ab")));
    assert_false(ash_view_equal(ASH_VIEW("ab"), ASH_VIEW("ac")));
    assert_false(ash_view_equal(ASH_VIEW("ab"), ASH_VIEW("abc")));
    assert_true(ash_view_begins(ASH_VIEW("abc"), ASH_VIEW("ab")));
    assert_false(ash_view_begins(ASH_VIEW("abc"), ASH_VIEW("abcd")));
    assert_false(ash_view_begins(ASH_VIEW("abc"), ASH_VIEW("b")));
    assert_true(ash_view_ends(ASH_VIEW("abc"), ASH_VIEW("bc")));
    assert_false(ash_view_ends(ASH_VIEW("abc"), ASH_VIEW("abcd")));
    assert_false(ash_view_ends(ASH_VIEW("abc"), ASH_VIEW("b")));
    assert_true(ash_view_ends(ASH_VIEW("abc"), (ash_view){NULL, 0}));
}

static void test_view_slice_and_trim(void **state)
{
    (void)state;
    ash_view text = ASH_VIEW(" abc ");
    assert_view(ash_view_slice(text, 1, 3), "abc");
    assert_view(ash_view_slice(text, 3, SIZE_MAX), "c ");
    assert_view(ash_view_slice(text, 9, 1), "");
    assert_int_equal(ash_view_slice(text, 9, 1).data - text.data, 5);
    assert_int_equal(ash_view_slice((ash_view){NULL, 0}, 3, 3).size, 0);
    assert_view(ash_view_trim(text), "abc");
    assert_view(ash_view_trim(ASH_VIEW(" \n ")), "");
    assert_int_equal(ash_view_of(NULL).size, 0);
    assert_null(ash_view_of(NULL).data);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_str_zeroed_is_empty),
        TEST(test_str_zeroed_takes_the_default),
        TEST(test_str_init_takes_no_memory),
        TEST(test_str_append),
        TEST(test_str_every_fit),
        TEST(test_str_append_of_itself),
        TEST(test_str_of_itself_on_the_heap),
        TEST(test_str_insert_every_piece_of_itself),
        TEST(test_str_printf),
        TEST(test_str_printf_that_cannot_be),
        TEST(test_str_join),
        TEST(test_str_remove_and_truncate),
        TEST(test_str_trim),
        TEST(test_str_replace),
        TEST(test_str_grows_in_place_on_an_arena),
        TEST(test_str_reserve_and_shrink),
        TEST(test_str_release_keeps_the_bytes),
        TEST(test_str_release_on_the_heap),
        TEST(test_str_failure_sticks),
        TEST(test_str_fills_a_buffer),
        TEST(test_str_copy),
        TEST(test_str_steal),
        TEST(test_str_swap),
        TEST(test_str_is_an_object),
        TEST(test_view_find),
        TEST(test_view_find_all),
        TEST(test_view_split),
        TEST(test_view_compare),
        TEST(test_view_slice_and_trim),
    };
    return test_main(tests);
}
