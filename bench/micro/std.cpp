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

struct heap_objects {
    void *alloc(std::size_t)
    {
        return new cpp_thing;
    }
    void free(void *p, std::size_t)
    {
        delete static_cast<cpp_thing *>(p);
    }
};

// What polymorphic_allocator::new_object does in C++20.
template <class Resource> struct pmr_objects {
    Resource resource;
    std::pmr::polymorphic_allocator<cpp_thing> allocator{&resource};

    void *alloc(std::size_t)
    {
        return new (allocator.allocate(1)) cpp_thing;
    }
    void free(void *p, std::size_t)
    {
        static_cast<cpp_thing *>(p)->~cpp_thing();
        allocator.deallocate(static_cast<cpp_thing *>(p), 1);
    }
};

void add_std(suite &s)
{
    s.plain<monotonic>("std::pmr monotonic");
    s.plain<monotonic_buffer>("std::pmr monotonic, buffer");
    s.objects<unsynchronized>("std::pmr unsynchronized pool");
    s.typed_objects<heap_objects>("C++ new and delete");
    s.typed_objects<pmr_objects<std::pmr::unsynchronized_pool_resource>>(
        "std::pmr unsynchronized pool, new_object");
    s.tree<monotonic>("std::pmr monotonic");
}

} // namespace bench
