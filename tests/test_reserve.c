/*
 * Reserved stretches: all of them is given back, the limit holds at both ends, and a gap may be
 * larger than what an int can say.
 */
#include "support.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1 << 20, CYCLES = 2000 };

typedef struct part {
    uint64_t value[2];
} part;

static void part_destroy(void *self)
{
    (void)self;
}
ASH_TYPE(part, .destroy = part_destroy);

/* Lines of /proc/self/maps; -1: there is none. */
static long mappings(void)
{
    FILE *file = fopen("/proc/self/maps", "r");
    if (!file)
        return -1;
    long lines = 0;
    for (int c = getc(file); c != EOF; c = getc(file))
        lines += c == '\n';
    fclose(file);
    return lines;
}

/* MiB of address space; two mappings side by side are one line. */
static long address_space(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;
    bool read = file && fscanf(file, "%ld", &pages) == 1;
    if (file)
        fclose(file);
    return read ? pages / (MIB / sysconf(_SC_PAGESIZE)) : 0;
}

static void live_and_die(size_t reserve, bool typed, bool deleted)
{
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.reserve = reserve}));
    void *p = typed ? (void *)ash_new(&arena, part) : ash_object_alloc(&arena, 16, 8);
    assert_non_null(p);
    if (deleted)
        ash_delete(&arena, p);
    ash_arena_deinit(&arena);
}

static void check_gives_back(size_t reserve)
{
    live_and_die(reserve, true, false); /* what is kept for the next is taken now */
    long lines = mappings(), space = address_space();
    if (lines < 0) {
        skip_because("no /proc/self/maps");
    }
    for (int i = 0; i < CYCLES; i++)
        live_and_die(reserve, i % 2, i % 3 == 0);
    /* A sanitizer maps for itself now and then. */
    assert_true(mappings() <= lines + (TEST_ASAN || TEST_TSAN ? 20 : 0));
    assert_true(address_space() <= space + (TEST_ASAN || TEST_TSAN ? 256 : 0));
}

static void test_reserve_of_objects_is_given_back(void **state)
{
    (void)state;
    check_gives_back(64 * MIB);
    check_gives_back(MIB);
    check_gives_back(4096);
}

static void test_reserve_released_is_given_back(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.reserve = 64 * MIB}));
    assert_non_null(ash_new(&arena, part));
    ash_arena_release(&arena);
    long lines = mappings();
    if (lines < 0) {
        skip_because("no /proc/self/maps");
    }
    for (int i = 0; i < CYCLES; i++) {
        assert_non_null(ash_new(&arena, part));
        assert_consistent(&arena);
        ash_arena_release(&arena);
    }
    assert_true(mappings() <= lines + (TEST_ASAN || TEST_TSAN ? 20 : 2));
    ash_arena_deinit(&arena);
}

/* Plain memory has been everywhere once; then objects have, and their map is more to hold. */
static void check_trim(size_t size, size_t object, size_t keep)
{
    ash_arena arena;
    ash_arena_config config = {.upstream = ash_null(), .reserve = size, .limit = size};
    assert_true(ash_arena_init(&arena, &config));
    ash_mark empty = ash_arena_mark(&arena);
    char *p = ash_alloc(&arena, size, 1);
    assert_non_null(p);
    ash_arena_rewind(&arena, empty);
    char *q = ash_object_alloc(&arena, object, 8);
    if (q)
        q[0] = q[object - 1] = 1;
    size_t held = ash_arena_capacity(&arena);
    assert_true(held <= size);
    ash_arena_trim(&arena, keep);
    assert_true(ash_arena_capacity(&arena) <= held);
    size_t room = ash_arena_room(&arena);
    assert_true(room == 0 || ash_alloc(&arena, room, 1) != NULL);
    assert_true(ash_arena_capacity(&arena) <= size);
    assert_consistent(&arena);
    assert_true(!q || (q[0] == 1 && q[object - 1] == 1));
    ash_arena_deinit(&arena);
}

static void test_reserve_trimmed_holds_no_more_than_before(void **state)
{
    (void)state;
    const size_t size = 2 * MIB;
    for (size_t object = 16; object < size; object += 81 * 1024)
        for (size_t keep = 0; keep <= size; keep += size / 5)
            check_trim(size, object, keep ? keep - 1 : 0);
    check_trim(8 * MIB, 8 * MIB - 16384, 8 * MIB - 1);
}

/* vsnprintf may refuse a size that an int cannot hold. */
static void test_reserve_printf_into_a_vast_gap(void **state)
{
    (void)state;
#if SIZE_MAX > 0xffffffff
    if (TEST_ASAN) {
        skip_because("to poison three GiB takes their eighth part of memory");
    }
    size_t gib = (size_t)1 << 30;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.reserve = 5 * gib}));
    char *all = ash_alloc(&arena, 3 * gib, 1); /* committed; not touched */
    assert_non_null(all);
    ash_arena_reset(&arena);
    assert_true(ash_arena_room(&arena) > (size_t)INT_MAX);
    for (int i = 0; i < 3; i++) {
        char *text = ash_printf(&arena, "number %d", i);
        assert_non_null(text);
        assert_int_equal(strlen(text), 8);
        assert_int_equal(text[7], '0' + i);
    }
    assert_used(&arena, 27);
    ash_arena_deinit(&arena);
#else
    skip_because("pointers have 32 bits");
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reserve_of_objects_is_given_back),
        cmocka_unit_test(test_reserve_released_is_given_back),
        cmocka_unit_test(test_reserve_trimmed_holds_no_more_than_before),
        cmocka_unit_test(test_reserve_printf_into_a_vast_gap),
    };
    return test_main(tests);
}
