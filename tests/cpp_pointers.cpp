// Smart pointers to what lies on an arena, and the allocator for containers of other libraries.

#include "support.hpp"

#include <list>
#include <map>

struct base {
    long padding = 0;
    virtual ~base() = default;
};
struct other_base {
    virtual ~other_base() = default;
    long padding = 0;
};
struct derived : base, other_base {
    counted member{7};
};
struct plain_base {
};
struct plain_derived : plain_base {
};
struct incomplete; // a pointer to it can be a member

static_assert(std::is_convertible_v<ash::unique_ptr<derived>, ash::unique_ptr<other_base>>);
static_assert(std::is_convertible_v<ash::unique_ptr<derived>, ash::unique_ptr<const derived>>);
static_assert(!std::is_convertible_v<ash::unique_ptr<base>, ash::unique_ptr<derived>>);
static_assert(!std::is_convertible_v<ash::unique_ptr<const base>, ash::unique_ptr<base>>);
static_assert(!std::is_convertible_v<ash::unique_ptr<plain_derived>, ash::unique_ptr<plain_base>>,
              "its destructor would not run");
static_assert(!std::is_convertible_v<ash::unique_ptr<derived[]>, ash::unique_ptr<base[]>>);
static_assert(std::is_convertible_v<ash::unique_ptr<base[]>, ash::unique_ptr<const base[]>>);
static_assert(!std::is_constructible_v<ash::deleter<base>, ash_arena *>);
static_assert(sizeof(ash::unique_ptr<incomplete>) == 2 * sizeof(void *));

// ---- unique -------------------------------------------------------------------------------------

static void test_unique_pointer_deletes(void **)
{
    watched_arena w;
    {
        auto a = w.arena->make_unique<counted>(1);
        auto b = w.arena->make_unique<counted>(2);
        assert_true(w.arena->owns(a.get()));
        b = std::move(a);
        assert_true((counts().destroyed == std::vector<int>{2}));
        assert_null(a.get());
    }
    assert_true((counts().destroyed == std::vector<int>{2, 1}));
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_unique_pointer_to_array_deletes_last_first(void **)
{
    watched_arena w;
    {
        auto all = w.arena->make_unique<counted[]>(3);
        for (int i = 0; i < 3; i++)
            all[static_cast<std::size_t>(i)].number = i;
        auto none = w.arena->make_unique<counted[]>(0);
        auto numbers = w.arena->make_unique<long[]>(5);
        assert_int_equal(numbers[4], 0);
        ash::unique_ptr<counted[]> moved = std::move(all);
    }
    assert_true((counts().destroyed == std::vector<int>{2, 1, 0}));
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_unique_pointer_to_base(void **)
{
    watched_arena w;
    {
        ash::unique_ptr<base> first = w.arena->make_unique<derived>();
        ash::unique_ptr<other_base> second = w.arena->make_unique<derived>();
        ash::unique_ptr<const derived> third = w.arena->make_unique<derived>();
    }
    assert_int_equal(counts().alive, 0);
    assert_int_equal(counts().destroyed.size(), 3);
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_unique_pointer_and_throwing_constructor(void **)
{
    watched_arena w;
    counts().throw_at = 2;
    assert_throws(std::runtime_error, w.arena->make_unique<counted[]>(5));
    assert_throws(std::runtime_error, w.arena->make_unique<counted>());
    assert_int_equal(counts().alive, 0);
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

struct tree {
    counted member;
    ash::unique_ptr<tree> left, right;
};

static ash::unique_ptr<tree> grow(ash::arena &arena, int depth)
{
    auto t = arena.make_unique<tree>();
    t->member.number = depth;
    if (depth) {
        t->left = grow(arena, depth - 1);
        t->right = grow(arena, depth - 1);
    }
    return t;
}

static void test_pointers_may_be_members_of_what_a_rewind_destroys(void **)
{
    watched_arena w;
    ash_mark mark = w.arena->mark();
    w.arena->make<ash::unique_ptr<tree>>(grow(*w.arena, 5)); // the pointer is newest
    auto *oldest = w.arena->make<ash::unique_ptr<tree>>();
    *oldest = grow(*w.arena, 5);
    assert_int_equal(counts().alive, 126);
    w.arena->rewind(mark);
    assert_int_equal(counts().alive, 0);
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_unique_pointer_that_outlives_the_memory_is_reported(void **)
{
    watched_arena w;
    auto p = w.arena->make_unique<counted>(1);
    counted *dangling = p.get();
    w.arena->reset();
    expect_fatal(p.get_deleter()(dangling), NOT_START IN_ARENA("watched"));
    auto all = w.arena->make_unique<counted[]>(2);
    w.arena->release();
    expect_fatal(all.get_deleter()(all.get()), NOT_START IN_ARENA("watched"));
    assert_int_equal(counts().destroyed.size(), 0); // no destructor was called on it
    (void)p.release();
    (void)all.release();
    w.done();
}

// ---- shared -------------------------------------------------------------------------------------

static void test_shared_pointer_deletes_with_the_last(void **)
{
    watched_arena w;
    std::weak_ptr<counted> weak;
    {
        std::shared_ptr<counted> a = w.arena->make_shared<counted>(5), b = a;
        assert_true(w.arena->owns(a.get()));
        weak = a;
        a.reset();
        assert_int_equal(counts().alive, 1);
    }
    assert_int_equal(counts().alive, 0);
    assert_true(weak.expired());
    assert_true(w.arena->used() > 0); // the weak one holds the block
    weak.reset();
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_shared_pointer_as_member_survives_a_reset_of_its_holder(void **)
{
    watched_arena w;
    auto *holders = w.arena->make_array<std::shared_ptr<counted>>(3);
    holders[0] = w.arena->make_shared<counted>(1);
    holders[1] = holders[0];
    holders[2] = w.arena->make_shared<counted>(2);
    w.arena->reset();
    assert_true((counts().destroyed == std::vector<int>{2, 1}));
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_shared_pointer_and_throwing_constructor(void **)
{
    watched_arena w;
    counts().throw_at = 0;
    assert_throws(std::runtime_error, w.arena->make_shared<counted>());
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

// ---- allocator ----------------------------------------------------------------------------------

static void test_allocator_serves_containers(void **)
{
    watched_arena w;
    {
        using node = std::pair<const int, std::string>;
        std::map<int, std::string, std::less<>, ash::allocator<node>> map{
            ash::allocator<node>(*w.arena)};
        std::list<counted, ash::allocator<counted>> list{ash::allocator<counted>(w.arena->get())};
        std::vector<int, ash::allocator<int>> vector{ash::allocator<int>(*w.arena)};
        for (int i = 0; i < 200; i++) {
            map[i * 37 % 200] = std::to_string(i);
            list.emplace_back(i);
            vector.push_back(i);
        }
        assert_true(w.arena->owns(&map.at(5)) && w.arena->owns(&list.back()));
        assert_true(w.arena->owns(vector.data()));
        for (int i = 0; i < 200; i += 3)
            map.erase(i);
        list.remove_if([](const counted &c) { return c.number % 2 == 0; });
        assert_int_equal(counts().alive, 100);
        assert_true(w.arena->check());
    }
    assert_int_equal(w.arena->used(), 0); // one by one, all came back
    w.done();
}

static void test_allocator_refuses(void **)
{
    watched_arena w;
    ash::allocator<long> longs(*w.arena);
    assert_throws(std::bad_array_new_length, longs.allocate(SIZE_MAX / 2));
    assert_throws(std::bad_alloc, longs.allocate(SIZE_MAX / 32));
    w.upstream.refuse = true;
    assert_throws(std::bad_alloc, longs.allocate(1));
    w.done();
}

static void test_allocator_equality_and_moves(void **)
{
    watched_arena w;
    ash::arena other;
    ash::allocator<int> a(*w.arena), b(other);
    ash::allocator<char> c(a);
    assert_true(a == c && !(a != c));
    assert_true(a != b);
    std::vector<int, ash::allocator<int>> here({1, 2, 3}, a), there({4, 5}, b);
    here = std::move(there); // not the other arena's memory
    assert_true(here.size() == 2 && here[1] == 5 && w.arena->owns(here.data()));
    here = decltype(here)(a);
    here.shrink_to_fit();
    w.done();
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unique_pointer_deletes),
        cmocka_unit_test(test_unique_pointer_to_array_deletes_last_first),
        cmocka_unit_test(test_unique_pointer_to_base),
        cmocka_unit_test(test_unique_pointer_and_throwing_constructor),
        cmocka_unit_test(test_pointers_may_be_members_of_what_a_rewind_destroys),
        cmocka_unit_test(test_unique_pointer_that_outlives_the_memory_is_reported),
        cmocka_unit_test(test_shared_pointer_deletes_with_the_last),
        cmocka_unit_test(test_shared_pointer_as_member_survives_a_reset_of_its_holder),
        cmocka_unit_test(test_shared_pointer_and_throwing_constructor),
        cmocka_unit_test(test_allocator_serves_containers),
        cmocka_unit_test(test_allocator_refuses),
        cmocka_unit_test(test_allocator_equality_and_moves),
    };
    return test_main(tests);
}
