// Resources of both worlds under each other, and the containers of std::pmr on an arena.

#include "support.hpp"

#include <deque>
#include <list>
#include <map>
#include <set>
#include <unordered_map>

static const char long_text[] = "too long for the bytes that a string keeps within itself";

// ---- an ash_resource as a memory_resource -------------------------------------------------------

static void test_adaptor_passes_size_and_alignment(void **)
{
    test_upstream up;
    test_upstream_init(&up); // fails the test on a free of another size or alignment
    ash::resource_adaptor adaptor(&up.resource);
    std::pmr::memory_resource *resource = &adaptor;
    for (std::size_t align = 1; align <= 4096; align *= 2)
        for (std::size_t size : {std::size_t(0), std::size_t(1), align, 3 * align + 1}) {
            void *p = resource->allocate(size, align);
            assert_aligned(p, align);
            memset(p, 1, size);
            resource->deallocate(p, size, align);
        }
    test_upstream_done(&up);
}

static void test_adaptor_throws_where_the_resource_refuses(void **)
{
    ash::resource_adaptor none(ash_null()), heap(ash_heap());
    assert_throws(std::bad_alloc, none.allocate(1, 1));
    volatile std::size_t all = SIZE_MAX; // gcc would warn of the constant
    assert_throws(std::bad_alloc, heap.allocate(all, 1));
    assert_throws(std::bad_alloc, heap.allocate(1, 2 * ASH_ALIGN_MAX));
    void *p = heap.allocate(1, ASH_ALIGN_MAX);
    assert_aligned(p, ASH_ALIGN_MAX);
    heap.deallocate(p, 1, ASH_ALIGN_MAX);
    std::pmr::vector<int> v(&none);
    assert_throws(std::bad_alloc, v.push_back(1));
    assert_true(v.empty());
}

static void test_adaptors_are_equal_by_resource(void **)
{
    ash::resource_adaptor a(ash_heap()), b(ash_heap()), pages(ash_pages()), standard(nullptr);
    assert_true(a == b);
    assert_true(a == standard);
    assert_false(a == pages);
    assert_false(a == *std::pmr::new_delete_resource());
    ash::arena arena, other;
    ash::resource_adaptor plain(ash_arena_resource(arena.get()));
    assert_true(*arena.resource() == plain && plain == *arena.resource());
    assert_false(*arena.resource() == *other.resource());
}

// ---- a memory_resource as an ash_resource -------------------------------------------------------

// Counts, and checks that each free has the size and alignment of its allocation.
struct strict_resource final : std::pmr::memory_resource {
    std::map<void *, std::pair<std::size_t, std::size_t>> live;
    int calls = 0, refuse_at = -1;

    void *do_allocate(std::size_t size, std::size_t align) override
    {
        if (calls++ == refuse_at)
            throw std::runtime_error("any exception");
        void *p = std::pmr::new_delete_resource()->allocate(size, align);
        live[p] = {size, align};
        return p;
    }
    void do_deallocate(void *p, std::size_t size, std::size_t align) override
    {
        assert_true((live.at(p) == std::pair(size, align)));
        live.erase(p);
        std::pmr::new_delete_resource()->deallocate(p, size, align);
    }
    bool do_is_equal(const memory_resource &other) const noexcept override
    {
        return this == &other;
    }
};

static void test_from_pmr_frees_what_it_allocated(void **)
{
    strict_resource strict;
    ash::from_pmr upstream(&strict);
    for (std::size_t align = 1; align <= 4096; align *= 2) {
        void *p = ash_resource_alloc(upstream.get(), 100, align);
        void *q = ash_resource_alloc(upstream.get(), 0, align);
        assert_aligned(p, align);
        assert_ptr_not_equal(p, q);
        memset(p, 7, 100);
        p = ash_resource_realloc(upstream.get(), p, 100, 1000, align);
        assert_int_equal(static_cast<char *>(p)[99], 7);
        ash_resource_free(upstream.get(), p, 1000, align);
        ash_resource_free(upstream.get(), q, 0, align);
    }
    assert_int_equal(strict.live.size(), 0);
    assert_string_equal(ash_resource_name(upstream.get()), "std::pmr::memory_resource");
}

static void test_from_pmr_answers_null_for_an_exception(void **)
{
    strict_resource strict;
    strict.refuse_at = 0;
    ash::from_pmr upstream(&strict), none(std::pmr::null_memory_resource());
    assert_null(ash_resource_alloc(upstream.get(), 1, 1));
    assert_null(ash_resource_alloc(none.get(), 1, 1));
    ash_arena_config config{};
    config.upstream = none.get();
    ash::arena arena(config);
    assert_null(arena.try_alloc(1));
    assert_null(arena.try_make<counted>());
    assert_throws(std::bad_alloc, arena.make<counted>());
}

static void test_from_pmr_null_is_the_default(void **)
{
    strict_resource strict;
    std::pmr::memory_resource *before = std::pmr::set_default_resource(&strict);
    ash::from_pmr upstream(nullptr);
    std::pmr::set_default_resource(before);
    void *p = ash_resource_alloc(upstream.get(), 5, 1);
    assert_int_equal(strict.live.size(), 1);
    ash_resource_free(upstream.get(), p, 5, 1);
}

// What is newer than what grows there is seen through both.
static void test_from_pmr_passes_on_the_epoch_of_an_arena(void **)
{
    strict_resource strict;
    ash::arena arena;
    ash::resource_adaptor adaptor(ash_arena_resource(arena.get()));
    ash::from_pmr memory(arena.resource()), adapted(&adaptor), other(&strict);
    std::uint64_t epoch = ash_resource_epoch(memory.get());
    assert_int_equal(epoch, ash_resource_epoch(ash_arena_resource(arena.get())));
    {
        ash::scope scope(arena);
        assert_int_not_equal(ash_resource_epoch(memory.get()), epoch);
        assert_int_equal(ash_resource_epoch(adapted.get()), ash_resource_epoch(memory.get()));
    }
    assert_int_equal(ash_resource_epoch(memory.get()), epoch);
    assert_int_equal(ash_resource_epoch(other.get()), 0);
}

static void test_both_ways_composed(void **)
{
    strict_resource strict;
    ash::from_pmr inner(&strict);
    ash::resource_adaptor adaptor(inner.get()), twin(inner.get());
    ash::from_pmr outer(&adaptor);
    assert_true(adaptor == twin);
    void *p = ash_resource_alloc(outer.get(), 33, 256);
    assert_aligned(p, 256);
    assert_int_equal(strict.live.at(p).first, 33);
    ash_resource_free(outer.get(), p, 33, 256);
    strict.refuse_at = strict.calls;
    assert_null(ash_resource_alloc(outer.get(), 1, 1));
    assert_int_equal(strict.live.size(), 0);
}

static void fill_and_empty(std::pmr::memory_resource *under)
{
    ash::from_pmr upstream(under);
    ash_arena_config config{};
    config.upstream = upstream.get();
    config.block_size = config.block_max = 2048;
    ash::arena arena(config);
    auto *texts = arena.make<std::pmr::list<std::pmr::string>>();
    for (int i = 0; i < 200; i++)
        texts->emplace_back(long_text);
    for (const auto &text : *texts)
        assert_true(text == long_text && arena.owns(text.data()));
    assert_true(arena.check());
    arena.make_array<counted>(20);
    arena.release();
    assert_int_equal(counts().alive, 0);
}

static void test_arena_over_the_resources_of_std(void **)
{
    strict_resource strict;
    fill_and_empty(&strict);
    assert_int_equal(strict.live.size(), 0);
    std::pmr::monotonic_buffer_resource monotonic(&strict);
    fill_and_empty(&monotonic);
    {
        std::pmr::unsynchronized_pool_resource pool(&strict);
        fill_and_empty(&pool);
        std::pmr::synchronized_pool_resource locked(&strict);
        fill_and_empty(&locked);
        ash::arena below;
        fill_and_empty(below.resource());
    }
    monotonic.release();
    assert_int_equal(strict.live.size(), 0);
}

static void test_resources_of_std_over_an_arena(void **)
{
    watched_arena w;
    {
        std::pmr::unsynchronized_pool_resource pool(w.arena->resource());
        std::pmr::map<int, std::pmr::string> map(&pool);
        for (int i = 0; i < 300; i++)
            map[i] = long_text;
        for (int i = 0; i < 300; i += 2)
            map.erase(i);
        assert_true(w.arena->owns(map.at(1).data()));
    }
    w.done();
}

// ---- containers live in the arena, all of them --------------------------------------------------

static void test_make_gives_containers_the_arena(void **)
{
    watched_arena w;
    using strings = std::pmr::vector<std::pmr::string>;
    using index = std::pmr::map<std::pmr::string, strings>;
    auto *i = w.arena->make<index>();
    for (int n = 0; n < 50; n++)
        (*i)[std::pmr::string(long_text) + std::to_string(n).c_str()].emplace_back(long_text);
    for (auto &[key, values] : *i) {
        assert_true(w.arena->owns(&key) && w.arena->owns(key.data()));
        assert_true(w.arena->owns(values.data()) && w.arena->owns(values[0].data()));
    }
    auto *text = w.arena->make<std::pmr::string>(long_text);
    auto *copies = w.arena->make<strings>(3u, *text);
    assert_true(w.arena->owns(text->data()));
    assert_true(w.arena->owns((*copies)[2].data()) && (*copies)[2].data() != text->data());
    auto *hash = w.arena->make<std::pmr::unordered_map<int, std::pmr::deque<int>>>();
    (*hash)[3].push_back(4);
    assert_true(w.arena->owns(&(*hash)[3].front()));
    auto *many = w.arena->make_array<std::pmr::string>(4, long_text);
    assert_true(w.arena->owns(many[3].data()));
    w.arena->reset();
    assert_int_equal(w.arena->used(), 0);
    w.done();
}

struct takes_first {
    using allocator_type = std::pmr::polymorphic_allocator<char>;
    std::pmr::string text;
    takes_first(std::allocator_arg_t, allocator_type allocator, const char *text)
        : text(text, allocator)
    {
    }
};

struct takes_last {
    using allocator_type = std::pmr::polymorphic_allocator<std::byte>;
    std::pmr::string text;
    explicit takes_last(const char *text, allocator_type allocator = {}) : text(text, allocator) {}
};

static void test_make_gives_own_classes_the_arena(void **)
{
    watched_arena w;
    assert_true(w.arena->owns(w.arena->make<takes_first>(long_text)->text.data()));
    assert_true(w.arena->owns(w.arena->make<takes_last>(long_text)->text.data()));
    auto shared = w.arena->make_shared<takes_first>(long_text);
    auto unique = w.arena->make_unique<takes_last>(long_text);
    assert_true(w.arena->owns(shared->text.data()));
    assert_true(w.arena->owns(unique->text.data()));
    shared.reset();
    unique.reset();
    w.done();
}

struct throws_with_allocator { // and cannot throw without
    using allocator_type = std::pmr::polymorphic_allocator<std::byte>;
    throws_with_allocator() noexcept = default;
    explicit throws_with_allocator(allocator_type)
    {
        throw std::runtime_error("as asked");
    }
    ~throws_with_allocator()
    {
        counts().destroyed.push_back(-1);
    }
};

static void test_constructor_that_throws_at_the_arena_leaves_nothing(void **)
{
    watched_arena w;
    ash_mark mark = w.arena->mark();
    assert_throws(std::runtime_error, w.arena->make<throws_with_allocator>());
    assert_int_equal(w.arena->used(), 0);
    w.arena->rewind(mark);
    w.done();
    assert_int_equal(counts().destroyed.size(), 0);
}

static void test_make_keeps_an_allocator_that_is_given(void **)
{
    watched_arena w;
    strict_resource strict;
    auto *v = w.arena->make<std::pmr::vector<int>>(std::size_t(10), 1, &strict);
    assert_ptr_equal(v->get_allocator().resource(), &strict);
    auto *t = w.arena->make<takes_last>(long_text, &strict);
    assert_false(w.arena->owns(t->text.data()));
    w.done();
    assert_int_equal(strict.live.size(), 0);
}

static void test_moved_in_from_another_arena_is_copied(void **)
{
    watched_arena w;
    auto *home = w.arena->make<std::pmr::vector<std::pmr::string>>();
    {
        ash::arena other;
        std::pmr::string away(long_text, other.resource());
        home->push_back(std::move(away));
        home->push_back(*other.make<std::pmr::string>(long_text));
        auto *third =
            w.arena->make<std::pmr::string>(std::move(*other.make<std::pmr::string>(long_text)));
        assert_true(w.arena->owns(third->data()));
    }
    assert_true(w.arena->owns((*home)[0].data()) && w.arena->owns((*home)[1].data()));
    assert_true((*home)[0] == long_text && (*home)[1] == long_text);
    w.done();
}

static void test_newest_plain_memory_comes_back(void **)
{
    watched_arena w(1 << 16);
    std::size_t used = w.arena->used();
    {
        std::pmr::vector<int> v(100, w.arena->resource());
        assert_true(w.arena->used() > used);
    }
    assert_int_equal(w.arena->used(), used);
    w.done();
}

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adaptor_passes_size_and_alignment),
        cmocka_unit_test(test_adaptor_throws_where_the_resource_refuses),
        cmocka_unit_test(test_adaptors_are_equal_by_resource),
        cmocka_unit_test(test_from_pmr_frees_what_it_allocated),
        cmocka_unit_test(test_from_pmr_answers_null_for_an_exception),
        cmocka_unit_test(test_from_pmr_null_is_the_default),
        cmocka_unit_test(test_from_pmr_passes_on_the_epoch_of_an_arena),
        cmocka_unit_test(test_both_ways_composed),
        cmocka_unit_test(test_arena_over_the_resources_of_std),
        cmocka_unit_test(test_resources_of_std_over_an_arena),
        cmocka_unit_test(test_make_gives_containers_the_arena),
        cmocka_unit_test(test_make_gives_own_classes_the_arena),
        cmocka_unit_test(test_constructor_that_throws_at_the_arena_leaves_nothing),
        cmocka_unit_test(test_make_keeps_an_allocator_that_is_given),
        cmocka_unit_test(test_moved_in_from_another_arena_is_copied),
        cmocka_unit_test(test_newest_plain_memory_comes_back),
    };
    return test_main(tests);
}
