/*
 * Vectors that give each other what they have: every element ends once, wherever it came from.
 */
#include "support.h"

typedef struct file {
    int number;
} file;

static int ends[10];

static void file_end(void *self)
{
    file *f = self;
    ends[f->number]++;
}

ASH_TYPE(file, .destroy = file_end);
ASH_VEC_DEFINE(files, file, ash_type_of(file))

static ash_arena arena;
static test_upstream up, other;
static files mine, yours;

static void begin(void)
{
    test_arena_over(&arena, &up, 4096);
    test_upstream_init(&other);
    files_init(&mine, ash_arena_resource(&arena));
    files_init(&yours, &other.resource);
    for (int i = 1; i <= 3; i++)
        assert_true(files_push(&mine, (file){i}));
    for (int i = 4; i <= 9; i++)
        assert_true(files_push(&yours, (file){i}));
}

static void end(void)
{
    files_deinit(&mine);
    files_deinit(&yours);
    for (int i = 1; i <= 9; i++)
        assert_int_equal(ends[i], 1);
    memset(ends, 0, sizeof ends);
    test_arena_done(&arena, &up);
    test_upstream_done(&other);
}

static void test_vec_steal_across_moves_what_has_no_memory_there(void **state)
{
    (void)state;
    begin();
    assert_true(files_steal(&mine, &yours));
    assert_int_equal(mine.count, 6);
    assert_int_equal(yours.count, 0);
    assert_int_equal(mine.data[0].number, 4);
    assert_true(ash_arena_owns(&arena, mine.data));
    assert_int_equal(ends[1] + ends[2] + ends[3], 3);
    assert_int_equal(ends[4], 0);
    assert_true(files_check(&mine) && files_check(&yours));
    end();
}

static void test_vec_swap_across_moves_what_has_no_memory_there(void **state)
{
    (void)state;
    begin();
    assert_true(files_swap(&mine, &yours));
    assert_int_equal(mine.count, 6);
    assert_int_equal(yours.count, 3);
    assert_int_equal(mine.data[5].number, 9);
    assert_int_equal(yours.data[0].number, 1);
    assert_true(ash_arena_owns(&arena, mine.data) && !ash_arena_owns(&arena, yours.data));
    for (int i = 1; i <= 9; i++)
        assert_int_equal(ends[i], 0);
    end();
}

static void test_vec_steal_and_swap_refused_change_nothing(void **state)
{
    (void)state;
    begin();
    other.fail_at = other.calls + 1;
    assert_false(files_swap(&mine, &yours));
    other.fail_at = other.calls + 1;
    assert_false(files_steal(&yours, &mine));
    other.fail_at = 0;
    assert_int_equal(mine.count, 3);
    assert_int_equal(yours.count, 6);
    assert_int_equal(mine.data[2].number, 3);
    assert_int_equal(yours.data[5].number, 9);
    end();
}

/* ---- plain ones ---- */

ASH_VEC_DEFINE(ints, int)
static ints v;

static int setup(void **state)
{
    (void)state;
    test_arena_over(&arena, &up, 1 << 16);
    ints_init(&v, ash_arena_resource(&arena));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    assert_true(ints_check(&v));
    ints_deinit(&v);
    test_arena_done(&arena, &up);
    return 0;
}

static void fill(ints *to, int count)
{
    for (int i = 0; i < count; i++)
        assert_true(ints_push(to, i));
}

static void assert_ints(const ints *of, const int *expected, size_t count)
{
    assert_true(ints_check(of));
    assert_int_equal(of->count, count);
    if (count)
        assert_memory_equal(of->data, expected, count * sizeof *expected);
}

#define assert_these(of, ...) \
    assert_ints((of), (const int[]){__VA_ARGS__}, countof(((const int[]){__VA_ARGS__})))

static void test_vec_steal(void **state)
{
    (void)state;
    ints to = {0}, here, there;
    fill(&v, 3);
    int *data = v.data;
    assert_true(ints_steal(&to, &v)); /* a zeroed one takes over the resource too */
    assert_ptr_equal(to.data, data);
    assert_ptr_equal(to.resource, v.resource);
    assert_int_equal(v.count + v.capacity, 0);
    ints_init(&here, ash_arena_resource(&arena));
    fill(&here, 100);
    assert_true(ints_steal(&here, &to));
    assert_ptr_equal(here.data, data);
    assert_these(&here, 0, 1, 2);
    assert_true(ints_check(&to));
    ints_init(&there, &up.resource);
    fill(&there, 50);
    assert_true(ints_steal(&there, &here));
    assert_ptr_not_equal(there.data, data);
    assert_these(&there, 0, 1, 2);
    assert_false(ash_arena_owns(&arena, there.data));
    assert_null(here.data);
    assert_ptr_equal(there.resource, &up.resource);
    assert_true(ints_steal(&there, &there));
    assert_these(&there, 0, 1, 2);
    ints_deinit(&there);
}

static void test_vec_swap(void **state)
{
    (void)state;
    ints here, there;
    ints_init(&here, ash_arena_resource(&arena));
    ints_init(&there, &up.resource);
    fill(&v, 3);
    fill(&here, 2);
    fill(&there, 4);
    int *data = v.data;
    assert_true(ints_swap(&v, &here));
    assert_ptr_equal(here.data, data);
    assert_these(&v, 0, 1);
    assert_true(ints_swap(&v, &there));
    assert_these(&v, 0, 1, 2, 3);
    assert_these(&there, 0, 1);
    assert_true(ash_arena_owns(&arena, v.data) && !ash_arena_owns(&arena, there.data));
    up.refuse = true;
    assert_false(ints_swap(&v, &there));
    up.refuse = false;
    assert_these(&v, 0, 1, 2, 3);
    assert_these(&there, 0, 1);
    ints zero = {0};
    assert_true(ints_swap(&zero, &there));
    assert_these(&zero, 0, 1);
    assert_ptr_equal(zero.resource, &up.resource);
    assert_null(there.resource);
    assert_true(ints_swap(&v, &v));
    ints_deinit(&zero);
}

static void test_vec_copy(void **state)
{
    (void)state;
    ints there;
    ints_init(&there, &up.resource);
    fill(&v, 3);
    assert_true(ints_copy(&there, &v));
    assert_these(&there, 0, 1, 2);
    fill(&there, 50);
    int *data = there.data;
    assert_true(ints_copy(&there, &v));
    assert_ptr_equal(there.data, data); /* it fits */
    assert_these(&there, 0, 1, 2);
    assert_true(ints_copy(&there, &there));
    up.refuse = true;
    fill(&v, 200);
    assert_false(ints_copy(&there, &v));
    up.refuse = false;
    assert_these(&there, 0, 1, 2);
    ints zero = {0}, other = {0};
    assert_true(ints_copy(&there, &zero));
    assert_int_equal(there.count, 0);
    assert_true(ints_push(&there, 1) && ints_copy(&other, &there));
    assert_ptr_equal(other.resource, ash_default());
    assert_these(&other, 1);
    ints_deinit(&other);
    ints_deinit(&there);
}

/* ---- a tree: what is given may lie in what is destroyed ---- */

typedef struct node node;
ASH_VEC_DECLARE(nodes, node);
struct node {
    int value;
    nodes children;
};

static void node_end(void *self);
ASH_TYPE(node, .destroy = node_end);
ASH_VEC_IMPLEMENT(nodes, node, ash_type_of(node))

static void node_end(void *self)
{
    node *n = self;
    ends[n->value]++;
    nodes_deinit(&n->children);
}

static node new_node(int value)
{
    node n = {.value = value};
    nodes_init(&n.children, &up.resource);
    return n;
}

static void test_vec_steal_from_ones_own_child(void **state)
{
    (void)state;
    test_upstream_init(&up);
    node root = new_node(1);
    assert_true(nodes_push(&root.children, new_node(2)));
    assert_true(nodes_push(&root.children, new_node(3)));
    nodes *inner = &root.children.data[0].children;
    assert_true(nodes_push(inner, new_node(4)));
    assert_true(nodes_steal(&root.children, inner));
    assert_int_equal(root.children.count, 1);
    assert_int_equal(root.children.data[0].value, 4);
    assert_int_equal(ends[2] + ends[3], 2);
    assert_int_equal(ends[4], 0);
    node_end(&root);
    assert_int_equal(ends[1] + ends[4], 2);
    memset(ends, 0, sizeof ends);
    test_upstream_done(&up);
}

/* ---- elements of which no two fit anywhere ---- */

static void test_vec_of_huge_elements_is_refused(void **state)
{
    (void)state;
    test_upstream_init(&up);
    static const ash_vec_kind_ kind = {SIZE_MAX / 4 + 1, 1, NULL};
    ash_vec_ v;
    ash_vec_init_(&v, &up.resource);
    for (size_t count = 0; count < 6; count++) {
        assert_int_equal(ash_vec_resize_(&v, &kind, count), count == 0);
        assert_int_equal(ash_vec_reserve_(&v, &kind, count), count == 0);
        assert_true(ash_vec_check_(&v, &kind));
        assert_int_equal(v.capacity, 0);
    }
    test_upstream_done(&up);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_vec_steal),
        TEST(test_vec_swap),
        TEST(test_vec_copy),
        cmocka_unit_test(test_vec_steal_across_moves_what_has_no_memory_there),
        cmocka_unit_test(test_vec_swap_across_moves_what_has_no_memory_there),
        cmocka_unit_test(test_vec_steal_and_swap_refused_change_nothing),
        cmocka_unit_test(test_vec_steal_from_ones_own_child),
        cmocka_unit_test(test_vec_of_huge_elements_is_refused),
    };
    return test_main(tests);
}
