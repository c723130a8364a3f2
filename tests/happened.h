/*
 * happened.h - destructors that tell what they did: nodes with an id, a log, and something to do when one
 * dies. For one test program each; it is all static.
 */
#ifndef ASHLAR_TESTS_HAPPENED_H
#define ASHLAR_TESTS_HAPPENED_H

#include "support.h"

#include <string.h>

/* What happened, in order; and what a node of each id does when it dies. */
enum { IDS = 2048 };

static struct {
    ash_arena *arena;
    unsigned log[IDS * 4];
    size_t logged;
    void (*action[IDS])(unsigned id, void *self);
    void *where[IDS];
    unsigned wrong; /* found inside a destructor, which must not leave by an assertion's jump */
} happened;

static void expect(bool is_so)
{
    happened.wrong += !is_so;
}

static void forget(ash_arena *arena)
{
    memset(&happened, 0, sizeof happened);
    happened.arena = arena;
}

static void note(unsigned id, void *self)
{
    if (happened.logged < countof(happened.log))
        happened.log[happened.logged] = id;
    happened.logged++;
    if (happened.action[id])
        happened.action[id](id, self);
}

typedef struct node {
    unsigned id;
    unsigned char pattern[28];
} node;

static void node_destroy(void *self)
{
    node *n = self;
    if (n->id < IDS)
        note(n->id, self);
    else
        expect(false);
}
ASH_TYPE(node, .destroy = node_destroy);

static node *node_new(ash_arena *arena, unsigned id)
{
    node *n = ash_new(arena, node);
    assert_non_null(n);
    n->id = id;
    happened.where[id] = n;
    return n;
}

static void on_defer(void *arg)
{
    note(*(unsigned *)arg, arg);
}

static void assert_log(const unsigned *ids, size_t count)
{
    assert_int_equal(happened.wrong, 0);
    assert_int_equal(happened.logged, count);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(happened.log[i], ids[i]);
}

#define assert_happened(...) \
    do { \
        const unsigned ids_[] = {__VA_ARGS__}; \
        assert_log(ids_, countof(ids_)); \
        happened.logged = 0; \
    } while (0)

/* The five ways in which all objects of an arena die. */
enum { BY_REWIND, BY_RESET, BY_RELEASE, BY_DEINIT, BY_DELETE, ENDS };

ASH_UNUSED static void end_by(ash_arena *arena, int way, ash_mark empty, void *object)
{
    switch (way) {
    case BY_REWIND:
        ash_arena_rewind(arena, empty);
        break;
    case BY_RESET:
        ash_arena_reset(arena);
        break;
    case BY_RELEASE:
        ash_arena_release(arena);
        break;
    case BY_DEINIT:
        ash_arena_deinit(arena);
        break;
    default:
        ash_delete(arena, object);
    }
}

#endif
