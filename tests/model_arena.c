/*
 * Random programs on an arena, held against a naive model: a list of everything that was handed
 * out, with its address, size and bytes, whether it lives, and in which order it must die.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "support.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 300000, PROGRAM = 250, THINGS = 2 * PROGRAM, MARKS = 12, GHOSTS = 32, LOG = 8192 };

typedef enum thing_kind { PLAIN, UNTYPED, TYPED, DEFER } thing_kind;

typedef struct thing {
    thing_kind kind;
    bool live;
    bool retained; /* dead, and something newer in its block has lived ever since */
    char *p;       /* a defer's is not known */
    size_t size, align, count;
    const ash_type *type;
    uint32_t serial;   /* also the seed of its bytes */
    const char *block; /* where that begins */
} thing;

typedef struct mark {
    ash_mark mark;
    size_t things, used;
} mark;

typedef struct model {
    ash_arena *arena;
    test_upstream *up; /* NULL if it has none that counts */
    test_rng rng;
    size_t config, buffer_size, limit, step;
    bool grows; /* no request may fail */
    thing things[THINGS];
    size_t count;
    mark marks[MARKS];
    size_t marked;
    char *ghosts[GHOSTS];
    uint32_t serial;
    size_t most_used;
} model;

static model m;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            print_error("%s:%d: %s\n  in config %zu, step %zu, ASH_TEST_SEED=%llu\n", __FILE__, \
                        __LINE__, #condition, m.config, m.step, (unsigned long long)test_seed()); \
            fail(); \
        } \
    } while (0)

/* ---- what died, in which order ---- */

static uint32_t log_of[LOG];
static size_t logged;

static void note(uint32_t tag)
{
    if (logged < LOG)
        log_of[logged] = tag;
    logged++;
}

static void destroy(void *self)
{
    uint32_t tag;
    memcpy(&tag, self, sizeof tag);
    note(tag);
}

static void deferred(void *arg)
{
    note((uint32_t)(uintptr_t)arg);
}

static const ash_type types[] = {
    TYPE("four", 4, 4, destroy),   TYPE("twelve", 12, 4, destroy),   TYPE("quiet", 16, 8, NULL),
    TYPE("wide", 64, 64, destroy), TYPE("large", 1200, 16, destroy), TYPE("thirty", 30, 2, NULL),
};

/* An element's first bytes are its tag, the rest a pattern. */
static uint32_t tag_of(const thing *t, size_t element)
{
    return t->serial * 16 + (uint32_t)element;
}

static size_t element_size(const thing *t)
{
    return t->kind == TYPED ? t->type->size : t->size;
}

static void write_bytes(const thing *t)
{
    fill_pattern(t->p, t->size, t->serial);
    if (t->kind == TYPED)
        for (size_t i = 0; i < t->count; i++) {
            uint32_t tag = tag_of(t, i);
            memcpy(t->p + i * element_size(t), &tag, sizeof tag);
        }
}

static bool unharmed(const thing *t)
{
    if (t->kind != TYPED)
        return is_pattern(t->p, t->size, t->serial);
    unsigned char expected[4], *p = (unsigned char *)t->p;
    for (size_t at = 0; at < t->size; at++) {
        size_t within = at % element_size(t);
        uint32_t tag = tag_of(t, at / element_size(t));
        memcpy(expected, &tag, sizeof tag);
        unsigned char byte = (unsigned char)(t->serial * 31 + at);
        if (p[at] != (within < 4 ? expected[within] : byte))
            return false;
    }
    return true;
}

/* The things from `first` on die now, newest first: was it so? */
static void check_deaths(size_t first)
{
    size_t at = 0;
    for (size_t i = m.count; i-- > first;) {
        thing *t = &m.things[i];
        if (!t->live)
            continue;
        if (t->kind == DEFER)
            CHECK(at < logged && log_of[at++] == tag_of(t, 15));
        if (t->kind == TYPED && t->type->destroy)
            for (size_t e = t->count; e-- > 0;)
                CHECK(at < logged && log_of[at++] == tag_of(t, e));
    }
    CHECK(at == logged && logged <= LOG);
    logged = 0;
}

/* ---- what the walk shows ---- */

static struct {
    const char *begin, *end;
} blocks[1024];
static size_t block_count;
static ash_walk_item objects[THINGS];
static size_t object_count;
static ash_walk_item gap; /* in the last block whose plain memory was seen */

static bool look(const ash_walk_item *item, void *ctx)
{
    (void)ctx;
    if (item->kind == ASH_WALK_BLOCK && block_count < countof(blocks)) {
        blocks[block_count].begin = item->start;
        blocks[block_count++].end = (const char *)item->start + item->size;
    }
    if (item->kind == ASH_WALK_OBJECT && object_count < THINGS)
        objects[object_count++] = *item;
    if (item->kind == ASH_WALK_FREE)
        gap = *item;
    return true;
}

static void look_around(void)
{
    block_count = object_count = 0;
    gap = (ash_walk_item){0};
    CHECK(ash_arena_walk(m.arena, look, NULL));
    CHECK(block_count < countof(blocks));
}

static const char *block_at(const char *p)
{
    for (size_t i = 0; i < block_count; i++)
        if (p >= blocks[i].begin && p < blocks[i].end)
            return blocks[i].begin;
    return NULL;
}

/* ---- the whole state ---- */

static bool is_object(const thing *t)
{
    return t->kind == UNTYPED || t->kind == TYPED;
}

static bool lives_at(const char *p)
{
    for (size_t i = 0; i < m.count; i++)
        if (m.things[i].live && is_object(&m.things[i]) && m.things[i].p == p)
            return true;
    return false;
}

static void check_thing(const thing *t)
{
    const ash_arena *arena = m.arena;
    ash_object_state state = ash_object_inspect(arena, t->p);
    if (!is_object(t)) {
        if (t->live) {
            CHECK(state == ASH_OBJECT_FOREIGN);
            CHECK(unharmed(t));
        }
        return;
    }
    if (!t->live) {
        CHECK(!t->retained || state == ASH_OBJECT_DEAD);
        CHECK((state == ASH_OBJECT_LIVE) == lives_at(t->p));
        return;
    }
    CHECK(state == ASH_OBJECT_LIVE);
    CHECK(unharmed(t));
    CHECK(ash_object_type(arena, t->p) == t->type);
    CHECK(ash_object_count(arena, t->p) == t->count);
    size_t inside = 1 + test_rng_below(&m.rng, t->size + 7);
    if (inside < t->size)
        CHECK(ash_object_inspect(arena, t->p + inside) == ASH_OBJECT_FOREIGN);
    bool found = false;
    for (size_t i = 0; i < object_count && !found; i++)
        found = objects[i].start == t->p && objects[i].type == t->type &&
                objects[i].count == t->count && objects[i].size >= t->size;
    CHECK(found || t->size == 0);
}

/* What begins no object cannot be deleted: the end of a block, or of what is in it. */
static void check_no_delete(char *p)
{
    bool dead = ash_object_inspect(m.arena, p) == ASH_OBJECT_DEAD;
    if (!lives_at(p))
        expect_fatal(ash_delete(m.arena, p),
                     dead ? DELETED IN_ARENA("unnamed") : NOT_START IN_ARENA("unnamed"));
}

static void check_all(void)
{
    look_around();
    size_t live_objects = 0, empty = 0, bytes = 0;
    const thing *newest = NULL;
    for (size_t i = 0; i < m.count; i++) {
        const thing *t = &m.things[i];
        if (t->live && t->kind != PLAIN) {
            live_objects++;
            empty += t->size == 0; /* of these the walk has a word and no bytes */
            newest = t;
        }
        bytes += t->live && t->kind != DEFER ? t->size : 0;
        if (t->kind != DEFER)
            check_thing(t);
    }
    if (block_count)
        check_no_delete((char *)(uintptr_t)blocks[test_rng_below(&m.rng, block_count)].end);
    const thing *one = m.count ? &m.things[test_rng_below(&m.rng, m.count)] : NULL;
    if (one && one->kind != DEFER)
        check_no_delete(one->p + (one->size + 7) / 8 * 8);
    CHECK(object_count <= live_objects && object_count >= live_objects - empty);
    CHECK(ash_arena_used(m.arena) >= bytes);
    for (size_t i = 0; i < GHOSTS; i++)
        if (m.ghosts[i])
            CHECK((ash_object_inspect(m.arena, m.ghosts[i]) == ASH_OBJECT_LIVE) ==
                  lives_at(m.ghosts[i]));
    for (size_t i = 0; i < m.count; i++)
        if (m.things[i].live && is_object(&m.things[i]))
            CHECK(ash_object_is_top(m.arena, m.things[i].p) == (&m.things[i] == newest));
}

/* What must hold after each step, whatever it was. */
static void check_step(void)
{
    ash_arena *arena = m.arena;
    size_t used = ash_arena_used(arena);
    CHECK(!ash_arena_failed(arena));
    CHECK(m.up == NULL || ash_arena_capacity(arena) == m.up->bytes + m.buffer_size);
    CHECK(m.limit == 0 || ash_arena_capacity(arena) - m.buffer_size <= m.limit);
    m.most_used = used > m.most_used ? used : m.most_used;
    CHECK(ash_arena_peak(arena) >= m.most_used);
    bool often = m.count < 40 && ash_arena_capacity(arena) < 100000;
    if (often || m.step % 8 == 0) {
        CHECK(is_consistent(arena));
        check_all();
    }
}

/* ---- making ---- */

static size_t a_size(void)
{
    size_t dice = test_rng_below(&m.rng, 100);
    return test_rng_below(&m.rng, dice < 60 ? 40 : dice < 97 ? 300 : 3000);
}

static size_t an_align(void)
{
    size_t dice = test_rng_below(&m.rng, 100);
    return (size_t)1 << (dice < 98 ? test_rng_below(&m.rng, 7) : 7 + test_rng_below(&m.rng, 6));
}

static void check_apart(const thing *t)
{
    for (size_t i = 0; i < m.count; i++) {
        const thing *o = &m.things[i];
        if (o->live && o->kind != DEFER)
            CHECK(o->p + o->size <= t->p || t->p + t->size <= o->p);
    }
    CHECK((uintptr_t)t->p % t->align == 0);
    CHECK(t->block && block_at(t->p + t->size - (t->size > 0)) == t->block);
    CHECK(ash_arena_owns(m.arena, t->p));
}

static size_t room_before, used_before, capacity_before;

static void before(void)
{
    room_before = ash_arena_room(m.arena);
    used_before = ash_arena_used(m.arena);
    capacity_before = ash_arena_capacity(m.arena);
}

/* A refusal must be due, noted, and without effect. */
static void refused(const thing *t)
{
    CHECK(!m.grows);
    CHECK(ash_arena_failed(m.arena));
    CHECK(t->kind != PLAIN || t->size + t->align - 1 > room_before);
    CHECK(ash_arena_used(m.arena) == used_before);
    CHECK(ash_arena_room(m.arena) == room_before);
    CHECK(ash_arena_capacity(m.arena) == capacity_before);
    ash_arena_clear_failed(m.arena);
}

static void add(thing t)
{
    if (t.kind != DEFER && !t.p) {
        refused(&t);
        return;
    }
    t.live = true;
    t.serial = ++m.serial;
    look_around();
    if (t.kind == DEFER) { /* the newest object; where it lies only the walk knows */
        t.block = NULL;
    } else {
        t.block = block_at(t.p);
        check_apart(&t);
        write_bytes(&t);
    }
    if (ash_arena_capacity(m.arena) == capacity_before)
        CHECK(t.size <= room_before);
    m.things[m.count++] = t;
}

static void op_alloc(void)
{
    thing t = {.kind = PLAIN, .size = a_size(), .align = an_align()};
    bool zero = test_rng_below(&m.rng, 3) == 0;
    size_t asked = t.size;
    t.size += !t.size;
    before();
    t.p = zero ? ash_zalloc(m.arena, asked, t.align) : ash_alloc(m.arena, asked, t.align);
    CHECK(!t.p || !zero || is_zero(t.p, asked));
    add(t);
}

static void op_untyped(void)
{
    thing t = {.kind = UNTYPED, .size = a_size(), .align = an_align(), .count = 1};
    size_t asked = t.size;
    t.size += !t.size;
    before();
    t.p = ash_object_alloc(m.arena, asked, t.align);
    t.align = t.align < 8 ? 8 : t.align;
    add(t);
}

static void op_typed(void)
{
    thing t = {.kind = TYPED, .type = &types[test_rng_below(&m.rng, countof(types))]};
    t.count = test_rng_below(&m.rng, 3) ? 1 : test_rng_below(&m.rng, 6);
    t.size = t.count * t.type->size;
    t.align = t.type->align;
    before();
    t.p = ash_object_new(m.arena, t.type, t.count);
    CHECK(!t.p || is_zero(t.p, t.size));
    add(t);
}

static void op_defer(void)
{
    thing t = {.kind = DEFER, .size = 16, .align = 8};
    t.serial = m.serial + 1; /* add() will give it this */
    before();
    if (ash_defer(m.arena, deferred, (void *)(uintptr_t)tag_of(&t, 15)))
        add(t);
    else
        refused(&t);
}

static void op_printf(void)
{
    thing t = {.kind = PLAIN, .size = 1 + test_rng_below(&m.rng, 100), .align = 1};
    before();
    t.p = ash_printf(m.arena, "%*s", (int)t.size - 1, "");
    CHECK(!t.p || strspn(t.p, " ") == t.size - 1);
    add(t);
}

/* ---- changing ---- */

/* Marks taken after the thing was made do not outlive a change to it. */
static void drop_marks_after(const thing *t)
{
    while (m.marked && m.marks[m.marked - 1].things > (size_t)(t - m.things))
        m.marked--;
}

static thing *any(bool (*is)(const thing *))
{
    for (int tries = 0; m.count && tries < 12; tries++) {
        size_t span = tries % 2 ? m.count : (m.count < 6 ? m.count : 6); /* the newest, or any */
        thing *t = &m.things[m.count - 1 - test_rng_below(&m.rng, span)];
        if (t->live && is(t))
            return t;
    }
    return NULL;
}

static bool is_plain(const thing *t)
{
    return t->kind == PLAIN;
}

/* Does the gap begin right behind it, with room for `more`? */
static bool can_grow(const thing *t, size_t more)
{
    look_around();
    return block_at(t->p) && gap.start == t->p + t->size && gap.size >= more &&
           block_at(t->p) == blocks[block_count - 1].begin && !TEST_RED_ZONES;
}

static void op_extend(void)
{
    thing *t = any(is_plain);
    if (!t)
        return;
    size_t size = a_size();
    size += !size;
    before();
    bool must = size <= t->size || can_grow(t, size - t->size);
    bool done = test_rng_below(&m.rng, 2) ? ash_extend(m.arena, t->p, t->size, size)
                                          : ash_resource_resize(ash_arena_resource(m.arena), t->p,
                                                                t->size, size, t->align);
    CHECK(done || !must);
    CHECK(ash_arena_capacity(m.arena) == capacity_before || m.limit || !m.up);
    if (!done) {
        CHECK(ash_arena_used(m.arena) == used_before);
        return;
    }
    drop_marks_after(t);
    thing old = *t;
    old.size = size < t->size ? size : t->size;
    CHECK(unharmed(&old));
    t->live = false; /* for the comparison with the others */
    t->size = size;
    look_around();
    check_apart(t);
    t->live = true;
    write_bytes(t);
}

static void op_realloc(void)
{
    thing *t = any(is_plain);
    if (!t)
        return;
    thing n = {.kind = PLAIN, .size = a_size(), .align = an_align()};
    n.size += !n.size;
    before();
    n.p = ash_realloc(m.arena, t->p, t->size, n.size, n.align);
    if (!n.p) {
        CHECK(unharmed(t));
        refused(&n);
        return;
    }
    drop_marks_after(t);
    thing old = *t;
    old.p = n.p;
    old.size = n.size < t->size ? n.size : t->size;
    CHECK(unharmed(&old)); /* what it had came along */
    if (n.p != t->p) {
        CHECK(unharmed(t));
        CHECK(n.size > t->size || (uintptr_t)t->p % n.align != 0);
    }
    t->live = false;
    if (n.p != t->p) {
        add(n);
        return;
    }
    t->size = n.size;
    t->align = n.align;
    look_around();
    check_apart(t);
    t->live = true;
    write_bytes(t);
}

static void op_free(void)
{
    thing *t = any(is_plain);
    if (!t)
        return;
    drop_marks_after(t);
    before();
    ash_resource_free(ash_arena_resource(m.arena), t->p, t->size, t->align);
    CHECK(ash_arena_used(m.arena) <= used_before);
    t->live = false;
}

/* ---- dying ---- */

static void haunt(char *p)
{
    m.ghosts[test_rng_below(&m.rng, GHOSTS)] = p;
}

/* Which of the dead can still be told? Those below which, in the same block, something lives. */
static void settle_dead(void)
{
    for (size_t i = 0; i < m.count; i++) {
        thing *t = &m.things[i];
        if (!t->retained)
            continue;
        bool held = false;
        for (size_t j = i + 1; j < m.count && !held; j++)
            held = m.things[j].live && is_object(&m.things[j]) && m.things[j].block == t->block;
        t->retained = held;
    }
}

static void op_delete(void)
{
    thing *t = any(is_object);
    if (!t)
        return;
    drop_marks_after(t);
    CHECK(unharmed(t));
    before();
    bool top = ash_object_is_top(m.arena, t->p);
    ash_delete(m.arena, t->p);
    size_t at = 0;
    if (t->kind == TYPED && t->type->destroy)
        for (size_t e = t->count; e-- > 0;)
            CHECK(at < logged && log_of[at++] == tag_of(t, e));
    CHECK(at == logged);
    logged = 0;
    CHECK(ash_arena_used(m.arena) + (top ? t->size : 0) <= used_before);
    t->live = false;
    t->retained = true;
    haunt(t->p);
    settle_dead();
}

static void op_mark(void)
{
    if (m.marked == MARKS)
        return;
    mark *k = &m.marks[m.marked++];
    *k = (mark){ash_arena_mark(m.arena), m.count, ash_arena_used(m.arena)};
}

static void truncate_to(size_t count)
{
    check_deaths(count);
    for (size_t i = count; i < m.count; i++)
        if (is_object(&m.things[i]))
            haunt(m.things[i].p);
    m.count = count;
    settle_dead();
}

static void op_rewind(void)
{
    if (!m.marked)
        return;
    m.marked = test_rng_below(&m.rng, m.marked) + 1;
    const mark *k = &m.marks[m.marked - 1];
    ash_arena_rewind(m.arena, k->mark);
    truncate_to(k->things);
    CHECK(ash_arena_used(m.arena) == k->used);
    if (test_rng_below(&m.rng, 2))
        m.marked--; /* else it may be used again */
}

static void op_empty(void)
{
    look_around();
    bool release = test_rng_below(&m.rng, 2);
    if (release)
        ash_arena_release(m.arena);
    else
        ash_arena_reset(m.arena);
    m.marked = 0;
    truncate_to(0);
    CHECK(ash_arena_used(m.arena) == 0);
    if (release && m.up)
        CHECK(m.up->bytes == 0);
    size_t blocks_before = block_count;
    look_around();
    CHECK(release || block_count == blocks_before); /* kept for reuse */
}

static void op_trim(void)
{
    before();
    look_around();
    size_t keep = test_rng_below(&m.rng, 20000), blocks_before = block_count;
    ash_arena_trim(m.arena, keep);
    CHECK(ash_arena_used(m.arena) == used_before);
    CHECK(ash_arena_capacity(m.arena) <= capacity_before);
    look_around();
    CHECK(capacity_before - m.buffer_size > keep || block_count == blocks_before);
}

static const struct {
    void (*run)(void);
    unsigned share;
} ops[] = {
    {op_alloc, 16},  {op_untyped, 18}, {op_typed, 16}, {op_defer, 4}, {op_printf, 4},
    {op_extend, 6},  {op_realloc, 5},  {op_free, 3},   {op_mark, 6},  {op_rewind, 4},
    {op_delete, 26}, {op_empty, 1},    {op_trim, 2},
};

static void run_op(void)
{
    unsigned all = 0;
    for (size_t i = 0; i < countof(ops); i++)
        all += ops[i].share;
    size_t dice = test_rng_below(&m.rng, all), i = 0;
    while (dice >= ops[i].share)
        dice -= ops[i++].share;
    ops[i].run();
}

static void run_program(ash_arena *arena, size_t steps)
{
    m.arena = arena;
    m.count = m.marked = 0;
    m.most_used = 0;
    memset(m.ghosts, 0, sizeof m.ghosts);
    logged = 0;
    for (m.step = 1; m.step <= steps && m.count < THINGS; m.step++) {
        run_op();
        check_step();
    }
    m.step = 0;
    check_step();
    ash_arena_deinit(arena);
    check_deaths(0);
}

/* ---- the arenas ---- */

static void init(ash_arena *arena, ash_arena_config config)
{
    CHECK(ash_arena_init(arena, &config));
}

static void run_fixed(size_t size, size_t steps)
{
    static char buffer[1 << 18];
    ash_arena arena;
    m.buffer_size = size;
    for (size_t i = 0; i < sizeof buffer; i += 8) {
        uint64_t dirt = test_rng_next(&m.rng) | test_rng_next(&m.rng);
        memcpy(buffer + i, &dirt, sizeof dirt);
    }
    ash_arena_init_fixed(&arena, buffer + test_rng_below(&m.rng, 16), size);
    run_program(&arena, steps);
    memset(buffer, 0x77, sizeof buffer); /* all the caller's again */
}

static void run_over(ash_arena_config config, size_t steps)
{
    test_upstream up;
    test_upstream_init(&up);
    char buffer[200];
    config.upstream = &up.resource;
    config.buffer = config.buffer_size ? buffer : NULL;
    m.buffer_size = config.buffer_size;
    m.limit = config.limit;
    m.grows = config.limit == 0;
    m.up = &up;
    ash_arena arena;
    init(&arena, config);
    run_program(&arena, steps);
    CHECK(up.bytes == 0 && up.blocks == 0);
    CHECK(m.limit == 0 || up.most_bytes <= m.limit);
}

static void run_over_arena(size_t steps)
{
    test_upstream up;
    ash_arena parent, arena;
    test_arena_over(&parent, &up, 2048);
    m.grows = true;
    init(&arena, (ash_arena_config){.upstream = ash_arena_resource(&parent), .block_size = 512});
    run_program(&arena, steps);
    CHECK(is_consistent(&parent));
    ash_arena_deinit(&parent);
    CHECK(up.bytes == 0);
}

static void run_plainly(ash_arena_config config, size_t steps)
{
    ash_arena arena;
    m.grows = config.reserve == 0;
    init(&arena, config);
    run_program(&arena, steps);
}

enum { CONFIGS = 9 };

static void run_config(size_t config, size_t steps)
{
    m.config = config;
    m.up = NULL;
    m.limit = m.buffer_size = 0;
    m.grows = false;
    switch (config) {
    case 0:
        run_fixed(100 + test_rng_below(&m.rng, 1000), steps);
        break;
    case 1:
        run_fixed((1 << 18) - 16, steps);
        break;
    case 2:
        run_over((ash_arena_config){.block_size = 64}, steps);
        break;
    case 3:
        run_over((ash_arena_config){.block_size = 1024, .block_max = 1024}, steps);
        break;
    case 4:
        run_plainly((ash_arena_config){.reserve = 1 << 20, .upstream = ash_null()}, steps);
        break;
    case 5:
        run_over_arena(steps);
        break;
    case 6:
        run_over((ash_arena_config){.block_size = 600, .limit = 20000, .buffer_size = 200}, steps);
        break;
    case 7:
        run_plainly((ash_arena_config){.upstream = ash_heap(), .block_size = 2048}, steps);
        break;
    default:
        run_over((ash_arena_config){.block_size = 1 << 16, .buffer_size = 200}, steps);
    }
}

static void run_steps(size_t config)
{
    size_t steps = test_env("ASH_TEST_STEPS", STEPS) / CONFIGS;
    for (size_t done = 0; done <= steps; done += PROGRAM) {
        test_rng_init(&m.rng, config * 1000003 + done);
        run_config(config, PROGRAM);
    }
}

#define MODEL(name, config) \
    static void test_model_##name(void **s) \
    { \
        (void)s; \
        run_steps(config); \
    }

MODEL(fixed_tiny, 0)
MODEL(fixed_large, 1)
MODEL(growing_small_blocks, 2)
MODEL(equal_blocks, 3)
MODEL(reserve, 4)
MODEL(over_another_arena, 5)
MODEL(limit, 6)
MODEL(heap, 7)
MODEL(buffer_then_large_blocks, 8)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_fixed_tiny),
        cmocka_unit_test(test_model_fixed_large),
        cmocka_unit_test(test_model_growing_small_blocks),
        cmocka_unit_test(test_model_equal_blocks),
        cmocka_unit_test(test_model_reserve),
        cmocka_unit_test(test_model_over_another_arena),
        cmocka_unit_test(test_model_limit),
        cmocka_unit_test(test_model_heap),
        cmocka_unit_test(test_model_buffer_then_large_blocks),
    };
    return test_main(tests);
}
