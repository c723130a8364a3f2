// new_delete.cpp - the contestant that needs C++: new char[] and delete[].

#include "contestant.h"

#include <new>

static void *open(size_t, size_t)
{
    static char nothing;
    return &nothing;
}

static void close(void *) {}

static void *take(void *, size_t size)
{
    try {
        return new char[size];
    } catch (const std::bad_alloc &) {
        return nullptr;
    }
}

static void give(void *, void *block)
{
    delete[] static_cast<char *>(block);
}

static bool pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, take, give, nullptr);
}

extern "C" const contestant new_delete = {
    "new/delete", 1u << IN_ORDER | 1u << REVERSE | 1u << RANDOM, open, close, pass};
