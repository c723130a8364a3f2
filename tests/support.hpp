// support.hpp - support.h from C++, and a class that counts.

#ifndef ASHLAR_TESTS_SUPPORT_HPP
#define ASHLAR_TESTS_SUPPORT_HPP

#include "ashlar/ashlar.hpp"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
#include "support.h"
}

// What happened to counted objects, in order: their numbers, as they were destroyed.
struct history {
    int made = 0, alive = 0;
    int throw_at = -1; // the constructor that is called after so many throws
    std::vector<int> destroyed;
};

inline history &counts()
{
    static history all;
    return all;
}

struct counted {
    int number;

    counted() : counted(0) {}
    explicit counted(int number) : number(number)
    {
        begin();
    }
    counted(const counted &other) : number(other.number)
    {
        begin();
    }
    counted &operator=(const counted &) = delete;
    ~counted()
    {
        counts().alive--;
        counts().destroyed.push_back(number);
    }

  private:
    static void begin()
    {
        if (counts().made == counts().throw_at)
            throw std::runtime_error("as asked");
        counts().made++;
        counts().alive++;
    }
};

// An arena over a test upstream that starts small, so that it goes upstream often.
struct watched_arena {
    explicit watched_arena(std::size_t block_size = 1024)
    {
        counts() = history();
        test_upstream_init(&upstream);
        ash_arena_config config{};
        config.name = "watched";
        config.upstream = &upstream.resource;
        config.block_size = config.block_max = block_size;
        arena = new ash::arena(config);
    }
    // The last statement of a test: all came back.
    void done()
    {
        assert_true(ash_arena_check(arena->get()));
        delete arena;
        test_upstream_done(&upstream);
    }

    test_upstream upstream;
    ash::arena *arena;
};

#define assert_throws(type, expression) \
    do { \
        bool caught_ = false; \
        try { \
            (void)(expression); \
        } catch (const type &) { \
            caught_ = true; \
        } \
        assert_true(caught_); \
    } while (0)

#endif
