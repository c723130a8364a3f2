/*
 * Upstream leaves by longjmp, as an arena over an arena whose on_exhausted jumps: for n = 0, 1, ...
 * the n-th request upstream jumps, until a run makes fewer. After the jump the arena must be
 * consistent, the same step must succeed, and at the end upstream must have all its memory back.
 */
#include "support.h"

#include <string.h>

/* An upstream over the one that counts; it jumps instead of answering its n-th request. */
typedef struct jumper {
    ash_resource resource; /* first */
    test_upstream up;
    size_t calls, jump_at; /* 0 being the first */
} jumper;

static jmp_buf away;

static void *jumper_alloc(ash_resource *self, size_t size, size_t align)
{
    jumper *j = (jumper *)(void *)self;
    if (j->calls++ == j->jump_at)
        longjmp(away, 1);
    return ash_resource_alloc(&j->up.resource, size, align);
}

static void jumper_free(ash_resource *self, void *p, size_t size, size_t align)
{
    jumper *j = (jumper *)(void *)self;
    ash_resource_free(&j->up.resource, p, size, align);
}

static const ash_resource_ops jumper_ops = {.alloc = jumper_alloc, .free = jumper_free};

static void jumper_init(jumper *j, size_t jump_at)
{
    *j = (jumper){.resource = {&jumper_ops}, .jump_at = jump_at};
    test_upstream_init(&j->up);
}

/* ---- what is done ---- */

typedef struct part {
    unsigned value;
    char rest[60];
} part;

static unsigned destroyed, called;

static void part_destroy(void *self)
{
    destroyed += ((part *)self)->value == 5;
}
ASH_TYPE(part, .destroy = part_destroy);

static void call(void *arg)
{
    called += arg == &called;
}

enum { STEPS = 150 };

/* All of it static: what changes between setjmp and longjmp is not lost. */
static struct run {
    ash_arena *arena;
    char *grown;
    size_t grown_size;
    part *parts[STEPS];
    void *untyped[STEPS];
    unsigned made, raw, deferred, jumps;
    bool done;
} run;

static bool make_part(void)
{
    part *p = ash_new(run.arena, part);
    if (!p)
        return false;
    p->value = 5;
    run.parts[run.made++] = p;
    return true;
}

static bool make_untyped(unsigned i)
{
    void *p = ash_object_alloc(run.arena, 300 + i, 64);
    if (!p)
        return false;
    memset(p, 1, 300 + i);
    run.untyped[run.raw++] = p;
    return true;
}

static bool grow(void)
{
    size_t more = run.grown_size + 150;
    char *p = ash_realloc(run.arena, run.grown, run.grown_size, more, 8);
    if (!p)
        return false;
    assert_true(is_pattern(p, run.grown_size, 6));
    fill_pattern(p, more, 6);
    run.grown = p;
    run.grown_size = more;
    return true;
}

static bool defer(void)
{
    if (!ash_defer(run.arena, call, &called))
        return false;
    run.deferred++;
    return true;
}

static bool step(unsigned i)
{
    switch (i % 8) {
    case 0:
        return ash_alloc(run.arena, 200 + i, 8) != NULL;
    case 1:
    case 2:
        return make_part();
    case 3:
        return make_untyped(i);
    case 4:
        return ash_printf(run.arena, "%*u", (int)(100 + i), i) != NULL;
    case 5:
        return defer();
    case 6:
        return grow();
    default:
        return ash_zalloc(run.arena, i * 20 + 1, 128) != NULL;
    }
}

static void assert_kept(void)
{
    assert_consistent(run.arena);
    assert_true(is_pattern(run.grown, run.grown_size, 6));
    for (unsigned i = 0; i < run.made; i++)
        assert_int_equal(ash_object_inspect(run.arena, run.parts[i]), ASH_OBJECT_LIVE);
    for (unsigned i = 0; i < run.raw; i++)
        assert_int_equal(ash_object_inspect(run.arena, run.untyped[i]), ASH_OBJECT_LIVE);
}

/* After a jump it is run again. */
static void run_step(unsigned i)
{
    if (setjmp(away) == 0) {
        run.done = step(i);
    } else {
        run.jumps++;
        assert_kept();
        run.done = step(i);
    }
    assert_true(run.done);
}

static void begin(ash_arena *arena)
{
    unsigned jumps = run.jumps;
    run = (struct run){.arena = arena, .jumps = jumps};
    destroyed = called = 0;
}

static void run_steps(void)
{
    for (unsigned i = 0; i < STEPS; i++)
        run_step(i);
    assert_kept();
}

/* Every third, the newest first: so that blocks are left, and some maps forgotten. */
static void delete_some(void)
{
    for (unsigned i = run.raw; i-- > 0;)
        if (i % 3 == 0) {
            ash_delete(run.arena, run.untyped[i]);
            run.untyped[i] = run.untyped[--run.raw];
        }
    assert_kept();
}

static void assert_all_destroyed(void)
{
    assert_int_equal(destroyed, run.made);
    assert_int_equal(called, run.deferred);
}

static void run_arena(ash_arena *arena)
{
    begin(arena);
    run_steps();
    delete_some();
    ash_arena_reset(arena);
    assert_all_destroyed();
    assert_consistent(arena);
    begin(arena); /* over what is kept */
    run_steps();
    ash_arena_reset(arena);
    ash_arena_trim(arena, 2000); /* and over a part of it */
    begin(arena);
    run_steps();
    assert_consistent(arena);
    ash_arena_deinit(arena);
    assert_all_destroyed();
}

/* Answers the requests that were made upstream. */
static size_t run_once(size_t jump_at, ash_arena_config config)
{
    static jumper j;
    jumper_init(&j, jump_at);
    config.upstream = &j.resource;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &config));
    run_arena(&arena);
    test_upstream_done(&j.up);
    return j.calls;
}

static void run_all(ash_arena_config config)
{
    size_t n = 0;
    run.jumps = 0;
    while (run_once(n, config) > n)
        n++;
    assert_true(n > 5);
    assert_int_equal(run.jumps, n); /* each was felt */
}

static void test_oom_jump_growing_blocks(void **state)
{
    (void)state;
    run_all((ash_arena_config){.block_size = 512});
}

/* Many maps: the table of maps grows, which is a request of its own. */
static void test_oom_jump_equal_blocks(void **state)
{
    (void)state;
    run_all((ash_arena_config){.block_size = 1024, .block_max = 1024});
}

static void test_oom_jump_behind_a_buffer(void **state)
{
    (void)state;
    static char buffer[700];
    run_all((ash_arena_config){.block_size = 512, .buffer = buffer, .buffer_size = sizeof buffer});
}

static void test_oom_jump_under_a_limit(void **state)
{
    (void)state;
    run_all((ash_arena_config){.block_size = 1024, .block_max = 1024, .limit = 1 << 20});
}

/* ---- a parent that jumps when it is exhausted ---- */

static void on_exhausted(ash_arena *arena, size_t size, size_t align, void *ctx)
{
    (void)arena, (void)size, (void)align;
    ++*(unsigned *)ctx;
    longjmp(away, 1);
}

static bool object_or_jump(ash_arena *child, void *volatile *p)
{
    if (setjmp(away))
        return false;
    *p = ash_object_alloc(child, 16, 8);
    return true;
}

static bool plain_or_jump(ash_arena *child, void *volatile *p)
{
    if (setjmp(away))
        return false;
    *p = ash_alloc(child, 48, 8);
    return true;
}

/* The child takes what it can get; each time the parent jumps, both are as they were. */
static void exhaust(ash_arena *child, ash_arena *parent, size_t objects)
{
    void *volatile p = NULL;
    volatile size_t served = 0;
    volatile bool jumped = false;
    while (!jumped) {
        bool object = served < objects;
        jumped = object ? !object_or_jump(child, &p) : !plain_or_jump(child, &p);
        assert_true(jumped || p);
        served += !jumped;
        if (p && object)
            assert_int_equal(ash_object_inspect(child, p), ASH_OBJECT_LIVE);
    }
    for (int again = 0; again < 3; again++) {
        assert_false(object_or_jump(child, &p) && plain_or_jump(child, &p));
        assert_consistent(child);
        assert_consistent(parent);
    }
}

static void check_parent_of(size_t size, size_t objects)
{
    static _Alignas(16) char ours[1 << 16], childs[600];
    unsigned jumps = 0;
    ash_arena parent, child;
    assert_true(ash_arena_init(&parent, &(ash_arena_config){.name = "parent",
                                                            .upstream = ash_null(),
                                                            .buffer = ours,
                                                            .buffer_size = size,
                                                            .on_exhausted = on_exhausted,
                                                            .exhausted_ctx = &jumps}));
    assert_true(ash_arena_init(&child, &(ash_arena_config){.name = "t",
                                                           .upstream = ash_arena_resource(&parent),
                                                           .buffer = childs,
                                                           .buffer_size = sizeof childs,
                                                           .block_size = 512,
                                                           .block_max = 512}));
    exhaust(&child, &parent, objects);
    assert_true(jumps > 0);
    ash_arena_reset(&child);
    assert_int_equal(ash_arena_used(&child), 0);
    exhaust(&child, &parent, objects); /* over what it kept */
    ash_arena_deinit(&child);
    ash_arena_deinit(&parent);
}

static void test_oom_jump_out_of_the_parent(void **state)
{
    (void)state;
    for (size_t size = 0; size < 12000; size += 136)
        for (size_t objects = 0; objects < 80; objects = objects * 2 + 1)
            check_parent_of(size, objects);
}

static void fill_up(ash_arena *arena)
{
    size_t room = ash_arena_room(arena);
    if (room)
        assert_non_null(ash_alloc(arena, room, 1));
}

/* The block is there, and has room for its map; the request for the table of maps jumps. */
static void check_second_map(size_t plain)
{
    static _Alignas(16) char ours[8192], childs[4096];
    unsigned jumps = 0;
    ash_arena parent, child;
    assert_true(ash_arena_init(&parent, &(ash_arena_config){.upstream = ash_null(),
                                                            .buffer = ours,
                                                            .buffer_size = sizeof ours,
                                                            .on_exhausted = on_exhausted,
                                                            .exhausted_ctx = &jumps}));
    assert_true(ash_arena_init(&child, &(ash_arena_config){.upstream = ash_arena_resource(&parent),
                                                           .buffer = childs,
                                                           .buffer_size = sizeof childs,
                                                           .block_size = 4096}));
    void *first = ash_object_alloc(&child, 64, 8);
    assert_non_null(first);
    fill_up(&child);
    assert_non_null(ash_alloc(&child, plain, 1)); /* in a block from the parent */
    fill_up(&parent);
    for (int again = 0; again < 3; again++) {
        void *volatile p = NULL;
        object_or_jump(&child, &p);
        assert_consistent(&child);
        assert_consistent(&parent);
        assert_int_equal(ash_object_inspect(&child, first), ASH_OBJECT_LIVE);
    }
    assert_true(jumps > 0);
    ash_delete(&child, first);
    assert_consistent(&child);
    ash_arena_deinit(&child);
    ash_arena_deinit(&parent);
}

static void test_oom_jump_of_the_second_map(void **state)
{
    (void)state;
    for (size_t plain = 8; plain < 3800; plain += 72)
        check_second_map(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom_jump_growing_blocks),
        cmocka_unit_test(test_oom_jump_equal_blocks),
        cmocka_unit_test(test_oom_jump_behind_a_buffer),
        cmocka_unit_test(test_oom_jump_under_a_limit),
        cmocka_unit_test(test_oom_jump_out_of_the_parent),
        cmocka_unit_test(test_oom_jump_of_the_second_map),
    };
    return test_main(tests);
}
