/*
 * places.h - the pairs of resources that models of containers run over. Static, as happened.h is.
 */
#ifndef ASHLAR_TESTS_PLACES_H
#define ASHLAR_TESTS_PLACES_H

#include "support.h"

static struct {
    ash_resource *resources[2];
    ash_arena *interfered; /* others allocate on it meanwhile; or NULL */
    bool may_refuse;
} places;

static ash_arena arenas[2];
static test_upstream ups[2];
static char buffer[6000];

static void over_upstreams(void)
{
    for (int i = 0; i < 2; i++) {
        test_upstream_init(&ups[i]);
        places.resources[i] = &ups[i].resource;
    }
}

static void upstreams_done(void)
{
    test_upstream_done(&ups[0]);
    test_upstream_done(&ups[1]);
}

static void over_arenas(void)
{
    for (int i = 0; i < 2; i++) {
        test_arena_over(&arenas[i], &ups[i], 4096);
        places.resources[i] = ash_arena_resource(&arenas[i]);
    }
}

static void arenas_done(void)
{
    test_arena_done(&arenas[0], &ups[0]);
    test_arena_done(&arenas[1], &ups[1]);
}

static void interfered_arena(void)
{
    over_arenas();
    places.resources[1] = places.resources[0];
    places.interfered = &arenas[0];
}

static void over_pages(void)
{
    places.resources[0] = ash_heap();
    places.resources[1] = ash_pages();
}

static void nothing(void) {}

static void over_a_buffer(void)
{
    ash_arena_init_fixed(&arenas[0], buffer, sizeof buffer);
    test_upstream_init(&ups[0]);
    places.resources[0] = &ups[0].resource;
    places.resources[1] = ash_arena_resource(&arenas[0]);
    places.may_refuse = true;
}

static void buffer_done(void)
{
    assert_consistent(&arenas[0]);
    ash_arena_deinit(&arenas[0]);
    test_upstream_done(&ups[0]);
}

typedef struct place {
    void (*before)(void), (*after)(void);
} place;

static const place two_upstreams = {over_upstreams, upstreams_done};
static const place two_arenas = {over_arenas, arenas_done};
static const place one_interfered = {interfered_arena, arenas_done};
static const place heap_and_pages = {over_pages, nothing};
static const place upstream_and_buffer = {over_a_buffer, buffer_done};

static void enter(const place *place)
{
    places.interfered = NULL;
    places.may_refuse = false;
    place->before();
}

#endif
