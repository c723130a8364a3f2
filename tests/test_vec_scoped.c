/*
 * Containers in containers: all their memory comes from the resource of the outermost one, whatever came in.
 */
#include "support.h"

#include <string.h>

typedef struct person {
    ash_str name, town;
    int age;
} person;

static bool person_init(void *self, ash_resource *resource)
{
    person *p = self;
    ash_str_init(&p->name, resource);
    ash_str_init(&p->town, resource);
    return true;
}

static void person_end(void *self)
{
    person *p = self;
    ash_str_deinit(&p->town);
    ash_str_deinit(&p->name);
}

static bool person_copy(void *to, const void *from, ash_resource *resource)
{
    const person *other = from;
    person *p = to;
    person_init(p, resource);
    p->age = other->age;
    if (ash_str_copy(&p->name, &other->name) && ash_str_copy(&p->town, &other->town))
        return true;
    person_end(p);
    return false;
}

static ash_resource *person_resource(const void *self)
{
    return ((const person *)self)->name.resource;
}

ASH_TYPE(person, .destroy = person_end, .init = person_init, .copy = person_copy,
         .resource = person_resource);

ASH_VEC_DEFINE(names, ash_str, ash_type_of(ash_str))
ASH_VEC_DEFINE(groups, names, ash_type_of(names))
ASH_VEC_DEFINE(people, person, ash_type_of(person))

/* A file that has memory somewhere and cannot be copied. */
typedef struct handle {
    ash_resource *resource;
} handle;

static ash_resource *handle_resource(const void *self)
{
    return ((const handle *)self)->resource;
}

static int handles_ended;

static void handle_end(void *self)
{
    handles_ended += ((handle *)self)->resource != NULL;
}

ASH_TYPE(handle, .resource = handle_resource, .destroy = handle_end);
ASH_VEC_DEFINE(handles, handle, ash_type_of(handle))

/* ---- setting ---- */

static ash_arena arena, second;
static test_upstream up, second_up, heap;
static names v;

static int setup(void **state)
{
    (void)state;
    test_arena_over(&arena, &up, 1 << 16);
    test_arena_over(&second, &second_up, 1 << 16);
    test_upstream_init(&heap);
    names_init(&v, ash_arena_resource(&arena));
    return 0;
}

/* One rewind drops them: nothing here ends a container that is on an arena. */
static int teardown(void **state)
{
    (void)state;
    test_arena_done(&arena, &up);
    test_arena_done(&second, &second_up);
    test_upstream_done(&heap);
    return 0;
}

static ash_str text_in(ash_resource *resource, const char *text)
{
    ash_str s;
    ash_str_init(&s, resource);
    assert_true(ash_str_puts(&s, text));
    return s;
}

static void assert_in(const ash_arena *expected, const ash_str *s, const char *text)
{
    assert_true(ash_str_check(s));
    assert_string_equal(ash_str_cstr(s), text);
    assert_ptr_equal(s->resource, &expected->resource_);
    assert_true(!s->data || ash_arena_owns(expected, s->data));
}

static void assert_names(const ash_arena *expected, const names *of, size_t count)
{
    assert_true(names_check(of));
    assert_int_equal(of->count, count);
    assert_true(!of->data || ash_arena_owns(expected, of->data));
    for (size_t i = 0; i < count; i++)
        assert_in(expected, names_at(of, i), "a text that is long enough to have memory");
}

static const char *const text = "a text that is long enough to have memory";

/* ---- strings ---- */

static void test_scoped_emplace_has_the_resource(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        ash_str *s = names_emplace(&v);
        assert_non_null(s);
        assert_true(ash_str_puts(s, text));
    }
    assert_names(&arena, &v, 100);
}

static void test_scoped_push_of_the_same_resource_moves(void **state)
{
    (void)state;
    ash_str s = text_in(ash_arena_resource(&arena), text);
    char *data = s.data;
    assert_true(names_push(&v, s));
    assert_ptr_equal(v.data[0].data, data);
    ash_str out;
    assert_true(names_pop(&v, &out));
    assert_ptr_equal(out.data, data);
    assert_int_equal(v.count, 0);
}

static void test_scoped_push_of_another_resource_copies(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        assert_true(names_push(&v, text_in(&heap.resource, text)));
        assert_int_equal(heap.blocks, 0); /* the original is gone */
        assert_true(names_insert(&v, (size_t)i, text_in(ash_arena_resource(&second), text)));
    }
    assert_names(&arena, &v, 100);
}

static void test_scoped_push_of_a_zeroed_one_binds_it(void **state)
{
    (void)state;
    assert_true(names_push(&v, (ash_str){0}));
    assert_ptr_equal(v.data[0].resource, ash_arena_resource(&arena));
    assert_true(ash_str_puts(&v.data[0], text));
    assert_names(&arena, &v, 1);
}

static void test_scoped_failed_push_leaves_the_value(void **state)
{
    (void)state;
    assert_true(names_reserve(&v, 4) && names_push(&v, text_in(&heap.resource, text)));
    ash_str s = text_in(&heap.resource, text);
    while (ash_arena_room(&arena))
        assert_non_null(ash_alloc(&arena, ash_arena_room(&arena), 1));
    up.refuse = true;
    assert_false(names_push(&v, s));
    assert_false(names_insert(&v, 0, s));
    assert_int_equal(heap.blocks, 1);
    assert_string_equal(s.data, text);
    assert_names(&arena, &v, 1);
    up.refuse = false;
    ash_str_deinit(&s);
}

static void test_scoped_append_copies(void **state)
{
    (void)state;
    ash_str some[3];
    for (int i = 0; i < 3; i++)
        some[i] = text_in(&heap.resource, text);
    assert_true(names_append(&v, some, 3));
    assert_int_equal(heap.blocks, 3);
    for (int i = 0; i < 6; i++) /* its own too, while it moves */
        assert_true(names_append(&v, v.data, v.count));
    assert_names(&arena, &v, 192);
    assert_ptr_not_equal(v.data[0].data, v.data[3].data);
    for (int i = 0; i < 3; i++)
        ash_str_deinit(&some[i]);
}

static void test_scoped_elements_are_destroyed(void **state)
{
    (void)state;
    names of;
    names_init(&of, &heap.resource);
    for (int i = 0; i < 10; i++)
        assert_true(names_push(&of, text_in(&heap.resource, text)));
    assert_int_equal(heap.blocks, 11);
    assert_true(names_pop(&of, NULL));
    assert_true(names_remove(&of, 2, 3));
    assert_int_equal(heap.blocks, 7);
    assert_true(names_resize(&of, 4));
    assert_int_equal(heap.blocks, 5);
    names_clear(&of);
    assert_int_equal(heap.blocks, 1);
    names_deinit(&of);
}

static void test_scoped_what_cannot_be_copied_is_refused(void **state)
{
    (void)state;
    handles h;
    handles_init(&h, ash_arena_resource(&arena));
    handles_ended = 0;
    handle here = {ash_arena_resource(&arena)}, there = {&heap.resource};
    assert_true(handles_push(&h, here));
    assert_false(handles_push(&h, there));
    assert_false(handles_insert(&h, 0, there));
    assert_false(handles_append(&h, &there, 1));
    assert_int_equal(h.count, 1);
    assert_int_equal(handles_ended, 0);
    assert_ptr_equal(h.data[0].resource, here.resource);
}

/* ---- from one to another ---- */

static void test_scoped_steal_across(void **state)
{
    (void)state;
    names there, here;
    names_init(&there, &heap.resource);
    names_init(&here, ash_arena_resource(&arena));
    for (int i = 0; i < 20; i++)
        assert_true(names_push(&there, text_in(&heap.resource, text)));
    assert_true(names_push(&v, text_in(&heap.resource, "old")));
    assert_true(names_steal(&v, &there));
    assert_names(&arena, &v, 20);
    assert_int_equal(heap.blocks, 0);
    ash_str *data = v.data;
    assert_true(names_steal(&here, &v));
    assert_ptr_equal(here.data, data);
    assert_names(&arena, &here, 20);
}

static void test_scoped_swap_across(void **state)
{
    (void)state;
    names other;
    names_init(&other, ash_arena_resource(&second));
    for (int i = 0; i < 20; i++)
        assert_true(names_push(i % 3 ? &v : &other, text_in(&heap.resource, text)));
    assert_true(names_swap(&v, &other));
    assert_names(&arena, &v, 7);
    assert_names(&second, &other, 13);
    second_up.refuse = up.refuse = true;
    while (ash_arena_room(&second))
        assert_non_null(ash_alloc(&second, ash_arena_room(&second), 1));
    assert_false(names_swap(&v, &other));
    assert_false(names_swap(&other, &v));
    assert_false(names_steal(&other, &v));
    assert_false(names_copy(&other, &v));
    assert_names(&arena, &v, 7);
    assert_names(&second, &other, 13);
    second_up.refuse = up.refuse = false;
}

static void test_scoped_copy(void **state)
{
    (void)state;
    names there;
    names_init(&there, &heap.resource);
    for (int i = 0; i < 20; i++)
        assert_true(names_push(&there, text_in(&heap.resource, text)));
    assert_true(names_copy(&v, &there));
    assert_names(&arena, &v, 20);
    assert_int_equal(heap.blocks, 21);
    names_deinit(&there);
}

/* ---- deeper ---- */

static void test_scoped_vectors_of_vectors(void **state)
{
    (void)state;
    groups all;
    groups_init(&all, ash_arena_resource(&arena));
    for (int i = 0; i < 30; i++) {
        names group;
        names_init(&group, i % 2 ? &heap.resource : ash_arena_resource(&arena));
        for (int j = 0; j < 3; j++)
            assert_true(names_push(&group, text_in(j ? &heap.resource : ash_heap(), text)));
        assert_true(groups_push(&all, group));
        names *made = groups_emplace(&all);
        assert_non_null(made);
        assert_true(names_append(made, all.data[0].data, 2));
    }
    assert_int_equal(heap.blocks, 0);
    for (size_t i = 0; i < all.count; i++)
        assert_names(&arena, &all.data[i], i % 2 ? 2 : 3);
    groups copy;
    groups_init(&copy, ash_arena_resource(&second));
    assert_true(groups_copy(&copy, &all));
    for (size_t i = 0; i < copy.count; i++)
        assert_names(&second, &copy.data[i], i % 2 ? 2 : 3);
}

static void test_scoped_one_rewind_drops_all(void **state)
{
    (void)state;
    size_t used = ash_arena_used(&arena);
    ash_mark before = ash_arena_mark(&arena);
    groups all;
    groups_init(&all, ash_arena_resource(&arena));
    for (int i = 0; i < 30; i++) {
        names *group = groups_emplace(&all);
        for (int j = 0; j < 5; j++)
            assert_true(names_push(group, text_in(&heap.resource, text)));
    }
    assert_int_equal(heap.blocks, 0);
    ash_arena_rewind(&arena, before);
    assert_int_equal(ash_arena_used(&arena), used);
}

static void test_scoped_structs(void **state)
{
    (void)state;
    people all;
    people_init(&all, ash_arena_resource(&arena));
    for (int i = 0; i < 20; i++) {
        person there = {.age = i};
        person_init(&there, &heap.resource);
        there.age = i;
        assert_true(ash_str_puts(&there.name, text) && ash_str_puts(&there.town, text));
        assert_true(people_push(&all, there));
        person *here = people_emplace(&all);
        assert_true(ash_str_puts(&here->town, text));
    }
    assert_int_equal(heap.blocks, 0);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(all.data[2 * i].age, i);
        assert_in(&arena, &all.data[2 * i].name, text);
        assert_in(&arena, &all.data[2 * i].town, text);
        assert_in(&arena, &all.data[2 * i + 1].name, "");
        assert_in(&arena, &all.data[2 * i + 1].town, text);
    }
}

static void test_scoped_vector_is_an_object(void **state)
{
    (void)state;
    groups *all = ash_new(&arena, groups);
    assert_ptr_equal(all->resource, ash_arena_resource(&arena));
    names *group = groups_emplace(all);
    assert_true(names_push(group, text_in(&heap.resource, text)));
    assert_names(&arena, group, 1);
    ash_delete(&arena, all);
}

/* ---- scopes: an arena as it will be with them, its epoch made up ---- */

typedef struct scoped {
    ash_resource resource;
    uint64_t epoch;
} scoped;

static void *scoped_alloc(ash_resource *self, size_t size, size_t align)
{
    (void)self;
    return ash_alloc(&arena, size, align);
}

static bool scoped_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                          size_t align)
{
    (void)self, (void)align;
    return ash_extend(&arena, p, old_size, new_size);
}

static void scoped_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)self, (void)p, (void)size, (void)align;
}

static uint64_t scoped_epoch(const ash_resource *self)
{
    return ((const scoped *)(const void *)self)->epoch;
}

static const char *scoped_name(const ash_resource *self)
{
    (void)self;
    return "scoped";
}

static const ash_resource_ops scoped_ops = {.alloc = scoped_alloc,
                                            .resize = scoped_resize,
                                            .free = scoped_free,
                                            .epoch = scoped_epoch,
                                            .name = scoped_name};

#define YOUNGER "ashlar: fatal: container grown inside a scope younger than it (arena scoped, ADDR)"
#define GIVEN \
    "ashlar: fatal: container given the memory of one in a scope younger than it (arena scoped, " \
    "ADDR)"

ASH_VEC_DEFINE(ints, int)

static void test_scoped_growth_in_a_younger_scope_is_reported(void **state)
{
    (void)state;
    scoped outer = {{&scoped_ops}, 1};
    ints of, fresh, zero = {0};
    ash_str s;
    ints_init(&of, &outer.resource);
    ints_init(&fresh, &outer.resource);
    ash_str_init(&s, &outer.resource);
    for (int i = 0; i < 16; i++)
        assert_true(ints_push(&of, i));
    assert_true(ash_str_puts(&s, "text")); /* on top: it would grow in place */
    outer.epoch = 2;
    expect_fatal((void)!ints_push(&fresh, 1), YOUNGER);
    expect_fatal((void)!ints_push(&of, 1), YOUNGER);
    assert_int_equal(test_fatal_address(), (uintptr_t)of.data);
    expect_fatal((void)!ints_reserve(&of, 17), YOUNGER);
    expect_fatal((void)!ints_append(&of, of.data, 3), YOUNGER);
    expect_fatal(while (ash_str_puts(&s, text)), YOUNGER);
    expect_fatal(while (ash_str_printf(&s, "%s", text)), YOUNGER);
    ash_resource *old = ash_set_default(&outer.resource);
    assert_true(ints_push(&zero, 1)); /* this one begins here */
    ash_set_default(old);
    assert_true(ints_pop(&of, NULL) && ints_push(&of, 1)); /* there is room: it does not grow */
    assert_true(ints_pop(&of, NULL) && ints_shrink(&of));
    outer.epoch = 1;
    for (int i = 0; i < 100; i++)
        assert_true(ints_push(&of, i));
    outer.epoch = 0; /* no scope is open any more */
    for (int i = 0; i < 1000; i++)
        assert_true(ints_push(&of, i));
}

static void test_scoped_memory_of_a_younger_one_is_reported(void **state)
{
    (void)state;
    scoped both = {{&scoped_ops}, 1};
    ints older, younger;
    ints_init(&older, &both.resource);
    assert_true(ints_push(&older, 1));
    both.epoch = 2;
    ints_init(&younger, &both.resource);
    assert_true(ints_steal(&older, &younger)); /* it has none */
    assert_true(ints_push(&younger, 1));
    expect_fatal(ints_steal(&older, &younger), GIVEN);
    expect_fatal(ints_swap(&older, &younger), GIVEN);
    expect_fatal(ints_swap(&younger, &older), GIVEN);
    both.epoch = 1;
    assert_true(ints_push(&older, 1));
    assert_true(ints_steal(&younger, &older)); /* it will live long enough */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_scoped_emplace_has_the_resource),
        TEST(test_scoped_push_of_the_same_resource_moves),
        TEST(test_scoped_push_of_another_resource_copies),
        TEST(test_scoped_push_of_a_zeroed_one_binds_it),
        TEST(test_scoped_failed_push_leaves_the_value),
        TEST(test_scoped_append_copies),
        TEST(test_scoped_elements_are_destroyed),
        TEST(test_scoped_what_cannot_be_copied_is_refused),
        TEST(test_scoped_steal_across),
        TEST(test_scoped_swap_across),
        TEST(test_scoped_copy),
        TEST(test_scoped_vectors_of_vectors),
        TEST(test_scoped_one_rewind_drops_all),
        TEST(test_scoped_structs),
        TEST(test_scoped_vector_is_an_object),
        TEST(test_scoped_growth_in_a_younger_scope_is_reported),
        TEST(test_scoped_memory_of_a_younger_one_is_reported),
    };
    return test_main(tests);
}
