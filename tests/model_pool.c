/*
 * Random programs on a pool, on pools and on sync pools, held against a naive model: a list of what was
 * handed out, with its address, size and bytes. Nothing may overlap, be misaligned, or change.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "support.h"

#include <string.h>

enum { STEPS = 24000, THINGS = 400, PROGRAM = 3000 };

typedef enum kind { ONE_SIZE, CLASSES, SHARED, KINDS } kind;

typedef struct thing {
    char *p; /* NULL: not in use */
    size_t size, align;
    unsigned seed;
} thing;

typedef struct model {
    kind kind;
    size_t cell, cell_align; /* of ONE_SIZE */
    ash_pool pool;
    ash_pools pools;
    ash_sync_pools sync;
    ash_resource *resource;
    test_upstream up;
    test_rng rng;
    thing things[THINGS];
    size_t step;
    unsigned seeds;
} model;

static model m;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            print_error("%s:%d: %s\n  kind %d, step %zu, ASH_TEST_SEED=%llu\n", __FILE__, \
                        __LINE__, #condition, (int)m.kind, m.step, \
                        (unsigned long long)test_seed()); \
            fail(); \
        } \
    } while (0)

static size_t below(size_t bound)
{
    return test_rng_below(&m.rng, bound);
}

static void choose_request(size_t *size, size_t *align)
{
    *align = (size_t)1 << below(below(8) ? 5 : 14);
    switch (below(6)) {
    case 0:
        *size = below(100000);
        break;
    case 1:
        *size = ((size_t)16 << below(13)) + below(3) - 1; /* at an edge */
        break;
    default:
        *size = below(700);
    }
    if (m.kind == ONE_SIZE) {
        *size = below(m.cell + 1);
        *align = (size_t)1 << below(ash_pool_count(&m.pool) % 2 ? 1 : 20);
        if (*align > m.cell_align)
            *align = m.cell_align;
    }
}

static bool overlaps(const thing *t)
{
    for (size_t i = 0; i < THINGS; i++) {
        const thing *other = &m.things[i];
        if (other != t && other->p && t->p < other->p + other->size && other->p < t->p + t->size)
            return true;
    }
    return false;
}

static void make(thing *t)
{
    choose_request(&t->size, &t->align);
    t->p = ash_resource_alloc(m.resource, t->size, t->align);
    CHECK(t->p);
    t->size += !t->size;
    CHECK((uintptr_t)t->p % t->align == 0);
    CHECK(!overlaps(t));
    t->seed = m.seeds++;
    fill_pattern(t->p, t->size, t->seed);
}

static void drop(thing *t)
{
    CHECK(is_pattern(t->p, t->size, t->seed));
    ash_resource_free(m.resource, t->p, t->size, t->align);
    t->p = NULL;
}

static void change_size(thing *t)
{
    size_t size, align;
    choose_request(&size, &align);
    size += !size;
    size_t both = size < t->size ? size : t->size;
    if (below(2)) {
        if (!ash_resource_resize(m.resource, t->p, t->size, size, t->align))
            return;
    } else {
        char *p = ash_resource_realloc(m.resource, t->p, t->size, size, t->align);
        CHECK(p);
        t->p = p;
    }
    CHECK(is_pattern(t->p, both, t->seed));
    t->size = size;
    CHECK(!overlaps(t));
    fill_pattern(t->p, t->size, t->seed);
}

static size_t things_alive(void)
{
    size_t count = 0;
    for (size_t i = 0; i < THINGS; i++)
        count += m.things[i].p != NULL;
    return count;
}

static void check_all(void)
{
    for (size_t i = 0; i < THINGS; i++)
        if (m.things[i].p)
            CHECK(is_pattern(m.things[i].p, m.things[i].size, m.things[i].seed));
    if (m.kind == ONE_SIZE) {
        CHECK(ash_pool_check(&m.pool));
        CHECK(ash_pool_count(&m.pool) == things_alive());
        CHECK(ash_pool_capacity(&m.pool) == m.up.bytes);
    }
    CHECK(m.kind != CLASSES || ash_pools_check(&m.pools));
    CHECK(m.kind != SHARED || ash_sync_pools_check(&m.sync));
}

/* All at once. What was passed through to upstream is its user's to free. */
static void drop_all(bool keep)
{
    for (size_t i = 0; i < THINGS; i++)
        if (m.things[i].p && (m.kind == SHARED || below(2) || m.things[i].align > ASH_POOLS_ALIGN ||
                              m.things[i].size > ASH_POOLS_LARGEST - 64))
            drop(&m.things[i]);
        else
            m.things[i].p = NULL;
    if (m.kind == ONE_SIZE)
        (keep ? ash_pool_reset : ash_pool_release)(&m.pool);
    else if (m.kind == CLASSES)
        (keep ? ash_pools_reset : ash_pools_release)(&m.pools);
    else if (!keep)
        ash_sync_pools_release(&m.sync);
    if (!keep)
        CHECK(m.up.blocks == (m.kind == SHARED));
}

static void step(void)
{
    thing *t = &m.things[below(THINGS)];
    size_t dice = below(1000);
    if (dice < 2)
        drop_all(dice);
    else if (dice < 22)
        check_all();
    else if (!t->p)
        make(t);
    else if (dice < 300)
        change_size(t);
    else
        drop(t);
}

static void begin(kind kind)
{
    m.kind = kind;
    test_upstream_init(&m.up);
    memset(m.things, 0, sizeof m.things);
    size_t slab = below(2) ? 0 : below(5000) + 1, most = below(2) ? 0 : slab + below(9000);
    m.cell = below(3) ? below(200) + 1 : below(9000) + 1;
    m.cell_align = (size_t)1 << below(10);
    ash_pool_config one = {.size = m.cell,
                           .align = m.cell_align,
                           .upstream = &m.up.resource,
                           .slab_size = slab,
                           .slab_max = most};
    ash_pools_config many = {.upstream = &m.up.resource, .slab_size = slab, .slab_max = most};
    if (kind == ONE_SIZE) {
        CHECK(ash_pool_init(&m.pool, &one));
        m.resource = ash_pool_resource(&m.pool);
    } else if (kind == CLASSES) {
        CHECK(ash_pools_init(&m.pools, &many));
        m.resource = ash_pools_resource(&m.pools);
    } else {
        CHECK(ash_sync_pools_init(&m.sync, &many));
        m.resource = ash_sync_pools_resource(&m.sync);
    }
}

static void end(void)
{
    check_all();
    drop_all(true);
    check_all();
    if (m.kind == ONE_SIZE)
        ash_pool_deinit(&m.pool);
    else if (m.kind == CLASSES)
        ash_pools_deinit(&m.pools);
    else
        ash_sync_pools_deinit(&m.sync);
    test_upstream_done(&m.up);
}

static void run(kind kind)
{
    size_t steps = test_env("ASH_TEST_STEPS", STEPS);
    test_rng_init(&m.rng, kind);
    for (m.step = 0; m.step < steps; m.step++) {
        if (m.step % PROGRAM == 0)
            begin(kind);
        step();
        if (m.step % PROGRAM == PROGRAM - 1 || m.step == steps - 1)
            end();
    }
}

static void test_model_pool(void **state)
{
    (void)state;
    run(ONE_SIZE);
}

static void test_model_pools(void **state)
{
    (void)state;
    run(CLASSES);
}

static void test_model_sync_pools(void **state)
{
    (void)state;
    run(SHARED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_pool),
        cmocka_unit_test(test_model_pools),
        cmocka_unit_test(test_model_sync_pools),
    };
    return test_main(tests);
}
