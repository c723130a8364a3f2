/*
 * kinds.h - one arena of every kind, for tests that are to hold on all of them. Static, as happened.h is.
 */
#ifndef ASHLAR_TESTS_KINDS_H
#define ASHLAR_TESTS_KINDS_H

#include "happened.h"

static union {
    char bytes[256 * 1024];
    long double align;
} buffer;
static ash_arena below;
static test_upstream up;

typedef struct kind {
    const char *name;
    ash_arena_config config;
} kind;

static const kind kinds[] = {
    {"heap", {0}},
    {"tiny blocks", {.block_size = 256, .block_max = 256}},
    {"growing blocks", {.block_size = 300}},
    {"buffer", {.buffer = buffer.bytes, .buffer_size = sizeof buffer}},
    {"buffer at odd addresses", {.buffer = buffer.bytes + 3, .buffer_size = sizeof buffer - 9}},
    {"small buffer", {.buffer = buffer.bytes, .buffer_size = 500, .block_size = 200}},
    {"reserved", {.reserve = 1 << 20}},
    {"limited", {.block_size = 1024, .limit = 1 << 20}},
};

/* An arena of each kind over an upstream that watches, then each over another arena. */
static void on_each(void (*body)(ash_arena *arena))
{
    for (size_t i = 0; i < 2 * countof(kinds); i++) {
        ash_arena arena;
        ash_arena_config config = kinds[i % countof(kinds)].config;
        test_upstream_init(&up);
        ash_arena_init(&below, &(ash_arena_config){.upstream = &up.resource});
        bool nested = i >= countof(kinds);
        config.upstream = nested ? ash_arena_resource(&below) : &up.resource;
        config.name = kinds[i % countof(kinds)].name;
        assert_true(ash_arena_init(&arena, &config));
        forget(&arena);
        body(&arena);
        assert_int_equal(happened.wrong, 0);
        assert_consistent(&arena);
        ash_arena_deinit(&arena);
        ash_arena_deinit(&below);
        test_upstream_done(&up);
    }
}

/* Plain memory and objects of all sorts; ids from `first`, four of them. */
ASH_UNUSED static void make_some(ash_arena *arena, unsigned first)
{
    static unsigned ids[IDS];
    char *plain = ash_alloc(arena, 33, 1);
    node_new(arena, first);
    ids[first + 1] = first + 1;
    assert_true(ash_defer(arena, on_defer, &ids[first + 1]));
    void *untyped = ash_object_alloc(arena, 40, 16);
    node *array = ash_new_array(arena, node, 2);
    assert_true(plain && untyped && array);
    array[0].id = first + 2;
    array[1].id = first + 3;
    memset(plain, 1, 33);
    memset(untyped, 2, 40);
    assert_consistent(arena);
}

#endif
