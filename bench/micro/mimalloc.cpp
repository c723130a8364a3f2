// mimalloc.cpp - mimalloc, through its own interface.
//
// Its library takes malloc's place in a program that is linked with it. So it is loaded when the
// program runs already, and glibc stays what it is; a call through a pointer costs what a call into
// any shared library does.

#include "suite.hpp"

#ifdef BENCH_MIMALLOC
#include <dlfcn.h>
#include <mimalloc.h>

namespace bench
{

static decltype(&mi_malloc) take;
static decltype(&mi_free) give;
static decltype(&mi_heap_new) heap_new;
static decltype(&mi_heap_malloc) heap_take;
static decltype(&mi_heap_destroy) heap_destroy;
static decltype(&mi_collect) collect;
static decltype(&mi_option_set) option_set;

struct mimalloc_objects {
    void *alloc(std::size_t size)
    {
        return take(size);
    }
    void free(void *p, std::size_t)
    {
        give(p);
    }
};

struct mimalloc_heap {
    mi_heap_t *heap = heap_new();

    mimalloc_heap() = default;
    ~mimalloc_heap()
    {
        heap_destroy(heap);
    }
    mimalloc_heap(const mimalloc_heap &) = delete;
    mimalloc_heap &operator=(const mimalloc_heap &) = delete;

    void *alloc(std::size_t size)
    {
        return heap_take(heap, size);
    }
    void reset()
    {
        heap_destroy(heap);
        heap = heap_new();
    }
};

struct mimalloc_typed : mimalloc_objects {
    void *alloc(std::size_t size)
    {
        thing *t = static_cast<thing *>(take(size));
        t->value = 1;
        return t;
    }
    void free(void *p, std::size_t)
    {
        destroy_thing(p);
        give(p);
    }
};

template <class F> static bool resolve(void *library, const char *name, F &function)
{
    function = reinterpret_cast<F>(dlsym(library, name));
    return function;
}

// It keeps what it got for half a second, and would never be cold here.
void cool_mimalloc()
{
    if (!collect)
        return;
    option_set(mi_option_decommit_delay, 0);
    option_set(mi_option_segment_decommit_delay, 0);
    collect(true);
}

void add_mimalloc(suite &s)
{
    void *library = dlopen("libmimalloc.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library || !resolve(library, "mi_malloc", take) || !resolve(library, "mi_free", give) ||
        !resolve(library, "mi_heap_new", heap_new) ||
        !resolve(library, "mi_heap_malloc", heap_take) ||
        !resolve(library, "mi_collect", collect) ||
        !resolve(library, "mi_option_set", option_set) ||
        !resolve(library, "mi_heap_destroy", heap_destroy))
        return;
    s.plain<mimalloc_heap>("mimalloc heap, destroyed");
    s.objects<mimalloc_objects>("mimalloc");
    s.pools.any_size<mimalloc_objects>("mimalloc");
    s.pools.many_threads<mimalloc_objects>("mimalloc");
    s.typed_objects<mimalloc_typed>("mimalloc");
    s.tree<mimalloc_heap>("mimalloc heap, destroyed");
}

} // namespace bench
#else
void bench::add_mimalloc(suite &) {}
#endif
