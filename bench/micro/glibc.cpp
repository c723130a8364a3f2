// glibc.cpp - malloc and free.

#include "suite.hpp"

#include <cstdlib>
#include <malloc.h>

namespace bench
{

struct heap {
    void *alloc(std::size_t size)
    {
        return std::malloc(size);
    }
    void free(void *p, std::size_t)
    {
        std::free(p);
    }
};

struct typed_heap {
    void *alloc(std::size_t size)
    {
        thing *t = static_cast<thing *>(std::malloc(size));
        t->value = 1;
        return t;
    }
    void free(void *p, std::size_t)
    {
        destroy_thing(p);
        std::free(p);
    }
};

void cool_glibc()
{
    malloc_trim(0);
}

void add_glibc(suite &s)
{
    s.plain<heap>("glibc malloc and free");
    s.objects<heap>("glibc malloc");
    s.typed_objects<typed_heap>("glibc malloc");
    s.destructors<typed_heap>("glibc malloc");
    s.pools.any_size<heap>("glibc malloc");
    s.pools.many_threads<heap>("glibc malloc");
    s.tree<heap>("glibc malloc");
}

} // namespace bench
