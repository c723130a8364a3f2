// cleeus.cpp - the obstack of 2012 itself, where CMake was given its directory.

#include "contestant.h"

#include <new>
#include <obstack.hpp>

typedef boost::arena::obstack stack;

static void *open(size_t bytes, size_t count)
{
    try {
        return new stack(bytes + stack::max_overhead(count));
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

static void close(void *state)
{
    delete static_cast<stack *>(state);
}

static void *take(void *state, size_t size)
{
    return static_cast<stack *>(state)->alloc_array<char>(size);
}

static void give(void *state, void *block)
{
    static_cast<stack *>(state)->dealloc(block);
}

static void drop(void *state)
{
    static_cast<stack *>(state)->dealloc_all();
}

static bool pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, take, give, drop);
}

extern "C" const contestant cleeus_obstack = {
    "cleeus/obstack", 1u << IN_ORDER | 1u << REVERSE | 1u << RANDOM | 1u << AT_ONCE, open, close,
    pass};
