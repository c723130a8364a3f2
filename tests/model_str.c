/*
 * Random programs of strings against plain arrays of bytes; over the heap, arenas, an arena on which others
 * allocate too, pages, and a buffer that is soon full. What is added is often a piece of the string itself.
 *
 * ASH_TEST_STEPS says how many operations, ASH_TEST_SEED which.
 */
#include "places.h"

#include <stdio.h>
#include <string.h>

enum { STEPS = 60000, PROGRAM = 500, MOST = 20000 };

typedef struct model {
    char bytes[MOST];
    size_t size;
} model;

static struct {
    test_rng rng;
    ash_str strings[2];
    model models[2];
    ash_str *s; /* the one that it is about */
    model *of;
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

static bool done(bool answer)
{
    CHECK(answer || places.may_refuse);
    CHECK(answer || ash_str_failed(m.s));
    return answer;
}

/* ---- bytes to add: of letters, so that there is something to find; or of the string itself ---- */

static char letters[40];

static ash_view piece(void)
{
    if (m.of->size && below(2)) {
        size_t from = below(m.of->size), size = below(m.of->size - from + 1);
        return (ash_view){m.s->data + from, below(2) && size > 30 ? 30 : size};
    }
    for (size_t i = 0; i < sizeof letters; i++)
        letters[i] = "abc \n"[below(5)];
    return (ash_view){letters, below(sizeof letters + 1)};
}

static void model_insert(model *of, size_t index, const char *bytes, size_t size)
{
    memmove(of->bytes + index + size, of->bytes + index, of->size - index);
    memcpy(of->bytes + index, bytes, size);
    of->size += size;
}

static void model_remove(model *of, size_t index, size_t size)
{
    of->size -= size;
    memmove(of->bytes + index, of->bytes + index + size, of->size - index);
}

static void op_add(void)
{
    ash_view view = piece();
    char copy[MOST];
    size_t index = below(2) ? m.of->size : below(m.of->size + 1);
    if (m.of->size + view.size > MOST)
        return;
    memcpy(copy, view.data, view.size);
    bool added = index == m.of->size ? ash_str_append(m.s, view.data, view.size)
                                     : ash_str_insert(m.s, index, view.data, view.size);
    if (done(added))
        model_insert(m.of, index, copy, view.size);
}

static void op_put_small(void)
{
    char text[40];
    int value = (int)below(1000000) - 500000;
    int size = snprintf(text, sizeof text, "%d", value);
    if (m.of->size + sizeof text > MOST)
        return;
    if (below(2)) {
        if (done(ash_str_printf(m.s, "%d", value)))
            model_insert(m.of, m.of->size, text, (size_t)size);
    } else if (done(ash_str_putc(m.s, 'x'))) {
        model_insert(m.of, m.of->size, "x", 1);
    }
}

static void op_join(void)
{
    ash_view parts[3] = {piece(), {letters, 3}, {NULL, 0}}, separator = {letters + 1, below(3)};
    char copy[3 * MOST];
    size_t size = 0;
    for (int i = 0; i < 3; i++) {
        if (i) {
            memcpy(copy + size, separator.data, separator.size);
            size += separator.size;
        }
        if (parts[i].size)
            memcpy(copy + size, parts[i].data, parts[i].size);
        size += parts[i].size;
    }
    if (m.of->size + size <= MOST && done(ash_str_join(m.s, parts, 3, separator)))
        model_insert(m.of, m.of->size, copy, size);
}

static void op_replace(void)
{
    ash_view part = ash_view_slice(piece(), 0, 1 + below(3)), with = ash_view_slice(piece(), 0, 3);
    static model made;
    char from[3], to[3];
    if (!part.size || m.of->size > MOST / 4)
        return;
    memcpy(from, part.data, part.size);
    memcpy(to, with.data, with.size);
    made.size = 0;
    for (size_t i = 0; i < m.of->size;) {
        bool here = m.of->size - i >= part.size && !memcmp(m.of->bytes + i, from, part.size);
        model_insert(&made, made.size, here ? to : m.of->bytes + i, here ? with.size : 1);
        i += here ? part.size : 1;
    }
    if (done(ash_str_replace(m.s, part, with)))
        *m.of = made;
}

static void op_take_away(void)
{
    size_t index = below(m.of->size + 2), size = below(30);
    bool there = index <= m.of->size && size <= m.of->size - index;
    CHECK(ash_str_remove(m.s, index, size) == there);
    if (there)
        model_remove(m.of, index, size);
    if (below(20) == 0) {
        ash_str_truncate(m.s, index);
        m.of->size = index < m.of->size ? index : m.of->size;
    }
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n';
}

static void op_trim(void)
{
    ash_str_trim(m.s);
    while (m.of->size && is_space(m.of->bytes[m.of->size - 1]))
        m.of->size--;
    while (m.of->size && is_space(m.of->bytes[0]))
        model_remove(m.of, 0, 1);
}

static void op_room(void)
{
    size_t size = below(2 * m.of->size + 5);
    if (below(2))
        CHECK(!done(ash_str_reserve(m.s, size)) || m.s->capacity > size);
    else
        CHECK(!done(ash_str_shrink(m.s) || (m.s->failed_ = true, false)) ||
              m.s->capacity == m.of->size + (m.s->data != NULL));
}

static void op_find(void)
{
    ash_view part = ash_view_slice(piece(), 0, 1 + below(4)), text = ash_str_view(m.s);
    size_t first = ASH_NOT_FOUND, last = ASH_NOT_FOUND;
    if (!part.size)
        return;
    for (size_t i = 0; i + part.size <= m.of->size; i++)
        if (!memcmp(m.of->bytes + i, part.data, part.size)) {
            last = i;
            first = first == ASH_NOT_FOUND ? i : first;
        }
    CHECK(ash_view_find(text, part) == first);
    CHECK(ash_view_find_last(text, part) == last);
}

static void op_split(void)
{
    ash_view rest = ash_str_view(m.s), part;
    size_t at = 0;
    while (ash_view_split(&rest, ASH_VIEW("a"), &part)) {
        CHECK(at + part.size <= m.of->size && !memchr(part.data, 'a', part.size));
        CHECK(!memcmp(m.of->bytes + at, part.data, part.size));
        at += part.size;
        CHECK(rest.data ? m.of->bytes[at++] == 'a' : at == m.of->size);
    }
}

static void op_release(void)
{
    size_t size;
    char *bytes = ash_str_release(m.s, &size);
    if (!done(bytes != NULL))
        return;
    CHECK(size == m.of->size && !memcmp(bytes, m.of->bytes, size) && !bytes[size]);
    ash_resource_free(m.s->resource, bytes, size + 1, 1);
    m.of->size = 0;
}

static void op_whole(void)
{
    static model between;
    ash_str *other = &m.strings[below(2)];
    model *of = &m.models[other - m.strings];
    between = *m.of;
    switch (below(4)) {
    case 0:
        if (done(ash_str_copy(m.s, other)))
            *m.of = *of;
        break;
    case 1:
        if (!done(ash_str_swap(m.s, other)))
            break;
        *m.of = *of;
        *of = between;
        break;
    case 2:
        if (!done(ash_str_steal(m.s, other)) || other == m.s)
            break;
        *m.of = *of;
        of->size = 0;
        break;
    default:
        ash_str_deinit(m.s);
        m.of->size = 0;
    }
}

static void compare(void)
{
    for (int i = 0; i < 2; i++) {
        const ash_str *s = &m.strings[i];
        CHECK(ash_str_check(s));
        CHECK(s->size == m.models[i].size);
        CHECK(!memcmp(ash_str_cstr(s), m.models[i].bytes, s->size));
        CHECK(!ash_str_cstr(s)[s->size]);
    }
}

static void program(void)
{
    static void (*const ops[])(void) = {op_add,  op_add,     op_put_small, op_put_small,
                                        op_join, op_replace, op_take_away, op_take_away,
                                        op_trim, op_room,    op_find,      op_split};
    for (int i = 0; i < 2; i++) {
        ash_str_init(&m.strings[i], places.resources[i]);
        m.models[i].size = 0;
    }
    for (size_t step = 0; step < PROGRAM; step++) {
        size_t which = below(2), op = below(8 * countof(ops) + 2);
        m.s = &m.strings[which];
        m.of = &m.models[which];
        op == 8 * countof(ops) ? op_release() : op > 8 * countof(ops) ? op_whole() : ops[op / 8]();
        if (places.interfered && below(3) == 0)
            CHECK(ash_alloc(places.interfered, 1 + below(40), 1));
        compare();
    }
    ash_str_deinit(&m.strings[1]);
    ash_str_deinit(&m.strings[0]);
}

/* ---- where ---- */

static void run_programs(size_t stream, const place *where)
{
    size_t steps = test_env("ASH_TEST_STEPS", STEPS) / 5;
    for (size_t ran = 0; ran <= steps; ran += PROGRAM) {
        test_rng_init(&m.rng, stream * 1000003 + ran);
        enter(where);
        program();
        where->after();
    }
}

static void test_model_str_over_upstreams(void **state)
{
    (void)state;
    run_programs(1, &two_upstreams);
}

static void test_model_str_over_arenas(void **state)
{
    (void)state;
    run_programs(2, &two_arenas);
}

static void test_model_str_on_an_interfered_arena(void **state)
{
    (void)state;
    run_programs(3, &one_interfered);
}

static void test_model_str_over_heap_and_pages(void **state)
{
    (void)state;
    run_programs(4, &heap_and_pages);
}

static void test_model_str_in_a_buffer(void **state)
{
    (void)state;
    run_programs(5, &upstream_and_buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model_str_over_upstreams),
        cmocka_unit_test(test_model_str_over_arenas),
        cmocka_unit_test(test_model_str_on_an_interfered_arena),
        cmocka_unit_test(test_model_str_over_heap_and_pages),
        cmocka_unit_test(test_model_str_in_a_buffer),
    };
    return test_main(tests);
}
