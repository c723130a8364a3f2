/*
 * portable.c - the library on any machine: no test framework, nothing but C11 and the public headers.
 *
 * Its checks work under NDEBUG too. It prints how many there were, and exits 1 if one failed.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashlar/ashlar.h"

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1 /* it would poison gigabytes, which takes an eighth of them */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifndef ASAN
#define ASAN 0
#endif

static unsigned long checks, failures;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(bool holds, const char *what, int line)
{
    checks++;
    if (holds)
        return;
    failures++;
    if (failures < 20)
        printf("portable.c:%d: %s\n", line, what);
}

static bool aligned(const void *p, size_t align)
{
    return p && (uintptr_t)p % align == 0;
}

static void fill(void *p, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)p)[i] = (unsigned char)(seed * 31 + i);
}

static bool filled(const void *p, size_t size, unsigned seed)
{
    for (size_t i = 0; i < size; i++)
        if (((const unsigned char *)p)[i] != (unsigned char)(seed * 31 + i))
            return false;
    return true;
}

/* ---- resources ---- */

static void check_resource(ash_resource *resource)
{
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 4)
        for (size_t size = 0; size < 20000; size = size * 3 + 1) {
            char *p = ash_resource_alloc(resource, size, align);
            CHECK(aligned(p, align));
            if (!p)
                continue;
            fill(p, size, 1);
            char *q = ash_resource_realloc(resource, p, size, size * 2 + 1, align);
            CHECK(aligned(q, align) && filled(q, size, 1));
            ash_resource_free(resource, q ? q : p, q ? size * 2 + 1 : size, align);
        }
    CHECK(!ash_resource_alloc(resource, SIZE_MAX, 1));
    CHECK(!ash_resource_alloc(resource, SIZE_MAX - 63, 64));
    CHECK(!ash_resource_alloc(resource, (size_t)PTRDIFF_MAX + 1, 1));
    CHECK(!ash_resource_alloc(resource, 8, 0) && !ash_resource_alloc(resource, 8, 3));
    CHECK(!ash_resource_alloc(resource, 8, ASH_ALIGN_MAX * 2));
    CHECK(strlen(ash_resource_name(resource)) > 0);
}

static void check_resources(void)
{
    check_resource(ash_heap());
    check_resource(ash_pages());
    CHECK(!ash_resource_alloc(ash_null(), 1, 1));
    CHECK(ash_default() == ash_heap());
    CHECK(ash_set_default(ash_pages()) == ash_heap());
    CHECK(ash_set_default(NULL) == ash_pages() && ash_default() == ash_heap());
}

/* ---- wrappers ---- */

static void count_events(const ash_trace_event *event, void *ctx)
{
    char line[200];
    CHECK(ash_trace_format(event, line, sizeof line) == strlen(line));
    (*(unsigned *)ctx)++;
}

static void check_wrappers(void)
{
    unsigned events = 0;
    ash_guarded guarded;
    ash_counting counting;
    ash_budget budget;
    ash_limited limited;
    ash_failing failing;
    ash_traced traced;
    ash_guarded_init(&guarded, NULL);
    ash_counting_init(&counting, ash_guarded_resource(&guarded));
    ash_budget_init(&budget, (size_t)1 << 28);
    ash_limited_init(&limited, ash_counting_resource(&counting), &budget);
    ash_failing_init(&failing, ash_limited_resource(&limited));
    ash_traced_init(&traced, ash_failing_resource(&failing), count_events, &events);
    check_resource(ash_traced_resource(&traced));
    CHECK(events > 0 && ash_counting_counts(&counting).allocs > 0);
    ash_failing_fraction(&failing, 1, 4, 42); /* the same on every machine */
    for (unsigned i = 0; i < 30; i++) {
        void *p = ash_resource_alloc(ash_failing_resource(&failing), 8, 8);
        CHECK((p == NULL) == (0x01184088 >> i & 1));
        ash_resource_free(ash_failing_resource(&failing), p, 8, 8);
    }
    CHECK(ash_counting_live(&counting) == 0 && ash_budget_used(&budget) == 0);
    CHECK(ash_guarded_live(&guarded) == 0 && ash_guarded_held(&guarded) == 0);
    ash_limited_deinit(&limited);
    ash_guarded_deinit(&guarded);
}

/* ---- plain memory ---- */

static void check_sizes(ash_arena *arena)
{
    size_t used = ash_arena_used(arena);
    for (size_t align = 1; align <= ASH_ALIGN_MAX; align *= 2)
        for (size_t k = 0; k <= 64; k++) {
            CHECK(!ash_alloc(arena, SIZE_MAX - k, align));
            CHECK(!ash_alloc(arena, (size_t)PTRDIFF_MAX + 1 + k, align));
            CHECK(!ash_object_alloc(arena, SIZE_MAX - k, align));
        }
    CHECK(!ash_alloc_array(arena, SIZE_MAX / 8 + 2, 8, 8));
    CHECK(!ash_alloc(arena, 8, 0) && !ash_alloc(arena, 8, 12));
    CHECK(!ash_alloc(arena, 8, ASH_ALIGN_MAX * 2));
    CHECK(ash_arena_failed(arena) && ash_arena_used(arena) == used);
    ash_arena_clear_failed(arena);
}

static void check_plain(void)
{
    ash_arena arena;
    CHECK(ash_arena_init(&arena, &(ash_arena_config){.name = "plain", .block_size = 512}));
    for (size_t align = 1; align <= 4096; align *= 2)
        for (size_t size = 0; size < 600; size += 59) {
            char *p = ash_alloc(&arena, size, align), *q = ash_zalloc(&arena, size, align);
            CHECK(aligned(p, align) && aligned(q, align) && p != q);
            for (size_t i = 0; q && i < size; i++)
                CHECK(q[i] == 0);
            if (p)
                fill(p, size, 2);
        }
    check_sizes(&arena);
    CHECK(ash_arena_check(&arena));
    ash_mark mark = ash_arena_mark(&arena);
    size_t used = ash_arena_used(&arena);
    char *grown = ash_alloc(&arena, 10, 8);
    for (size_t size = 10; grown && size < 5000; size *= 2) {
        fill(grown, size, 3);
        grown = ash_realloc(&arena, grown, size, size * 2, 8);
        CHECK(grown && filled(grown, size, 3));
    }
    ash_arena_rewind(&arena, mark);
    CHECK(ash_arena_used(&arena) == used);
    char *text = ash_printf(&arena, "%s %d %lu", "text", INT_MIN, ULONG_MAX), expected[80];
    snprintf(expected, sizeof expected, "%s %d %lu", "text", INT_MIN, ULONG_MAX);
    CHECK(text && strcmp(text, expected) == 0);
    CHECK(strcmp(ash_strndup(&arena, "abcdef", 3), "abc") == 0);
    ash_arena_deinit(&arena);
}

static void check_exact_fit(void)
{
    static char buffer[1024];
    for (size_t offset = 0; offset < 16; offset++) {
        ash_arena arena;
        ash_arena_init_fixed(&arena, buffer + offset, 900);
        size_t room = ash_arena_room(&arena);
        CHECK(!ash_alloc(&arena, room + 1, 1));
        char *p = ash_alloc(&arena, room, 1);
        CHECK(p != NULL);
        if (p)
            memset(p, 1, room);
        CHECK(ash_arena_room(&arena) == 0 && !ash_alloc(&arena, 1, 1));
        ash_arena_deinit(&arena);
    }
}

static void check_reserve(void)
{
    ash_arena arena;
    if (!ash_arena_init(&arena, &(ash_arena_config){.upstream = ash_null(), .reserve = 1 << 22}))
        return; /* there may be no such system */
    size_t served = 0;
    for (char *p; (p = ash_alloc(&arena, 1000, 16)) != NULL; served++) {
        CHECK(aligned(p, 16));
        memset(p, 1, 1000);
    }
    CHECK(served > 4000);
    ash_arena_release(&arena);
    CHECK(ash_object_alloc(&arena, 100, 8) != NULL && ash_arena_check(&arena));
    ash_arena_deinit(&arena);
}

/* There are vsnprintfs that refuse a size over INT_MAX. */
static void check_vast_gap(void)
{
#if SIZE_MAX > 0xffffffff && !ASAN
    size_t gib = (size_t)1 << 30;
    ash_arena arena;
    if (!ash_arena_init(&arena, &(ash_arena_config){.reserve = 5 * gib}))
        return;
    if (ash_alloc(&arena, 3 * gib, 1)) { /* committed, and never touched */
        ash_arena_reset(&arena);
        char *text = ash_printf(&arena, "%s %d", "number", 5);
        CHECK(text && !strcmp(text, "number 5") && ash_arena_used(&arena) == 9);
    }
    ash_arena_deinit(&arena);
#endif
}

/* ---- objects ---- */

static unsigned order[4096];
static size_t deaths;

typedef struct node {
    unsigned id;
    void *pointer;
    double number;
} node;

static void node_destroy(void *self)
{
    if (deaths < 4096)
        order[deaths] = ((node *)self)->id;
    deaths++;
    errno = EDOM;
}
ASH_TYPE(node, .destroy = node_destroy);

typedef struct wide {
    _Alignas(64) char c[65];
} wide;
ASH_TYPE(wide, .destroy = NULL);

static void check_order(void)
{
    ash_arena arena;
    CHECK(ash_arena_init(&arena, &(ash_arena_config){.block_size = 1024}));
    for (unsigned i = 0; i < 300; i++) {
        node *n = ash_new(&arena, node);
        wide *w = ash_new(&arena, wide);
        CHECK(aligned(n, ASH_ALIGNOF(node)) && aligned(w, 64));
        CHECK(n && n->id == 0 && n->pointer == NULL && n->number == 0);
        if (n)
            n->id = i;
    }
    node *array = ash_new_array(&arena, node, 5);
    for (unsigned i = 0; array && i < 5; i++)
        array[i].id = 300 + i;
    CHECK(ash_object_count(&arena, array) == 5);
    CHECK(ash_object_type(&arena, array) == ash_type_of(node));
    CHECK(ash_arena_check(&arena));
    deaths = 0;
    errno = 0;
    ash_arena_reset(&arena);
    CHECK(errno == 0 && deaths == 305 && ash_arena_used(&arena) == 0);
    for (unsigned i = 0; i < 305; i++)
        CHECK(order[i] == 304 - i);
    ash_arena_deinit(&arena);
}

static unsigned long random_state = 12345;

static size_t random_below(size_t bound)
{
    random_state = (random_state * 1103515245ul + 12345ul) & 0x7ffffffful;
    return (size_t)(random_state >> 8) % bound;
}

enum { MANY = 2000 };

/* Made and deleted at random, sizes around granules, words and regions of the map. */
static void check_deletes(ash_arena *arena)
{
    static void *p[MANY];
    static size_t size[MANY];
    memset(p, 0, sizeof p);
    for (unsigned step = 0; step < 20000; step++) {
        size_t i = random_below(MANY);
        if (p[i]) {
            CHECK(ash_object_inspect(arena, p[i]) == ASH_OBJECT_LIVE);
            CHECK(filled(p[i], size[i], (unsigned)i));
            ash_delete(arena, p[i]);
            CHECK(ash_object_inspect(arena, p[i]) != ASH_OBJECT_LIVE);
            p[i] = NULL;
            continue;
        }
        size[i] = random_below(step % 50 ? 40 : 1500) + 1;
        p[i] = ash_object_alloc(arena, size[i], (size_t)1 << random_below(7));
        if (p[i])
            fill(p[i], size[i], (unsigned)i);
        else
            ash_arena_reset(arena), memset(p, 0, sizeof p);
        if (step % 1000 == 0)
            CHECK(ash_arena_check(arena));
    }
    for (size_t i = 0; i < MANY; i++)
        ash_delete(arena, p[i]);
    CHECK(ash_arena_used(arena) == 0);
}

static void check_objects(void)
{
    static char buffer[100000];
    ash_arena arena;
    CHECK(ash_arena_init(&arena, &(ash_arena_config){.block_size = 2048}));
    check_deletes(&arena);
    ash_arena_deinit(&arena);
    ash_arena_init_fixed(&arena, buffer + 1, sizeof buffer - 1);
    check_deletes(&arena);
    ash_arena_deinit(&arena);
}

static void check_inspect(void)
{
    ash_arena arena, other;
    CHECK(ash_arena_init(&arena, NULL) && ash_arena_init(&other, NULL));
    node *one = ash_new(&arena, node), *array = ash_new_array(&arena, node, 3);
    node *theirs = ash_new(&other, node);
    char *plain = ash_alloc(&arena, 64, 8);
    CHECK(ash_object_inspect(&arena, one) == ASH_OBJECT_LIVE);
    CHECK(ash_object_inspect(&arena, &array[1]) == ASH_OBJECT_FOREIGN);
    CHECK(ash_object_inspect(&arena, plain) == ASH_OBJECT_FOREIGN);
    CHECK(ash_object_inspect(&arena, theirs) == ASH_OBJECT_FOREIGN);
    CHECK(ash_object_inspect(&arena, NULL) == ASH_OBJECT_FOREIGN);
    CHECK(ash_object_inspect(&arena, (void *)UINTPTR_MAX) == ASH_OBJECT_FOREIGN);
    CHECK(ash_object_inspect(&arena, &arena) == ASH_OBJECT_FOREIGN);
    ash_delete(&arena, one);
    CHECK(ash_object_inspect(&arena, one) == ASH_OBJECT_DEAD);
    CHECK(ash_object_is_top(&arena, array));
    ash_arena_deinit(&arena);
    ash_arena_deinit(&other);
}

static void on_defer(void *arg)
{
    order[deaths++] = *(unsigned *)arg;
}

static void check_defer(void)
{
    static unsigned ids[] = {500, 501};
    ash_arena arena;
    CHECK(ash_arena_init(&arena, NULL));
    deaths = 0;
    CHECK(ash_defer(&arena, on_defer, &ids[0]));
    node *n = ash_new(&arena, node);
    if (n)
        n->id = 1;
    CHECK(ash_defer(&arena, on_defer, &ids[1]));
    ash_arena_deinit(&arena);
    CHECK(deaths == 3 && order[0] == 501 && order[1] == 1 && order[2] == 500);
}

/* The word in front of an object is the library's, which an address sanitizer knows. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((no_sanitize("address"), noinline))
#endif
static void
flip(unsigned char *word, unsigned bit)
{
    word[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

/* Each bit in front of an object: 32 or 64 of them are sealed on any machine, and a few in 65536
 * forgeries pass. */
static void check_seal(void)
{
    ash_arena arena;
    unsigned found = 0;
    static _Alignas(16) char buffer[1024];
    CHECK(ash_arena_init(&arena, &(ash_arena_config){.buffer = buffer, .buffer_size = 1024}));
    node *one = ash_new(&arena, node);
    for (unsigned bit = 0; one && bit < 64; bit++) {
        flip((unsigned char *)one - 8, bit);
        found += ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT;
        flip((unsigned char *)one - 8, bit);
    }
    CHECK(found >= 63);
    CHECK(ash_object_inspect(&arena, one) == ASH_OBJECT_LIVE);
    ash_arena_deinit(&arena);
}

/* ---- the walk ---- */

typedef struct tiles {
    const char *at, *end;
    size_t used, objects;
    bool broken;
} tiles;

static bool tile(const ash_walk_item *item, void *ctx)
{
    tiles *t = ctx;
    if (item->kind == ASH_WALK_BLOCK) {
        t->broken |= t->at != t->end;
        t->at = item->start;
        t->end = t->at + item->size;
        return true;
    }
    t->broken |= (const char *)item->start != t->at;
    t->at += item->size;
    t->objects += item->kind == ASH_WALK_OBJECT;
    t->used += item->kind == ASH_WALK_FREE || item->kind == ASH_WALK_MAP ? 0 : item->size;
    return true;
}

static void check_walk(void)
{
    ash_arena arena;
    CHECK(ash_arena_init(&arena, &(ash_arena_config){.block_size = 600}));
    for (size_t i = 0; i < 100; i++) {
        void *p = i % 2 ? ash_alloc(&arena, i * 3, 4) : ash_object_alloc(&arena, i * 5, 8);
        node *n = i % 3 ? ash_new(&arena, node) : ash_new_array(&arena, node, 2);
        CHECK(p && n);
    }
    tiles t = {0};
    CHECK(ash_arena_walk(&arena, tile, &t));
    CHECK(!t.broken && t.at == t.end);
    CHECK(t.objects == 150 && t.used == ash_arena_used(&arena));
    ash_arena_deinit(&arena);
}

/* ---- pools ---- */

static void check_served(ash_resource *resource, size_t most)
{
    char *p[64];
    for (size_t i = 0; i < 64; i++) {
        p[i] = ash_resource_alloc(resource, i % most + 1, 8);
        CHECK(aligned(p[i], 8));
        if (p[i])
            fill(p[i], i % most + 1, (unsigned)i);
    }
    for (size_t i = 0; i < 64; i++) {
        CHECK(p[i] && filled(p[i], i % most + 1, (unsigned)i));
        CHECK(ash_resource_owns(resource, p[i]));
        ash_resource_free(resource, p[i], i % most + 1, 8);
    }
}

/* Over an arena in a buffer: where there is no system there is no other memory. */
static void check_pools(void)
{
    static char buffer[512 * 1024];
    static ash_pools pools;
    static ash_sync_pools shared;
    ash_arena arena;
    ash_pool pool;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    ash_pool_config one = {.size = 40, .align = 8, .upstream = ash_arena_resource(&arena)};
    ash_pools_config many = {.upstream = ash_arena_resource(&arena), .slab_size = 4096};
    CHECK(ash_pool_init(&pool, &one) && ash_pools_init(&pools, &many));
    CHECK(ash_sync_pools_init(&shared, &many));
    for (int round = 0; round < 3; round++) {
        check_served(ash_pool_resource(&pool), 40);
        check_served(ash_pools_resource(&pools), 60);
        check_served(ash_sync_pools_resource(&shared), 60);
        CHECK(ash_pool_check(&pool) && ash_pools_check(&pools) && ash_sync_pools_check(&shared));
        CHECK(ash_pool_used(&pool) == 0 && ash_pools_used(&pools) == 0);
    }
    ash_sync_pools_deinit(&shared);
    ash_pools_deinit(&pools);
    ash_pool_deinit(&pool);
    CHECK(!ash_arena_failed(&arena));
}

static void check_zeroed(void)
{
    ash_arena arena = {0};
    CHECK(!ash_alloc(&arena, 1, 1) && !ash_object_alloc(&arena, 1, 8));
    CHECK(ash_arena_room(&arena) == 0 && ash_arena_check(&arena));
    ash_arena_reset(&arena);
    ash_arena_deinit(&arena);
}

/* ---- scopes ---- */

static void make_node(ash_arena *arena, unsigned id)
{
    node *n = ash_new(arena, node);
    CHECK(n != NULL);
    if (n)
        n->id = id;
}

/* So many died since the last question, the newest first. */
static bool died(unsigned newest, unsigned count)
{
    bool so = deaths == count;
    for (unsigned i = 0; so && i < count; i++)
        so = order[i] == newest - i;
    deaths = 0;
    return so;
}

static void check_scopes(void)
{
    ash_arena arena;
    CHECK(ash_arena_init(&arena, &(ash_arena_config){.block_size = 512}));
    make_node(&arena, 1);
    char *text = ash_strdup(&arena, "older");
    size_t used = ash_arena_used(&arena);
    deaths = 0;
    for (int i = 0; i < 3; i++) {
        ash_scope outer = ash_scope_begin(&arena);
        for (unsigned id = 2; id < 60; id++)
            make_node(&arena, id);
        ash_scope inner = ash_scope_begin(&arena);
        CHECK(ash_scope_is_open(&outer) && ash_scope_is_open(&inner));
        CHECK(ash_resource_epoch(ash_arena_resource(&arena)) != 0);
        CHECK(text && !ash_extend(&arena, text, 6, 7));
        make_node(&arena, 60);
        if (i == 1)
            ash_scope_end(&inner);
        CHECK(ash_arena_check(&arena) && died(60, i == 1));
        ash_scope_end(&outer);
        CHECK(!ash_scope_is_open(&outer) && !ash_scope_is_open(&inner));
        CHECK(died(i == 1 ? 59 : 60, i == 1 ? 58 : 59));
        CHECK(ash_arena_used(&arena) == used && ash_arena_check(&arena));
    }
    CHECK(text && strcmp(text, "older") == 0);
    ash_arena_deinit(&arena);
    CHECK(died(1, 1));
}

static void check_scratch(void)
{
    ash_arena *first = ash_scratch(NULL, 0);
    const ash_arena *mine[] = {NULL, first};
    ash_arena *second = ash_scratch(mine, 2);
    CHECK(first && second && first != second && ash_scratch(mine, 1) == first);
    if (first)
        make_node(first, 1);
    ash_scratch_release();
    CHECK(died(1, 1));
}

#if ASH_HAS_AUTO
typedef struct guard {
    unsigned id; /* 0: none */
} guard;

static void guard_end(guard *g)
{
    if (g->id && deaths < 4096)
        order[deaths++] = g->id;
}
ASH_AUTO_DEFINE(guard, guard_end)

/* One and two end whichever way they are left, two first; what is returned is computed before. */
static unsigned leave(int way)
{
    unsigned rounds = 0;
    for (;;) {
        ash_auto(guard) one = {1};
        if (rounds++)
            return 100 + deaths;
        ash_auto(guard) two = {2};
        switch (way) {
        case 0:
            return 10 * two.id + one.id + deaths;
        case 1:
            continue;
        case 2:
            goto out;
        case 3:
            goto again;
        default:
            break;
        }
        if (way == 4)
            break;
        two.id = 2; /* falls out of the block */
    again:
        if (way == 3 && rounds == 1)
            continue;
    }
out:
    return 50 + deaths;
}

static unsigned fall_out(void)
{
    {
        ash_auto(guard) one = {1};
        ash_auto(guard) two = {2};
        order[0] = one.id + two.id;
    }
    return deaths;
}

static unsigned go_back(void)
{
    unsigned round = 0;
again:
    round++;
    ash_auto(guard) each = {4 - round};
    if (round < 3)
        goto again;
    return each.id + deaths;
}

static void in_frame(size_t size)
{
    ASH_LOCAL_ARENA(local, 256);
    char *p = ash_alloc(&local, size, 1);
    CHECK(p != NULL);
    if (p)
        memset(p, 1, size);
    make_node(&local, 1);
}

static void check_auto(void)
{
    deaths = 0;
    CHECK(fall_out() == 2 && died(2, 2));
    CHECK(leave(0) == 21 && died(2, 2));
    for (int way = 1; way < 6; way++) {
        bool twice = way != 2 && way != 4;
        CHECK(leave(way) == (twice ? 102u : 52u));
        CHECK(deaths == 2u + twice && order[0] == 2 && order[1] == 1);
        deaths = 0;
    }
    CHECK(go_back() == 3 && died(3, 3));
    in_frame(10);
    in_frame(10000);
    CHECK(deaths == 2);
}
#endif

int main(void)
{
    check_resources();
    check_wrappers();
    check_plain();
    check_exact_fit();
    check_reserve();
    check_vast_gap();
    check_order();
    check_objects();
    check_inspect();
    check_defer();
    check_seal();
    check_walk();
    check_pools();
    check_zeroed();
    check_scopes();
    check_scratch();
#if ASH_HAS_AUTO
    check_auto();
#else
    printf("there is no ash_auto here\n");
#endif
    printf("portable: %lu checks", checks);
    printf(failures ? ", %lu failures\n" : "\n", failures);
    return failures != 0;
}
