/*
 * Out of memory while there are scopes: for n = 1, 2, ... the n-th call of upstream is refused. A scope that
 * could not begin is inert, what follows belongs to the enclosing one, and each end gives back exactly what
 * was made since.
 */
#include "support.h"

typedef struct part {
    unsigned value;
    char rest[60];
} part;

static unsigned destroyed;

static void part_destroy(void *self)
{
    destroyed += ((part *)self)->value == 5;
}
ASH_TYPE(part, .destroy = part_destroy);

enum { DEPTH = 30 };

typedef struct run {
    ash_arena *arena;
    ash_scope scopes[DEPTH];
    size_t used[DEPTH]; /* before it began */
    unsigned made[DEPTH], made_now;
    unsigned inert;
} run;

static void make(run *r, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        part *p = ash_new(r->arena, part);
        if (p) {
            p->value = 5;
            r->made_now++;
        }
        (void)!ash_alloc(r->arena, 20 + i * 7, 1);
    }
    assert_consistent(r->arena);
}

static void begin(run *r, unsigned depth)
{
    r->used[depth] = ash_arena_used(r->arena);
    r->made[depth] = r->made_now;
    bool failed = ash_arena_failed(r->arena);
    r->scopes[depth] = ash_scope_begin(r->arena);
    bool open = ash_scope_is_open(&r->scopes[depth]);
    if (!open) {
        r->inert++;
        assert_true(ash_arena_failed(r->arena));
        assert_int_equal(ash_arena_used(r->arena), r->used[depth]);
    } else {
        assert_int_equal(ash_arena_failed(r->arena), failed);
    }
    assert_consistent(r->arena);
}

static void end(run *r, unsigned depth)
{
    bool open = ash_scope_is_open(&r->scopes[depth]);
    size_t used = ash_arena_used(r->arena);
    destroyed = 0;
    ash_scope_end(&r->scopes[depth]);
    assert_consistent(r->arena);
    assert_int_equal(ash_arena_used(r->arena), open ? r->used[depth] : used);
    assert_int_equal(destroyed, open ? r->made_now - r->made[depth] : 0);
    if (open)
        r->made_now = r->made[depth];
}

/* Answers the calls of upstream that were made. */
static size_t run_once(size_t fail_at, bool for_good, ash_arena_config config, unsigned *inert)
{
    test_upstream up;
    ash_arena arena;
    test_upstream_init(&up);
    config.upstream = &up.resource;
    assert_true(ash_arena_init(&arena, &config));
    run r = {.arena = &arena};
    up.fail_at = for_good ? 0 : fail_at;
    for (unsigned i = 0; i < DEPTH; i++) {
        up.refuse = for_good && up.calls + 1 >= fail_at;
        make(&r, i % 3);
        begin(&r, i);
        make(&r, i % 4);
        if (i % 5 == 4) { /* one that ends at once */
            ash_scope inner = ash_scope_begin(&arena);
            size_t used = ash_arena_used(&arena);
            ash_scope_end(&inner);
            assert_true(ash_arena_used(&arena) <= used);
            assert_consistent(&arena);
        }
    }
    for (unsigned i = DEPTH; i-- > 0;)
        end(&r, i);
    *inert += r.inert;
    size_t calls = up.calls;
    ash_arena_reset(&arena);
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_arena_deinit(&arena);
    test_upstream_done(&up);
    return calls;
}

/* Answers how many scopes could not begin. */
static unsigned run_all(ash_arena_config config, bool for_good)
{
    unsigned inert = 0;
    size_t n = 1;
    while (run_once(n, for_good, config, &inert) >= n)
        n++;
    assert_true(n > 3);
    return inert;
}

static void test_oom_scope_in_small_blocks(void **state)
{
    (void)state;
    unsigned inert = 0;
    for (size_t size = 64; size < 500; size += 28)
        inert += run_all((ash_arena_config){.block_size = size, .block_max = size}, false);
    assert_true(inert > 0);
}

static void test_oom_scope_in_growing_blocks(void **state)
{
    (void)state;
    unsigned inert = 0;
    for (size_t size = 64; size < 500; size += 40)
        inert += run_all((ash_arena_config){.block_size = size}, false);
    assert_true(inert > 0);
}

static void test_oom_scope_behind_a_buffer(void **state)
{
    (void)state;
    static char buffer[900];
    unsigned inert = 0;
    for (size_t size = 1; size < sizeof buffer; size += 83)
        inert += run_all(
            (ash_arena_config){
                .buffer = buffer, .buffer_size = size, .block_size = 128, .block_max = 256},
            false);
    assert_true(inert > 0);
}

static void test_oom_scope_for_good(void **state)
{
    (void)state;
    unsigned inert = 0;
    for (size_t size = 64; size < 500; size += 68)
        inert += run_all((ash_arena_config){.block_size = size, .block_max = 2 * size}, true);
    assert_true(inert > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom_scope_in_small_blocks),
        cmocka_unit_test(test_oom_scope_in_growing_blocks),
        cmocka_unit_test(test_oom_scope_behind_a_buffer),
        cmocka_unit_test(test_oom_scope_for_good),
    };
    return test_main(tests);
}
