/*
 * Out of memory at every call: for n = 1, 2, ... the n-th call of upstream is refused, until a run makes
 * fewer. And for good from the n-th on: what was refused must be without effect, what there is stays usable.
 */
#include "support.h"

enum { STEPS = 120 };

typedef struct run {
    ash_pool pool;
    ash_pools pools;
    ash_sync_pools sync;
    ash_resource *resources[3];
    test_upstream up;
    char *things[3][STEPS];
    size_t served, refused;
} run;

static run r;

static size_t size_of(size_t which, size_t i)
{
    return which == 0 ? 48 : i * 331 % 40000 + 1;
}

static bool begin(size_t fail_at)
{
    r = (run){.served = 0};
    test_upstream_init(&r.up);
    r.up.fail_at = fail_at;
    ash_pool_config one = {.size = 48, .upstream = &r.up.resource, .slab_size = 300};
    ash_pools_config many = {.upstream = &r.up.resource, .slab_size = 300, .slab_max = 3000};
    assert_true(ash_pool_init(&r.pool, &one));
    assert_true(ash_pools_init(&r.pools, &many));
    bool shared = ash_sync_pools_init(&r.sync, &many);
    assert_int_equal(shared, fail_at != 1);
    r.resources[0] = ash_pool_resource(&r.pool);
    r.resources[1] = ash_pools_resource(&r.pools);
    r.resources[2] = ash_sync_pools_resource(&r.sync);
    return shared;
}

static void check(void)
{
    assert_true(ash_pool_check(&r.pool));
    assert_true(ash_pools_check(&r.pools));
    assert_true(ash_sync_pools_check(&r.sync));
}

static void make(size_t which, size_t i)
{
    size_t size = size_of(which, i), blocks = r.up.blocks, bytes = r.up.bytes;
    char *p = ash_resource_alloc(r.resources[which], size, 16);
    if (p) {
        assert_aligned(p, 16);
        fill_pattern(p, size, (unsigned)i);
        r.served++;
    } else {
        if (which != 2) /* a thread's cache may have come, and stays */
            assert_int_equal(r.up.blocks, blocks);
        assert_true(r.up.bytes <= bytes + (which == 2 ? 4096 : 0));
        r.refused++;
    }
    r.things[which][i] = p;
    if (i % 8 == 0 || !p)
        check();
}

static void drop(size_t which, size_t i)
{
    char *p = r.things[which][i];
    if (!p)
        return;
    assert_true(is_pattern(p, size_of(which, i), (unsigned)i));
    ash_resource_free(r.resources[which], p, size_of(which, i), 16);
    r.things[which][i] = NULL;
}

static void end(void)
{
    for (size_t which = 0; which < 3; which++)
        for (size_t i = 0; i < STEPS; i++)
            drop(which, i);
    check();
    assert_int_equal(ash_pool_count(&r.pool), 0);
    ash_pool_deinit(&r.pool);
    ash_pools_deinit(&r.pools);
    ash_sync_pools_deinit(&r.sync);
    test_upstream_done(&r.up);
}

static void make_and_drop_some(void)
{
    for (size_t i = 0; i < STEPS; i++)
        for (size_t which = 0; which < 3; which++) {
            make(which, i);
            if (i % 3 == 2)
                drop(which, i - 1);
        }
}

static void test_oom_the_nth_call(void **state)
{
    (void)state;
    size_t n = 1, felt = 0;
    for (size_t calls = 1; calls >= n; n++) {
        if (!begin(n)) {
            assert_null(ash_resource_alloc(r.resources[2], 10, 8));
            r.up.fail_at = 0;
        }
        make_and_drop_some();
        felt += r.refused != 0;
        calls = r.up.calls;
        end();
    }
    assert_true(n > 100);
    assert_true(felt > n / 4); /* others are asked for once more, in a smaller size */
}

static void test_oom_for_good(void **state)
{
    (void)state;
    for (size_t from = 2; from < 60; from += 3) {
        (void)begin(0);
        for (size_t i = 0; i < STEPS; i++)
            for (size_t which = 0; which < 3; which++) {
                r.up.refuse = r.up.calls + 1 >= from;
                make(which, i);
            }
        assert_true(r.refused > 0);
        size_t last[3] = {STEPS, STEPS, STEPS};
        for (size_t which = 0; which < 3; which++) /* a cell that comes back can be had again */
            for (size_t i = 0; i < STEPS && last[which] == STEPS; i++)
                if (r.things[which][i] && size_of(which, i) < 30000) {
                    drop(which, i);
                    make(which, i);
                    assert_non_null(r.things[which][i]);
                    last[which] = i;
                }
        r.up.refuse = false;
        end();
    }
}

/* A thread that gets no cache of its own takes single cells. */
static void test_oom_without_a_cache(void **state)
{
    (void)state;
    (void)begin(0);
    size_t served = 0;
    char *cells[300];
    for (size_t i = 0; i < countof(cells); i++) {
        r.up.size_most = 1500; /* slabs are smaller than that, caches are not */
        cells[i] = ash_resource_alloc(r.resources[2], 40, 8);
        assert_non_null(cells[i]);
        fill_pattern(cells[i], 40, (unsigned)i);
        served++;
        if (i % 7 == 0)
            assert_true(ash_sync_pools_check(&r.sync));
    }
    r.up.size_most = 1500;
    for (size_t i = 0; i < countof(cells); i++) {
        assert_true(is_pattern(cells[i], 40, (unsigned)i));
        if (i == 150)
            r.up.size_most = 0; /* from here on with one */
        ash_resource_free(r.resources[2], cells[i], 40, 8);
        assert_true(ash_sync_pools_check(&r.sync));
    }
    assert_int_equal(served, countof(cells));
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom_the_nth_call),
        cmocka_unit_test(test_oom_for_good),
        cmocka_unit_test(test_oom_without_a_cache),
    };
    return test_main(tests);
}
