/* must-compile */
#include <ashlar.hpp>

#include <map>
#include <string>
#include <vector>

/* Every public name of ashlar.hpp, also without exceptions and without RTTI. */
struct first {
    int number = 0;
    virtual ~first() = default;
};
struct second final : first {
    std::pmr::string text;
};
struct pair {
    int a, b;
};

static std::size_t numbers(ash::arena &arena)
{
    const ash::arena &seen = arena;
    arena.trim(0);
    arena.clear_failed();
    return seen.used() + seen.capacity() + seen.peak() + seen.room() + seen.owns(seen.get()) +
           seen.failed() + seen.check() + (seen.name() != nullptr);
}

static bool pointers(ash::arena &arena)
{
    ash::unique_ptr<first> unique = arena.make_unique<second>();
    ash::unique_ptr<const int[]> constant = arena.make_unique<int[]>(2);
    auto array = arena.make_unique<second[]>(3);
    auto shared = arena.make_shared<second>();
    std::vector<int, ash::allocator<int>> vector{ash::allocator<int>(arena)};
    vector.resize(3);
    return unique && array && shared && vector.get_allocator() == ash::allocator<char>(arena.get());
}

static bool resources(ash::arena &arena)
{
    ash::from_pmr upstream(arena.resource());
    ash::resource_adaptor adaptor(upstream.get());
    std::pmr::map<std::pmr::string, int> map(&adaptor);
    map["word"] = 1;
    return adaptor.upstream() == upstream.get() && adaptor == adaptor;
}

bool everything()
{
    ash_arena_config config{};
    char buffer[64];
    ash::arena arena(config), fixed(buffer, sizeof buffer);
    ash::scope scope(arena);
    ash_mark mark = arena.mark();
    const pair *aggregate = arena.make<pair>(1, 2);
    first *made = arena.try_make<second>();
    arena.destroy(made);
    arena.destroy(aggregate);
    arena.destroy(arena.make_array<pair>(3));
    arena.destroy(arena.try_make_array<std::pmr::string>(3, 5u, 'x'));
    bool good = arena.alloc(10) && arena.try_alloc(10, 64) && fixed.try_alloc(1);
    good = good && numbers(arena) && pointers(arena) && resources(arena);
    good = good && ash::type_of<second>()->destroy;
    arena.rewind(mark);
    fixed.reset();
    fixed.release();
#ifdef __cpp_lib_span
    std::byte bytes[16];
    ash::arena spanned{std::span<std::byte>(bytes)};
#endif
    return good;
}
