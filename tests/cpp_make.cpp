// Objects of C++ classes on an arena: made, thrown out of, destroyed.

#include "support.hpp"

#include <climits>
#include <sys/wait.h>
#include <unistd.h>

static_assert(!std::is_copy_constructible_v<ash::arena> &&
              !std::is_move_constructible_v<ash::arena>);
static_assert(!std::is_copy_assignable_v<ash::arena> && !std::is_move_assignable_v<ash::arena>);
static_assert(!std::is_copy_constructible_v<ash::scope> && !std::is_copy_assignable_v<ash::scope>);
static_assert(!std::is_copy_constructible_v<ash::from_pmr>);
static_assert(std::is_nothrow_default_constructible_v<ash::arena>);

// ---- one ----------------------------------------------------------------------------------------

struct holder {
    std::unique_ptr<int> owned;
    int &referred;
    const char *text;

    holder(std::unique_ptr<int> owned, int &referred, const char *text)
        : owned(std::move(owned)), referred(referred), text(text)
    {
    }
};

static void test_make_forwards_arguments(void **)
{
    watched_arena w;
    int here = 1;
    holder *h = w.arena->make<holder>(std::make_unique<int>(7), here, "text");
    assert_int_equal(*h->owned, 7);
    h->referred = 2;
    assert_int_equal(here, 2);
    assert_string_equal(h->text, "text");
    assert_true(w.arena->owns(h));
    w.done(); // the int is freed, or the leak is reported
}

static void test_destroy_runs_destructor_once(void **)
{
    watched_arena w;
    counted *a = w.arena->make<counted>(1), *b = w.arena->make<counted>(2);
    counted *c = w.arena->make<counted>(3);
    w.arena->destroy(b);
    w.arena->destroy(static_cast<counted *>(nullptr));
    const counted *seen = c;
    w.arena->destroy(seen);
    assert_int_equal(counts().alive, 1);
    assert_int_equal(a->number, 1);
    w.arena->reset();
    assert_true((counts().destroyed == std::vector<int>{2, 3, 1}));
    assert_int_equal(w.arena->used(), 0);
    w.done();
    assert_int_equal(counts().alive, 0);
}

static void test_rewind_destroys_newest_first(void **)
{
    watched_arena w;
    w.arena->make<counted>(1);
    ash_mark mark = w.arena->mark();
    for (int i = 2; i < 100; i++)
        w.arena->make<counted>(i);
    w.arena->rewind(mark);
    assert_int_equal(counts().alive, 1);
    for (int i = 0; i < 98; i++)
        assert_int_equal(counts().destroyed[static_cast<std::size_t>(i)], 99 - i);
    w.arena->release();
    assert_int_equal(counts().alive, 0);
    assert_int_equal(w.arena->capacity(), 0);
    w.done();
}

struct point {
    int x, y;
};

static void test_trivial_object_can_be_destroyed_alone(void **)
{
    watched_arena w;
    point *p = w.arena->make<point>(3, 4); // an aggregate
    int *zero = w.arena->make<int>();
    assert_int_equal(p->x * 10 + p->y, 34);
    assert_int_equal(*zero, 0);
    assert_int_equal(ash_object_inspect(w.arena->get(), p), ASH_OBJECT_LIVE);
    assert_null(ash_object_type(w.arena->get(), p)); // no type word
    w.arena->destroy(zero);
    w.arena->destroy(p);
    assert_int_equal(w.arena->used(), 0);
    expect_fatal(w.arena->destroy(p), NOT_START IN_ARENA("watched"));
    w.done();
}

namespace shapes
{
template <class T> struct box {
    T value;
    ~box()
    {
        value = T();
    }
};
} // namespace shapes

static void test_type_is_named_as_in_the_source(void **)
{
    watched_arena w;
    auto *b = w.arena->make<shapes::box<int>>();
    const ash_type *type = ash_object_type(w.arena->get(), b);
    assert_ptr_equal(type, ash::type_of<shapes::box<int>>());
    assert_string_equal(type->name, "shapes::box<int>");
    assert_int_equal(type->size, sizeof *b);
    assert_string_equal(ash::type_of<point>()->name, "point");
    assert_null(ash::type_of<point>()->destroy);
    w.done();
}

struct alignas(64) line {
    char bytes[64];
    ~line()
    {
        bytes[0] = 0;
    }
};

struct alignas(4096) page {
    char first;
};

static void test_over_aligned_classes_are_aligned(void **)
{
    watched_arena w;
    for (int i = 0; i < 5; i++) {
        w.arena->make<char>();
        assert_aligned(w.arena->make<line>(), 64);
        assert_aligned(w.arena->make<page>(), 4096);
        assert_aligned(w.arena->make_array<line>(3), 64);
        assert_aligned(w.arena->make_array<page>(2), 4096);
    }
    w.done();
}

static void expect_double_destroy(ash::arena *arena, counted *c)
{
    expect_fatal(arena->destroy(c), DELETED IN_ARENA("watched"));
}

static void test_second_destroy_is_reported(void **)
{
    watched_arena w;
    counted *a = w.arena->make<counted>(1);
    w.arena->make<counted>(2);
    w.arena->destroy(a);
    expect_double_destroy(w.arena, a);
    assert_int_equal(counts().destroyed.size(), 1);
    w.done();
}

// ---- bases --------------------------------------------------------------------------------------

struct first {
    long before = 1;
    virtual void speak() {}
    virtual ~first() = default;
};
struct second {
    long after = 2;
    virtual void listen() {}
    ~second() = default; // not virtual: the type word knows better
};
struct both final : first, second {
    counted member{5};
};
struct root {
    int value = 3;
    virtual ~root() = default;
};
struct left : virtual root {
};
struct right : virtual root {
};
struct diamond : left, right {
    counted member{6};
};

static void test_objects_are_destroyed_through_bases(void **)
{
    watched_arena w;
    second *s = w.arena->make<both>();
    root *r = w.arena->make<diamond>();
    right *other = w.arena->make<diamond>();
    assert_int_equal(counts().alive, 3);
    w.arena->destroy(s);
    w.arena->destroy(r);
    assert_int_equal(counts().alive, 1);
    w.arena->destroy(other);
    assert_true((counts().destroyed == std::vector<int>{5, 6, 6}));
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

// ---- arrays -------------------------------------------------------------------------------------

static void test_array_is_destroyed_last_first(void **)
{
    watched_arena w;
    counted *all = w.arena->make_array<counted>(40, 9);
    for (int i = 0; i < 40; i++)
        all[i].number = i;
    assert_int_equal(ash_object_count(w.arena->get(), all), 40);
    w.arena->destroy(all);
    for (int i = 0; i < 40; i++)
        assert_int_equal(counts().destroyed[static_cast<std::size_t>(i)], 39 - i);
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_arrays_of_one_and_none(void **)
{
    watched_arena w;
    counted *one = w.arena->make_array<counted>(1), *none = w.arena->make_array<counted>(0);
    int *no_ints = w.arena->make_array<int>(0);
    assert_true(one && none && no_ints && one != none);
    w.arena->destroy(none);
    w.arena->destroy(no_ints);
    assert_int_equal(counts().destroyed.size(), 0);
    w.arena->destroy(one);
    assert_int_equal(counts().destroyed.size(), 1);
    w.done();
}

static void test_array_of_values(void **)
{
    watched_arena w;
    memset(w.arena->alloc(500), 0x55, 500);
    w.arena->reset();
    int *zeros = w.arena->make_array<int>(100);
    int *sevens = w.arena->make_array<int>(100, 7);
    auto *texts = w.arena->make_array<std::string>(3, 60u, 'x');
    for (int i = 0; i < 100; i++)
        assert_true(zeros[i] == 0 && sevens[i] == 7);
    assert_true(texts[2] == std::string(60, 'x'));
    w.done();
}

static void test_array_too_large_is_refused(void **)
{
    watched_arena w;
    for (std::size_t count : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 8 + 2, std::size_t(1) << 61}) {
        assert_null(w.arena->try_make_array<std::string>(count));
        assert_null(w.arena->try_make_array<double>(count));
        assert_throws(std::bad_alloc, w.arena->make_array<double>(count));
        assert_throws(std::bad_alloc, w.arena->make_array<counted>(count, 1));
    }
    assert_true(w.arena->failed());
    assert_int_equal(w.arena->used(), 0);
    assert_int_equal(counts().made, 0);
    w.done();
}

// ---- exceptions ---------------------------------------------------------------------------------

static void test_throwing_constructor_leaves_nothing(void **)
{
    watched_arena w;
    counted *before = w.arena->make<counted>(1);
    std::size_t used = w.arena->used();
    for (int i = 0; i < 3; i++) {
        counts().throw_at = counts().made;
        assert_throws(std::runtime_error, w.arena->make<counted>(2));
        assert_throws(std::runtime_error, w.arena->try_make<counted>(2));
        assert_true(w.arena->check());
        assert_used(w.arena->get(), used);
    }
    assert_false(w.arena->failed());
    assert_true(ash_object_is_top(w.arena->get(), before));
    assert_int_equal(counts().destroyed.size(), 0);
    w.done();
    assert_int_equal(counts().destroyed.size(), 1);
}

struct trivial_thrower {
    explicit trivial_thrower(bool throws)
    {
        if (throws)
            throw std::runtime_error("as asked");
    }
    long value = 5;
};

static void test_throwing_constructor_of_trivial_class_leaves_nothing(void **)
{
    watched_arena w;
    assert_throws(std::runtime_error, w.arena->make<trivial_thrower>(true));
    assert_throws(std::runtime_error, w.arena->make_array<trivial_thrower>(4, true));
    assert_int_equal(w.arena->used(), 0);
    assert_int_equal(w.arena->make<trivial_thrower>(false)->value, 5);
    w.done();
}

static void test_array_constructor_throws_at_every_position(void **)
{
    for (int count = 1; count <= 12; count++)
        for (int k = 0; k < count; k++) {
            watched_arena w;
            counted *before = w.arena->make<counted>(100);
            std::size_t used = w.arena->used();
            counts().throw_at = counts().made + k;
            assert_throws(std::runtime_error,
                          w.arena->make_array<counted>(static_cast<std::size_t>(count), k));
            assert_int_equal(counts().destroyed.size(), k);
            assert_int_equal(counts().alive, 1);
            assert_used(w.arena->get(), used);
            assert_true(ash_object_is_top(w.arena->get(), before));
            w.done();
            assert_int_equal(counts().destroyed.size(), k + 1);
        }
}

struct numbered { // takes its number from a counter, throws at 5
    static int next;
    counted member;
    numbered() : member(next++)
    {
        if (member.number == 5)
            throw std::runtime_error("five");
    }
};
int numbered::next;

static void test_array_elements_before_the_throw_die_last_first(void **)
{
    watched_arena w;
    numbered::next = 0;
    assert_throws(std::runtime_error, w.arena->make_array<numbered>(9));
    assert_true((counts().destroyed == std::vector<int>{5, 4, 3, 2, 1, 0}));
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_array_copies_its_argument(void **)
{
    watched_arena w;
    counted original(8);
    counts().throw_at = counts().made + 2;
    assert_throws(std::runtime_error, w.arena->make_array<counted>(4, original));
    counts().throw_at = -1;
    counted *all = w.arena->make_array<counted>(4, original);
    assert_int_equal(all[3].number, 8);
    w.done();
    assert_int_equal(counts().alive, 1);
}

// ---- constructors that use the arena ------------------------------------------------------------

struct nested {
    ash::unique_ptr<counted> child;
    ash::unique_ptr<nested> inner;
    char *text;

    nested(ash::arena &arena, int depth, int throw_at)
        : child(arena.make_unique<counted>(depth)), text(static_cast<char *>(arena.alloc(700)))
    {
        {
            ash::scope temporary(arena);
            arena.make<counted>(1000);
        }
        if (depth)
            inner = arena.make_unique<nested>(arena, depth - 1, throw_at);
        arena.make<counted>(depth + 100);
        if (depth == throw_at)
            throw std::runtime_error("as asked");
        memset(text, 'n', 700);
    }
};

static void test_constructor_may_use_the_arena(void **)
{
    watched_arena w;
    nested *n = w.arena->make<nested>(*w.arena, 5, -1);
    assert_int_equal(ash_object_inspect(w.arena->get(), n), ASH_OBJECT_LIVE);
    assert_int_equal(counts().alive, 12);
    assert_true(w.arena->check());
    w.arena->destroy(n);
    assert_int_equal(counts().alive, 6);
    w.arena->make<nested>(*w.arena, 5, -1);
    w.arena->reset(); // what a pointer owns is still there when what holds the pointer dies
    assert_int_equal(counts().alive, 0);
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

static void test_nested_constructor_throws_at_every_depth(void **)
{
    for (int depth = 0; depth < 6; depth++) {
        watched_arena w;
        ash_mark mark = w.arena->mark();
        assert_throws(std::runtime_error, w.arena->make<nested>(*w.arena, 5, depth));
        assert_true(w.arena->check());
        assert_int_equal(counts().alive, depth + 1);
        w.arena->rewind(mark); // allowed again; what else the half-built ones made dies
        assert_int_equal(counts().alive, 0);
        assert_int_equal(w.arena->used(), 0);
        w.done();
    }
}

struct rewinder {
    rewinder(ash::arena &arena, ash_mark mark)
    {
        assert_int_equal(ash_object_inspect(arena.get(), this), ASH_OBJECT_DYING);
        arena.destroy(this); // ignored
        expect_fatal(arena.rewind(mark), PAST_DYING IN_ARENA("watched"));
        expect_fatal(arena.reset(), PAST_DYING IN_ARENA("watched"));
    }
    ~rewinder()
    {
        counts().destroyed.push_back(-1);
    }
};

static void test_constructor_may_not_rewind_past_itself(void **)
{
    watched_arena w;
    ash_mark mark = w.arena->mark();
    w.arena->make<rewinder>(*w.arena, mark);
    w.arena->rewind(mark);
    assert_int_equal(counts().destroyed.size(), 1);
    w.done();
}

template <std::size_t Size> struct sure_rewinder { // the short way, and the long one
    char bytes[Size];
    sure_rewinder(ash::arena &arena, ash_mark mark) noexcept
    {
        ash::scope temporary(arena);
        arena.make<sure_rewinder>(arena);
        expect_fatal(arena.rewind(mark), PAST_DYING IN_ARENA("watched"));
        assert_true(arena.owns(this));
    }
    explicit sure_rewinder(ash::arena &) noexcept {}
    ~sure_rewinder()
    {
        counts().destroyed.push_back(-1);
    }
};

template <std::size_t Size> static void rewind_in_noexcept_constructor()
{
    watched_arena w;
    ash_mark mark = w.arena->mark();
    for (int i = 1; i <= 2; i++) {
        w.arena->make<sure_rewinder<Size>>(*w.arena, mark);
        assert_int_equal(counts().destroyed.size(), i);
    }
    w.arena->rewind(mark); // allowed again
    assert_int_equal(counts().destroyed.size(), 4);
    w.upstream.refuse = true;
    while (w.arena->try_make<sure_rewinder<Size>>(*w.arena))
        ;
    w.arena->rewind(mark); // and after a refusal
    w.upstream.refuse = false;
    w.done();
}

static void test_noexcept_constructor_may_not_rewind_past_itself(void **)
{
    rewind_in_noexcept_constructor<8>();
    rewind_in_noexcept_constructor<300>();
}

struct late { // makes another one when it is destroyed
    ash::arena &home;
    ~late()
    {
        home.make<counted>(4);
    }
};

static void test_destructor_may_make(void **)
{
    watched_arena w;
    w.arena->make<late>(*w.arena);
    w.arena->make_array<counted>(2);
    w.arena->reset();
    assert_true((counts().destroyed == std::vector<int>{0, 0, 4}));
    w.done();
}

// ---- destructors that throw ---------------------------------------------------------------------

struct throws_at_end {
    ~throws_at_end() noexcept(false)
    {
        throw std::runtime_error("destructor");
    }
};

static void die_of_terminate()
{
    _exit(42);
}

// How a child ends that runs `body`: its exit status.
template <class Body> static int status_of_child(Body body)
{
    fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
        std::set_terminate(die_of_terminate);
        try {
            body();
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_throwing_destructor_terminates(void **)
{
    assert_int_equal(status_of_child([] {
                         ash::arena arena;
                         arena.destroy(arena.make<throws_at_end>());
                     }),
                     42);
    assert_int_equal(status_of_child([] {
                         ash::arena arena;
                         arena.make_array<throws_at_end>(2);
                         arena.reset();
                     }),
                     42);
    assert_int_equal(status_of_child([] {
                         ash::arena arena;
                         arena.make<throws_at_end>();
                     }),
                     42);
    assert_int_equal(status_of_child([] { // no exception passes through C
                         ash::arena arena;
                         ash_delete(arena.get(), arena.make<throws_at_end>());
                     }),
                     42);
    assert_int_equal(status_of_child([] { ash::arena arena; }), 0);
}

// ---- scopes -------------------------------------------------------------------------------------

static void test_scope_ends_with_its_block(void **)
{
    watched_arena w;
    w.arena->make<counted>(1);
    std::size_t used = w.arena->used();
    {
        ash::scope outer(*w.arena);
        w.arena->make<counted>(2);
        for (int i = 3; i < 5; i++) {
            ash::scope inner(w.arena->get());
            w.arena->make<counted>(i);
            (void)w.arena->alloc(5000);
        }
        assert_int_equal(counts().alive, 2);
    }
    assert_true((counts().destroyed == std::vector<int>{3, 4, 2}));
    assert_int_equal(w.arena->used(), used);
    w.done();
}

static void leave_by_exception(ash::arena &arena)
{
    ash::scope scope(arena);
    arena.make<counted>(2);
    throw std::logic_error("out");
}

static void test_scope_ends_with_an_exception(void **)
{
    watched_arena w;
    assert_throws(std::logic_error, leave_by_exception(*w.arena));
    assert_int_equal(counts().alive, 0);
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make_forwards_arguments),
        cmocka_unit_test(test_destroy_runs_destructor_once),
        cmocka_unit_test(test_rewind_destroys_newest_first),
        cmocka_unit_test(test_trivial_object_can_be_destroyed_alone),
        cmocka_unit_test(test_type_is_named_as_in_the_source),
        cmocka_unit_test(test_over_aligned_classes_are_aligned),
        cmocka_unit_test(test_second_destroy_is_reported),
        cmocka_unit_test(test_objects_are_destroyed_through_bases),
        cmocka_unit_test(test_array_is_destroyed_last_first),
        cmocka_unit_test(test_arrays_of_one_and_none),
        cmocka_unit_test(test_array_of_values),
        cmocka_unit_test(test_array_too_large_is_refused),
        cmocka_unit_test(test_throwing_constructor_leaves_nothing),
        cmocka_unit_test(test_throwing_constructor_of_trivial_class_leaves_nothing),
        cmocka_unit_test(test_array_constructor_throws_at_every_position),
        cmocka_unit_test(test_array_elements_before_the_throw_die_last_first),
        cmocka_unit_test(test_array_copies_its_argument),
        cmocka_unit_test(test_constructor_may_use_the_arena),
        cmocka_unit_test(test_nested_constructor_throws_at_every_depth),
        cmocka_unit_test(test_constructor_may_not_rewind_past_itself),
        cmocka_unit_test(test_noexcept_constructor_may_not_rewind_past_itself),
        cmocka_unit_test(test_destructor_may_make),
        cmocka_unit_test(test_throwing_destructor_terminates),
        cmocka_unit_test(test_scope_ends_with_its_block),
        cmocka_unit_test(test_scope_ends_with_an_exception),
    };
    return test_main(tests);
}
