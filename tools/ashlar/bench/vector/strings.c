/*
 * strings.c - what C does with strings: ash_str, GNU obstack, APR, and as the limit no string at all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ashlar.h>

#include "subject.h"

/* Runs `work` on an arena of its own, whose blocks come from the heap. */
static bool on_arena(bool (*work)(ash_resource *, counts *), const ash_arena_config *config,
                     counts *c)
{
    ash_arena arena;
    if (!ash_arena_init(&arena, config))
        return false;
    bool good = work(ash_arena_resource(&arena), c);
    ash_arena_deinit(&arena);
    return good;
}

/* The same over a buffer that was used before. */
static bool on_buffer(bool (*work)(ash_resource *, counts *), counts *c)
{
    char *buffer = warm_buffer();
    return buffer && on_arena(work,
                              &(ash_arena_config){.upstream = ash_null(),
                                                  .buffer = buffer,
                                                  .buffer_size = (size_t)WARM_BUFFER},
                              c);
}

static bool ends_with_token(const char *end, size_t size)
{
    return !memcmp(end - size, token, size);
}

/* ---- one string, appended to ---------------------------------------------------------------- */

static bool append_memcpy(counts *c)
{
    size_t count = appends, size = token_size;
    char *buffer = warm_buffer(), *end = buffer;
    for (size_t i = 0; buffer && i < count; i++) {
        memcpy(end, token, size);
        end += size;
        ESCAPE(buffer);
    }
    return buffer && (!c || ends_with_token(end, size));
}

static bool append_all(ash_resource *memory, counts *c)
{
    ash_str s;
    ash_str_init(&s, memory);
    size_t count = appends, size = token_size;
    for (size_t i = 0; i < count; i++) {
        if (!ash_str_append(&s, token, size))
            break;
    }
    ESCAPE(s.data);
    bool good = s.size == count * size && (!c || ends_with_token(s.data + s.size, size));
    ash_str_deinit(&s);
    return good;
}

static bool append_heap(counts *c)
{
    return append_all(ash_heap(), c);
}

static bool append_arena(counts *c)
{
    return on_arena(append_all, NULL, c);
}

static bool append_buffer(counts *c)
{
    return on_buffer(append_all, c);
}

/* ---- many strings, kept --------------------------------------------------------------------- */

static bool kept_memcpy(counts *c)
{
    size_t size = kept_token_size;
    char *buffer = warm_buffer(), *end = buffer;
    for (size_t i = 0; buffer && i < kept_strings; i++) {
        for (size_t j = 0; j < kept_appends; j++) {
            memcpy(end, token, size);
            end += size;
        }
        *end++ = '\0';
        ESCAPE(buffer);
    }
    return buffer && (!c || ends_with_token(end - 1, size));
}

static ash_str *keep_one(ash_str *s, ash_resource *memory)
{
    ash_str_init(s, memory);
    for (size_t i = 0; i < kept_appends; i++) {
        if (!ash_str_append(s, token, kept_token_size))
            return NULL;
    }
    ESCAPE(s->data);
    return s;
}

/* Dropped with the arena, as one does who has one. */
static bool keep_all(ash_resource *memory, counts *c)
{
    size_t count = kept_strings, kept = 0;
    ash_str *strings = ash_resource_alloc(memory, count * sizeof *strings, _Alignof(ash_str));
    if (!strings)
        return false;
    while (kept < count && keep_one(&strings[kept], memory))
        kept++;
    return kept == count &&
           (!c ||
            ends_with_token(strings[count - 1].data + strings[count - 1].size, kept_token_size));
}

static bool kept_arena(counts *c)
{
    return on_arena(keep_all, NULL, c);
}

static bool kept_buffer(counts *c)
{
    return on_buffer(keep_all, c);
}

/* ---- one string, formatted to --------------------------------------------------------------- */

static bool formatted_alone(counts *c)
{
    char line[64];
    (void)c;
    for (size_t i = 0; i < formatted_appends; i++) {
        if (snprintf(line, sizeof line, "item %d=%s;", (int)i, token) < 0)
            return false;
        ESCAPE(line);
    }
    return true;
}

static bool format_all(ash_resource *memory, counts *c)
{
    ash_str s;
    ash_str_init(&s, memory);
    bool good = true;
    for (size_t i = 0; i < formatted_appends && good; i++)
        good = ash_str_printf(&s, "item %d=%s;", (int)i, token);
    ESCAPE(s.data);
    good = good && (!c || ends_with_token(s.data + s.size - 1, strlen(token)));
    ash_str_deinit(&s);
    return good;
}

static bool formatted_heap(counts *c)
{
    return format_all(ash_heap(), c);
}

static bool formatted_arena(counts *c)
{
    return on_arena(format_all, NULL, c);
}

static bool formatted_buffer(counts *c)
{
    return on_buffer(format_all, c);
}

/* ---- a vector of strings -------------------------------------------------------------------- */

ASH_VEC_DEFINE(strings, ash_str, ash_type_of(ash_str))

static bool list_memcpy(counts *c)
{
    size_t size = 0;
    char *buffer = warm_buffer(), *end = buffer;
    char **list = malloc(list_strings * sizeof *list);
    bool good = buffer && list;
    for (size_t i = 0; good && i < list_strings; i++) {
        const char *bytes = list_string(i, &size);
        list[i] = memcpy(end, bytes, size + 1);
        end += size + 1;
        ESCAPE(buffer);
    }
    good = good && (!c || strlen(list[list_strings - 1]) == size);
    free(list);
    return good;
}

typedef bool add_fn(strings *v, const char *bytes, size_t size);

static bool push_string(strings *v, const char *bytes, size_t size)
{
    ash_str s;
    ash_str_init(&s, v->resource);
    if (ash_str_append(&s, bytes, size) && strings_push(v, s))
        return true;
    ash_str_deinit(&s);
    return false;
}

static bool emplace_string(strings *v, const char *bytes, size_t size)
{
    ash_str *s = strings_emplace(v);
    return s && ash_str_append(s, bytes, size);
}

static bool list_all(ash_resource *memory, add_fn *add, counts *c)
{
    strings v = {0};
    strings_init(&v, memory);
    size_t count = list_strings, size;
    for (size_t i = 0; i < count; i++) {
        const char *bytes = list_string(i, &size);
        if (!add(&v, bytes, size))
            break;
    }
    ESCAPE(v.data);
    const char *last = list_string(count - 1, &size);
    return v.count == count && (!c || !strcmp(ash_str_cstr(&v.data[count - 1]), last));
}

static bool list_pushed(ash_resource *memory, counts *c)
{
    return list_all(memory, push_string, c);
}

static bool list_emplaced(ash_resource *memory, counts *c)
{
    return list_all(memory, emplace_string, c);
}

static bool list_arena(counts *c)
{
    return on_arena(list_pushed, NULL, c);
}

static bool list_arena_emplaced(counts *c)
{
    return on_arena(list_emplaced, NULL, c);
}

static bool list_buffer(counts *c)
{
    return on_buffer(list_pushed, c);
}

static bool list_buffer_emplaced(counts *c)
{
    return on_buffer(list_emplaced, c);
}

const subject c_append[] = {
    {"memcpy alone", LIMIT, append_memcpy},
    {"ash_str, heap", 0, append_heap},
    {"ash_str, arena, default", 0, append_arena},
    {"ash_str, arena, warm buffer", BUDGETED, append_buffer},
    {0},
};

const subject c_kept[] = {
    {"memcpy alone", LIMIT, kept_memcpy},
    {"ash_str, arena, default", BUDGETED, kept_arena},
    {"ash_str, arena, warm buffer", BUDGETED, kept_buffer},
    {0},
};

const subject c_formatted[] = {
    {"snprintf alone", LIMIT, formatted_alone},
    {"ash_str, heap", 0, formatted_heap},
    {"ash_str, arena, default", 0, formatted_arena},
    {"ash_str, arena, warm buffer", BUDGETED, formatted_buffer},
    {0},
};

const subject c_list[] = {
    {"memcpy alone", LIMIT, list_memcpy},
    {"ash_vec of ash_str, arena", 0, list_arena},
    {"ash_vec of ash_str, arena, emplaced", 0, list_arena_emplaced},
    {"ash_vec of ash_str, warm buffer", 0, list_buffer},
    {"ash_vec of ash_str, warm buffer, emplaced", 0, list_buffer_emplaced},
    {0},
};
