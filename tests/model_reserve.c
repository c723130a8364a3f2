/*
 * Random programs on reserved arenas: plain memory, objects, rewinds and trims, so that what is
 * committed grows and shrinks at both ends, and the ends meet. Held against it: no more than the
 * limit is ever held, trim never makes it more, and no byte that lives is touched.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "support.h"

#include <string.h>

enum { STEPS = 400000, PROGRAM = 200, MARKS = 8 };

typedef struct piece {
    char *p; /* NULL: deleted */
    size_t size;
    bool object;
} piece;

static struct {
    ash_arena arena;
    test_rng rng;
    size_t size, limit; /* limit 0: none */
    piece pieces[PROGRAM];
    size_t count;
    ash_mark marks[MARKS];
    size_t pieces_at[MARKS], used_at[MARKS], marked;
} m;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            print_error("%s:%d: %s\n  size %zu, limit %zu, ASH_TEST_SEED=%llu\n", __FILE__, \
                        __LINE__, #condition, m.size, m.limit, (unsigned long long)test_seed()); \
            fail(); \
        } \
    } while (0)

/* Sizes of each order of magnitude are equally likely. */
static size_t a_size(void)
{
    size_t order = 4 + test_rng_below(&m.rng, 17);
    size_t size = 1 + test_rng_below(&m.rng, (size_t)1 << order);
    return size < m.size ? size : m.size;
}

/* Its first and last bytes tell whether it was left alone. */
static void write_piece(const piece *t, size_t number)
{
    t->p[0] = t->p[t->size - 1] = (char)number;
}

static void check_pieces(void)
{
    for (size_t i = 0; i < m.count; i++) {
        const piece *t = &m.pieces[i];
        if (!t->p)
            continue;
        CHECK(t->p[0] == (char)i && t->p[t->size - 1] == (char)i);
        CHECK((ash_object_inspect(&m.arena, t->p) == ASH_OBJECT_LIVE) == t->object);
    }
}

static void op_take(bool object)
{
    piece t = {.size = a_size(), .object = object};
    size_t held = ash_arena_capacity(&m.arena), room = ash_arena_room(&m.arena);
    if (test_rng_below(&m.rng, 20) == 0 && room > 0)
        t.size = room; /* to the last byte */
    t.p = object ? ash_object_alloc(&m.arena, t.size, 8) : ash_alloc(&m.arena, t.size, 1);
    CHECK(object || (t.p != NULL) == (t.size <= room));
    CHECK(t.p || ash_arena_capacity(&m.arena) == held);
    if (!t.p)
        return;
    write_piece(&t, m.count);
    m.pieces[m.count++] = t;
}

static void op_delete(void)
{
    size_t at = m.count ? test_rng_below(&m.rng, m.count) : 0;
    if (at >= m.count || !m.pieces[at].p || !m.pieces[at].object)
        return;
    while (m.marked && m.pieces_at[m.marked - 1] > at)
        m.marked--;
    ash_delete(&m.arena, m.pieces[at].p);
    m.pieces[at].p = NULL;
}

static void op_mark(void)
{
    if (m.marked == MARKS)
        return;
    m.marks[m.marked] = ash_arena_mark(&m.arena);
    m.pieces_at[m.marked] = m.count;
    m.used_at[m.marked++] = ash_arena_used(&m.arena);
}

static void op_rewind(void)
{
    if (!m.marked)
        return;
    m.marked = test_rng_below(&m.rng, m.marked);
    ash_arena_rewind(&m.arena, m.marks[m.marked]);
    m.count = m.pieces_at[m.marked];
    CHECK(ash_arena_used(&m.arena) == m.used_at[m.marked]);
}

static void op_trim(void)
{
    size_t held = ash_arena_capacity(&m.arena), used = ash_arena_used(&m.arena);
    size_t keep = test_rng_below(&m.rng, 3) ? test_rng_below(&m.rng, held + 2) : 0;
    ash_arena_trim(&m.arena, keep);
    CHECK(ash_arena_capacity(&m.arena) <= held);
    CHECK(held > keep || ash_arena_capacity(&m.arena) == held);
    CHECK(ash_arena_used(&m.arena) == used);
}

static void op_reset(void)
{
    ash_arena_reset(&m.arena);
    m.count = m.marked = 0;
    CHECK(ash_arena_used(&m.arena) == 0);
}

static void run_op(void)
{
    size_t dice = test_rng_below(&m.rng, 100);
    if (dice < 60)
        op_take(dice % 2);
    else if (dice < 68)
        op_delete();
    else if (dice < 76)
        op_mark();
    else if (dice < 86)
        op_rewind();
    else if (dice < 98)
        op_trim();
    else
        op_reset();
}

static void run_program(void)
{
    ash_arena_config config = {.name = "t", .reserve = m.size, .limit = m.limit};
    CHECK(ash_arena_init(&m.arena, &config));
    m.count = m.marked = 0;
    for (size_t step = 0; step < PROGRAM && m.count < PROGRAM; step++) {
        run_op();
        CHECK(!m.limit || ash_arena_capacity(&m.arena) <= m.limit);
        CHECK(is_consistent(&m.arena));
        if (step % 4 == 0)
            check_pieces();
    }
    check_pieces();
    ash_arena_release(&m.arena);
    CHECK(ash_arena_capacity(&m.arena) == 0);
    ash_arena_deinit(&m.arena);
}

static void run_programs(size_t stream, size_t size, size_t limit)
{
    size_t steps = test_env("ASH_TEST_STEPS", STEPS) / 4;
    for (size_t done = 0; done <= steps; done += PROGRAM) {
        test_rng_init(&m.rng, stream * 1000003 + done);
        m.size = size;
        m.limit = limit ? limit - test_rng_below(&m.rng, 2) * test_rng_below(&m.rng, 9000) : 0;
        run_program();
    }
}

static void test_model_reserve_limited_to_its_size(void **state)
{
    (void)state;
    run_programs(1, 1 << 20, 1 << 20);
}

static void test_model_reserve_limited_to_less(void **state)
{
    (void)state;
    run_programs(2, 1 << 20, 300000);
}

static void test_model_reserve_small(void **state)
{
    (void)state;
    run_programs(3, 50000, 60000);
}

static void test_model_reserve_without_a_limit(void **state)
{
    (void)state;
    run_programs(4, 3 << 20, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_reserve_limited_to_its_size),
        cmocka_unit_test(test_model_reserve_limited_to_less),
        cmocka_unit_test(test_model_reserve_small),
        cmocka_unit_test(test_model_reserve_without_a_limit),
    };
    return test_main(tests);
}
