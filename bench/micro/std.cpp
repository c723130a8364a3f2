// std.cpp - std::pmr.

#include "suite.hpp"

#include <cstdlib>
#include <memory_resource>
#include <optional>
#include <string>
#include <vector>

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

struct std_strings {
    std::vector<std::string> kept;

    std_strings()
    {
        kept.reserve(hot);
    }
    void begin()
    {
        kept.emplace_back();
    }
    void append(const char *bytes, std::size_t size)
    {
        kept.back().append(bytes, size);
    }
    const char *finish()
    {
        return kept.back().c_str();
    }
    void reset()
    {
        kept.clear();
    }
};

// Over a buffer that holds them all.
struct pmr_strings {
    static constexpr std::size_t size = hot * 512;
    std::unique_ptr<char[]> buffer{new char[size]};
    std::optional<std::pmr::monotonic_buffer_resource> resource;
    std::optional<std::pmr::string> s;

    void begin()
    {
        if (!resource)
            resource.emplace(buffer.get(), size);
        s.emplace(&*resource);
    }
    void append(const char *bytes, std::size_t count)
    {
        s->append(bytes, count);
    }
    const char *finish()
    {
        return s->c_str();
    }
    void reset()
    {
        s.reset();
        resource.reset();
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
    s.strings<std_strings>("std::string");
    s.strings<pmr_strings>("std::pmr::string");
    s.plain<monotonic>("std::pmr monotonic");
    s.plain<monotonic_buffer>("std::pmr monotonic, buffer");
    s.objects<unsynchronized>("std::pmr unsynchronized pool");
    s.typed_objects<heap_objects>("C++ new and delete");
    s.typed_objects<pmr_objects<std::pmr::unsynchronized_pool_resource>>(
        "std::pmr unsynchronized pool, new_object");
    s.pools.any_size<unsynchronized>("std::pmr unsynchronized pool");
    s.pools.many_threads<synchronized>("std::pmr synchronized pool");
    s.tree<monotonic>("std::pmr monotonic");
}

} // namespace bench
