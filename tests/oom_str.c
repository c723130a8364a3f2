/*
 * Out of memory at every call: for n = 1, 2, ... the n-th call of upstream is refused, until a run makes fewer
 * calls than that. A step that is refused must leave the bytes as they were, be noted, and succeed when it is
 * tried again.
 */
#include "support.h"

#include <string.h>

enum { STEPS = 90 };

static bool step(ash_str *s, ash_str *other, size_t i)
{
    ash_view parts[] = {ash_view_slice(ash_str_view(s), 0, 20), ASH_VIEW("part")};
    switch (i % 9) {
    case 0:
        return ash_str_puts(s, "some text that is not short");
    case 1:
        return ash_str_printf(s, "%0*zu", (int)i * 3, i);
    case 2:
        return ash_str_append(s, s->data, s->size / 2);
    case 3:
        return ash_str_insert(s, s->size / 3, s->data + 1, s->size / 3);
    case 4:
        return ash_str_join(s, parts, 2, ASH_VIEW(", "));
    case 5:
        return s->size > 1000 ? ash_str_remove(s, 0, s->size / 2)
                              : ash_str_replace(s, ASH_VIEW("t"), ASH_VIEW("[t]"));
    case 6:
        return ash_str_swap(s, other);
    case 7:
        return ash_str_copy(s, other) && ash_str_putc(s, '!');
    default:
        return ash_str_shrink(s) && ash_str_reserve(s, s->size + 100);
    }
}

static bool is_whole(size_t i)
{
    return i % 9 < 7;
}

static char *keep(ash_str *s)
{
    size_t size = s->size;
    char *bytes = ash_str_release(s, NULL);
    if (!bytes)
        assert_int_equal(s->size, size);
    else
        assert_int_equal(strlen(bytes), size);
    return bytes;
}

static void run(test_upstream *up, test_upstream *far, size_t *refusals)
{
    char before[20000];
    ash_str s, other;
    ash_str_init(&s, &up->resource);
    ash_str_init(&other, &far->resource);
    assert_true(ash_str_puts(&other, "from elsewhere"));
    for (size_t i = 0; i < STEPS; i++) {
        size_t size = s.size;
        assert_true(size < sizeof before);
        memcpy(before, ash_str_cstr(&s), size + 1);
        ash_str_clear_failed(&s);
        bool done = step(&s, &other, i);
        assert_true(ash_str_check(&s) && ash_str_check(&other));
        if (done)
            continue;
        ++*refusals;
        if (is_whole(i)) {
            assert_true(ash_str_failed(&s));
            assert_int_equal(s.size, size);
            assert_memory_equal(ash_str_cstr(&s), before, size + 1);
        }
        assert_true(step(&s, &other, i));
    }
    size_t size = s.size;
    char *bytes = keep(&s);
    if (!bytes)
        bytes = keep(&s);
    ash_resource_free(&up->resource, bytes, size + 1, 1);
    ash_str_deinit(&s);
    ash_str_deinit(&other);
}

static void test_oom_str_every_call(void **state)
{
    (void)state;
    size_t refusals = 0;
    for (size_t fail_at = 1;; fail_at++) {
        test_upstream up, far;
        test_upstream_init(&up);
        test_upstream_init(&far);
        up.fail_at = fail_at;
        run(&up, &far, &refusals);
        test_upstream_done(&up);
        test_upstream_done(&far);
        if (up.calls < fail_at)
            break;
    }
    assert_true(refusals > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom_str_every_call),
    };
    return test_main(tests);
}
