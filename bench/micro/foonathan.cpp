// foonathan.cpp - foonathan/memory.

#include "suite.hpp"

#ifdef BENCH_FOONATHAN
#include <foonathan/memory/memory_pool.hpp>
#include <foonathan/memory/memory_stack.hpp>

namespace bench
{

struct foonathan_stack {
    using stack_type = foonathan::memory::memory_stack<>;
    stack_type stack{65536};
    stack_type::marker bottom = stack.top();

    void *alloc(std::size_t size)
    {
        return stack.allocate(size, 8);
    }
    void reset()
    {
        stack.unwind(bottom);
    }
};

struct foonathan_pool {
    foonathan::memory::memory_pool<> pool{object_size, 65536};

    void *alloc(std::size_t)
    {
        return pool.allocate_node();
    }
    void free(void *p, std::size_t)
    {
        pool.deallocate_node(p);
    }
};

void add_foonathan(suite &s)
{
    s.plain<foonathan_stack>("foonathan memory_stack");
    s.objects<foonathan_pool>("foonathan memory_pool, one size");
    s.tree<foonathan_stack>("foonathan memory_stack");
}

} // namespace bench
#else
void bench::add_foonathan(suite &) {}
#endif
