#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__clang__) || defined(__GNUC__)
#define UNSANITIZED __attribute__((no_sanitize("address"), noinline))
#else
#define UNSANITIZED
#endif

/*
 * Upstream.
 *
 *     malloc'd   [ ... | test_block | what the caller gets | tail ]
 */
enum { TAIL = 16, TAIL_BYTE = 0xA7, GONE_BYTE = 0xDD };

static const uint64_t BLOCK_MAGIC = 0x5ca1ab1e0ddba115u;

typedef struct test_block {
    uint64_t magic;
    void *raw;
    size_t size, align;
    test_upstream *up;
    struct test_block *older, *newer;
} test_block;

static bool on_test_thread(void);

static void wrong(const char *what, size_t a, size_t b)
{
    fprintf(stderr, "upstream: %s (%zu, %zu)\n", what, a, b);
    if (!on_test_thread())
        abort();
    fail_msg("upstream: %s (%zu, %zu)", what, a, b);
}

static bool refused(test_upstream *up, size_t size, size_t align)
{
    up->calls++;
    up->last_size = size;
    return up->refuse || up->calls == up->fail_at || (up->align_most && align > up->align_most) ||
           (up->size_most && size > up->size_most);
}

static void *block_new(test_upstream *up, size_t size, size_t align)
{
    size_t apart = align < 16 ? 16 : align;
    if (size > (size_t)PTRDIFF_MAX - 2 * apart - sizeof(test_block) - TAIL)
        return NULL;
    char *raw = malloc(size + 2 * apart + sizeof(test_block) + TAIL);
    if (!raw)
        return NULL;
    uintptr_t start = ((uintptr_t)raw + sizeof(test_block) + apart - 1) & ~(uintptr_t)(apart - 1);
    char *p = (char *)start + (up->misaligned ? 8 : 0);
    test_block *block = (test_block *)(void *)(p - sizeof *block);
    *block = (test_block){BLOCK_MAGIC, raw, size, align, up, up->newest, NULL};
    if (up->newest)
        up->newest->newer = block;
    up->newest = block;
    memset(p, up->blocks % 2 ? 0xff : 0x96, size); /* what malloc gives is not clean either */
    memset(p + size, TAIL_BYTE, TAIL);
    up->blocks++;
    up->bytes += size;
    if (up->bytes > up->most_bytes)
        up->most_bytes = up->bytes;
    return p;
}

static test_block *block_of(test_upstream *up, void *p, size_t size, size_t align)
{
    test_block *block = (test_block *)(void *)((char *)p - sizeof *block);
    if (block->magic != BLOCK_MAGIC || block->up != up)
        wrong("given what it never handed out", size, align);
    if (block->size != size)
        wrong("given another size than it handed out", block->size, size);
    if (block->align != align)
        wrong("given another alignment than it handed out", block->align, align);
    for (size_t i = 0; i < TAIL; i++)
        if (((unsigned char *)p)[size + i] != TAIL_BYTE)
            wrong("written past the end", size, i);
    return block;
}

static void block_gone(test_upstream *up, void *p, size_t size, size_t align)
{
    test_block *block = block_of(up, p, size, align);
    if (block->older)
        block->older->newer = block->newer;
    if (block->newer)
        block->newer->older = block->older;
    else
        up->newest = block->older;
    up->blocks--;
    up->bytes -= size;
    void *raw = block->raw;
    /* Poison that the library left on its blocks shows here. */
    memset(p, GONE_BYTE, size);
    block->magic = 0;
    free(raw);
}

static void *up_alloc(ash_resource *self, size_t size, size_t align)
{
    test_upstream *up = (test_upstream *)(void *)self;
    if (size == 0 || align == 0 || (align & (align - 1)) || align > ASH_ALIGN_MAX)
        wrong("asked for what the contract excludes", size, align);
    return refused(up, size, align) ? NULL : block_new(up, size, align);
}

static bool up_resize(ash_resource *self, void *p, size_t old_size, size_t new_size, size_t align)
{
    test_upstream *up = (test_upstream *)(void *)self;
    block_of(up, p, old_size, align);
    refused(up, new_size, align);
    return false;
}

static void *up_remap(ash_resource *self, void *p, size_t old_size, size_t new_size, size_t align)
{
    test_upstream *up = (test_upstream *)(void *)self;
    block_of(up, p, old_size, align);
    if (refused(up, new_size, align))
        return NULL;
    void *moved = block_new(up, new_size, align);
    if (moved) {
        memcpy(moved, p, old_size < new_size ? old_size : new_size);
        block_gone(up, p, old_size, align);
    }
    return moved;
}

static void up_free(ash_resource *self, void *p, size_t size, size_t align)
{
    block_gone((test_upstream *)(void *)self, p, size, align);
}

static const char *up_name(const ash_resource *self)
{
    (void)self;
    return "test upstream";
}

static const ash_resource_ops up_ops = {
    .alloc = up_alloc, .resize = up_resize, .remap = up_remap, .free = up_free, .name = up_name};

void test_upstream_init(test_upstream *up)
{
    *up = (test_upstream){.resource = {&up_ops}};
}

void test_upstream_done(test_upstream *up)
{
    assert_int_equal(up->blocks, 0);
    assert_int_equal(up->bytes, 0);
    assert_null(up->newest);
}

void test_arena_over(ash_arena *arena, test_upstream *up, size_t block_size)
{
    test_upstream_init(up);
    ash_arena_config config = {.name = "t", .upstream = &up->resource, .block_size = block_size};
    assert_true(ash_arena_init(arena, &config));
}

void test_arena_done(ash_arena *arena, test_upstream *up)
{
    assert_consistent(arena);
    ash_arena_deinit(arena);
    test_upstream_done(up);
}

/*
 * Consistency: what the walk shows tiles each block, and sums up to what the arena says of itself.
 */
typedef struct tiling {
    const char *at, *end; /* where the next item must begin, where its block ends */
    size_t used;
    bool broken, word; /* word: the last item was a type word */
} tiling;

static bool tile(const ash_walk_item *item, void *ctx)
{
    tiling *t = ctx;
    if (item->kind == ASH_WALK_BLOCK) {
        t->broken |= t->at != t->end;
        t->at = item->start;
        t->end = t->at + item->size;
        return true;
    }
    t->broken |= (const char *)item->start != t->at || item->size > (size_t)(t->end - t->at);
    t->broken |= item->size == 0;
    t->broken |= t->word && item->kind != ASH_WALK_OBJECT;
    t->broken |= (item->kind == ASH_WALK_OBJECT && item->type && !t->word);
    t->word = item->kind == ASH_WALK_WORD;
    t->at += item->size;
    if (item->kind != ASH_WALK_FREE && item->kind != ASH_WALK_MAP)
        t->used += item->size;
    return !t->broken;
}

bool is_consistent(const ash_arena *arena)
{
    tiling t = {0};
    return ash_arena_check(arena) && ash_arena_walk(arena, tile, &t) && !t.broken &&
           t.at == t.end && t.used == ash_arena_used(arena) &&
           t.used <= ash_arena_capacity(arena) && t.used <= ash_arena_peak(arena);
}

void assert_consistent(const ash_arena *arena)
{
    assert_true(is_consistent(arena));
}

/*
 * Fatal reports.
 */
static _Thread_local bool is_test_thread;
static _Thread_local bool armed;
static _Thread_local jmp_buf fatal_jump;
static _Thread_local char fatal_message[256];

static bool on_test_thread(void)
{
    return is_test_thread;
}

static void on_fatal(const char *message)
{
    if (armed) {
        armed = false;
        snprintf(fatal_message, sizeof fatal_message, "%s", message);
        longjmp(fatal_jump, 1);
    }
    fprintf(stderr, "unexpected: %s (ASH_TEST_SEED=%llu)\n", message,
            (unsigned long long)test_seed());
    if (is_test_thread)
        fail_msg("unexpected: %s", message);
}

jmp_buf *test_fatal_arm(void)
{
    armed = true;
    fatal_message[0] = '\0';
    return &fatal_jump;
}

void test_fatal_missed(const char *expression, const char *file, int line)
{
    armed = false;
    print_error("%s:%d: %s was not reported\n", file, line, expression);
    fail();
}

bool test_message_matches(const char *actual, const char *expected)
{
    for (; *expected; expected++, actual++) {
        if (strncmp(expected, "ADDR", 4) == 0) {
            size_t digits = strncmp(actual, "0x", 2) ? 0 : strspn(actual + 2, "0123456789abcdef");
            if (digits == 0)
                return false;
            actual += 2 + digits - 1;
            expected += 3;
        } else if (*actual != *expected) {
            return false;
        }
    }
    return *actual == '\0';
}

void test_fatal_compare(const char *expected, const char *file, int line)
{
    if (test_message_matches(fatal_message, expected))
        return;
    print_error("%s:%d: reported \"%s\", not \"%s\"\n", file, line, fatal_message, expected);
    fail();
}

uintptr_t test_fatal_address(void)
{
    const char *address = strstr(fatal_message, "0x");
    return address ? (uintptr_t)strtoull(address, NULL, 16) : 0;
}

void expect_fatal_delete(ash_arena *arena, void *p, const char *message)
{
    expect_fatal(ash_delete(arena, p), message);
    assert_int_equal(test_fatal_address(), (uintptr_t)p);
}

void expect_fatal_rewind(ash_arena *arena, ash_mark mark, const char *message)
{
    expect_fatal(ash_arena_rewind(arena, mark), message);
}

void expect_fatal_reset(ash_arena *arena, const char *message)
{
    expect_fatal(ash_arena_reset(arena), message);
}

/*
 * Bytes.
 */
UNSANITIZED uint64_t raw_word(const void *p)
{
    uint64_t word = 0;
    for (size_t i = 0; i < sizeof word; i++)
        ((volatile unsigned char *)&word)[i] = ((const volatile unsigned char *)p)[i];
    return word;
}

UNSANITIZED void raw_copy(void *to, const void *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)to)[i] = ((const volatile unsigned char *)from)[i];
}

UNSANITIZED void raw_fill(void *to, unsigned char byte, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((volatile unsigned char *)to)[i] = byte;
}

void raw_set_word(void *p, uint64_t word)
{
    raw_copy(p, &word, sizeof word);
}

void *unmapped_address(void)
{
    size_t size = (size_t)1 << 16;
    char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(p, MAP_FAILED);
    assert_int_equal(munmap(p, size), 0);
    return p + size / 2;
}

void fill_pattern(void *p, size_t size, unsigned seed)
{
    unsigned char *bytes = p;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(seed * 31 + i);
}

bool is_pattern(const void *p, size_t size, unsigned seed)
{
    const unsigned char *bytes = p;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (unsigned char)(seed * 31 + i))
            return false;
    return true;
}

bool is_zero(const void *p, size_t size)
{
    const unsigned char *bytes = p;
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/*
 * Random numbers: splitmix64.
 */
size_t test_env(const char *name, size_t otherwise)
{
    const char *text = getenv(name);
    return text && *text ? (size_t)strtoull(text, NULL, 0) : otherwise;
}

uint64_t test_seed(void)
{
    static uint64_t seed;
    if (!seed) {
        seed = test_env("ASH_TEST_SEED", 0);
        if (!seed)
            seed = ((uint64_t)time(NULL) << 16 ^ (uint64_t)getpid()) | 1;
    }
    return seed;
}

void test_rng_init(test_rng *rng, uint64_t stream)
{
    rng->state = test_seed() ^ stream * 0x9e3779b97f4a7c15u;
}

uint64_t test_rng_next(test_rng *rng)
{
    uint64_t z = rng->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

size_t test_rng_below(test_rng *rng, size_t bound)
{
    return (size_t)(test_rng_next(rng) % bound);
}

int test_group_setup(void **state)
{
    (void)state;
    is_test_thread = true;
    test_seed();
    ash_set_fatal_handler(on_fatal);
    return 0;
}

int test_report(int failures)
{
    if (failures)
        fprintf(stderr, "ASH_TEST_SEED=%llu\n", (unsigned long long)test_seed());
    return failures != 0;
}
