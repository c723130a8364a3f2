#include "ashlar/str.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "base.h"
#include "vec_internal.h"

/* A string is a vector of bytes, the 0 at its end counted, wherever its few inline lines do not suffice. */
static const ash_vec_kind_ bytes_kind = {1, 1, NULL};

static ash_vec_ open_str(const ash_str *s)
{
    return (ash_vec_){.data = s->data,
                      .count = s->data ? s->size + 1 : 0,
                      .capacity = s->capacity,
                      .resource = s->resource,
                      .epoch_ = s->epoch_,
                      .stats_ = s->stats_};
}

static void close_str(ash_str *s, const ash_vec_ *whole)
{
    s->data = whole->data;
    s->size = whole->count ? whole->count - 1 : 0;
    s->capacity = whole->capacity;
    s->resource = whole->resource;
    s->epoch_ = whole->epoch_;
    s->stats_ = whole->stats_;
    if (s->data)
        s->data[s->size] = 0;
}

static bool note(ash_str *s, bool done)
{
    s->failed_ |= !done;
    return done;
}

/* Room for so many bytes more, and the 0. */
static bool grow(ash_str *s, size_t more)
{
    ash_vec_ whole = open_str(s);
    bool done = ash_vec_more_(&whole, &bytes_kind, s->data ? more : ash_add_(more, 1));
    close_str(s, &whole);
    return done;
}

/* To another size, where it is. A vector knows more ways; this one is quick. */
static bool resize_here(ash_str *s, size_t capacity)
{
    if (!ash_resource_resize(s->resource, s->data, s->capacity, capacity, 1))
        return false;
    s->capacity = capacity;
    return true;
}

static bool begin_here(ash_str *s, size_t more)
{
    size_t capacity = ASH_MAX(more + 1, (size_t)ASH_VEC_FIRST_BYTES_);
    s->data = ash_resource_alloc(s->resource, capacity, 1);
    s->capacity = s->data ? capacity : 0;
    return s->data;
}

/* What most strings do, and a vector knows too, but not as quickly: they begin, and on arenas they double where
 * they are. */
static bool grow_here(ash_str *s, size_t more)
{
    if (!s->resource || s->capacity >= ASH_VEC_DOUBLED_ || more >= ASH_VEC_DOUBLED_)
        return false;
    if (s->resource->ops->epoch)
        ash_vec_check_epoch_(s->resource, s->epoch_, s->data);
    if (!s->data)
        return begin_here(s, more);
    if (more >= 2 * s->capacity - s->size || !resize_here(s, 2 * s->capacity))
        return false;
    s->stats_.in_place++;
    return true;
}

/* ---- life ---- */

void ash_str_init(ash_str *s, ash_resource *resource)
{
    resource = resource ? resource : ash_default();
    *s = (ash_str){.resource = resource, .epoch_ = ash_resource_epoch(resource)};
}

void ash_str_deinit(ash_str *s)
{
    ash_vec_ whole = open_str(s);
    ash_vec_deinit_(&whole, &bytes_kind);
    close_str(s, &whole);
    s->failed_ = false;
}

static void destroy_str(void *self)
{
    ash_str_deinit(self);
}

static bool begin_str(void *self, ash_resource *resource)
{
    ash_str_init(self, resource);
    return true;
}

static bool copy_str(void *to, const void *from, ash_resource *resource)
{
    ash_str_init(to, resource);
    return ash_str_copy(to, from);
}

static ash_resource *resource_of_str(const void *self)
{
    return ((const ash_str *)self)->resource;
}

ASH_TYPE_DEFINE(ash_str, .destroy = destroy_str, .init = begin_str, .copy = copy_str,
                .resource = resource_of_str);

/* ---- adding ---- */

/* Bytes that may be a piece of the string itself are found again after it has moved. */
typedef struct home {
    uintptr_t start;
    size_t size;
} home;

static home home_of(const ash_str *s)
{
    return (home){(uintptr_t)s->data, s->size};
}

static const char *found_again(const ash_str *s, home before, const char *bytes)
{
    size_t offset = (uintptr_t)bytes - before.start;
    return offset < before.size ? s->data + offset : bytes;
}

static void add(ash_str *s, const char *bytes, size_t size)
{
    if (size)
        memcpy(s->data + s->size, bytes, size);
    s->size += size;
    s->data[s->size] = 0;
}

bool ash_str_append_slow_(ash_str *s, const char *bytes, size_t size)
{
    home before = home_of(s);
    if (!size)
        return true;
    if (!grow_here(s, size) && !note(s, grow(s, size)))
        return false;
    add(s, found_again(s, before, bytes), size);
    return true;
}

/* Formats into the room there is. Returns the length, or less than 0; if it fitted, the string is so much longer. One
 * without memory gets some first, for most texts are short. */
ASH_PRINTF(2, 0) static int format_here(ash_str *s, const char *format, va_list args)
{
    if (!s->data)
        (void)grow(s, 0);
    size_t room = ASH_MIN(s->capacity - s->size, (size_t)INT_MAX); /* musl refuses more */
    char none = 0, *end = s->data ? s->data + s->size : &none;     /* no room: nothing is written */
    int length = vsnprintf(end, room, format, args);
    if (length >= 0 && (size_t)length < room)
        s->size += (size_t)length;
    else
        *end = 0; /* over what did not fit */
    return length;
}

/* What did not fit is formatted again, its length known. */
ASH_PRINTF(3, 0)
static bool format_grown(ash_str *s, int length, const char *format, va_list args)
{
    return note(s,
                length >= 0 && grow(s, (size_t)length) && format_here(s, format, args) == length);
}

bool ash_str_printf(ash_str *s, const char *format, ...)
{
    va_list args;
    int error = errno;
    size_t size = s->size;
    va_start(args, format);
    int length = format_here(s, format, args);
    va_end(args);
    bool done = s->size - size == (size_t)length;
    if (ASH_UNLIKELY(!done)) {
        va_start(args, format);
        done = format_grown(s, length, format, args);
        va_end(args);
    }
    errno = error;
    return done;
}

bool ash_str_vprintf(ash_str *s, const char *format, va_list args)
{
    va_list again;
    int error = errno;
    size_t size = s->size;
    va_copy(again, args);
    int length = format_here(s, format, args);
    bool done = s->size - size == (size_t)length;
    if (!done)
        done = format_grown(s, length, format, again);
    va_end(again);
    errno = error;
    return done;
}

static size_t joined_size(const ash_view *parts, size_t count, ash_view separator)
{
    size_t size = count ? ash_mul_(count - 1, separator.size) : 0;
    for (size_t i = 0; i < count; i++)
        size = ash_add_(size, parts[i].size);
    return size;
}

bool ash_str_join(ash_str *s, const ash_view *parts, size_t count, ash_view separator)
{
    home before = home_of(s);
    size_t size = joined_size(parts, count, separator);
    if (!size)
        return true;
    if (!note(s, grow(s, size)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (i)
            add(s, found_again(s, before, separator.data), separator.size);
        add(s, found_again(s, before, parts[i].data), parts[i].size);
    }
    return true;
}

/* A piece of the string is in two by now if the place for it lies in the middle of it. */
static void insert_own(char *data, size_t index, size_t offset, size_t size)
{
    size_t in_front = offset < index ? ASH_MIN(size, index - offset) : 0;
    memcpy(data + index, data + offset, in_front);
    memcpy(data + index + in_front, data + offset + in_front + size, size - in_front);
}

bool ash_str_insert(ash_str *s, size_t index, const char *bytes, size_t size)
{
    size_t offset = (uintptr_t)bytes - (uintptr_t)s->data;
    bool own = s->data && offset < s->size;
    if (index > s->size)
        return false;
    if (!size)
        return true;
    if (!note(s, grow(s, size)))
        return false;
    char *place = s->data + index;
    memmove(place + size, place, s->size - index + 1);
    s->size += size;
    if (own)
        insert_own(s->data, index, offset, size);
    else
        memcpy(place, bytes, size);
    return true;
}

static size_t occurrences(ash_view text, ash_view part)
{
    size_t count = 0;
    for (ash_view rest = text, before; ash_view_split(&rest, part, &before);)
        count++;
    return count - 1;
}

/* The new string is made beside the old one, so that part and with may lie in that. */
bool ash_str_replace(ash_str *s, ash_view part, ash_view with)
{
    size_t count = occurrences(ash_str_view(s), part);
    if (!count)
        return true;
    ash_str made = {.resource = s->resource, .epoch_ = s->epoch_, .stats_ = s->stats_};
    size_t kept = s->size - count * part.size;
    if (!note(s, ash_str_reserve(&made, ash_add_(kept, ash_mul_(count, with.size)))))
        return false;
    ash_view rest = ash_str_view(s), before;
    while (ash_view_split(&rest, part, &before)) {
        add(&made, before.data, before.size);
        if (rest.data)
            add(&made, with.data, with.size);
    }
    bool failed = s->failed_;
    ash_str_deinit(s);
    *s = made;
    s->failed_ = failed;
    return true;
}

/* ---- taking away ---- */

bool ash_str_remove(ash_str *s, size_t index, size_t size)
{
    if (index > s->size || size > s->size - index)
        return false;
    if (!size)
        return true;
    char *place = s->data + index;
    memmove(place, place + size, s->size - index - size + 1);
    s->size -= size;
    return true;
}

void ash_str_truncate(ash_str *s, size_t size)
{
    if (size < s->size) {
        s->size = size;
        s->data[size] = 0;
    }
}

void ash_str_clear(ash_str *s)
{
    ash_str_truncate(s, 0);
}

void ash_str_trim(ash_str *s)
{
    ash_view kept = ash_view_trim(ash_str_view(s));
    size_t in_front = (size_t)(kept.data - ash_str_cstr(s));
    ash_str_truncate(s, in_front + kept.size);
    ash_str_remove(s, 0, in_front);
}

/* ---- room ---- */

bool ash_str_reserve(ash_str *s, size_t size)
{
    ash_vec_ whole = open_str(s);
    bool done = ash_vec_reserve_(&whole, &bytes_kind, ash_add_(size, 1));
    close_str(s, &whole);
    return note(s, done);
}

/* Without bytes it needs no memory, not even for the 0. */
static bool shrink(ash_str *s, bool keep_zero)
{
    ash_vec_ whole = open_str(s);
    if (whole.count == 1 && !keep_zero)
        whole.count = 0;
    bool done = ash_vec_shrink_(&whole, &bytes_kind);
    close_str(s, &whole);
    return done;
}

bool ash_str_shrink(ash_str *s)
{
    return shrink(s, false);
}

char *ash_str_release(ash_str *s, size_t *size)
{
    bool fits = s->data && (s->size + 1 == s->capacity || resize_here(s, s->size + 1));
    if (!fits && !note(s, (s->data || ash_str_reserve(s, 0)) && shrink(s, true)))
        return NULL;
    char *bytes = s->data;
    if (size)
        *size = s->size;
    s->data = NULL;
    s->size = s->capacity = 0;
    return bytes;
}

/* ---- from one string to another ---- */

bool ash_str_copy(ash_str *to, const ash_str *from)
{
    if (to == from)
        return true;
    ash_vec_ target = open_str(to), source = open_str(from);
    bool done = ash_vec_copy_(&target, &source, &bytes_kind);
    close_str(to, &target);
    return note(to, done);
}

bool ash_str_steal(ash_str *to, ash_str *from)
{
    if (to == from)
        return true;
    ash_vec_ target = open_str(to), source = open_str(from), made;
    if (!ash_vec_part_(&made, &target, &source, &bytes_kind))
        return note(to, false);
    ash_vec_replace_(&target, &made, &bytes_kind);
    close_str(from, &source);
    close_str(to, &target);
    return true;
}

bool ash_str_swap(ash_str *a, ash_str *b)
{
    if (a == b)
        return true;
    ash_vec_ one = open_str(a), other = open_str(b);
    bool done = ash_vec_swap_(&one, &other, &bytes_kind);
    close_str(a, &one);
    close_str(b, &other);
    return note(a, done);
}

ash_vec_stats ash_str_stats(const ash_str *s)
{
    return s->stats_;
}

bool ash_str_check(const ash_str *s)
{
    ash_vec_ whole = open_str(s);
    return ash_vec_check_(&whole, &bytes_kind) &&
           (s->data ? s->size < s->capacity && !s->data[s->size] : !s->size);
}

/* ---- views ---- */

ash_view ash_view_slice(ash_view view, size_t index, size_t size)
{
    if (index >= view.size)
        index = view.size;
    ash_view slice = {index ? view.data + index : view.data, ASH_MIN(size, view.size - index)};
    return slice;
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

ash_view ash_view_trim(ash_view view)
{
    while (view.size && is_space(view.data[view.size - 1]))
        view.size--;
    while (view.size && is_space(view.data[0])) {
        view.data++;
        view.size--;
    }
    return view;
}

int ash_view_compare(ash_view a, ash_view b)
{
    size_t both = ASH_MIN(a.size, b.size);
    int order = both ? memcmp(a.data, b.data, both) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

bool ash_view_equal(ash_view a, ash_view b)
{
    return a.size == b.size && ash_view_compare(a, b) == 0;
}

bool ash_view_begins(ash_view view, ash_view part)
{
    return ash_view_equal(ash_view_slice(view, 0, part.size), part);
}

bool ash_view_ends(ash_view view, ash_view part)
{
    return part.size <= view.size &&
           ash_view_equal(ash_view_slice(view, view.size - part.size, part.size), part);
}

size_t ash_view_find(ash_view view, ash_view part)
{
    if (!part.size)
        return 0;
    for (size_t at = 0; view.size - at >= part.size; at++) {
        const char *first = view.data + at;
        first = memchr(first, part.data[0], view.size - at - part.size + 1);
        if (!first)
            break;
        at = (size_t)(first - view.data);
        if (memcmp(first, part.data, part.size) == 0)
            return at;
    }
    return ASH_NOT_FOUND;
}

size_t ash_view_find_last(ash_view view, ash_view part)
{
    if (!part.size)
        return view.size;
    for (size_t left = view.size; left >= part.size; left--)
        if (memcmp(view.data + left - part.size, part.data, part.size) == 0)
            return left - part.size;
    return ASH_NOT_FOUND;
}

bool ash_view_split(ash_view *rest, ash_view separator, ash_view *part)
{
    if (!rest->data)
        return false;
    size_t size = separator.size ? ash_view_find(*rest, separator) : ASH_NOT_FOUND;
    if (size == ASH_NOT_FOUND) {
        *part = *rest;
        *rest = (ash_view){NULL, 0};
        return true;
    }
    *part = ash_view_slice(*rest, 0, size);
    *rest = ash_view_slice(*rest, size + separator.size, SIZE_MAX);
    return true;
}
