/*
 * support.h - what the tests share: an upstream that watches its caller, fatal reports caught
 * inside the process, access to bytes that are nobody's, and random numbers with a seed.
 */
#ifndef ASHLAR_TESTS_SUPPORT_H
#define ASHLAR_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ashlar/ashlar.h"

#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#endif
#ifndef TEST_ASAN
#define TEST_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define TEST_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#endif
#ifndef TEST_TSAN
#define TEST_TSAN 0
#endif

/* Does the library put red zones between allocations in this build? Absolute values of `used` mean
 * nothing then; exact fits and room hold all the same. */
#if TEST_ASAN && (!defined(ASH_RED_ZONE) || ASH_RED_ZONE)
#define TEST_RED_ZONES 1
#else
#define TEST_RED_ZONES 0
#endif

/* used is exactly so much; where there are red zones, at least. */
#define assert_used(arena, bytes) \
    do { \
        if (TEST_RED_ZONES && (bytes) != 0) \
            assert_true(ash_arena_used(arena) >= (bytes)); \
        else \
            assert_int_equal(ash_arena_used(arena), (bytes)); \
    } while (0)

#define assert_aligned(p, align) assert_int_equal((uintptr_t)(p) % (align), 0)

/* A test that cannot run here says why. */
#define skip_because(reason) \
    do { \
        print_message("skipped: %s\n", (reason)); \
        skip(); \
    } while (0)

/* A row of a table of types. */
/* clang-format off */
#define TYPE(label, bytes, alignment, end) \
    {.name = (label), .size = (bytes), .align = (alignment), .destroy = (end)}
/* clang-format on */

#define countof(array) (sizeof(array) / sizeof(array)[0])

/*
 * Upstream. Over malloc; every block remembers what it was asked for, and a free with another size
 * or alignment, of another upstream's block, or after a write past the end, fails the test.
 */
typedef struct test_upstream {
    ash_resource resource; /* first */
    struct test_block *newest;
    size_t blocks, bytes; /* live */
    size_t most_bytes;    /* the most that were live at once */
    size_t calls;         /* that could be refused, refused ones included */
    size_t fail_at;       /* this call alone is refused, 1 being the first; 0: none */
    bool refuse;          /* every call is refused */
    size_t align_most;    /* larger alignments are refused; 0: none */
    size_t size_most;     /* larger sizes are refused; 0: none */
    bool misaligned;      /* addresses are 8 mod 16, whatever was asked for */
    size_t last_size;     /* what was asked for last */
} test_upstream;

void test_upstream_init(test_upstream *up);
/* All was given back. */
void test_upstream_done(test_upstream *up);

/* An arena over it, whose first block has block_size bytes. */
void test_arena_over(ash_arena *arena, test_upstream *up, size_t block_size);
/* The arena is deinitialised, and all was given back. */
void test_arena_done(ash_arena *arena, test_upstream *up);

/* Whole arena consistent: what the walk shows tiles each block and sums up to what is used. */
bool is_consistent(const ash_arena *arena);
void assert_consistent(const ash_arena *arena);

/*
 * Fatal reports. expect_fatal runs an expression that must be reported, and asserts the message, in
 * which ADDR stands for a hexadecimal address. The report leaves the library by longjmp.
 */
jmp_buf *test_fatal_arm(void);
void test_fatal_missed(const char *expression, const char *file, int line);
void test_fatal_compare(const char *expected, const char *file, int line);

#define expect_fatal(expression, message) \
    do { \
        if (setjmp(*test_fatal_arm()) == 0) { \
            expression; \
            test_fatal_missed(#expression, __FILE__, __LINE__); \
        } \
        test_fatal_compare((message), __FILE__, __LINE__); \
    } while (0)

/* The address the last report named. */
uintptr_t test_fatal_address(void);
/* Is `actual` the line `expected`, ADDR standing for any 0x address? */
bool test_message_matches(const char *actual, const char *expected);

void expect_fatal_delete(ash_arena *arena, void *p, const char *message);
void expect_fatal_reset(ash_arena *arena, const char *message);
void expect_fatal_rewind(ash_arena *arena, ash_mark mark, const char *message);

#define NOT_START      "ashlar: fatal: delete of what is not the start of an object"
#define DELETED        "ashlar: fatal: delete of an object already deleted"
#define OVERWRITTEN    "ashlar: fatal: type word overwritten"
#define DEFER_WORN     "ashlar: fatal: deferred call overwritten"
#define MARK_GONE      "ashlar: fatal: rewind to a mark that is gone"
#define PAST_DYING     "ashlar: fatal: rewind past an object that is being made or destroyed"
#define IN_ARENA(name) " (arena " name ", ADDR)"

/* Words that belong to the library or to nobody, past every sanitizer. */
uint64_t raw_word(const void *p);
void raw_set_word(void *p, uint64_t word);
void raw_copy(void *to, const void *from, size_t size);
void raw_fill(void *to, unsigned char byte, size_t size);

/* An address that was mapped and is no more. */
void *unmapped_address(void);

/* What a fresh byte pattern looks like: fill, and assert it is unharmed. */
void fill_pattern(void *p, size_t size, unsigned seed);
bool is_pattern(const void *p, size_t size, unsigned seed);
bool is_zero(const void *p, size_t size);

/* Random numbers. The seed comes from ASH_TEST_SEED, else from the clock. */
typedef struct test_rng {
    uint64_t state;
} test_rng;

uint64_t test_seed(void);
void test_rng_init(test_rng *rng, uint64_t stream);
uint64_t test_rng_next(test_rng *rng);
size_t test_rng_below(test_rng *rng, size_t bound);
/* A number from the environment, or `otherwise`. */
size_t test_env(const char *name, size_t otherwise);

int test_group_setup(void **state);
int test_report(int failures);

#define test_main(tests) test_report(cmocka_run_group_tests(tests, test_group_setup, NULL))

#endif
