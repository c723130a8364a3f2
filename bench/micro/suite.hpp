// suite.hpp - the tables, and the loops that every contestant runs.
//
// A driver makes an allocator look like this; what it cannot do it leaves out:
//
//     void *alloc(std::size_t size);              all do
//     void free(void *p, std::size_t size);       one by one
//     void reset();                               all at once, memory kept for reuse
//
// It is ready when constructed and gives everything back when destroyed.

#ifndef ASHLAR_BENCH_SUITE_HPP
#define ASHLAR_BENCH_SUITE_HPP

#include "duel.hpp"
#include "pools.hpp"

#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

namespace bench
{

// ---- sizes and orders ---------------------------------------------------------------------------

constexpr std::size_t hot = 1000;       // objects that live at once, in the first-level cache
constexpr std::size_t many = 1000000;   // and far beyond the last one
constexpr std::size_t object_size = 32; // of what is freed one by one
constexpr unsigned tree_depth = 12;

extern std::uint8_t random_sizes[hot];  // 8 to 128
extern std::uint16_t random_order[hot]; // a permutation

template <std::size_t Size> struct fixed {
    std::size_t operator()(std::size_t) const
    {
        return Size;
    }
};

struct varied {
    std::size_t operator()(std::size_t i) const
    {
        return random_sizes[i];
    }
};

// ---- what a driver can do -----------------------------------------------------------------------

template <class D, class = void> struct can_reset : std::false_type {
};
template <class D>
struct can_reset<D, std::void_t<decltype(std::declval<D &>().reset())>> : std::true_type {
};

// ---- loops --------------------------------------------------------------------------------------

struct link {
    link *older;
};

template <class D, class Size> void drop(D &driver, link *newest, std::size_t count, Size size)
{
    if constexpr (can_reset<D>::value) {
        (void)newest, (void)count, (void)size;
        driver.reset();
    } else {
        while (newest) {
            link *older = newest->older;
            driver.free(newest, size(--count));
            newest = older;
        }
    }
}

// Allocates `count`, each written to, and drops them all.
template <class D, class Size>
__attribute__((noinline)) void fill_and_drop(D &driver, std::size_t count, Size size)
{
    link *newest = nullptr;
    for (std::size_t i = 0; i < count; i++) {
        link *p = static_cast<link *>(driver.alloc(size(i)));
        p->older = newest;
        newest = p;
        used(p);
    }
    drop(driver, newest, count, size);
}

template <class D> __attribute__((noinline)) void newest_first(D &driver)
{
    link *newest = nullptr;
    for (std::size_t i = 0; i < hot; i++) {
        link *p = static_cast<link *>(driver.alloc(object_size));
        p->older = newest;
        newest = p;
        used(p);
    }
    while (newest) {
        link *older = newest->older;
        driver.free(newest, object_size);
        newest = older;
    }
}

template <class D> __attribute__((noinline)) void pair(D &driver)
{
    for (std::size_t i = 0; i < hot; i++) {
        link *p = static_cast<link *>(driver.alloc(object_size));
        p->older = nullptr;
        used(p);
        driver.free(p, object_size);
    }
}

template <class D> __attribute__((noinline)) void in_order(D &driver)
{
    static void *objects[hot];
    for (void *&p : objects) {
        p = driver.alloc(object_size);
        static_cast<link *>(p)->older = nullptr;
        used(p);
    }
    for (void *p : objects)
        driver.free(p, object_size);
}

template <class D> __attribute__((noinline)) void at_random(D &driver)
{
    static void *objects[hot];
    for (void *&p : objects) {
        p = driver.alloc(object_size);
        static_cast<link *>(p)->older = nullptr;
        used(p);
    }
    for (std::uint16_t i : random_order)
        driver.free(objects[i], object_size);
}

struct node {
    node *left, *right;
};

template <class D> node *grow(D &driver, unsigned depth)
{
    node *n = static_cast<node *>(driver.alloc(sizeof(node)));
    n->left = depth ? grow(driver, depth - 1) : nullptr;
    n->right = depth ? grow(driver, depth - 1) : nullptr;
    return n;
}

template <class D> void fell(D &driver, node *n)
{
    if (n->left) {
        fell(driver, n->left);
        fell(driver, n->right);
    }
    driver.free(n, sizeof(node));
}

// ---- objects with a destructor ------------------------------------------------------------------

extern std::uint64_t destroyed; // what destructors do: they add the object's value

struct thing {
    link chain;
    std::uint64_t value;
    std::uint64_t rest[2];
};
static_assert(sizeof(thing) == object_size, "compared with objects without destructor");

__attribute__((noinline)) inline void destroy_thing(void *p)
{
    destroyed += static_cast<thing *>(p)->value;
}

struct cpp_thing : thing {
    cpp_thing() noexcept
    {
        value = 1;
    }
    ~cpp_thing()
    {
        destroyed += value;
    }
    cpp_thing(const cpp_thing &) = delete;
    cpp_thing &operator=(const cpp_thing &) = delete;
};

// The driver's alloc makes a thing, value 1, that will be destroyed; reset destroys them all.
template <class D> __attribute__((noinline)) void make_and_drop(D &driver)
{
    link *newest = nullptr;
    for (std::size_t i = 0; i < hot; i++) {
        thing *t = static_cast<thing *>(driver.alloc(sizeof(thing)));
        t->chain.older = newest;
        newest = &t->chain;
        used(t);
    }
    drop(driver, newest, hot, fixed<sizeof(thing)>());
}

// ---- strings ------------------------------------------------------------------------------------

// A driver of strings appends pieces; what it cannot do it leaves out:
//
//     void begin();                               an empty string
//     void append(const char *piece, size_t);
//     const char *finish();                       the string, kept until reset
//     void format(int number, const char *text);   adds "item %d=%s;"
//     void reset();                               all strings gone, memory kept for reuse
constexpr std::size_t pieces = 8; // of a string that is kept, with as many others as are `hot`
extern std::size_t piece_size;    // 11, not known to the compiler
constexpr char piece[] = "token-12345";

template <class D> __attribute__((noinline)) void append_long(D &driver)
{
    driver.begin();
    for (std::size_t i = 0; i < hot; i++)
        driver.append(piece, piece_size);
    used(const_cast<char *>(driver.finish()));
    driver.reset();
}

template <class D> __attribute__((noinline)) void append_kept(D &driver)
{
    for (std::size_t i = 0; i < hot; i++) {
        driver.begin();
        for (std::size_t k = 0; k < pieces; k++)
            driver.append(piece, sizeof piece);
        used(const_cast<char *>(driver.finish()));
    }
    driver.reset();
}

template <class D> __attribute__((noinline)) void append_formatted(D &driver)
{
    driver.begin();
    for (std::size_t i = 0; i < hot; i++)
        driver.format(static_cast<int>(i), piece);
    driver.reset();
}

template <class D, class = void> struct can_format : std::false_type {
};
template <class D>
struct can_format<D, std::void_t<decltype(std::declval<D &>().format(0, ""))>> : std::true_type {
};

template <class D, class = void> struct can_append : std::false_type {
};
template <class D>
struct can_append<D, std::void_t<decltype(std::declval<D &>().append("", 0))>> : std::true_type {
};

// ---- the tables ---------------------------------------------------------------------------------

struct suite {
    duel plain16, plain32, plain_varied, warm, first_touch;
    duel newest, paired, ordered, randomly;
    duel dropped, typed_newest, typed_paired, typed_ordered, typed_randomly;
    duel trees;
    duel strings_long, strings_kept, strings_formatted;
    pool_tables pools;

    suite(); // with titles and budgets, nobody in it
    std::vector<duel *> all();

    // Everything freed at once.
    template <class D> void plain(const std::string &name)
    {
        auto driver = std::make_shared<D>();
        add_fill(plain16, name, driver, hot, fixed<16>());
        add_fill(plain32, name, driver, hot, fixed<32>());
        add_fill(plain_varied, name, driver, hot, varied());
        add_fill(warm, name, std::make_shared<D>(), many, fixed<32>());
        first<D>(name);
    }

    // An allocator of its own for each million.
    template <class D> void first(const std::string &name)
    {
        first_touch.add(name, many, [](std::size_t repeats) {
            while (repeats--) {
                D driver;
                fill_and_drop(driver, many, fixed<32>());
            }
        });
    }

    // Everything freed one by one.
    template <class D> void objects(const std::string &name, bool any_order = true)
    {
        auto driver = std::make_shared<D>();
        add_one_by_one(newest, name, driver, newest_first<D>);
        add_one_by_one(paired, name, driver, bench::pair<D>);
        if (!any_order)
            return;
        add_one_by_one(ordered, name, driver, in_order<D>);
        add_one_by_one(randomly, name, driver, at_random<D>);
    }

    template <class D> void typed_objects(const std::string &name)
    {
        auto driver = std::make_shared<D>();
        add_one_by_one(typed_newest, name, driver, newest_first<D>);
        add_one_by_one(typed_paired, name, driver, bench::pair<D>);
        add_one_by_one(typed_ordered, name, driver, in_order<D>);
        add_one_by_one(typed_randomly, name, driver, at_random<D>);
    }

    template <class D> void destructors(const std::string &name)
    {
        auto driver = std::make_shared<D>();
        dropped.add(name, hot, [driver](std::size_t repeats) {
            while (repeats--)
                make_and_drop(*driver);
        });
    }

    // An allocator a tree.
    template <class D> void tree(const std::string &name)
    {
        trees.add(name, (2u << tree_depth) - 1, [](std::size_t repeats) {
            while (repeats--) {
                D driver;
                node *root = grow(driver, tree_depth);
                used(root);
                if constexpr (!can_reset<D>::value)
                    fell(driver, root);
            }
        });
    }

    template <class D> void strings(const std::string &name)
    {
        auto driver = std::make_shared<D>();
        if constexpr (can_append<D>::value) {
            strings_long.add(name, hot, [driver](std::size_t repeats) {
                while (repeats--)
                    append_long(*driver);
            });
            strings_kept.add(name, hot, [driver](std::size_t repeats) {
                while (repeats--)
                    append_kept(*driver);
            });
        }
        if constexpr (can_format<D>::value)
            strings_formatted.add(name, hot, [driver](std::size_t repeats) {
                while (repeats--)
                    append_formatted(*driver);
            });
    }

  private:
    template <class D, class Size>
    static void add_fill(duel &to, const std::string &name, std::shared_ptr<D> driver,
                         std::size_t count, Size size)
    {
        to.add(name, static_cast<double>(count), [driver, count, size](std::size_t repeats) {
            while (repeats--)
                fill_and_drop(*driver, count, size);
        });
    }

    template <class D>
    static void add_one_by_one(duel &to, const std::string &name, std::shared_ptr<D> driver,
                               void (*loop)(D &))
    {
        to.add(name, hot, [driver, loop](std::size_t repeats) {
            while (repeats--)
                loop(*driver);
        });
    }
};

// Each adds what it knows, if its library was found.
void add_limits(suite &);
void add_ashlar(suite &);
void add_pools(suite &);
void add_glibc(suite &);
void add_c_peers(suite &); // APR, talloc, GNU obstack
void add_std(suite &);
void add_boost(suite &);
void add_foonathan(suite &);
void add_llvm(suite &);
void add_protobuf(suite &);
void add_mimalloc(suite &);
void add_cleeus(suite &);

// Give back to the system what the allocator keeps for reuse.
void cool_glibc();
void cool_mimalloc();

// Bytes an arena holds for each object of `size` bytes, its map included, when it is full.
double bytes_per_object(std::size_t size);

} // namespace bench

#endif
