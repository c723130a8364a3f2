// cleeus.cpp - the obstack of 2012. No distribution has it: its directory is given to CMake as
// CLEEUS_OBSTACK.

#include "suite.hpp"

#ifdef BENCH_CLEEUS
#include <obstack.hpp>

namespace bench
{

struct cleeus_obstack {
    boost::arena::obstack stack{hot * (sizeof(thing) + 64)};

    void *alloc(std::size_t size)
    {
        return stack.alloc_array<char>(size);
    }
    void free(void *p, std::size_t)
    {
        stack.dealloc(p);
    }
};

struct cleeus_typed : cleeus_obstack {
    void *alloc(std::size_t)
    {
        return stack.alloc<cpp_thing>();
    }
};

struct cleeus_dropped : cleeus_typed {
    void reset()
    {
        stack.dealloc_all();
    }
};

void add_cleeus(suite &s)
{
    s.objects<cleeus_obstack>("cleeus/obstack");
    s.typed_objects<cleeus_typed>("cleeus/obstack");
    s.destructors<cleeus_dropped>("cleeus/obstack");
}

} // namespace bench
#else
void bench::add_cleeus(suite &) {}
#endif
