/*
 * What a program does that knows the library and means no good, or means well and is tired: deletes
 * at the edges of blocks, marks that were valid once or elsewhere, destructors that take away what
 * their own rewind stands on.
 */
#include "support.h"

#include <string.h>

typedef struct thing {
    unsigned char bytes[24];
} thing;

static unsigned things_destroyed;

static void thing_destroy(void *self)
{
    (void)self;
    things_destroyed++;
}
ASH_TYPE(thing, .destroy = thing_destroy);

/*
 * Arenas of every kind, each with blocks of about so many bytes.
 */
enum { FIXED, HEAP, CUSTOM, KINDS };

enum { BUFFER = 8192, ACROSS = 512 };

static _Alignas(ACROSS) char buffer[BUFFER];
static test_upstream upstream;

static void open_arena(ash_arena *arena, int kind, size_t size)
{
    test_upstream_init(&upstream);
    ash_arena_config config = {.name = "t", .upstream = ash_null()};
    if (kind == FIXED) {
        config.buffer = buffer;
        config.buffer_size = size;
    } else {
        config.upstream = kind == HEAP ? ash_heap() : &upstream.resource;
        config.block_size = config.block_max = size;
    }
    assert_true(ash_arena_init(arena, &config));
}

static void close_arena(ash_arena *arena)
{
    assert_consistent(arena);
    ash_arena_deinit(arena);
    test_upstream_done(&upstream);
}

/*
 * Deletes at the edges. At the end of each block the object map has a head that is nobody's.
 */
enum { ENDS = 64 };

typedef struct ends {
    char *at[ENDS];
    size_t count;
} ends;

static bool find_end(const ash_walk_item *item, void *ctx)
{
    ends *e = ctx;
    if (item->kind == ASH_WALK_BLOCK && e->count < ENDS)
        e->at[e->count++] = (char *)(uintptr_t)item->start + item->size;
    return true;
}

static void assert_no_object(ash_arena *arena, void *p)
{
    assert_int_equal(ash_object_inspect(arena, p), ASH_OBJECT_FOREIGN);
    assert_null(ash_object_type(arena, p));
    assert_int_equal(ash_object_count(arena, p), 0);
    assert_false(ash_object_is_top(arena, p));
    expect_fatal_delete(arena, p, NOT_START IN_ARENA("t"));
}

/* What was made: behind the end of a block from the heap may lie another block of the arena. */
static void *made[ENDS];
static size_t made_count;

static bool was_made(const void *p)
{
    for (size_t i = 0; i < made_count; i++)
        if (made[i] == p)
            return true;
    return false;
}

/* Neither the end of a block nor what lies up to a leaf of the map behind it is an object. */
static void assert_ends_are_nothing(ash_arena *arena)
{
    ends e = {.count = 0};
    size_t used = ash_arena_used(arena);
    unsigned destroyed = things_destroyed;
    assert_true(ash_arena_walk(arena, find_end, &e));
    assert_true(e.count > 0);
    for (size_t i = 0; i < e.count; i++) {
        for (size_t past = 0; past <= ACROSS; past += 8)
            if (!was_made(e.at[i] + past))
                assert_no_object(arena, e.at[i] + past);
        assert_consistent(arena);
    }
    assert_int_equal(ash_arena_used(arena), used);
    assert_int_equal(things_destroyed, destroyed);
}

static void *make(ash_arena *arena, bool typed, size_t size)
{
    void *p = typed ? (void *)ash_new(arena, thing) : ash_object_alloc(arena, size, 8);
    assert_non_null(p);
    return p;
}

static void make_noted(ash_arena *arena, bool typed, size_t size)
{
    made[made_count++] = make(arena, typed, size);
}

static void check_ends(int kind, size_t size, bool typed)
{
    ash_arena arena;
    open_arena(&arena, kind, size);
    made_count = 0;
    make_noted(&arena, typed, 24);
    assert_ends_are_nothing(&arena);
    assert_no_object(&arena, (char *)made[0] + 24); /* mostly the end of the block, too */
    for (size_t i = 0; i < 20; i++)
        make_noted(&arena, i % 2 == 0, kind == FIXED ? 96 : 800);
    assert_ends_are_nothing(&arena);
    for (size_t i = 0; i < made_count; i++) {
        assert_int_equal(ash_object_inspect(&arena, made[i]), ASH_OBJECT_LIVE);
        ash_delete(&arena, made[i]);
    }
    assert_int_equal(ash_arena_used(&arena), 0);
    assert_ends_are_nothing(&arena); /* nor when none lives */
    make_noted(&arena, typed, 24);
    close_arena(&arena);
}

static void test_hostile_delete_of_a_buffers_end_is_reported(void **state)
{
    (void)state;
    for (size_t size = BUFFER / 2; size <= BUFFER / 2 + ACROSS; size += 8)
        for (int typed = 0; typed < 2; typed++)
            check_ends(FIXED, size, typed);
}

static void test_hostile_delete_of_a_heap_blocks_end_is_reported(void **state)
{
    (void)state;
    for (size_t size = 4096; size <= 4096 + ACROSS; size += 8)
        for (int typed = 0; typed < 2; typed++)
            check_ends(HEAP, size, typed);
}

static void test_hostile_delete_of_a_custom_blocks_end_is_reported(void **state)
{
    (void)state;
    for (size_t size = 4096; size <= 4096 + ACROSS; size += 8)
        for (int typed = 0; typed < 2; typed++)
            check_ends(CUSTOM, size, typed);
}

static void test_hostile_delete_behind_each_object_is_reported(void **state)
{
    (void)state;
    ash_arena arena;
    open_arena(&arena, CUSTOM, 3000);
    char *objects[40];
    for (size_t i = 0; i < countof(objects); i++) {
        objects[i] = ash_object_alloc(&arena, 16 + i * 8, 8);
        assert_non_null(objects[i]);
        if (i % 4 == 3) /* so that what follows is no object, and nobody's */
            assert_non_null(ash_new(&arena, thing));
    }
    for (size_t i = 0; i < countof(objects); i++) {
        char *behind = objects[i] + 16 + i * 8;
        if (ash_object_inspect(&arena, behind) != ASH_OBJECT_LIVE) {
            assert_no_object(&arena, behind);
            assert_consistent(&arena);
        }
        assert_no_object(&arena, objects[i] + 8);
    }
    close_arena(&arena);
}

/*
 * Marks that are gone, and marks of another arena.
 */
static jmp_buf out_of_rewind;
static char said[256];

static void on_report(const char *message)
{
    strncpy(said, message, sizeof said - 1);
    longjmp(out_of_rewind, 1);
}

/* Was it refused? */
static bool rewind_is_reported(ash_arena *arena, ash_mark mark)
{
    ash_fatal_fn before = ash_set_fatal_handler(on_report);
    volatile bool reported = true;
    said[0] = '\0';
    if (setjmp(out_of_rewind) == 0) {
        ash_arena_rewind(arena, mark);
        reported = false;
    }
    ash_set_fatal_handler(before);
    assert_true(!reported || test_message_matches(said, MARK_GONE IN_ARENA("t")));
    return reported;
}

static void make_many(ash_arena *arena, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++)
        assert_non_null(ash_object_alloc(arena, size, 8));
}

/* A mark is left over; a big object and small ones are laid over the place that it names. */
static void check_stale_mark(size_t before, size_t big, size_t after)
{
    ash_arena arena;
    open_arena(&arena, CUSTOM, 1 << 20);
    void *kept = make(&arena, false, 16);
    ash_mark outer = ash_arena_mark(&arena);
    make_many(&arena, before, 1000);
    ash_mark stale = ash_arena_mark(&arena);
    make_many(&arena, 200, 8);
    ash_arena_rewind(&arena, outer);
    make_many(&arena, 1, big);
    make_many(&arena, after, 16);
    size_t used = ash_arena_used(&arena);
    if (rewind_is_reported(&arena, stale))
        assert_int_equal(ash_arena_used(&arena), used);
    assert_int_equal(ash_object_inspect(&arena, kept), ASH_OBJECT_LIVE);
    assert_consistent(&arena);
    make_many(&arena, 3, 100); /* usable */
    close_arena(&arena);
}

static void test_hostile_stale_mark_inside_a_later_object(void **state)
{
    (void)state;
    for (size_t big = 1000; big < 700000; big += 49000)
        for (size_t after = 0; after < 80; after += 13)
            check_stale_mark(200, big, after);
}

static void test_hostile_stale_mark_at_the_edges_of_a_later_object(void **state)
{
    (void)state;
    for (size_t before = 1; before < 150; before += 37)
        for (size_t more = 0; more <= 1024; more += 8)
            check_stale_mark(before, before * 1000 - 512 + more, 2);
}

enum { NEVER_USED, RESET, PLAIN, OBJECTS, STATES };

static void bring_to(ash_arena *arena, int what)
{
    if (what == PLAIN || what == RESET)
        assert_non_null(ash_alloc(arena, 100, 1));
    if (what == OBJECTS)
        make_many(arena, 30, 300);
    if (what == RESET)
        ash_arena_reset(arena);
}

static void test_hostile_mark_of_another_arena_is_reported(void **state)
{
    (void)state;
    for (int theirs = NEVER_USED; theirs < STATES; theirs++)
        for (int ours = PLAIN; ours < STATES; ours++) {
            ash_arena other, arena;
            assert_true(ash_arena_init(&other, NULL));
            bring_to(&other, theirs);
            ash_mark foreign = ash_arena_mark(&other);
            open_arena(&arena, CUSTOM, 2048);
            bring_to(&arena, ours);
            size_t used = ash_arena_used(&arena);
            assert_true(rewind_is_reported(&arena, foreign));
            assert_int_equal(ash_arena_used(&arena), used);
            close_arena(&arena);
            ash_arena_rewind(&other, foreign); /* at home it is good */
            ash_arena_deinit(&other);
        }
}

static void test_hostile_own_mark_of_an_empty_arena_stays_good(void **state)
{
    (void)state;
    ash_arena arena;
    open_arena(&arena, CUSTOM, 2048);
    ash_mark empty = ash_arena_mark(&arena);
    for (int round = 0; round < 3; round++) {
        make_many(&arena, 30, 300);
        ash_arena_rewind(&arena, empty);
        assert_int_equal(ash_arena_used(&arena), 0);
        ash_arena_release(&arena);
    }
    close_arena(&arena);
}

/*
 * Destructors that, while a rewind runs, delete what is older than the mark, and trim.
 */
enum { OLD = 16 };

static struct plot {
    ash_arena *arena;
    void *victims[OLD];
    size_t count;
    bool trim;
} plot;

typedef struct plotter {
    uint64_t unused;
} plotter;

static void plotter_destroy(void *self)
{
    (void)self;
    for (size_t i = 0; i < plot.count; i++)
        ash_delete(plot.arena, plot.victims[i]);
    plot.count = 0;
    if (plot.trim)
        ash_arena_trim(plot.arena, 0);
}
ASH_TYPE(plotter, .destroy = plotter_destroy);

typedef struct stage {
    int kind;
    size_t block;      /* bytes */
    size_t old[OLD];   /* sizes of the objects before the mark; 0: no more */
    size_t plain;      /* before the mark */
    size_t after;      /* bytes of plain memory after it */
    unsigned plotters; /* then so many, each with an object over it */
} stage;

static size_t set_stage(ash_arena *arena, const stage *s, void *old[OLD], ash_mark *mark)
{
    size_t count = 0;
    open_arena(arena, s->kind, s->block);
    for (; count < OLD && s->old[count]; count++) {
        old[count] = make(arena, false, s->old[count]);
        memset(old[count], 1, s->old[count]);
    }
    if (s->plain)
        assert_non_null(ash_alloc(arena, s->plain, 8));
    *mark = ash_arena_mark(arena);
    if (s->after)
        assert_non_null(ash_alloc(arena, s->after, 8));
    for (unsigned i = 0; i < s->plotters; i++) {
        assert_non_null(ash_new(arena, plotter));
        make(arena, i % 2, s->after / 2 + 100);
    }
    return count;
}

/* What is used when the victims are deleted once the rewind is over. */
static size_t used_without_plot(const stage *s, unsigned victims)
{
    ash_arena arena;
    void *old[OLD];
    ash_mark mark;
    plot = (struct plot){.count = 0};
    size_t count = set_stage(&arena, s, old, &mark);
    ash_arena_rewind(&arena, mark);
    for (size_t i = 0; i < count; i++)
        if (victims >> i & 1)
            ash_delete(&arena, old[i]);
    size_t used = ash_arena_used(&arena);
    close_arena(&arena);
    return used;
}

static void play(const stage *s, unsigned victims, bool newest_first, bool trim)
{
    size_t expected = used_without_plot(s, victims);
    ash_arena arena;
    void *old[OLD];
    ash_mark mark;
    size_t count = set_stage(&arena, s, old, &mark);
    plot = (struct plot){.arena = &arena, .trim = trim};
    for (size_t i = 0; i < count; i++) {
        size_t at = newest_first ? count - 1 - i : i;
        if (victims >> at & 1)
            plot.victims[plot.count++] = old[at];
    }
    ash_arena_rewind(&arena, mark);
    assert_int_equal(plot.count, 0);
    assert_consistent(&arena);
    assert_int_equal(ash_arena_used(&arena), expected);
    for (size_t i = 0; i < count; i++)
        if (victims >> i & 1) {
            assert_int_not_equal(ash_object_inspect(&arena, old[i]), ASH_OBJECT_LIVE);
        } else {
            assert_int_equal(ash_object_inspect(&arena, old[i]), ASH_OBJECT_LIVE);
            assert_int_equal(((unsigned char *)old[i])[s->old[i] - 1], 1);
        }
    char *p = ash_alloc(&arena, 64, 8), *q = ash_object_alloc(&arena, 64, 8);
    assert_true(p && q && ash_arena_owns(&arena, p) && ash_arena_owns(&arena, q));
    memset(p, 2, 64);
    memset(q, 3, 64);
    close_arena(&arena);
}

/* The plot over every set of victims, in both orders. */
static void play_all(stage s, bool trim)
{
    size_t count = 0;
    while (count < OLD && s.old[count])
        count++;
    for (int kind = HEAP; kind < KINDS; kind++)
        for (unsigned victims = 0; victims < 1u << count; victims++)
            for (int order = 0; order < 2; order++) {
                s.kind = kind;
                play(&s, victims, order, trim);
            }
}

static const stage one_block = {.block = 8192, .old = {40, 600, 16, 1000, 8}, .plotters = 2};
static const stage one_block_plain = {
    .block = 8192, .old = {40, 600, 16, 8}, .plain = 100, .after = 200, .plotters = 2};
static const stage next_block = {
    .block = 100000, .old = {50000, 5000, 5000}, .after = 90000, .plotters = 1};
static const stage next_block_plain = {
    .block = 100000, .old = {50000, 5000, 5000}, .plain = 8, .after = 90000, .plotters = 3};
static const stage block_each = {
    .block = 4096, .old = {3000, 3000, 16, 2000, 3000}, .after = 2000, .plotters = 4};
static const stage first_block_only = {.block = 4096, .old = {3000}, .after = 2000, .plotters = 1};

static void test_hostile_destructor_deletes_what_is_older_than_the_mark(void **state)
{
    (void)state;
    play_all(one_block, false);
    play_all(one_block_plain, false);
    play_all(next_block, false);
    play_all(next_block_plain, false);
    play_all(block_each, false);
    play_all(first_block_only, false);
}

static void test_hostile_destructor_trims_in_a_rewind(void **state)
{
    (void)state;
    play_all(one_block, true);
    play_all(one_block_plain, true);
    play_all(next_block, true);
    play_all(next_block_plain, true);
    play_all(block_each, true);
    play_all(first_block_only, true);
}

/* Nothing was allocated before the mark: no block is named by it. */
static void test_hostile_destructor_trims_in_a_reset(void **state)
{
    (void)state;
    for (int kind = HEAP; kind < KINDS; kind++)
        for (int round = 0; round < 3; round++) {
            ash_arena arena;
            open_arena(&arena, kind, 4096);
            plot = (struct plot){.arena = &arena, .trim = true};
            for (int i = 0; i < 12; i++) {
                assert_non_null(ash_new(&arena, plotter));
                assert_non_null(ash_alloc(&arena, 1500, 8));
            }
            if (round == 0)
                ash_arena_reset(&arena);
            else if (round == 1)
                ash_arena_release(&arena);
            assert_true(round == 2 || ash_arena_used(&arena) == 0);
            assert_consistent(&arena);
            memset(make(&arena, false, 3000), 1, 3000);
            close_arena(&arena);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hostile_delete_of_a_buffers_end_is_reported),
        cmocka_unit_test(test_hostile_delete_of_a_heap_blocks_end_is_reported),
        cmocka_unit_test(test_hostile_delete_of_a_custom_blocks_end_is_reported),
        cmocka_unit_test(test_hostile_delete_behind_each_object_is_reported),
        cmocka_unit_test(test_hostile_stale_mark_inside_a_later_object),
        cmocka_unit_test(test_hostile_stale_mark_at_the_edges_of_a_later_object),
        cmocka_unit_test(test_hostile_mark_of_another_arena_is_reported),
        cmocka_unit_test(test_hostile_own_mark_of_an_empty_arena_stays_good),
        cmocka_unit_test(test_hostile_destructor_deletes_what_is_older_than_the_mark),
        cmocka_unit_test(test_hostile_destructor_trims_in_a_rewind),
        cmocka_unit_test(test_hostile_destructor_trims_in_a_reset),
    };
    return test_main(tests);
}
