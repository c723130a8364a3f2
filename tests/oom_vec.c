/*
 * Out of memory at every call: for n = 1, 2, ... the n-th call of upstream is refused, until a run makes fewer
 * calls than that. A step that is refused must leave every element as it was and lose nothing; tried again it
 * must succeed.
 */
#include "support.h"

#include <string.h>

ASH_VEC_DEFINE(ints, int)
ASH_VEC_DEFINE(texts, ash_str, ash_type_of(ash_str))
ASH_VEC_DEFINE(shelves, texts, ash_type_of(texts))

enum { STEPS = 60 };

typedef struct run {
    test_upstream up;  /* of the vectors: refuses */
    test_upstream far; /* of what comes from elsewhere: never */
    ints numbers;
    texts some, far_texts;
    shelves all;
} run;

static ash_str text_in(ash_resource *resource, size_t number)
{
    ash_str s;
    ash_str_init(&s, resource);
    assert_true(ash_str_printf(&s, "text %zu", number));
    return s;
}

/* As it should be, seen from outside: sums over all that is there. */
typedef struct summary {
    size_t counts[4];
    uint64_t hash;
} summary;

static void hash_text(summary *of, const ash_str *s)
{
    assert_true(ash_str_check(s));
    for (size_t i = 0; i <= s->size; i++)
        of->hash = of->hash * 1099511628211u + (unsigned char)ash_str_cstr(s)[i];
}

static void hash_texts(summary *of, const texts *v)
{
    assert_true(texts_check(v));
    for (size_t i = 0; i < v->count; i++)
        hash_text(of, &v->data[i]);
}

static summary summarise(const run *r)
{
    summary of = {{r->numbers.count, r->some.count, r->far_texts.count, r->all.count}, 1};
    assert_true(ints_check(&r->numbers) && shelves_check(&r->all));
    for (size_t i = 0; i < r->numbers.count; i++)
        of.hash = of.hash * 31 + (uint64_t)r->numbers.data[i];
    hash_texts(&of, &r->some);
    hash_texts(&of, &r->far_texts);
    for (size_t i = 0; i < r->all.count; i++)
        hash_texts(&of, &r->all.data[i]);
    return of;
}

static bool push_text(run *r, size_t step)
{
    ash_str s = text_in(&r->far.resource, step);
    size_t index = step % (r->some.count + 1);
    bool done = step % 2 ? texts_push(&r->some, s) : texts_insert(&r->some, index, s);
    if (!done) {
        assert_int_equal(s.size, strlen(s.data)); /* still ours */
        ash_str_deinit(&s);
    }
    return done;
}

static bool push_shelf(run *r)
{
    texts shelf;
    texts_init(&shelf, &r->far.resource);
    for (size_t i = 0; i < 3; i++)
        assert_true(texts_push(&shelf, text_in(&r->far.resource, i)));
    if (shelves_push(&r->all, shelf))
        return true;
    assert_int_equal(shelf.count, 3);
    texts_deinit(&shelf);
    return false;
}

static bool step(run *r, size_t i)
{
    switch (i % 10) {
    case 0:
    case 1:
        return push_text(r, i);
    case 2:
        return push_shelf(r);
    case 3:
        return ints_append(&r->numbers, (int[]){1, 2, 3, 4, 5, 6, 7}, 7) &&
               ints_push(&r->numbers, 8);
    case 4:
        return texts_append(&r->some, r->some.data, r->some.count / 2);
    case 5:
        return shelves_append(&r->all, r->all.data, 1);
    case 6:
        return texts_swap(&r->some, &r->far_texts);
    case 7:
        return texts_copy(&r->some, &r->far_texts);
    case 8:
        return texts_steal(&r->some, &r->far_texts);
    default:
        return ints_resize(&r->numbers, r->numbers.count + 40) && ints_shrink(&r->numbers);
    }
}

static void begin(run *r, size_t fail_at)
{
    test_upstream_init(&r->up);
    test_upstream_init(&r->far);
    r->up.fail_at = fail_at;
    ints_init(&r->numbers, &r->up.resource);
    texts_init(&r->some, &r->up.resource);
    texts_init(&r->far_texts, &r->far.resource);
    shelves_init(&r->all, &r->up.resource);
}

static void end(run *r)
{
    shelves_deinit(&r->all);
    texts_deinit(&r->far_texts);
    texts_deinit(&r->some);
    ints_deinit(&r->numbers);
    test_upstream_done(&r->up);
    test_upstream_done(&r->far);
}

/* A step of two calls is done in part where the second one is refused; that is its own affair. */
static bool is_whole(size_t i)
{
    return i % 10 != 3 && i % 10 != 9;
}

static void test_oom_vec_every_call(void **state)
{
    (void)state;
    size_t refusals = 0;
    for (size_t fail_at = 1;; fail_at++) {
        run r;
        begin(&r, fail_at);
        for (size_t i = 0; i < STEPS; i++) {
            for (size_t j = 0; i % 10 == 6 && j < 3; j++)
                assert_true(texts_push(&r.far_texts, text_in(&r.far.resource, j)));
            summary before = summarise(&r);
            if (step(&r, i))
                continue;
            refusals++;
            summary after = summarise(&r);
            if (is_whole(i))
                assert_memory_equal(&before, &after, sizeof before);
            assert_true(step(&r, i));
        }
        summary whole = summarise(&r);
        assert_true(whole.counts[0] && whole.counts[3]);
        size_t calls = r.up.calls;
        end(&r);
        if (calls < fail_at)
            break;
    }
    assert_true(refusals > 20);
}

/* All refused, from some point on: nothing is lost either, and nothing is asked for again and again. */
static void test_oom_vec_for_ever(void **state)
{
    (void)state;
    for (size_t works = 0; works < STEPS; works += 3) {
        run r;
        begin(&r, 0);
        for (size_t i = 0; i < works; i++)
            assert_true(step(&r, i));
        r.up.refuse = true;
        for (size_t i = works; i < STEPS; i++) {
            summary before = summarise(&r);
            size_t calls = r.up.calls;
            bool done = step(&r, i);
            summary after = summarise(&r);
            assert_true(r.up.calls - calls < 30);
            if (!done && is_whole(i))
                assert_memory_equal(&before, &after, sizeof before);
        }
        end(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_oom_vec_every_call),
        cmocka_unit_test(test_oom_vec_for_ever),
    };
    return test_main(tests);
}
