/*
 * No memory, really: errno is nobody's business, and where the system has no pages left for object
 * maps, what can be served without them is. The tests that take the system's pages away do it in a
 * child process, by RLIMIT_AS.
 */
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wchar.h>

enum { SENTINEL = 12345 };

typedef struct part {
    uint64_t value[2];
} part;

static void part_destroy(void *self)
{
    (void)self;
}
ASH_TYPE(part, .destroy = part_destroy);

static void nothing(void *arg)
{
    (void)arg;
}

/* What is expected to fail must fail, and leave errno alone. */
#define assert_refused_silently(expression) \
    do { \
        errno = SENTINEL; \
        bool refused_ = !(expression); \
        int error_ = errno; \
        assert_true(refused_); \
        assert_int_equal(error_, SENTINEL); \
    } while (0)

static const size_t huge = SIZE_MAX / 4; /* more than any address space */

static void check_arena(ash_arena *arena, size_t size)
{
    char text[] = "text";
    assert_refused_silently(ash_alloc(arena, size, 1));
    assert_refused_silently(ash_alloc(arena, size, 4096));
    assert_refused_silently(ash_zalloc(arena, size, 8));
    assert_refused_silently(ash_alloc_array(arena, size / 8, 8, 8));
    assert_refused_silently(ash_object_alloc(arena, size, 8));
    assert_refused_silently(ash_object_alloc(arena, size, 64));
    assert_refused_silently(ash_new_array(arena, part, size / sizeof(part)));
    assert_refused_silently(ash_realloc(arena, NULL, 0, size, 8));
    assert_refused_silently(ash_extend(arena, text, sizeof text, size));
    assert_true(ash_arena_failed(arena));
}

/* Where not even the first block can be had, nothing can. */
static void check_first_block(ash_resource *upstream)
{
    ash_arena arena;
    ash_arena_config config = {.upstream = upstream, .block_size = huge};
    assert_true(ash_arena_init(&arena, &config));
    check_arena(&arena, 16);
    assert_refused_silently(ash_new(&arena, part));
    assert_refused_silently(ash_defer(&arena, nothing, NULL));
    assert_refused_silently(ash_printf(&arena, "%d", 5));
    assert_refused_silently(ash_strdup(&arena, "text"));
    assert_refused_silently(ash_memdup(&arena, "text", 4, 1));
    assert_int_equal(ash_arena_capacity(&arena), 0);
    ash_arena_deinit(&arena);
}

static void check_later_block(ash_resource *upstream)
{
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.upstream = upstream}));
    char *p = ash_alloc(&arena, 10, 1);
    assert_non_null(p);
    assert_non_null(ash_object_alloc(&arena, 10, 8));
    check_arena(&arena, huge);
    assert_refused_silently(ash_realloc(&arena, p, 10, huge, 1));
    ash_arena_deinit(&arena);
}

static void check_resource(ash_resource *resource)
{
    void *p = ash_resource_alloc(resource, 100, 8);
    assert_non_null(p);
    assert_refused_silently(ash_resource_alloc(resource, huge, 8));
    assert_refused_silently(ash_resource_alloc(resource, huge, 4096));
    assert_refused_silently(ash_resource_resize(resource, p, 100, huge, 8));
    assert_refused_silently(ash_resource_remap(resource, p, 100, huge, 8));
    assert_refused_silently(ash_resource_realloc(resource, p, 100, huge, 8));
    ash_resource_free(resource, p, 100, 8);
}

static void *loud_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self, (void)size, (void)align;
    errno = ENOMEM;
    return NULL;
}

static const ash_resource_ops loud_ops = {.alloc = loud_alloc};
static ash_resource loud = {&loud_ops};

static void test_refusal_keeps_errno(void **state)
{
    (void)state;
    check_resource(ash_heap());
    check_resource(ash_pages());
    check_later_block(ash_heap());
    check_later_block(ash_pages());
    check_first_block(ash_heap());
    check_first_block(ash_pages());
    check_first_block(&loud);
    assert_refused_silently(ash_arena_create(&(ash_arena_config){.upstream = &loud}));
}

static void test_refusal_of_a_reserve_keeps_errno(void **state)
{
    (void)state;
    for (size_t reserve = huge; reserve > huge / 256; reserve /= 4) {
        ash_arena arena;
        ash_arena_config config = {.reserve = reserve};
        assert_refused_silently(ash_arena_init(&arena, &config));
        assert_refused_silently(ash_arena_create(&config));
    }
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.reserve = 1 << 20, .limit = 1 << 16}));
    check_arena(&arena, 1 << 18);
    check_arena(&arena, 1 << 22);
    ash_arena_deinit(&arena);
}

static void test_refusal_to_format_keeps_errno(void **state)
{
    (void)state;
    static const wchar_t none[] = {0x10ffff, 0}; /* no such character in the C locale */
    char probe[32];
    if (snprintf(probe, sizeof probe, "%ls", none) >= 0)
        skip_because("this C library formats every character in every locale");
    ash_arena arena;
    assert_true(ash_arena_init(&arena, NULL));
    assert_refused_silently(ash_printf(&arena, "%ls", none));
    ash_arena_deinit(&arena);
}

/*
 * Under RLIMIT_AS. A child answers with one of these, or with the line that was wrong.
 */
enum { FINE = 0, UNSUITED = 255 };

#define EXPECT(condition) \
    do { \
        if (!(condition)) \
            return __LINE__ % 250 + 1; \
    } while (0)

/* From now on no page more than there is, but for `spare` bytes. */
static bool no_more_pages(size_t spare)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;
    bool read = file && fscanf(file, "%lu", &pages) == 1;
    if (file)
        fclose(file);
    rlim_t bytes = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + spare;
    return read && setrlimit(RLIMIT_AS, &(struct rlimit){bytes, bytes}) == 0;
}

static void in_a_child(int (*run)(void))
{
    if (TEST_ASAN || TEST_TSAN) {
        skip_because("a sanitizer needs the address space");
    }
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* what goes wrong here must end the child, not the test */
        signal(SIGSEGV, SIG_DFL);
        signal(SIGBUS, SIG_DFL);
        ash_set_fatal_handler(NULL);
        _exit(run());
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == UNSUITED) {
        skip_because("no /proc, no limit, or a malloc that keeps nothing");
    }
    if (WEXITSTATUS(status))
        print_error("wrong near line n * 250 + %d\n", WEXITSTATUS(status) - 1);
    assert_int_equal(WEXITSTATUS(status), FINE);
}

static int reserve_without_a_map(void)
{
    ash_arena arena;
    size_t reserve = (size_t)1 << 28; /* its map is address space of 8 MiB and more */
    EXPECT(ash_arena_init(&arena, &(ash_arena_config){.name = "t", .reserve = reserve}));
    if (!no_more_pages(1 << 20))
        return UNSUITED;
    for (int round = 0; round < 3; round++) {
        char *p = ash_alloc(&arena, 5000, 8);
        EXPECT(p);
        memset(p, 1, 5000);
        errno = SENTINEL;
        EXPECT(!ash_object_alloc(&arena, 100, 8));
        EXPECT(!ash_new(&arena, part));
        EXPECT(!ash_defer(&arena, nothing, NULL));
        EXPECT(errno == SENTINEL);
        EXPECT(ash_arena_failed(&arena) && is_consistent(&arena));
        EXPECT(ash_object_inspect(&arena, p) == ASH_OBJECT_FOREIGN);
        char *q = ash_alloc(&arena, (size_t)1 << 20, 1);
        EXPECT(q);
        memset(q, 2, (size_t)1 << 20);
        EXPECT(p[4999] == 1);
        if (round == 1)
            ash_arena_reset(&arena);
    }
    ash_arena_deinit(&arena);
    return FINE;
}

static void test_refusal_of_a_map_leaves_a_reserve_for_plain_memory(void **state)
{
    (void)state;
    in_a_child(reserve_without_a_map);
}

/* malloc shall have memory that it can hand out without asking the system: what it was given back,
 * held by a last piece that lies above. */
enum { HOARD = 64, HOARDED = 100000 };

static bool hoard(void)
{
    static char *pieces[HOARD];
    for (size_t i = 0; i < HOARD; i++)
        pieces[i] = malloc(HOARDED);
    if (!malloc(1000))
        return false;
    for (size_t i = 0; i < HOARD; i++)
        free(pieces[i]);
    return no_more_pages(0);
}

static bool malloc_serves(size_t size)
{
    void *volatile p = malloc(size);
    free(p);
    return p != NULL;
}

static int check_large(size_t size)
{
    ash_arena arena;
    EXPECT(ash_arena_init(&arena, NULL));
    char *p = ash_object_alloc(&arena, size, 8);
    EXPECT(p);
    memset(p, 1, size);
    part *q = ash_new(&arena, part);
    EXPECT(q && is_consistent(&arena));
    EXPECT(ash_object_inspect(&arena, p) == ASH_OBJECT_LIVE);
    EXPECT(ash_object_inspect(&arena, p + size / 2 / 8 * 8) == ASH_OBJECT_FOREIGN);
    ash_delete(&arena, p);
    ash_delete(&arena, q);
    EXPECT(ash_arena_used(&arena) == 0 && is_consistent(&arena));
    part *first = ash_new_array(&arena, part, size / sizeof(part));
    EXPECT(first && is_zero(first, size / sizeof(part) * sizeof(part)));
    ash_arena_deinit(&arena);
    return FINE;
}

static int large_without_pages(void)
{
    /* There may be pages of the library's that earlier arenas have left: use them up. */
    static ash_arena others[32];
    for (size_t i = 0; i < countof(others); i++)
        EXPECT(ash_arena_init(&others[i], NULL) && ash_object_alloc(&others[i], 100, 8));
    static const size_t sizes[] = {60000, 65536, 100000, 300000, 1000000};
    if (!hoard() || !malloc_serves(3 * sizes[countof(sizes) - 1]))
        return UNSUITED;
    for (size_t i = 0; i < countof(sizes); i++) {
        int wrong = check_large(sizes[i]);
        if (wrong)
            return wrong;
    }
    return FINE;
}

static void test_refusal_of_pages_leaves_large_objects_on_the_heap(void **state)
{
    (void)state;
    in_a_child(large_without_pages);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusal_keeps_errno),
        cmocka_unit_test(test_refusal_of_a_reserve_keeps_errno),
        cmocka_unit_test(test_refusal_to_format_keeps_errno),
        cmocka_unit_test(test_refusal_of_a_map_leaves_a_reserve_for_plain_memory),
        cmocka_unit_test(test_refusal_of_pages_leaves_large_objects_on_the_heap),
    };
    return test_main(tests);
}
