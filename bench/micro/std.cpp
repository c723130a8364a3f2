// std.cpp - std::pmr.

#include "suite.hpp"

#include <cstdlib>
#include <memory_resource>

namespace bench
{

struct monotonic {
    std::pmr::monotonic_buffer_resource resource;

    void *alloc(std::size_t size)
    {
        return resource.allocate(size, 8);
    }
    void reset()
    {
        resource.release();
    }
};

// Over a buffer that is large enough for the hot tables.
struct monotonic_buffer {
    std::unique_ptr<char[]> buffer{new char[hot * 160]};
    std::pmr::monotonic_buffer_resource resource{buffer.get(), hot * 160};

    void *alloc(std::size_t size)
    {
        return resource.allocate(size, 8);
    }
    void reset()
    {
        resource.release();
    }
};

struct unsynchronized {
    std::pmr::unsynchronized_pool_resource resource;

    void *alloc(std::size_t size)
    {
        return resource.allocate(size, 8);
    }
    void free(void *p, std::size_t size)
    {
        resource.deallocate(p, size, 8);
    }
};

struct synchronized {
    std::pmr::synchronized_pool_resource resource;

    void *alloc(std::size_t size)
    {
        return resource.allocate(size, 8);
    }
    void free(void *p, std::size_t size)
    {
        resource.deallocate(p, size, 8);
    }
};

void add_std(suite &s)
{
    s.plain<monotonic>("std::pmr monotonic");
    s.plain<monotonic_buffer>("std::pmr monotonic, buffer");
    s.objects<unsynchronized>("std::pmr unsynchronized pool");
    s.pools.any_size<unsynchronized>("std::pmr unsynchronized pool");
    s.pools.many_threads<synchronized>("std::pmr synchronized pool");
    s.tree<monotonic>("std::pmr monotonic");
}

} // namespace bench
