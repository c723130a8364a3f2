/*
 * Copies of bytes and strings, and formatted ones.
 */
#include "support.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static void test_text_strdup_copies(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    for (size_t length = 0; length < 600; length += length < 20 ? 1 : 37) {
        char *source = malloc(length + 1);
        memset(source, 'x', length);
        source[length] = '\0';
        char *copy = ash_strdup(&arena, source);
        assert_non_null(copy);
        assert_ptr_not_equal(copy, source);
        assert_string_equal(copy, source);
        free(source);
        assert_int_equal(strlen(copy), length);
    }
    test_arena_done(&arena, &up);
}

static void test_text_strndup_reads_no_further(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *open = malloc(5); /* not terminated: a sanitizer sees a sixth byte read */
    memcpy(open, "abcde", 5);
    assert_string_equal(ash_strndup(&arena, open, 5), "abcde");
    assert_string_equal(ash_strndup(&arena, open, 3), "abc");
    assert_string_equal(ash_strndup(&arena, open, 0), "");
    free(open);
    assert_string_equal(ash_strndup(&arena, "short", 100), "short");
    assert_string_equal(ash_strndup(&arena, "short", SIZE_MAX), "short");
    assert_string_equal(ash_strndup(&arena, "", 100), "");
    ash_arena_reset(&arena);
    assert_non_null(ash_strndup(&arena, "ab", 1000)); /* takes what it needs, not `max` */
    assert_true(ash_arena_used(&arena) < 100);
    test_arena_done(&arena, &up);
}

static void test_text_memdup_copies_aligned(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 1024);
    char source[300];
    fill_pattern(source, sizeof source, 8);
    for (size_t align = 1; align <= 4096; align *= 2)
        for (size_t size = 0; size <= sizeof source; size += 50) {
            char *copy = ash_memdup(&arena, source, size, align);
            assert_non_null(copy);
            assert_aligned(copy, align);
            assert_true(is_pattern(copy, size, 8));
        }
    void *a = ash_memdup(&arena, source, 0, 1), *b = ash_memdup(&arena, source, 0, 1);
    assert_ptr_not_equal(a, b);
    test_arena_done(&arena, &up);
}

static void test_text_printf_formats(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 4096);
    char *a = ash_printf(&arena, "%d %s %c %05.1f", 42, "words", 'z', 3.25);
    char *b = ash_printf(&arena, "%s", "");
    assert_string_equal(a, "42 words z 003.2");
    assert_string_equal(b, "");
    char *c = ash_printf(&arena, "%s and %s", a, a); /* from the arena into the arena */
    assert_string_equal(c, "42 words z 003.2 and 42 words z 003.2");
    assert_string_equal(a, "42 words z 003.2");
    ash_arena_reset(&arena);
    assert_non_null(ash_printf(&arena, "%s", "12345"));
    assert_used(&arena, 6);
    test_arena_done(&arena, &up);
}

/* Lengths around what the gap holds: exactly fitting, one too long, and no gap at all. */
static void test_text_printf_at_every_room(void **state)
{
    (void)state;
    for (size_t length = 0; length < 130; length++)
        for (size_t left = 0; left < 130; left += 3) {
            ash_arena arena;
            test_upstream up;
            test_arena_over(&arena, &up, 1024);
            assert_non_null(ash_alloc(&arena, 1, 1));
            size_t room = ash_arena_room(&arena);
            char *plain = ash_alloc(&arena, room - left, 1);
            assert_non_null(plain);
            fill_pattern(plain, room - left, 1);
            size_t calls = up.calls, now = ash_arena_room(&arena);
            char *s = ash_printf(&arena, "%*s", (int)length, "");
            assert_non_null(s);
            assert_int_equal(strlen(s), length);
            if (length + 1 <= now)
                assert_int_equal(up.calls, calls); /* an exact fit fits */
            assert_true(is_pattern(plain, room - left, 1));
            assert_false(ash_arena_failed(&arena));
            test_arena_done(&arena, &up);
        }
}

static void test_text_printf_leaves_objects_alone(void **state)
{
    (void)state;
    _Alignas(16) char buffer[512];
    ash_arena arena;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    char *object = ash_object_alloc(&arena, 64, 8);
    fill_pattern(object, 64, 2);
    for (int length = 0; length < 600; length += 7) {
        ash_mark mark = ash_arena_mark(&arena);
        size_t room = ash_arena_room(&arena);
        char *s = ash_printf(&arena, "%*d", length, 7);
        assert_int_equal(s != NULL, (size_t)(length ? length : 1) + 1 <= room);
        assert_true(is_pattern(object, 64, 2));
        assert_true(ash_arena_check(&arena));
        ash_arena_rewind(&arena, mark);
    }
    ash_arena_deinit(&arena);
}

static void test_text_printf_long(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    char *s = ash_printf(&arena, "%100000d!", 5);
    assert_non_null(s);
    assert_int_equal(strlen(s), 100001);
    assert_string_equal(s + 99999, "5!");
    test_arena_done(&arena, &up);
}

static void test_text_refused_leaves_nothing(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    assert_non_null(ash_strdup(&arena, "kept"));
    up.refuse = true;
    size_t used = ash_arena_used(&arena), room = ash_arena_room(&arena);
    char long_one[1000];
    memset(long_one, 'a', sizeof long_one - 1);
    long_one[sizeof long_one - 1] = '\0';
    for (int i = 0; i < 4; i++) {
        ash_arena_clear_failed(&arena);
        assert_null(i == 0   ? ash_printf(&arena, "%s", long_one)
                    : i == 1 ? ash_strdup(&arena, long_one)
                    : i == 2 ? ash_strndup(&arena, long_one, 900)
                             : (char *)ash_memdup(&arena, long_one, 1000, 1));
        assert_true(ash_arena_failed(&arena));
        assert_int_equal(ash_arena_used(&arena), used);
        assert_int_equal(ash_arena_room(&arena), room);
    }
    test_arena_done(&arena, &up);
}

static char *format(ash_arena *arena, const char *text, ...) ASH_PRINTF(2, 3);

static char *format(ash_arena *arena, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    char *s = ash_vprintf(arena, text, args);
    va_end(args);
    return s;
}

static void test_text_vprintf_formats_twice_if_it_must(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 64);
    for (int i = 0; i < 200; i++) {
        char expected[300], *s = format(&arena, "%s|%d|%*d", "text", i, i, i);
        snprintf(expected, sizeof expected, "%s|%d|%*d", "text", i, i, i);
        assert_string_equal(s, expected);
    }
    test_arena_done(&arena, &up);
}

static void test_text_printf_that_cannot_be_formatted(void **state)
{
    (void)state;
    ash_arena arena;
    test_upstream up;
    test_arena_over(&arena, &up, 256);
    assert_non_null(ash_alloc(&arena, 10, 1));
    size_t used = ash_arena_used(&arena);
    static const wchar_t none[] = {0x10ffff, 0}; /* no such character in the C locale */
    char probe[32];
    if (snprintf(probe, sizeof probe, "%ls", none) >= 0)
        skip_because("this C library formats every character in every locale");
    assert_null(ash_printf(&arena, "%ls", none));
    assert_true(ash_arena_failed(&arena));
    assert_int_equal(ash_arena_used(&arena), used);
    assert_consistent(&arena);
    test_arena_done(&arena, &up);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_strdup_copies),
        cmocka_unit_test(test_text_strndup_reads_no_further),
        cmocka_unit_test(test_text_memdup_copies_aligned),
        cmocka_unit_test(test_text_printf_formats),
        cmocka_unit_test(test_text_printf_at_every_room),
        cmocka_unit_test(test_text_printf_leaves_objects_alone),
        cmocka_unit_test(test_text_printf_long),
        cmocka_unit_test(test_text_refused_leaves_nothing),
        cmocka_unit_test(test_text_vprintf_formats_twice_if_it_must),
        cmocka_unit_test(test_text_printf_that_cannot_be_formatted),
    };
    return test_main(tests);
}
