/*
 * Random programs of objects of every size, from a word to many nodes of the object map, which jump
 * over parts of the map and leave them unwritten. The memory is dirty: as malloc gives it, so that
 * valgrind sees what is read before it was written, and full of bits that would pass for objects.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 40000, PROGRAM = 400, OBJECTS = 300, ASKED = 20 };

typedef struct object {
    char *p;
    size_t size;
    const ash_type *type;
} object;

static struct {
    ash_arena arena;
    test_rng rng;
    int dirt; /* byte that fresh memory is full of; -1: left as malloc gave it */
    size_t blocks;
    object objects[OBJECTS]; /* live, oldest first */
    size_t count;
    char *gone[OBJECTS];
    unsigned destroyed;
} m;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            print_error("%s:%d: %s\n  ASH_TEST_SEED=%llu\n", __FILE__, __LINE__, #condition, \
                        (unsigned long long)test_seed()); \
            fail(); \
        } \
    } while (0)

/* ---- dirty memory ---- */

static void *dirty_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    void *p = align <= 16 ? malloc(size) : NULL;
    if (p && m.dirt >= 0)
        memset(p, m.dirt, size);
    m.blocks += p != NULL;
    return p;
}

static void dirty_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self, (void)size, (void)align;
    m.blocks--;
    free(p);
}

static const ash_resource_ops dirty_ops = {.alloc = dirty_alloc, .free = dirty_free};
static ash_resource dirty = {&dirty_ops};

/* ---- objects ---- */

static void destroy(void *self)
{
    (void)self;
    m.destroyed++;
}

static const ash_type types[] = {TYPE("word", 8, 8, destroy), TYPE("page", 4096, 64, destroy),
                                 TYPE("node", 40000, 8, destroy)};

/* Each order of magnitude is as likely: 8 bytes ... 256 KiB. */
static size_t a_size(void)
{
    return 1 + test_rng_below(&m.rng, (size_t)8 << test_rng_below(&m.rng, 16));
}

static void op_new(void)
{
    if (m.count == OBJECTS)
        return;
    object o = {.size = a_size()};
    if (test_rng_below(&m.rng, 2)) {
        o.type = &types[test_rng_below(&m.rng, countof(types))];
        o.size = o.type->size;
        o.p = ash_object_new(&m.arena, o.type, 1);
    } else {
        o.p = ash_object_alloc(&m.arena, o.size, (size_t)1 << (test_rng_below(&m.rng, 8) ? 3 : 12));
    }
    if (o.p)
        m.objects[m.count++] = o;
}

static void op_delete(void)
{
    if (!m.count)
        return;
    size_t newest = m.count < 8 ? m.count : 8;
    size_t at = m.count - 1 - test_rng_below(&m.rng, test_rng_below(&m.rng, 2) ? m.count : newest);
    object *o = &m.objects[at];
    unsigned destroyed = m.destroyed + (o->type != NULL);
    CHECK(ash_object_is_top(&m.arena, o->p) == (at == m.count - 1));
    ash_delete(&m.arena, o->p);
    CHECK(m.destroyed == destroyed);
    CHECK(ash_object_inspect(&m.arena, o->p) != ASH_OBJECT_LIVE);
    m.gone[test_rng_below(&m.rng, OBJECTS)] = o->p;
    memmove(o, o + 1, (--m.count - at) * sizeof *o);
}

static void op_rewind(void)
{
    ash_mark mark = ash_arena_mark(&m.arena);
    size_t count = m.count, used = ash_arena_used(&m.arena);
    for (size_t i = test_rng_below(&m.rng, 6); i > 0; i--)
        op_new();
    for (; m.count > count; m.count--)
        m.gone[test_rng_below(&m.rng, OBJECTS)] = m.objects[m.count - 1].p;
    ash_arena_rewind(&m.arena, mark);
    CHECK(ash_arena_used(&m.arena) == used);
}

static void op_reset(void)
{
    ash_arena_reset(&m.arena);
    m.count = 0;
}

/* ---- questions ---- */

static const object *at(const char *p)
{
    for (size_t i = 0; i < m.count; i++)
        if (m.objects[i].p == p)
            return &m.objects[i];
    return NULL;
}

/* What is no object's start cannot be deleted, whatever it is. Now and then, for a jump out of the
 * report takes long under a sanitizer. */
static void ask(char *p)
{
    const object *o = at(p);
    ash_object_state state = ash_object_inspect(&m.arena, p);
    CHECK((state == ASH_OBJECT_LIVE) == (o != NULL));
    CHECK(ash_object_type(&m.arena, p) == (o ? o->type : NULL));
    CHECK(ash_object_count(&m.arena, p) == (o != NULL));
    CHECK(ash_object_is_top(&m.arena, p) == (o && o == &m.objects[m.count - 1]));
    if (!o && test_rng_below(&m.rng, 16) == 0)
        expect_fatal(ash_delete(&m.arena, p),
                     state == ASH_OBJECT_DEAD ? DELETED IN_ARENA("t") : NOT_START IN_ARENA("t"));
}

static bool ask_block(const ash_walk_item *item, void *ctx)
{
    char **ends = ctx;
    if (item->kind == ASH_WALK_BLOCK) {
        ends[0] = (char *)(uintptr_t)item->start;
        ends[1] = ends[0] + item->size;
    }
    return true;
}

static void ask_around(void)
{
    char *ends[2] = {NULL, NULL}; /* of the newest block */
    CHECK(ash_arena_walk(&m.arena, ask_block, ends));
    for (int i = 0; ends[0] && i < ASKED; i++)
        ask(ends[0] + test_rng_below(&m.rng, (size_t)(ends[1] - ends[0])) / 8 * 8);
    for (size_t past = 0; ends[1] && past < 512; past += 72)
        ask(ends[1] + past);
    for (size_t i = 0; m.count && i < ASKED; i++) {
        const object *o = &m.objects[test_rng_below(&m.rng, m.count)];
        ask(o->p);
        ask(o->p + 8);
        ask(o->p - 8);
        ask(o->p + (o->size + 7) / 8 * 8);
        if (m.gone[i])
            ask(m.gone[i]);
    }
}

static void run_program(ash_arena_config config)
{
    config.name = "t";
    CHECK(ash_arena_init(&m.arena, &config));
    m.count = m.blocks = 0;
    memset(m.gone, 0, sizeof m.gone);
    for (size_t step = 0; step < PROGRAM; step++) {
        size_t dice = test_rng_below(&m.rng, 100);
        if (dice < 55)
            op_new();
        else if (dice < 93)
            op_delete();
        else if (dice < 99)
            op_rewind();
        else
            op_reset();
        ask_around();
        CHECK(is_consistent(&m.arena));
    }
    while (m.count)
        op_delete();
    CHECK(ash_arena_used(&m.arena) == 0);
    ash_arena_deinit(&m.arena);
    CHECK(m.blocks == 0);
}

static void run_programs(size_t stream, ash_arena_config config)
{
    static const int dirt[] = {-1, 0xff, 0x55};
    size_t steps = test_env("ASH_TEST_STEPS", STEPS) / 4;
    for (size_t done = 0; done <= steps; done += PROGRAM) {
        test_rng_init(&m.rng, stream * 1000003 + done);
        m.dirt = dirt[done / PROGRAM % countof(dirt)];
        run_program(config);
    }
}

static void test_model_large_over_dirty_blocks(void **state)
{
    (void)state;
    run_programs(1, (ash_arena_config){.upstream = &dirty, .block_size = 1 << 20});
}

static void test_model_large_over_a_dirty_buffer(void **state)
{
    (void)state;
    static const size_t size = (3 << 20) + 40;
    for (int which = 0; which < 3; which++) {
        char *buffer = malloc(size);
        assert_non_null(buffer);
        if (which)
            memset(buffer, which == 1 ? 0xff : 0x55, size);
        run_programs(
            2 + (size_t)which,
            (ash_arena_config){.upstream = ash_null(), .buffer = buffer, .buffer_size = size});
        free(buffer);
    }
}

static void test_model_large_over_the_heap(void **state)
{
    (void)state;
    run_programs(5, (ash_arena_config){.upstream = ash_heap(), .block_size = 300000});
}

static void test_model_large_in_a_reserve(void **state)
{
    (void)state;
    run_programs(6, (ash_arena_config){.upstream = ash_null(), .reserve = 64 << 20});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_large_over_dirty_blocks),
        cmocka_unit_test(test_model_large_over_a_dirty_buffer),
        cmocka_unit_test(test_model_large_over_the_heap),
        cmocka_unit_test(test_model_large_in_a_reserve),
    };
    return test_main(tests);
}
