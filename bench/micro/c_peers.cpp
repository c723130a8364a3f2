// c_peers.cpp - GNU obstack, APR pools, talloc.

#include "suite.hpp"

#include <cstdlib>

#ifdef BENCH_OBSTACK
#include <obstack.h>
#define obstack_chunk_alloc std::malloc
#define obstack_chunk_free  std::free
#endif
#ifdef BENCH_APR
#include <apr_general.h>
#include <apr_pools.h>
#include <apr_strings.h>
#endif
#ifdef BENCH_TALLOC
extern "C" {
#include <stdbool.h>
#include <talloc.h>
}
#endif

namespace bench
{

#ifdef BENCH_OBSTACK
struct gnu_obstack {
    obstack stack;

    gnu_obstack()
    {
        obstack_init(&stack);
    }
    ~gnu_obstack()
    {
        obstack_free(&stack, nullptr);
    }
    gnu_obstack(const gnu_obstack &) = delete;
    gnu_obstack &operator=(const gnu_obstack &) = delete;

    void *alloc(std::size_t size)
    {
        return obstack_alloc(&stack, static_cast<int>(size));
    }
    void free(void *p, std::size_t)
    {
        obstack_free(&stack, p);
    }
};

struct obstack_strings : gnu_obstack {
    void *bottom = alloc(1);

    void begin() {}
    void append(const char *bytes, std::size_t size)
    {
        obstack_grow(&stack, bytes, static_cast<int>(size));
    }
    void format(int number, const char *text)
    {
        obstack_printf(&stack, "item %d=%s;", number, text);
    }
    const char *finish()
    {
        obstack_1grow(&stack, 0);
        return static_cast<char *>(obstack_finish(&stack));
    }
    void reset()
    {
        free(bottom, 1);
        bottom = alloc(1);
    }
};

struct gnu_obstack_dropped : gnu_obstack {
    void *bottom = alloc(1);

    void reset()
    {
        free(bottom, 1);
        bottom = alloc(1);
    }
};
#endif

#ifdef BENCH_APR
struct apr {
    apr_pool_t *pool;

    apr()
    {
        static apr_status_t started = apr_initialize();
        apr_allocator_t *allocator;
        if (started != APR_SUCCESS || apr_allocator_create(&allocator) != APR_SUCCESS ||
            apr_pool_create_ex(&pool, nullptr, nullptr, allocator) != APR_SUCCESS)
            std::abort();
        apr_allocator_owner_set(allocator, pool);
    }
    ~apr()
    {
        apr_pool_destroy(pool);
    }
    apr(const apr &) = delete;
    apr &operator=(const apr &) = delete;

    void *alloc(std::size_t size)
    {
        return apr_palloc(pool, size);
    }
    void reset()
    {
        apr_pool_clear(pool);
    }
};

// Each piece of formatted text a string of its own: it has none that grow.
struct apr_strings : apr {
    void begin() {}
    void format(int number, const char *text)
    {
        used(apr_psprintf(pool, "item %d=%s;", number, text));
    }
};

static apr_status_t apr_destroy_thing(void *p)
{
    destroy_thing(p);
    return APR_SUCCESS;
}

struct apr_cleanup : apr {
    void *alloc(std::size_t size)
    {
        thing *t = static_cast<thing *>(apr_palloc(pool, size));
        t->value = 1;
        apr_pool_cleanup_register(pool, t, apr_destroy_thing, apr_pool_cleanup_null);
        return t;
    }
};
#endif

#ifdef BENCH_TALLOC
struct talloc_context {
    void *context = talloc_new(nullptr);

    talloc_context() = default;
    ~talloc_context()
    {
        talloc_free(context);
    }
    talloc_context(const talloc_context &) = delete;
    talloc_context &operator=(const talloc_context &) = delete;

    void *alloc(std::size_t size)
    {
        return talloc_size(context, size);
    }
    void free(void *p, std::size_t)
    {
        talloc_free(p);
    }
};

struct talloc_dropped : talloc_context {
    void reset()
    {
        talloc_free_children(context);
    }
};

static int talloc_destroy_thing(void *p)
{
    destroy_thing(p);
    return 0;
}

struct talloc_typed : talloc_context {
    void *alloc(std::size_t size)
    {
        thing *t = static_cast<thing *>(talloc_size(context, size));
        t->value = 1;
        _talloc_set_destructor(t, talloc_destroy_thing);
        return t;
    }
};

struct talloc_typed_dropped : talloc_typed {
    void reset()
    {
        talloc_free_children(context);
    }
};
#endif

void add_c_peers(suite &s)
{
    (void)s;
#ifdef BENCH_OBSTACK
    s.plain<gnu_obstack_dropped>("GNU obstack");
    s.objects<gnu_obstack>("GNU obstack", false);
    s.tree<gnu_obstack_dropped>("GNU obstack");
    s.strings<obstack_strings>("GNU obstack");
#endif
#ifdef BENCH_APR
    s.plain<apr>("APR pool");
    s.destructors<apr_cleanup>("APR cleanup");
    s.tree<apr>("APR pool");
    s.strings<apr_strings>("APR psprintf");
#endif
#ifdef BENCH_TALLOC
    s.plain<talloc_dropped>("talloc");
    s.objects<talloc_context>("talloc");
    s.typed_objects<talloc_typed>("talloc");
    s.destructors<talloc_typed_dropped>("talloc");
    s.tree<talloc_dropped>("talloc");
#endif
}

} // namespace bench
