// pushes_std.cpp - what the standard library of C++ does with a million elements.

#include <new>
#include <vector>

#include "counting.hpp"
#include "element.h"

namespace
{

int make(size_t i, const int *)
{
    return static_cast<int>(i);
}
record make(size_t i, const record *)
{
    return record_at(i);
}
handle make(size_t i, const handle *)
{
    return handle(i);
}

bool is(const int &e, size_t i)
{
    return e == static_cast<int>(i);
}
bool is(const record &e, size_t i)
{
    return e.value == i && e.y == 7;
}
bool is(const handle &e, size_t i)
{
    return e.value == i && e.here == &e.value && e.other == 7;
}

template <class V> bool right(const V &v)
{
    for (size_t i = 0; i < v.size(); i++) {
        if (!is(v[i], i))
            return false;
    }
    return v.size() == pushes;
}

template <class V> void push_all(V &v)
{
    const size_t count = pushes;
    const typename V::value_type *kind = nullptr;
    for (size_t i = 0; i < count; i++)
        v.push_back(make(i, kind));
    ESCAPE(v.data());
}

template <class V> bool push_and_look(V v, size_t reserve)
{
    v.reserve(reserve);
    push_all(v);
    return right(v);
}

template <class T> bool plain_pushes(counts *c)
{
    growth_counter counter(c);
    if (c)
        return push_and_look(std::vector<T, counting_allocator<T>>(counting_allocator<T>(&counter)),
                             0);
    std::vector<T> v;
    push_all(v);
    return true;
}

template <class T> bool reserved_pushes(counts *c)
{
    growth_counter counter(c);
    if (c)
        return push_and_look(std::vector<T, counting_allocator<T>>(counting_allocator<T>(&counter)),
                             pushes);
    std::vector<T> v;
    v.reserve(pushes);
    push_all(v);
    return true;
}

template <class T> bool pmr_pushes(std::pmr::memory_resource *memory, counts *c)
{
    growth_counter counter(c);
    counting_resource counted(memory, &counter);
    if (c)
        return push_and_look(std::pmr::vector<T>(&counted), 0);
    std::pmr::vector<T> v(memory);
    push_all(v);
    return true;
}

template <class T> bool new_delete_pushes(counts *c)
{
    return pmr_pushes<T>(std::pmr::new_delete_resource(), c);
}

template <class T> bool stack_pushes(counts *c)
{
    alignas(64) char buffer[STACK_BUFFER];
    std::pmr::monotonic_buffer_resource memory(buffer, sizeof buffer);
    return pmr_pushes<T>(&memory, c);
}

template <class T> bool monotonic_pushes(counts *c)
{
    std::pmr::monotonic_buffer_resource memory;
    return pmr_pushes<T>(&memory, c);
}

template <class T> bool pool_pushes(counts *c)
{
    std::pmr::unsynchronized_pool_resource memory;
    return pmr_pushes<T>(&memory, c);
}

// A subject of C: no exception leaves it.
template <bool (*run)(counts *)> bool guarded(counts *c)
{
    try {
        return run(c);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

} // namespace

#define SUBJECTS(T) \
    { \
        {"std::vector", BASE | COUNTED, guarded<plain_pushes<T>>}, \
            {"std::vector, reserve", COUNTED, guarded<reserved_pushes<T>>}, \
            {"pmr::vector, new_delete", COUNTED, guarded<new_delete_pushes<T>>}, \
            {"pmr::vector, monotonic, 4 MB on the stack", COUNTED, guarded<stack_pushes<T>>}, \
            {"pmr::vector, monotonic", COUNTED, guarded<monotonic_pushes<T>>}, \
            {"pmr::vector, unsynchronized_pool", COUNTED, guarded<pool_pushes<T>>}, \
        { \
            nullptr, 0, nullptr \
        } \
    }

const subject std_int[] = SUBJECTS(int);
const subject std_record[] = SUBJECTS(record);
const subject std_handle[] = SUBJECTS(handle);
