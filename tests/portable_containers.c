/*
 * Vectors and strings without a test library, also run on other machines: sizes, overflow, elements that hold
 * memory of their own, growth over every resource.
 */
#include "ashlar/ashlar.h"

#include <stdio.h>
#include <string.h>

ASH_VEC_DEFINE(ints, int)
ASH_VEC_DEFINE(texts, ash_str, ash_type_of(ash_str))

#define CHECK(condition) \
    do { \
        if (!(condition)) { \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            return false; \
        } \
    } while (0)

static bool numbers(ash_resource *resource, int count)
{
    ints v;
    ints_init(&v, resource);
    for (int i = 0; i < count; i++)
        CHECK(ints_push(&v, i));
    for (int i = 0; i < count; i++)
        CHECK(v.data[i] == i);
    size_t elements = SIZE_MAX / sizeof(int), most = PTRDIFF_MAX / sizeof(int);
    for (size_t i = 1; i < 3; i++) {
        CHECK(!ints_reserve(&v, elements + i));
        CHECK(!ints_resize(&v, most + i));
        CHECK(!ints_append(&v, v.data, SIZE_MAX - i));
        CHECK(!ints_append(&v, v.data, elements + i));
    }
    CHECK(ints_remove(&v, 1, (size_t)count - 2) && v.data[1] == count - 1);
    CHECK(ints_shrink(&v) && ints_check(&v));
    ints_deinit(&v);
    return true;
}

static bool strings(ash_resource *resource)
{
    texts v;
    char expected[40];
    texts_init(&v, resource);
    for (int i = 0; i < 1000; i++) {
        ash_str s;
        ash_str_init(&s, i % 2 ? ash_heap() : resource);
        CHECK(ash_str_printf(&s, "number %d of", i) && ash_str_puts(&s, " many"));
        CHECK(texts_insert(&v, v.count / 2, s) && texts_check(&v));
    }
    for (int i = 0; i < 1000; i++) {
        size_t at = (size_t)(i % 2 ? i / 2 : 999 - i / 2);
        snprintf(expected, sizeof expected, "number %d of many", i);
        CHECK(strcmp(ash_str_cstr(&v.data[at]), expected) == 0);
        CHECK(v.data[at].resource == resource);
    }
    texts_deinit(&v);
    return true;
}

static bool pieces(ash_resource *resource)
{
    ash_str s;
    ash_str_init(&s, resource);
    CHECK(ash_str_puts(&s, "a,b,,c") && ash_str_replace(&s, ASH_VIEW(","), ASH_VIEW("--")));
    CHECK(strcmp(ash_str_cstr(&s), "a--b----c") == 0);
    for (size_t size = 1; size < 40; size++) { /* every way in which so many bytes are copied */
        ash_str_clear(&s);
        CHECK(ash_str_puts(&s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"));
        CHECK(ash_str_append(&s, s.data + 2, size) && s.size == 44 + size);
        CHECK(memcmp(s.data + 44, s.data + 2, size) == 0 && !s.data[s.size]);
    }
    CHECK(!ash_str_reserve(&s, SIZE_MAX) && !ash_str_reserve(&s, PTRDIFF_MAX));
    CHECK(!ash_str_append(&s, "", SIZE_MAX) && ash_str_failed(&s) && ash_str_check(&s));
    ash_str_deinit(&s);
    return true;
}

int main(void)
{
    ash_arena arena;
    if (!ash_arena_init(&arena, NULL))
        return 1;
    ash_resource *arena_resource = ash_arena_resource(&arena);
    bool done = numbers(arena_resource, 100000) && numbers(ash_heap(), 100000) &&
                numbers(ash_pages(), 2000000) && strings(arena_resource) && strings(ash_heap()) &&
                pieces(arena_resource) && pieces(ash_heap());
    ash_arena_deinit(&arena);
    return !done;
}
