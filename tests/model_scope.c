/*
 * Random programs of scopes: nested at random, ended by themselves or by an older end, with marks and rewinds
 * between, objects with destructors, defers and plain memory, deletes of what is younger and older, trims;
 * and misuse, which must be reported and change nothing. Held against a naive model: a list of all things in
 * the order they were made, and a stack of scopes and marks that remember how long it was.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 300000, PROGRAM = 300, THINGS = PROGRAM + 8, LEVELS = 40, STALE = 8, LOG = 4096 };

typedef enum sort { PLAIN, UNTYPED, TYPED, BUSY, DEFER } sort;

typedef struct thing {
    sort sort;
    bool live;
    char *p; /* NULL: a defer */
    size_t size;
    uint32_t serial;
} thing;

/* A scope, or a mark. */
typedef struct level {
    bool is_scope, spoilt; /* spoilt: something older was deleted since */
    ash_scope scope;
    ash_mark mark;
    size_t count, used;
} level;

static struct {
    ash_arena arena;
    test_rng rng;
    const char *kind;
    thing things[THINGS];
    size_t count;
    level levels[LEVELS];
    size_t depth;
    ash_scope stale[STALE]; /* closed */
    size_t stales;
    uint32_t serial;
} m;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            print_error("%s:%d: %s\n  %s, ASH_TEST_SEED=%llu\n", __FILE__, __LINE__, #condition, \
                        m.kind, (unsigned long long)test_seed()); \
            fail(); \
        } \
    } while (0)

static size_t below(size_t bound)
{
    return test_rng_below(&m.rng, bound);
}

/* ---- destructors ---- */

static uint32_t log_of[LOG];
static size_t logged, wrong;

static void destroy(void *self)
{
    if (logged < LOG)
        memcpy(&log_of[logged], self, sizeof *log_of);
    logged++;
}

/* Has a scope of its own while it dies. */
static void destroy_busy(void *self)
{
    destroy(self);
    uint64_t epoch = ash_resource_epoch(ash_arena_resource(&m.arena));
    ash_scope scope = ash_scope_begin(&m.arena);
    char *p = ash_alloc(&m.arena, 1 + logged % 200, 1);
    void *object = ash_object_alloc(&m.arena, 1 + logged % 90, 8);
    if (p)
        memset(p, 0xee, 1 + logged % 200);
    if (object)
        memset(object, 0xef, 1 + logged % 90);
    bool open = ash_scope_is_open(&scope);
    if (logged % 2 && object && open)
        ash_delete(&m.arena, object);
    ash_scope_end(&scope);
    wrong += open && ash_resource_epoch(ash_arena_resource(&m.arena)) != epoch;
}

static void deferred(void *arg)
{
    uint32_t serial = (uint32_t)(uintptr_t)arg;
    destroy(&serial);
}

static const ash_type types[] = {TYPE("four", 4, 4, destroy), TYPE("wide", 64, 64, destroy),
                                 TYPE("forty", 40, 8, destroy), TYPE("large", 700, 16, destroy)};
static const ash_type busy_type = TYPE("busy", 24, 8, destroy_busy);

/* ---- things ---- */

static void write_bytes(const thing *t)
{
    fill_pattern(t->p, t->size, t->serial);
    if (t->sort == TYPED || t->sort == BUSY)
        memcpy(t->p, &t->serial, sizeof t->serial);
}

static bool unharmed(const thing *t)
{
    size_t skip = t->sort == TYPED || t->sort == BUSY ? sizeof t->serial : 0;
    if (skip && memcmp(t->p, &t->serial, skip) != 0)
        return false;
    for (size_t i = skip; i < t->size; i++)
        if ((unsigned char)t->p[i] != (unsigned char)(t->serial * 31 + i))
            return false;
    return true;
}

static void check_all(void)
{
    for (size_t i = 0; i < m.count; i++) {
        const thing *t = &m.things[i];
        if (!t->live || !t->p)
            continue;
        CHECK(unharmed(t));
        ash_object_state state = ash_object_inspect(&m.arena, t->p);
        CHECK(state == (t->sort == PLAIN ? ASH_OBJECT_FOREIGN : ASH_OBJECT_LIVE));
    }
    for (size_t i = 0; i < m.depth; i++)
        CHECK(!m.levels[i].is_scope || ash_scope_is_open(&m.levels[i].scope));
    for (size_t i = 0; i < m.stales; i++)
        CHECK(!ash_scope_is_open(&m.stale[i]));
}

/* What lies from `first` on has died just now, the newest first, and nothing else has. */
static void gone_from(size_t first)
{
    size_t at = 0;
    while (m.count > first) {
        const thing *t = &m.things[--m.count];
        if (t->live && t->sort >= TYPED)
            CHECK(at < LOG && log_of[at++] == t->serial);
    }
    CHECK(at == logged);
    logged = 0;
}

static void op_take(void)
{
    thing t = {.sort = (sort)below(5), .live = true, .serial = ++m.serial};
    t.size = 1 + below(below(20) ? 120 : 1500);
    const ash_type *type = t.sort == BUSY ? &busy_type : &types[below(countof(types))];
    bool defer = false;
    if (t.sort == PLAIN)
        t.p = ash_alloc(&m.arena, t.size, (size_t)1 << below(7));
    else if (t.sort == UNTYPED)
        t.p = ash_object_alloc(&m.arena, t.size, (size_t)1 << below(7));
    else if (t.sort == DEFER)
        defer = ash_defer(&m.arena, deferred, (void *)(uintptr_t)t.serial);
    else
        t.p = ash_object_new(&m.arena, type, 1);
    if (t.sort == TYPED || t.sort == BUSY)
        t.size = type->size;
    CHECK((t.p || defer) == !ash_arena_failed(&m.arena));
    ash_arena_clear_failed(&m.arena);
    if (!t.p && !defer)
        return;
    if (t.p)
        write_bytes(&t);
    m.things[m.count++] = t;
}

static size_t innermost(void)
{
    size_t i = m.depth;
    while (i > 0 && !m.levels[i - 1].is_scope)
        i--;
    return i; /* the number of the level that it is, and 1; 0: none */
}

/* Marks do not bear deletes of what is older: they are not used again. Scopes do. */
static void op_delete(void)
{
    size_t at = m.count ? below(m.count) : 0;
    if (below(2) && m.count > 4)
        at = m.count - 1 - below(4);
    thing *t = &m.things[at];
    if (at >= m.count || !t->live || t->sort == PLAIN || t->sort == DEFER)
        return;
    for (size_t i = 0; i < m.depth; i++)
        m.levels[i].spoilt |= m.levels[i].count > at;
    ash_delete(&m.arena, t->p);
    CHECK(logged == (t->sort != UNTYPED) && (!logged || log_of[0] == t->serial));
    logged = 0;
    t->live = false;
    CHECK(ash_object_inspect(&m.arena, t->p) != ASH_OBJECT_LIVE);
}

static void op_begin(void)
{
    if (m.depth == LEVELS)
        return;
    level *l = &m.levels[m.depth];
    *l = (level){.is_scope = true, .count = m.count, .used = ash_arena_used(&m.arena)};
    l->scope = ash_scope_begin(&m.arena);
    bool open = ash_scope_is_open(&l->scope);
    CHECK(open == !ash_arena_failed(&m.arena));
    ash_arena_clear_failed(&m.arena);
    m.depth += open;
    if (!open)
        ash_scope_end(&l->scope);
}

static void forget_levels(size_t depth)
{
    while (m.depth > depth)
        if (m.levels[--m.depth].is_scope)
            m.stale[m.stales++ % STALE] = m.levels[m.depth].scope;
    if (m.stales >= STALE)
        m.stales = STALE;
}

/* The innermost, or now and then an older one, which closes those inside. */
static void op_end(void)
{
    size_t at = innermost();
    if (!at)
        return;
    if (below(5) == 0)
        at = 1 + below(at);
    level *l = &m.levels[at - 1];
    if (!l->is_scope)
        return;
    ash_scope_end(&l->scope);
    gone_from(l->count);
    size_t used = ash_arena_used(&m.arena);
    CHECK(l->spoilt ? used <= l->used : used == l->used);
    forget_levels(at - 1);
}

static void op_mark(void)
{
    if (m.depth == LEVELS)
        return;
    level *l = &m.levels[m.depth++];
    *l = (level){.mark = ash_arena_mark(&m.arena), .count = m.count};
    l->used = ash_arena_used(&m.arena);
}

static void op_rewind(void)
{
    size_t floor = innermost();
    if (floor == m.depth)
        return;
    size_t at = floor + below(m.depth - floor);
    level *l = &m.levels[at];
    if (l->spoilt)
        return;
    ash_arena_rewind(&m.arena, l->mark);
    gone_from(l->count);
    CHECK(ash_arena_used(&m.arena) == l->used);
    forget_levels(at);
}

/* ---- misuse ---- */

static char message[160];

static const char *report(const char *what)
{
    snprintf(message, sizeof message, "ashlar: fatal: %s (arena t, ADDR)", what);
    return message;
}

static void misuse_end(void)
{
    if (m.stales)
        expect_fatal(ash_scope_end(&m.stale[below(m.stales)]),
                     report("end of a scope that is closed already"));
}

static void misuse_rewind(void)
{
    size_t floor = innermost();
    const char *expected = report("rewind below an open scope");
    if (!floor)
        return;
    level *l = &m.levels[below(floor)];
    if (l->is_scope)
        expect_fatal_reset(&m.arena, expected);
    else
        expect_fatal_rewind(&m.arena, l->mark, expected);
}

/* Plain memory older than the innermost scope. */
static void misuse_older(void)
{
    size_t floor = innermost(), older = floor ? m.levels[floor - 1].count : 0;
    const thing *t = &m.things[older ? below(older) : 0];
    if (!older || t->sort != PLAIN)
        return;
    size_t used = ash_arena_used(&m.arena);
    CHECK(!ash_extend(&m.arena, t->p, t->size, t->size + 1));
    CHECK(ash_extend(&m.arena, t->p, t->size, 1));
    ash_resource_free(ash_arena_resource(&m.arena), t->p, t->size, 1);
    CHECK(ash_arena_used(&m.arena) == used && unharmed(t));
    expect_fatal((void)!ash_realloc(&m.arena, t->p, t->size, t->size + 1, 1),
                 report("realloc inside a scope of memory older than it"));
    CHECK(ash_arena_used(&m.arena) == used && !ash_arena_failed(&m.arena));
}

/* What is younger may grow; where it moved, it is where it was made that counts. */
static void op_grow(void)
{
    size_t floor = innermost(), older = floor ? m.levels[floor - 1].count : 0;
    thing *t = m.count > older ? &m.things[m.count - 1] : NULL;
    if (!t || t->sort != PLAIN || (m.depth && m.levels[m.depth - 1].count == m.count))
        return;
    size_t size = t->size + below(60);
    char *p = ash_realloc(&m.arena, t->p, t->size, size, 1);
    ash_arena_clear_failed(&m.arena);
    if (!p)
        return;
    t->p = p;
    t->size = size;
    write_bytes(t);
}

static void run_op(void)
{
    ash_arena_clear_failed(&m.arena); /* it may be a destructor's */
    size_t dice = below(100);
    if (dice < 40)
        op_take();
    else if (dice < 52)
        op_delete();
    else if (dice < 64)
        op_begin();
    else if (dice < 74)
        op_end();
    else if (dice < 80)
        op_mark();
    else if (dice < 86)
        op_rewind();
    else if (dice < 89)
        ash_arena_trim(&m.arena, below(3) ? below(4000) : 0);
    else if (dice < 92)
        op_grow();
    else if (dice < 95)
        misuse_end();
    else if (dice < 97)
        misuse_rewind();
    else
        misuse_older();
}

static void finish(void)
{
    bool open = m.depth > 0 && innermost() > 0;
    if (open && below(2)) {
        size_t first = 0;
        while (!m.levels[first].is_scope)
            first++;
        ash_scope_end(&m.levels[first].scope);
        gone_from(m.levels[first].count);
        open = false;
    }
    if (!open) {
        ash_arena_reset(&m.arena);
        gone_from(0);
        CHECK(ash_arena_used(&m.arena) == 0 && is_consistent(&m.arena));
    }
    ash_arena_deinit(&m.arena);
    gone_from(0);
}

static void run_program(ash_arena_config config)
{
    config.name = "t";
    CHECK(ash_arena_init(&m.arena, &config));
    m.count = m.depth = m.stales = logged = wrong = 0;
    for (size_t step = 0; step < PROGRAM; step++) {
        run_op();
        CHECK(is_consistent(&m.arena) && wrong == 0);
        if (step % 4 == 0)
            check_all();
    }
    check_all();
    finish();
}

static void run_programs(size_t stream, const char *kind, ash_arena_config config)
{
    test_upstream up;
    test_upstream_init(&up);
    config.upstream = config.upstream ? config.upstream : &up.resource;
    m.kind = kind;
    size_t steps = test_env("ASH_TEST_STEPS", STEPS) / 6;
    for (size_t done = 0; done <= steps; done += PROGRAM) {
        test_rng_init(&m.rng, stream * 1000003 + done);
        run_program(config);
    }
    test_upstream_done(&up);
}

static char buffer[40000];

static void test_model_scope_small_blocks(void **state)
{
    (void)state;
    run_programs(1, "small blocks", (ash_arena_config){.block_size = 300, .block_max = 300});
}

static void test_model_scope_growing_blocks_over_the_heap(void **state)
{
    (void)state;
    run_programs(2, "heap", (ash_arena_config){.block_size = 512, .upstream = ash_heap()});
}

static void test_model_scope_buffer(void **state)
{
    (void)state;
    run_programs(
        3, "buffer",
        (ash_arena_config){.buffer = buffer + 1, .buffer_size = 9001, .upstream = ash_null()});
}

static void test_model_scope_behind_a_buffer(void **state)
{
    (void)state;
    run_programs(4, "behind a buffer",
                 (ash_arena_config){
                     .buffer = buffer, .buffer_size = 1000, .block_size = 256, .limit = 30000});
}

static void test_model_scope_reserved(void **state)
{
    (void)state;
    run_programs(5, "reserved", (ash_arena_config){.reserve = 300000, .limit = 200000});
}

static void test_model_scope_over_another_arena(void **state)
{
    (void)state;
    ash_arena below_it;
    assert_true(ash_arena_init(&below_it, NULL));
    run_programs(6, "over another arena",
                 (ash_arena_config){.upstream = ash_arena_resource(&below_it), .block_size = 400});
    assert_consistent(&below_it);
    ash_arena_deinit(&below_it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_scope_small_blocks),
        cmocka_unit_test(test_model_scope_growing_blocks_over_the_heap),
        cmocka_unit_test(test_model_scope_buffer),
        cmocka_unit_test(test_model_scope_behind_a_buffer),
        cmocka_unit_test(test_model_scope_reserved),
        cmocka_unit_test(test_model_scope_over_another_arena),
    };
    return test_main(tests);
}
