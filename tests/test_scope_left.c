/*
 * Scopes that are left without their end, by longjmp, by a destructor, with their arena; and those that
 * could not begin.
 */
#include "kinds.h"

#include <errno.h>
#include <signal.h>

/* ---- left without an end ---- */

static void closed_by_outer(ash_arena *arena)
{
    size_t used = ash_arena_used(arena);
    for (int round = 0; round < 3; round++) {
        ash_scope outer = ash_scope_begin(arena), left[5];
        for (unsigned i = 0; i < countof(left); i++) {
            make_some(arena, i * 4);
            left[i] = ash_scope_begin(arena);
        }
        node_new(arena, 40);
        ash_scope_end(&outer);
        assert_happened(40, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
        for (unsigned i = 0; i < countof(left); i++)
            assert_false(ash_scope_is_open(&left[i]));
        assert_int_equal(ash_arena_used(arena), used);
        assert_consistent(arena);
    }
}

static void test_scope_outer_end_closes_inner_ones(void **state)
{
    (void)state;
    on_each(closed_by_outer);
}

static jmp_buf out;
static volatile bool jumps = true;

static void go_down(ash_arena *arena, unsigned depth)
{
    ash_scope scope = ash_scope_begin(arena);
    node_new(arena, depth);
    if (depth < 6)
        go_down(arena, depth + 1);
    else if (jumps)
        longjmp(out, 1);
    ash_scope_end(&scope);
}

static void jump_out(ash_arena *arena)
{
    size_t used = ash_arena_used(arena);
    ash_scope outer = ash_scope_begin(arena);
    if (setjmp(out) == 0)
        go_down(arena, 1);
    assert_int_equal(happened.logged, 0);
    assert_consistent(arena);
    node_new(arena, 7); /* in the innermost that was left */
    ash_scope_end(&outer);
    assert_happened(7, 6, 5, 4, 3, 2, 1);
    assert_int_equal(ash_arena_used(arena), used);
}

static void test_scope_left_by_longjmp(void **state)
{
    (void)state;
    on_each(jump_out);
}

static sigjmp_buf out_of_handler;

static void on_signal(int number)
{
    (void)number;
    siglongjmp(out_of_handler, 1);
}

static void jump_out_of_handler(ash_arena *arena)
{
    size_t used = ash_arena_used(arena);
    signal(SIGUSR1, on_signal);
    for (volatile unsigned round = 0; round < 3; round++) {
        ash_scope outer = ash_scope_begin(arena);
        if (sigsetjmp(out_of_handler, 1) == 0) {
            ash_scope inner = ash_scope_begin(arena);
            node_new(arena, 1);
            ash_scope innermost = ash_scope_begin(arena);
            node_new(arena, 2);
            raise(SIGUSR1);
            ash_scope_end(&innermost);
            ash_scope_end(&inner);
        }
        assert_int_equal(happened.logged, 0);
        ash_scope_end(&outer);
        assert_happened(2, 1);
        assert_int_equal(ash_arena_used(arena), used);
    }
    signal(SIGUSR1, SIG_DFL);
}

static void test_scope_left_from_a_signal_handler(void **state)
{
    (void)state;
    on_each(jump_out_of_handler);
}

static void test_scope_left_open_at_the_end_of_the_arena(void **state)
{
    (void)state;
    for (size_t i = 0; i < countof(kinds); i++) {
        ash_arena arena;
        assert_true(ash_arena_init(&arena, &kinds[i].config));
        forget(&arena);
        ash_scope outer = ash_scope_begin(&arena), inner = ash_scope_begin(&arena);
        node_new(&arena, 1);
        ash_arena_deinit(&arena);
        assert_happened(1);
        assert_false(ash_scope_is_open(&outer) || ash_scope_is_open(&inner));
        ash_arena *created = ash_arena_create(&(ash_arena_config){.block_size = 512});
        outer = ash_scope_begin(created);
        node_new(created, 2);
        ash_arena_destroy(created);
        assert_happened(2);
    }
}

static void expect_closed(ash_scope *scope)
{
    assert_false(ash_scope_is_open(scope));
    expect_fatal(ash_scope_end(scope),
                 "ashlar: fatal: end of a scope that is closed already (arena t, ADDR)");
}

/* A scope of an arena that was before in the same storage, while others are open in its place. */
static void test_scope_of_another_life(void **state)
{
    (void)state;
    for (unsigned depth = 0; depth < 4; depth++) {
        ash_arena arena;
        ash_arena_config config = {
            .name = "t", .buffer = buffer.bytes, .buffer_size = sizeof buffer};
        ash_scope stale[3], scopes[4];
        assert_true(ash_arena_init(&arena, &config));
        for (size_t i = 0; i < countof(stale); i++)
            stale[i] = ash_scope_begin(&arena);
        ash_arena_deinit(&arena);
        assert_true(ash_arena_init(&arena, &config));
        for (unsigned i = 0; i < depth; i++)
            scopes[i] = ash_scope_begin(&arena);
        for (size_t i = 0; i < countof(stale); i++)
            expect_closed(&stale[i]);
        assert_consistent(&arena);
        for (unsigned i = depth; i-- > 0;)
            ash_scope_end(&scopes[i]);
        ash_arena_deinit(&arena);
    }
}

/* Objects come to lie where records were, with what was left there. */
static void reused(ash_arena *arena)
{
    ash_scope scopes[12];
    ash_scope outer = ash_scope_begin(arena);
    for (int way = 0; way < 2; way++) {
        ash_scope floor = ash_scope_begin(arena);
        for (size_t i = 0; i < countof(scopes); i++)
            scopes[i] = ash_scope_begin(arena);
        if (way == 0) /* by their own ends */
            for (size_t i = countof(scopes); i-- > 0;)
                ash_scope_end(&scopes[i]);
        else
            ash_scope_end(&floor);
        for (size_t i = 0; i < 8 * countof(scopes); i++)
            assert_non_null(ash_object_alloc(arena, 8, 8)); /* every place is the start of one */
        ash_scope younger = ash_scope_begin(arena);
        for (size_t i = 0; i < countof(scopes); i++)
            assert_false(ash_scope_is_open(&scopes[i]));
        ash_scope_end(&younger);
        if (way == 0)
            ash_scope_end(&floor);
    }
    ash_scope_end(&outer);
    assert_int_equal(ash_arena_used(arena), 0);
}

static void test_scope_that_is_closed_stays_so_where_memory_is_reused(void **state)
{
    (void)state;
    on_each(reused);
}

/* ---- destructors ---- */

static void open_and_end(unsigned id, void *self)
{
    (void)self;
    ash_scope scope = ash_scope_begin(happened.arena);
    expect(ash_scope_is_open(&scope));
    node *n = ash_new(happened.arena, node);
    expect(n && ash_alloc(happened.arena, 100, 8));
    if (n)
        n->id = id + 100;
    ash_scope_end(&scope);
    expect(!ash_scope_is_open(&scope));
}

static void in_destructors(ash_arena *arena)
{
    happened.action[2] = happened.action[4] = open_and_end;
    size_t used = ash_arena_used(arena);
    ash_scope outer = ash_scope_begin(arena);
    for (unsigned i = 1; i < 6; i++)
        node_new(arena, i);
    ash_delete(arena, happened.where[2]);
    assert_happened(2, 102);
    ash_scope_end(&outer);
    assert_happened(5, 4, 104, 3, 1);
    assert_int_equal(ash_arena_used(arena), used);
    node_new(arena, 4);
    ash_arena_reset(arena);
    assert_happened(4, 104);
}

/* The same without an end of the first life; and what was its record is an object now, as it was left. */
static void test_scope_of_a_life_that_was_cut_off(void **state)
{
    (void)state;
    ash_arena arena;
    ash_arena_config config = {.name = "t", .buffer = buffer.bytes, .buffer_size = sizeof buffer};
    assert_true(ash_arena_init(&arena, &config));
    ash_scope stale = ash_scope_begin(&arena);
    assert_true(ash_scope_is_open(&stale));
    assert_true(ash_arena_init(&arena, &config));
    while (ash_object_inspect(&arena, stale.mark_.top_) != ASH_OBJECT_LIVE)
        assert_non_null(ash_object_alloc(&arena, 8, 8));
    for (int i = 0; i < 8; i++)
        assert_non_null(ash_object_alloc(&arena, 8, 8));
    ash_scope scope = ash_scope_begin(&arena);
    expect_closed(&stale);
    ash_scope_end(&scope);
    ash_arena_deinit(&arena);
}

static void test_scope_inside_a_destructor(void **state)
{
    (void)state;
    on_each(in_destructors);
}

static void clobber_errno(unsigned id, void *self)
{
    (void)self;
    errno = (int)id;
}

static void test_scope_keeps_errno(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, NULL));
    forget(&arena);
    happened.action[1] = happened.action[2] = clobber_errno;
    errno = EDOM;
    ash_scope scope = ash_scope_begin(&arena);
    assert_int_equal(errno, EDOM);
    node_new(&arena, 1);
    unsigned two = 2;
    assert_true(ash_defer(&arena, on_defer, &two));
    errno = EDOM;
    ash_scope_end(&scope);
    assert_int_equal(errno, EDOM);
    assert_happened(2, 1);
    ash_arena_deinit(&arena);
}

/* ---- refusals ---- */

static void test_scope_inert_where_there_is_no_room(void **state)
{
    (void)state;
    ash_arena arena = {0};
    ash_scope scope = ash_scope_begin(&arena);
    assert_false(ash_scope_is_open(&scope));
    assert_true(ash_arena_failed(&arena));
    ash_scope_end(&scope);
    ash_scope_end(&scope);
    ash_scope zeroed = {0};
    assert_false(ash_scope_is_open(&zeroed));
    ash_scope_end(&zeroed);

    char small[600];
    ash_arena_init_fixed(&arena, small, sizeof small);
    ash_scope outer = ash_scope_begin(&arena);
    assert_true(ash_scope_is_open(&outer));
    assert_non_null(ash_alloc(&arena, ash_arena_room(&arena), 1));
    size_t used = ash_arena_used(&arena);
    scope = ash_scope_begin(&arena);
    assert_false(ash_scope_is_open(&scope));
    assert_true(ash_arena_failed(&arena));
    ash_scope_end(&scope);
    assert_int_equal(ash_arena_used(&arena), used);
    assert_true(ash_scope_is_open(&outer));
    ash_scope_end(&outer);
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_true(ash_arena_failed(&arena)); /* an end does not clear it */
    ash_arena_deinit(&arena);
}

static void test_scope_failure_is_not_cleared_by_an_end(void **state)
{
    (void)state;
    ash_arena arena;
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.limit = 8192, .block_size = 1024}));
    ash_scope scope = ash_scope_begin(&arena);
    assert_null(ash_alloc(&arena, 100000, 1));
    ash_scope_end(&scope);
    assert_true(ash_arena_failed(&arena));
    ash_arena_deinit(&arena);
}

static jmp_buf exhausted;

static void leave(ash_arena *arena, size_t size, size_t align, void *ctx)
{
    (void)arena, (void)size, (void)align, (void)ctx;
    longjmp(exhausted, 1);
}

static void test_scope_begin_may_be_left_by_on_exhausted(void **state)
{
    (void)state;
    ash_arena arena;
    char small[600];
    assert_true(ash_arena_init(&arena, &(ash_arena_config){.buffer = small,
                                                           .buffer_size = sizeof small,
                                                           .upstream = ash_null(),
                                                           .on_exhausted = leave}));
    ash_scope outer = ash_scope_begin(&arena);
    volatile bool came_back = false;
    if (setjmp(exhausted) == 0) {
        for (int i = 0; i < 1000; i++) {
            ash_scope inner = ash_scope_begin(&arena);
            assert_true(ash_scope_is_open(&inner));
        }
        came_back = true;
    }
    assert_false(came_back);
    assert_consistent(&arena);
    ash_scope_end(&outer);
    assert_int_equal(ash_arena_used(&arena), 0);
    ash_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scope_outer_end_closes_inner_ones),
        cmocka_unit_test(test_scope_left_by_longjmp),
        cmocka_unit_test(test_scope_left_from_a_signal_handler),
        cmocka_unit_test(test_scope_left_open_at_the_end_of_the_arena),
        cmocka_unit_test(test_scope_of_another_life),
        cmocka_unit_test(test_scope_of_a_life_that_was_cut_off),
        cmocka_unit_test(test_scope_that_is_closed_stays_so_where_memory_is_reused),
        cmocka_unit_test(test_scope_inside_a_destructor),
        cmocka_unit_test(test_scope_keeps_errno),
        cmocka_unit_test(test_scope_inert_where_there_is_no_room),
        cmocka_unit_test(test_scope_failure_is_not_cleared_by_an_end),
        cmocka_unit_test(test_scope_begin_may_be_left_by_on_exhausted),
    };
    return test_main(tests);
}
