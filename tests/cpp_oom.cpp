// Out of memory at every call: the n-th call of upstream is refused, for n = 1, 2, ... until a run makes
// fewer. Each refusal must be std::bad_alloc and leave nothing; tried again, the same step must succeed.

#include "support.hpp"

#include <functional>
#include <list>
#include <map>

static const char long_text[] = "too long for the bytes that a string keeps within itself";

struct parent { // makes others while it is being made
    ash::unique_ptr<counted[]> owned;
    std::shared_ptr<counted> shared;
    std::pmr::string text;
    explicit parent(ash::arena &arena)
        : owned(arena.make_unique<counted[]>(20)), shared(arena.make_shared<counted>(1)),
          text(long_text, arena.resource())
    {
    }
};

struct run {
    watched_arena w{512};
    std::list<ash::unique_ptr<counted>> unique;
    std::list<std::shared_ptr<counted>> shared;
    int refused = 0;

    // `leaves`: how many counted objects there are more when the step has succeeded.
    void step(int leaves, const std::function<void(ash::arena &)> &action)
    {
        int before = counts().alive;
        ash_mark mark = w.arena->mark();
        for (;;) {
            try {
                action(*w.arena);
                break;
            } catch (const std::bad_alloc &) {
                assert_true(w.arena->failed());
                w.arena->clear_failed();
                refused++;
                assert_int_equal(counts().alive, before);
                assert_true(w.arena->check());
                w.arena->rewind(mark); // what is left is plain memory of strings
                assert_int_equal(counts().alive, before);
            }
        }
        assert_int_equal(counts().alive, before + leaves);
    }

    void all()
    {
        for (int i = 0; i < 12; i++) {
            step(1, [](ash::arena &a) { a.make<counted>(1); });
            step(7, [](ash::arena &a) { a.make_array<counted>(7); });
            step(21, [](ash::arena &a) { a.make<parent>(a); });
            step(0, [](ash::arena &a) { a.make_array<double>(50); });
            step(1, [this](ash::arena &a) { unique.push_back(a.make_unique<counted>()); });
            step(1, [this](ash::arena &a) { shared.push_back(a.make_shared<counted>()); });
            step(0, [](ash::arena &a) { a.make_array<std::pmr::string>(3, long_text); });
            step(0, [](ash::arena &a) {
                a.make<std::pmr::map<int, std::pmr::string>>()->emplace(1, long_text);
            });
            step(0, [](ash::arena &a) {
                std::list<int, ash::allocator<int>> list({1, 2, 3}, ash::allocator<int>(a));
            });
            step(0, [](ash::arena &a) { (void)a.alloc(300); });
        }
    }
};

static void test_every_refusal_is_bad_alloc_and_leaves_nothing(void **)
{
    std::size_t n = 1;
    int answered = 0;
    for (;; n++) {
        run r;
        r.w.upstream.fail_at = n;
        r.all();
        assert_true(r.refused <= 1);
        answered += r.refused; // not all: the arena can do without some of what it asks for
        std::size_t calls = r.w.upstream.calls;
        r.unique.clear();
        r.shared.clear();
        r.w.arena->reset();
        assert_int_equal(counts().alive, 0);
        r.w.done();
        if (calls < n)
            break;
    }
    print_message("%zu calls of upstream, %d refusals answered\n", n - 1, answered);
    assert_true(answered > 20);
}

static void test_try_answers_null(void **)
{
    watched_arena w(512);
    w.upstream.refuse = true;
    assert_null(w.arena->try_make<counted>());
    assert_null(w.arena->try_make<int>());
    assert_null(w.arena->try_make_array<counted>(3));
    assert_null(w.arena->try_make_array<int>(3));
    assert_null(w.arena->try_alloc(1));
    assert_throws(std::bad_alloc, w.arena->alloc(1));
    assert_throws(std::bad_alloc, w.arena->make<counted>());
    assert_throws(std::bad_alloc, w.arena->make_unique<counted>());
    assert_throws(std::bad_alloc, w.arena->make_shared<counted>());
    assert_int_equal(counts().made, 0);
    assert_true(w.arena->failed());
    w.upstream.refuse = false;
    assert_non_null(w.arena->try_make<counted>());
    w.done();
}

static void test_arena_that_cannot_be_had_throws(void **)
{
    ash_arena_config config{};
    config.buffer_size = 1; // without a buffer
    assert_throws(std::bad_alloc, ash::arena(config));
}

static void test_arena_over_every_size_of_buffer(void **)
{
    alignas(16) static unsigned char buffer[600];
    counts() = history();
    for (std::size_t size = 0; size <= sizeof buffer; size++) {
        int made = 0;
        {
            ash::arena arena(buffer, size);
            while (arena.try_make<counted>(made))
                made++;
            assert_int_equal(arena.failed(), true);
            assert_true(arena.check());
            assert_int_equal(counts().alive, made);
        }
        assert_int_equal(counts().alive, 0);
        assert_true(made > 0 || size < 200);
    }
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_refusal_is_bad_alloc_and_leaves_nothing),
        cmocka_unit_test(test_try_answers_null),
        cmocka_unit_test(test_arena_that_cannot_be_had_throws),
        cmocka_unit_test(test_arena_over_every_size_of_buffer),
    };
    return test_main(tests);
}
