/*
 * Random programs of vectors, of numbers and of strings that hold memory of their own, against plain arrays;
 * over the heap, arenas, an arena on which others allocate too, pages, and a buffer that is soon full.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 60000, PROGRAM = 500, MOST = 3000 };

ASH_VEC_DEFINE(ints, int)
ASH_VEC_DEFINE(texts, ash_str, ash_type_of(ash_str))

typedef struct model {
    int values[MOST];
    size_t count;
} model;

static struct {
    test_rng rng;
} m;

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            print_error("%s:%d: %s\n  ASH_TEST_SEED=%llu\n", __FILE__, __LINE__, #condition, \
                        (unsigned long long)test_seed()); \
            fail(); \
        } \
    } while (0)

static size_t below(size_t bound)
{
    return test_rng_below(&m.rng, bound);
}

/* A step may be refused where memory is short, and never where there is enough. */
static bool done(bool answer)
{
    CHECK(answer || places.may_refuse);
    return answer;
}

/* ---- elements: a number, or a string that reads like one ---- */

static int ints_value(const int *element)
{
    return *element;
}

static bool ints_make(int *element, int value, ash_resource *resource)
{
    (void)resource;
    *element = value;
    return true;
}

static void ints_end_one(int *element)
{
    *element = 0;
}

static int texts_value(const ash_str *element)
{
    CHECK(ash_str_check(element));
    return element->size ? atoi(element->data) : 0;
}

static bool texts_make(ash_str *element, int value, ash_resource *resource)
{
    ash_str_init(element, resource);
    return ash_str_printf(element, "%d and some", value);
}

static void texts_end_one(ash_str *element)
{
    ash_str_deinit(element);
}

/* ---- the model ---- */

static void model_insert(model *of, size_t index, const int *values, size_t count)
{
    memmove(of->values + index + count, of->values + index, (of->count - index) * sizeof(int));
    memcpy(of->values + index, values, count * sizeof(int));
    of->count += count;
}

static void model_remove(model *of, size_t index, size_t count)
{
    of->count -= count;
    memmove(of->values + index, of->values + index + count, (of->count - index) * sizeof(int));
}

static void interfere(void)
{
    if (places.interfered && below(3) == 0)
        CHECK(ash_alloc(places.interfered, 1 + below(40), 1) || places.may_refuse);
}

/*
 * The operations for one kind of vector; `v` two of them, each beside its model.
 */
#define DEFINE_PROGRAM(vec, T) \
    static void vec##_compare(const vec *v, const model *of) \
    { \
        CHECK(vec##_check(v)); \
        CHECK(v->count == of->count); \
        CHECK(vec##_end(v) == (of->count ? vec##_begin(v) + of->count : vec##_begin(v))); \
        CHECK(!vec##_at(v, of->count)); \
        for (size_t i = 0; i < of->count; i++) \
            CHECK(vec##_value(vec##_at(v, i)) == of->values[i]); \
    } \
    static void vec##_op_insert(vec *v, model *of) \
    { \
        T element; \
        int value = (int)below(1000); \
        bool last = below(2); \
        size_t index = last ? of->count : below(of->count + 1); \
        if (of->count == MOST) \
            return; \
        if (!done(vec##_make(&element, value, places.resources[below(2)]))) \
            return vec##_end_one(&element); \
        if (done(last ? vec##_push(v, element) : vec##_insert(v, index, element))) \
            model_insert(of, index, &value, 1); \
        else \
            vec##_end_one(&element); \
    } \
    static void vec##_op_append(vec *v, model *of) \
    { \
        size_t from = below(of->count + 1), count = below(of->count - from + 1); \
        int values[MOST]; \
        if (of->count + count > MOST) \
            return; \
        memcpy(values, of->values + from, count * sizeof(int)); \
        if (done(vec##_append(v, count ? v->data + from : NULL, count))) \
            model_insert(of, of->count, values, count); \
    } \
    static void vec##_op_remove(vec *v, model *of) \
    { \
        size_t index = below(of->count + 2), count = below(8); \
        bool there = index <= of->count && count <= of->count - index; \
        CHECK(vec##_remove(v, index, count) == there); \
        if (there) \
            model_remove(of, index, count); \
    } \
    static void vec##_op_pop(vec *v, model *of) \
    { \
        T out; \
        bool wanted = below(2); \
        CHECK(vec##_pop(v, wanted ? &out : NULL) == (of->count > 0)); \
        if (of->count && wanted) { \
            CHECK(vec##_value(&out) == of->values[of->count - 1]); \
            vec##_end_one(&out); \
        } \
        of->count -= of->count > 0; \
    } \
    static void vec##_op_resize(vec *v, model *of) \
    { \
        size_t count = below(of->count + 20); \
        if (count > MOST || !done(vec##_resize(v, count))) \
            return; \
        while (of->count < count) \
            of->values[of->count++] = 0; \
        of->count = count; \
    } \
    static void vec##_op_emplace(vec *v, model *of) \
    { \
        if (of->count < MOST && done(vec##_emplace(v) != NULL)) \
            of->values[of->count++] = 0; \
    } \
    static void vec##_op_room(vec *v, model *of) \
    { \
        size_t capacity = below(of->count * 2 + 5); \
        if (below(2)) \
            CHECK(!done(vec##_reserve(v, capacity)) || v->capacity >= capacity); \
        else \
            CHECK(!done(vec##_shrink(v)) || v->capacity == of->count); \
    } \
    static void vec##_op_whole(vec *v, model *of) \
    { \
        size_t a = below(2), b = below(2); \
        model between = of[a]; \
        switch (below(5)) { \
        case 0: \
            vec##_clear(&v[a]); \
            of[a].count = 0; \
            break; \
        case 1: \
            if (done(vec##_copy(&v[a], &v[b]))) \
                of[a] = of[b]; \
            break; \
        case 2: \
            if (!done(vec##_swap(&v[a], &v[b]))) \
                break; \
            of[a] = of[b]; \
            of[b] = between; \
            break; \
        case 3: \
            if (!done(vec##_steal(&v[a], &v[b])) || a == b) \
                break; \
            of[a] = of[b]; \
            of[b].count = 0; \
            break; \
        default: \
            vec##_deinit(&v[a]); \
            of[a].count = 0; \
        } \
    } \
    static void vec##_step(vec *v, model *of) \
    { \
        static void (*const ops[])(vec *, model *) = { \
            vec##_op_insert, vec##_op_insert, vec##_op_insert,  vec##_op_append, vec##_op_remove, \
            vec##_op_pop,    vec##_op_resize, vec##_op_emplace, vec##_op_room}; \
        size_t which = below(2), op = below(8 * countof(ops) + 1); \
        if (op == 8 * countof(ops)) \
            vec##_op_whole(v, of); \
        else \
            ops[op / 8](&v[which], &of[which]); \
        interfere(); \
        vec##_compare(&v[0], &of[0]); \
        vec##_compare(&v[1], &of[1]); \
    } \
    static void vec##_program(void) \
    { \
        static model of[2]; \
        vec v[2]; \
        for (int i = 0; i < 2; i++) { \
            vec##_init(&v[i], places.resources[i]); \
            of[i].count = 0; \
        } \
        for (size_t step = 0; step < PROGRAM; step++) \
            vec##_step(v, of); \
        vec##_deinit(&v[1]); \
        vec##_deinit(&v[0]); \
    }

DEFINE_PROGRAM(ints, int)
DEFINE_PROGRAM(texts, ash_str)

/* ---- where ---- */

static void run_programs(size_t stream, const place *where)
{
    size_t steps = test_env("ASH_TEST_STEPS", STEPS) / 12;
    for (size_t ran = 0; ran <= steps; ran += PROGRAM) {
        test_rng_init(&m.rng, stream * 1000003 + ran);
        enter(where);
        if (ran / PROGRAM % 2)
            ints_program();
        else
            texts_program();
        where->after();
    }
}

static void test_model_vec_over_upstreams(void **state)
{
    (void)state;
    run_programs(1, &two_upstreams);
}

static void test_model_vec_over_arenas(void **state)
{
    (void)state;
    run_programs(2, &two_arenas);
}

static void test_model_vec_on_an_interfered_arena(void **state)
{
    (void)state;
    run_programs(3, &one_interfered);
}

static void test_model_vec_over_heap_and_pages(void **state)
{
    (void)state;
    run_programs(4, &heap_and_pages);
}

static void test_model_vec_in_a_buffer(void **state)
{
    (void)state;
    run_programs(5, &upstream_and_buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_vec_over_upstreams),
        cmocka_unit_test(test_model_vec_over_arenas),
        cmocka_unit_test(test_model_vec_on_an_interfered_arena),
        cmocka_unit_test(test_model_vec_over_heap_and_pages),
        cmocka_unit_test(test_model_vec_in_a_buffer),
    };
    return test_main(tests);
}
