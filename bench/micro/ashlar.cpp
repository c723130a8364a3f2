// ashlar.cpp - the library, as a program would use it.

#include "suite.hpp"

#include <ashlar.hpp>

namespace bench
{

static const ash_type thing_ash_type = {"thing", sizeof(thing), alignof(thing), destroy_thing,
                                        nullptr, nullptr,       nullptr,        nullptr};

using named = thing;
static const ash_type named_ash_type = {"named", sizeof(named), alignof(named), nullptr,
                                        nullptr, nullptr,       nullptr,        nullptr};

template <ash_resource *(*Upstream)() = ash_heap, std::size_t Block = 0> struct arena {
    ash_arena a;

    arena()
    {
        ash_arena_config config = {};
        config.upstream = Upstream();
        config.block_size = Block;
        ash_arena_init(&a, &config);
    }
    ~arena()
    {
        ash_arena_deinit(&a);
    }
    arena(const arena &) = delete;
    arena &operator=(const arena &) = delete;
};

template <ash_resource *(*Upstream)(), std::size_t Block = 0>
struct plain_arena : arena<Upstream, Block> {
    void *alloc(std::size_t size)
    {
        return ash_alloc(&this->a, size, 8);
    }
    void reset()
    {
        ash_arena_reset(&this->a);
    }
};

struct object_arena : arena<> {
    void *alloc(std::size_t size)
    {
        return ash_object_alloc(&a, size, 8);
    }
    void free(void *p, std::size_t)
    {
        ash_delete(&a, p);
    }
};

struct typed_arena : arena<> {
    void *alloc(std::size_t)
    {
        thing *t = ash_new(&a, thing);
        t->value = 1;
        return t;
    }
    void free(void *p, std::size_t)
    {
        ash_delete(&a, p);
    }
};

struct typed_dropped : typed_arena {
    void reset()
    {
        ash_arena_reset(&a);
    }
};

// The type word alone.
struct named_arena : arena<> {
    void *alloc(std::size_t)
    {
        return ash_new(&a, named);
    }
    void free(void *p, std::size_t)
    {
        ash_delete(&a, p);
    }
};

// The same from C++: a class with a destructor, and one in the hands of a unique_ptr.
struct made_arena {
    ash::arena a;

    void *alloc(std::size_t)
    {
        return a.make<cpp_thing>();
    }
    void free(void *p, std::size_t)
    {
        a.destroy(static_cast<cpp_thing *>(p));
    }
};

struct made_dropped {
    ash::arena a;

    void *alloc(std::size_t)
    {
        return a.make<cpp_thing>();
    }
    void reset()
    {
        a.reset();
    }
};

struct unique_arena {
    ash::arena a;
    ash::unique_ptr<cpp_thing> one = a.make_unique<cpp_thing>();

    void *alloc(std::size_t)
    {
        return a.make_unique<cpp_thing>().release();
    }
    void free(void *p, std::size_t)
    {
        one.get_deleter()(static_cast<cpp_thing *>(p));
    }
};

struct arena_strings : arena<> {
    ash_str s;

    void begin()
    {
        ash_str_init(&s, ash_arena_resource(&a));
    }
    void append(const char *bytes, std::size_t size)
    {
        ash_str_append(&s, bytes, size);
    }
    void format(int number, const char *text)
    {
        ash_str_printf(&s, "item %d=%s;", number, text);
    }
    const char *finish()
    {
        return ash_str_release(&s, nullptr);
    }
    void reset()
    {
        ash_arena_reset(&a);
    }
};

// Of a program that makes millions of things and knows it.
constexpr std::size_t large = std::size_t(32) << 20;

double bytes_per_object(std::size_t size)
{
    arena<ash_heap, large> full;
    std::size_t count = 0, held = 0;
    for (; !count || ash_arena_capacity(&full.a) == held; count++) {
        if (!ash_object_alloc(&full.a, size, 8))
            return 0;
        if (!count)
            held = ash_arena_capacity(&full.a);
    }
    return static_cast<double>(held) / static_cast<double>(count - 1);
}

void add_ashlar(suite &s)
{
    s.plain<plain_arena<ash_heap>>("Ashlar");
    s.first<plain_arena<ash_pages>>("Ashlar over pages");
    s.first<plain_arena<ash_pages, large>>("Ashlar over pages, 32 MiB blocks");
    s.objects<object_arena>("Ashlar");
    s.typed_objects<typed_arena>("Ashlar, typed");
    s.typed_objects<made_arena>("Ashlar, C++ make and destroy");
    s.typed_objects<unique_arena>("Ashlar, C++ make_unique");
    s.typed_objects<named_arena>("Ashlar, typed, no destructor");
    s.typed_objects<object_arena>("Ashlar, untyped");
    s.destructors<typed_dropped>("Ashlar");
    s.destructors<made_dropped>("Ashlar, C++ make");
    s.tree<plain_arena<ash_heap>>("Ashlar");
    s.strings<arena_strings>("Ashlar");
}

} // namespace bench
