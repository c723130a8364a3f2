// limits.cpp - hand-written loops that do the least: nobody is expected to be faster.

#include "suite.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace bench
{

constexpr std::size_t round_up(std::size_t size)
{
    return (size + 7) & ~static_cast<std::size_t>(7);
}

struct heap_blocks {
    static void *take(std::size_t size)
    {
        return std::malloc(size);
    }
    static void give(void *p, std::size_t)
    {
        std::free(p);
    }
};

// Aligned to 2 MiB, huge pages asked for; whole multiples of that.
struct huge_blocks {
    static constexpr std::size_t page = std::size_t(2) << 20;

    static void *take(std::size_t size)
    {
        char *all = static_cast<char *>(mmap(nullptr, size + page, PROT_READ | PROT_WRITE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (all == MAP_FAILED)
            return nullptr;
        std::size_t before = (page - reinterpret_cast<std::uintptr_t>(all) % page) % page;
        if (before)
            munmap(all, before);
        munmap(all + before + size, page - before);
        madvise(all + before, size, MADV_HUGEPAGE);
        return all + before;
    }
    static void give(void *p, std::size_t size)
    {
        munmap(p, size);
    }
};

// A checked bump pointer over blocks that double. It rounds sizes up, to a multiple of 8, so that its
// cursor is always aligned; in a loop the rounding of a constant costs nothing. What does not round
// up, so that strings lie close together, has to align the cursor each time: two more steps between
// one allocation and the next.
template <class Blocks, std::size_t First, std::size_t Most, bool Dense = false> class bump
{
    struct block {
        block *next;
        std::size_t size;
    };
    char *cursor, *end;
    block *first, *current;

    static block *make(std::size_t size)
    {
        block *b = static_cast<block *>(Blocks::take(size));
        if (!b)
            throw std::bad_alloc();
        *b = {nullptr, size};
        return b;
    }

    void enter(block *b)
    {
        current = b;
        cursor = reinterpret_cast<char *>(b + 1);
        end = reinterpret_cast<char *>(b) + b->size;
    }

    __attribute__((noinline, cold)) void *slow(std::size_t size)
    {
        if (!current->next)
            current->next = make(current->size < Most ? 2 * current->size : Most);
        enter(current->next);
        return alloc(size);
    }

  public:
    bump()
    {
        first = make(First);
        enter(first);
    }
    ~bump()
    {
        for (block *next; first; first = next) {
            next = first->next;
            Blocks::give(first, first->size);
        }
    }
    bump(const bump &) = delete;
    bump &operator=(const bump &) = delete;

    void *alloc(std::size_t size)
    {
        char *p = cursor;
        if (Dense)
            p = reinterpret_cast<char *>(round_up(reinterpret_cast<std::uintptr_t>(p)));
        else
            size = round_up(size);
        if (__builtin_expect(static_cast<std::ptrdiff_t>(size) > end - p, 0))
            return slow(size);
        cursor = p + size;
        return p;
    }
    void reset()
    {
        enter(first);
    }
};

using heap_bump = bump<heap_blocks, 256 << 10, 8 << 20>;
using dense_bump = bump<heap_blocks, 256 << 10, 8 << 20, true>;
using huge_bump = bump<huge_blocks, 32 << 20, 32 << 20>;

// Frees the newest only, and takes the caller's word for it that it is.
struct unchecked {
    char *memory = static_cast<char *>(std::malloc(hot * 160));
    char *cursor = memory;

    unchecked() = default;
    ~unchecked()
    {
        std::free(memory);
    }
    unchecked(const unchecked &) = delete;
    unchecked &operator=(const unchecked &) = delete;

    void *alloc(std::size_t size)
    {
        char *p = cursor;
        cursor += round_up(size);
        return p;
    }
    void free(void *p, std::size_t)
    {
        cursor = static_cast<char *>(p);
    }
};

// A bump pointer, and beside it a list of what is to be destroyed.
class registry
{
    struct entry {
        void (*destroy)(void *);
        void *object;
    };
    heap_bump objects;
    entry entries[hot];
    std::size_t count = 0;

  public:
    void *alloc(std::size_t size)
    {
        thing *t = static_cast<thing *>(objects.alloc(size));
        t->value = 1;
        if (count == hot)
            std::abort();
        entries[count++] = {destroy_thing, t};
        return t;
    }
    void reset()
    {
        while (count--)
            entries[count].destroy(entries[count].object);
        count = 0;
        objects.reset();
    }
};

struct snprintf_strings {
    static constexpr std::size_t size = hot * 64;
    std::unique_ptr<char[]> buffer{new char[size]};
    std::size_t end = 0;

    void begin()
    {
        end = 0;
    }
    void format(int number, const char *text)
    {
        end += static_cast<std::size_t>(
            std::snprintf(buffer.get() + end, size - end, "item %d=%s;", number, text));
        used(buffer.get());
    }
    void reset() {}
};

// What only copies bytes, and takes the caller's word for it that they fit.
struct memcpy_strings {
    std::unique_ptr<char[]> buffer{new char[hot * 128]};
    char *start = buffer.get(), *end = start;

    void begin()
    {
        start = end;
    }
    void append(const char *bytes, std::size_t size)
    {
        std::memcpy(end, bytes, size);
        end += size;
    }
    const char *finish()
    {
        *end++ = 0;
        return start;
    }
    void reset()
    {
        start = end = buffer.get();
    }
};

void add_limits(suite &s)
{
    s.strings<memcpy_strings>("memcpy (limit)");
    s.strings<snprintf_strings>("snprintf (limit)");
    s.plain<heap_bump>("bump (limit)");
    s.plain<dense_bump>("dense bump (limit)");
    s.first<huge_bump>("bump, huge pages (limit)");
    s.objects<unchecked>("unchecked bump (limit)", false);
    s.destructors<registry>("bump and registry (limit)");
    s.tree<heap_bump>("bump (limit)");
}

} // namespace bench
