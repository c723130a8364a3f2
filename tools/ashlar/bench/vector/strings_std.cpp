// strings_std.cpp - what the standard library of C++ does with strings.

#include <cstdio>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

#include "subject.h"

namespace
{

template <class S> bool append_all(S s, const counts *c)
{
    const size_t count = appends, size = token_size;
    for (size_t i = 0; i < count; i++)
        s.append(token, size);
    ESCAPE(s.data());
    return !c || (s.size() == count * size && s.compare(s.size() - size, size, token, size) == 0);
}

template <class V> bool keep_all(V strings, const counts *c)
{
    for (auto &s : strings) {
        for (size_t i = 0; i < kept_appends; i++)
            s.append(token, kept_token_size);
        ESCAPE(s.data());
    }
    return !c || strings.back().size() == kept_appends * kept_token_size;
}

template <class S> bool format_all(S s, const counts *c)
{
    char line[64];
    size_t size = 0;
    for (size_t i = 0; i < formatted_appends; i++) {
        int written = std::snprintf(line, sizeof line, "item %d=%s;", static_cast<int>(i), token);
        s.append(line, static_cast<size_t>(written));
        size += static_cast<size_t>(written);
    }
    ESCAPE(s.data());
    return !c || s.size() == size;
}

template <class V> bool list_all(V strings, const counts *c)
{
    const size_t count = list_strings;
    size_t size;
    for (size_t i = 0; i < count; i++) {
        const char *bytes = list_string(i, &size);
        strings.emplace_back(bytes, size);
    }
    ESCAPE(strings.data());
    const char *last = list_string(count - 1, &size);
    return !c ||
           (strings.size() == count && strings.back() == last && strings.back().size() == size);
}

typedef std::pmr::memory_resource *memory;

bool append_std(memory, counts *c)
{
    return append_all(std::string(), c);
}
bool append_pmr(memory m, counts *c)
{
    return append_all(std::pmr::string(m), c);
}
bool keep_std(memory, counts *c)
{
    return keep_all(std::vector<std::string>(kept_strings), c);
}
bool keep_pmr(memory m, counts *c)
{
    return keep_all(std::pmr::vector<std::pmr::string>(kept_strings, m), c);
}
bool format_std(memory, counts *c)
{
    return format_all(std::string(), c);
}
bool format_pmr(memory m, counts *c)
{
    return format_all(std::pmr::string(m), c);
}
bool list_std(memory, counts *c)
{
    return list_all(std::vector<std::string>(), c);
}
bool list_pmr(memory m, counts *c)
{
    return list_all(std::pmr::vector<std::pmr::string>(m), c);
}

// Subjects of C: no exception leaves them.

template <bool (*work)(memory, counts *)> bool on_heap(counts *c)
{
    try {
        return work(nullptr, c);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

template <bool (*work)(memory, counts *)> bool on_monotonic(counts *c)
{
    try {
        std::pmr::monotonic_buffer_resource m;
        return work(&m, c);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

template <bool (*work)(memory, counts *)> bool on_buffer(counts *c)
{
    char *buffer = warm_buffer();
    if (!buffer)
        return false;
    try {
        std::pmr::monotonic_buffer_resource m(buffer, WARM_BUFFER);
        return work(&m, c);
    } catch (const std::bad_alloc &) {
        return false;
    }
}

} // namespace

const subject std_append[] = {
    {"std::string", BASE, on_heap<append_std>},
    {"pmr::string, monotonic", 0, on_monotonic<append_pmr>},
    {"pmr::string, monotonic, warm buffer", RIVAL, on_buffer<append_pmr>},
    {nullptr, 0, nullptr},
};

const subject std_kept[] = {
    {"std::string", BASE, on_heap<keep_std>},
    {"pmr::string, monotonic", 0, on_monotonic<keep_pmr>},
    {"pmr::string, monotonic, warm buffer", 0, on_buffer<keep_pmr>},
    {nullptr, 0, nullptr},
};

const subject std_formatted[] = {
    {"snprintf and std::string", BASE, on_heap<format_std>},
    {"snprintf and pmr::string, monotonic", 0, on_monotonic<format_pmr>},
    {"snprintf and pmr::string, warm buffer", 0, on_buffer<format_pmr>},
    {nullptr, 0, nullptr},
};

const subject std_list[] = {
    {"std::vector of std::string", BASE, on_heap<list_std>},
    {"pmr::vector of pmr::string, monotonic", 0, on_monotonic<list_pmr>},
    {"pmr::vector of pmr::string, warm buffer", 0, on_buffer<list_pmr>},
    {nullptr, 0, nullptr},
};
