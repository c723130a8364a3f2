/* Whatever an arena took from the system it gives back: maps of its objects, the table that finds them,
 * reserved address space. Valgrind and the sanitizers see nothing of mapped pages, so they are counted. */
#include "support.h"

#include <stdio.h>

#include <ashlar.h>

static size_t mappings(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps)
        return 0;
    size_t lines = 0;
    for (int c; (c = fgetc(maps)) != EOF;)
        lines += c == '\n';
    fclose(maps);
    return lines;
}

static void live_and_die(const ash_arena_config *config)
{
    ash_arena arena;
    assert_true(ash_arena_init(&arena, config));
    for (size_t i = 0; i < 60; i++) {
        void *object = ash_object_alloc(&arena, 700 + i % 7 * 100, 8);
        void *plain = ash_alloc(&arena, 300, 8);
        if (object && i % 3 == 0)
            ash_delete(&arena, object);
        assert_true(plain || config->limit || config->reserve);
    }
    ash_arena_deinit(&arena);
}

static void test_pages_all_come_back(void **state)
{
    (void)state;
    static char buffer[2000];
    const ash_arena_config configs[] = {
        {.name = "default"},
        {.block_size = 3000, .block_max = 3000},
        {.buffer = buffer, .buffer_size = sizeof buffer, .block_size = 3000},
        {.block_size = 3000, .limit = 40000},
        {.upstream = ash_pages(), .buffer = buffer, .buffer_size = 100},
        {.reserve = 100000},
        {.reserve = 1 << 26, .limit = 50000},
    };
    if (mappings() == 0) {
        skip_because("no /proc/self/maps to count in");
    }
    for (size_t i = 0; i < countof(configs); i++) {
        for (int warm = 0; warm < 20; warm++) /* the heap grows, a few pages are kept for later */
            live_and_die(&configs[i]);
        size_t before = mappings();
        for (int round = 0; round < 200; round++)
            live_and_die(&configs[i]);
        assert_in_range(mappings(), 0, before + 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pages_all_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
