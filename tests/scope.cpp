// Scopes from C++: what ash_auto declares has a destructor, so exceptions end it too.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "ashlar/ashlar.h"

static unsigned checks, failures;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(bool holds, const char *what, int line)
{
    checks++;
    if (holds)
        return;
    failures++;
    std::printf("scope.cpp:%d: %s\n", line, what);
}

static std::vector<int> ended;

struct thing {
    int id;
};

static void thing_end(thing *t)
{
    if (t->id)
        ended.push_back(t->id);
}
ASH_AUTO_DEFINE(thing, thing_end)

static void noisy_destroy(void *self)
{
    ended.push_back(*static_cast<int *>(self));
}

static const ash_type noisy_type = {"noisy", sizeof(int), alignof(int), noisy_destroy,
                                    nullptr, nullptr,     nullptr,      nullptr};

static void make(ash_arena *arena, int id)
{
    int *n = static_cast<int *>(ash_object_new(arena, &noisy_type, 1));
    CHECK(n != nullptr);
    if (n)
        *n = id;
}

static bool have_ended(std::vector<int> ids)
{
    bool same = ids == ended;
    ended.clear();
    return same;
}

static thing a_thing(int id)
{
    return thing{id};
}

static int leave(ash_arena *arena, int way)
{
    ash_auto(ash_scope) scope = ash_scope_begin(arena);
    make(arena, 1);
    for (int i = 0; i < 2; i++) {
        ash_auto(thing) two = a_thing(2);
        ash_auto(ash_scope) inner = ash_scope_begin(arena);
        make(arena, 3 + i);
        if (way == 0)
            return two.id + static_cast<int>(ended.size());
        if (way == 1)
            break;
        if (way == 2)
            continue;
        if (way == 3)
            goto out;
        if (way == 4)
            throw std::runtime_error("left");
    }
    make(arena, 9);
out:
    return ash_scope_is_open(&scope);
}

static bool throws(ash_arena *arena)
{
    try {
        leave(arena, 4);
    } catch (const std::runtime_error &) {
        return true;
    }
    return false;
}

static void check_leaving(ash_arena *arena)
{
    CHECK(leave(arena, 0) == 2 && have_ended({3, 2, 1}));
    CHECK(leave(arena, 1) == 1 && have_ended({3, 2, 9, 1}));
    CHECK(leave(arena, 2) == 1 && have_ended({3, 2, 4, 2, 9, 1}));
    CHECK(leave(arena, 3) == 1 && have_ended({3, 2, 1}));
    CHECK(throws(arena) && have_ended({3, 2, 1}));
    CHECK(leave(arena, 5) == 1 && have_ended({3, 2, 4, 2, 9, 1}));
    CHECK(ash_arena_used(arena) == 0 && ash_arena_check(arena));
}

static void check_zeroed()
{
    ash_auto(thing) none = {};
    ash_auto(ash_scope) inert = {};
    CHECK(none.id == 0 && !ash_scope_is_open(&inert));
}

static int in_frame(size_t size)
{
    ASH_LOCAL_ARENA(local, 256);
    ASH_LOCAL_ARENA(other, 16);
    char *p = static_cast<char *>(ash_alloc(&local, size, 1));
    CHECK(p != nullptr && ash_alloc(&other, size, 1));
    std::memset(p, 1, size);
    make(&local, 1);
    make(&other, 2);
    if (size > 1000)
        throw std::runtime_error("large");
    return 1;
}

static void check_in_frame()
{
    CHECK(in_frame(10) == 1 && have_ended({2, 1}));
    bool thrown = false;
    try {
        in_frame(10000);
    } catch (const std::runtime_error &) {
        thrown = true;
    }
    CHECK(thrown && have_ended({2, 1}));
}

int main()
{
    ash_arena arena;
    CHECK(ash_arena_init(&arena, nullptr));
    check_leaving(&arena);
    check_zeroed();
    check_in_frame();
    ash_arena_deinit(&arena);
    ash_arena *scratch = ash_scratch(nullptr, 0);
    CHECK(scratch != nullptr);
    if (scratch) {
        ash_auto(ash_scope) scope = ash_scope_begin(scratch);
        make(scratch, 5);
    }
    CHECK(have_ended({5}));
    std::printf("scope.cpp: %u checks, %u failures\n", checks, failures);
    return failures != 0;
}
