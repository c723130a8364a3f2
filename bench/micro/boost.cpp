// boost.cpp - Boost.Pool and boost::container::pmr.

#include "suite.hpp"

#ifdef BENCH_BOOST
#include <boost/container/pmr/monotonic_buffer_resource.hpp>
#include <boost/container/pmr/unsynchronized_pool_resource.hpp>
#include <boost/pool/object_pool.hpp>
#include <boost/pool/pool.hpp>

namespace bench
{

struct boost_monotonic {
    boost::container::pmr::monotonic_buffer_resource resource;

    void *alloc(std::size_t size)
    {
        return resource.allocate(size, 8);
    }
    void reset()
    {
        resource.release();
    }
};

struct boost_unsynchronized {
    boost::container::pmr::unsynchronized_pool_resource resource;

    void *alloc(std::size_t size)
    {
        return resource.allocate(size, 8);
    }
    void free(void *p, std::size_t size)
    {
        resource.deallocate(p, size, 8);
    }
};

template <std::size_t Size> struct boost_pool {
    boost::pool<> pool{Size};

    void *alloc(std::size_t)
    {
        return pool.malloc();
    }
    void free(void *p, std::size_t)
    {
        pool.free(p);
    }
};

// Kept in order of addresses: free looks for the place.
template <std::size_t Size> struct boost_objects {
    struct object {
        char bytes[Size];
    };
    boost::object_pool<object> pool;

    void *alloc(std::size_t)
    {
        return pool.malloc();
    }
    void free(void *p, std::size_t)
    {
        pool.free(static_cast<object *>(p));
    }
};

// Its memory goes where the objects go: it has no way to drop them and keep it.
struct boost_object_pool {
    std::unique_ptr<boost::object_pool<cpp_thing>> pool{new boost::object_pool<cpp_thing>};

    void *alloc(std::size_t)
    {
        return pool->construct();
    }
    void reset()
    {
        pool.reset(new boost::object_pool<cpp_thing>);
    }
};

// The pool frees all of its blocks when it goes, but a tree must be felled to be comparable with
// what frees one by one; dropped, it is comparable with arenas.
struct boost_tree_pool : boost_pool<sizeof(node)> {
    void reset()
    {
        pool.purge_memory();
    }
};

void add_boost(suite &s)
{
    s.plain<boost_monotonic>("boost pmr monotonic");
    s.objects<boost_unsynchronized>("boost pmr unsynchronized pool");
    s.objects<boost_pool<object_size>>("boost::pool, one size");
    s.pools.any_size<boost_unsynchronized>("boost pmr unsynchronized pool");
    s.pools.one_size<boost_pool>("boost::pool");
    s.pools.one_size<boost_objects>("boost::object_pool");
    s.destructors<boost_object_pool>("boost::object_pool");
    s.tree<boost_tree_pool>("boost::pool, one size");
}

} // namespace bench
#else
void bench::add_boost(suite &) {}
#endif
