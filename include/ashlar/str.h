/*
 * str.h - strings that grow, over any resource; and views, which are pieces of anybody's bytes.
 *
 * An ash_str owns its bytes, may hold any, zeros included, and has a 0 behind them. Choose it to put text
 * together: on an arena it grows in place while it is the newest thing there, and ash_str_release leaves the
 * finished bytes on the arena without a copy. An ash_view owns nothing: choose it to take text apart.
 *
 *     ash_str    [ data | size | capacity | resource ]
 *                  |
 *                  v
 *     resource    [ b y t e s 0 | room ... capacity ]
 *
 * The first memory is 64 bytes, or what is needed if that is more, and it doubles; for many short strings that
 * stay, ash_str_release, or ash_str_shrink, gives back what is too much while the string is the newest.
 *
 * The fields data, size, capacity and resource may be read, and bytes written through data. A zeroed string
 * is a valid empty one; it looks for ash_default() when it first needs memory.
 */
#ifndef ASHLAR_STR_H
#define ASHLAR_STR_H

#include <stdarg.h>
#include <string.h>

#include "ashlar/object.h"
#include "ashlar/vec.h"

ASH_DECLS_BEGIN

/* Bytes of somebody's, not terminated, good as long as they are. Passed by value. {NULL, 0}: nothing. */
typedef struct ash_view {
    const char *data;
    size_t size;
} ash_view;

/* A view of a string literal. */
#ifdef __cplusplus
#define ASH_VIEW(literal) (ash_view{"" literal, sizeof(literal) - 1})
#else
#define ASH_VIEW(literal) ((ash_view){"" literal, sizeof(literal) - 1})
#endif

/* What a search answers that found nothing. */
#define ASH_NOT_FOUND SIZE_MAX

/* A string. It is copied by ash_str_copy; by assignment it may be moved, if the old one is used no more. */
typedef struct ash_str {
    char *data;      /* NULL: no memory yet */
    size_t size;     /* bytes, without the 0 behind them */
    size_t capacity; /* bytes held, that for the 0 included; so size < capacity, or both are 0 */
    ash_resource *resource;
    uint64_t epoch_; /* of the resource at init */
    ash_vec_stats stats_;
    bool failed_;
} ash_str;

/* ash_type_of(ash_str): for vectors of strings, and for strings as objects on an arena. */
ASH_TYPE_DECLARE(ash_str);

/**
 * ash_str_init, ash_str_deinit - begin and end a string.
 *
 * init     empty, without memory. resource: NULL: ash_default() now.
 * deinit   frees the memory; it is empty then, as after init. On an arena it can also be forgotten.
 * Threads  as its resource, one at a time, for this and all that follows; const functions write nothing.
 * Example:
 *     ash_str s;
 *     ash_str_init(&s, ash_arena_resource(&arena));
 *     ash_str_puts(&s, "GET ");
 *     ash_str_printf(&s, "/%s?page=%d", path, page);
 *     if (ash_str_failed(&s)) return false;
 */
void ash_str_init(ash_str *s, ash_resource *resource);
void ash_str_deinit(ash_str *s);

/* Not for users: words are short, mostly, and two loads and two stores are over before memcpy is called. */
static inline void ash_str_bytes_(char *to, const char *from, size_t size)
{
    uint64_t first, last;
    if (size - sizeof first > sizeof first) {
        memcpy(to, from, size);
        return;
    }
    memcpy(&first, from, sizeof first);
    memcpy(&last, from + size - sizeof last, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy(to + size - sizeof last, &last, sizeof last);
}

/* Not for users: what does not fit. */
bool ash_str_append_slow_(ash_str *s, const char *bytes, size_t size);

/**
 * ash_str_append, _puts, _putc, _put - add bytes, a terminated string, one byte, a view, at the end.
 *
 * bytes    may be a piece of `s` itself, to which the 0 at its end does not belong.
 * Returns  true if they were added.
 * Fails    false: upstream refuses, or the size does not fit in an address space. The string is as before, and
 *          ash_str_failed is true; so the answers of many calls may be looked at once, at the end. All that
 *          follows here which answers false fails like this.
 * Reports  fatal: growing, in place too, inside a scope younger than the string.
 * Lifetime data and views of it until the string grows.
 * Cost     compare, copy, store while there is room; it grows as vectors do (vec.h).
 */
static inline bool ash_str_append(ash_str *s, const char *bytes, size_t size)
{
    if (ASH_LIKELY(size && size < s->capacity - s->size)) {
        char *end = s->data + s->size;
        s->size += size;
        ash_str_bytes_(end, bytes, size);
        end[size] = 0;
        return true;
    }
    return ash_str_append_slow_(s, bytes, size);
}

static inline bool ash_str_puts(ash_str *s, const char *terminated)
{
    return ash_str_append(s, terminated, strlen(terminated));
}

static inline bool ash_str_put(ash_str *s, ash_view view)
{
    return ash_str_append(s, view.data, view.size);
}

static inline bool ash_str_putc(ash_str *s, char c)
{
    if (ASH_LIKELY(s->capacity - s->size > 1)) {
        s->data[s->size++] = c;
        s->data[s->size] = 0;
        return true;
    }
    return ash_str_append_slow_(s, &c, 1);
}

/**
 * ash_str_printf, ash_str_vprintf - add formatted text at the end.
 *
 * Fails    false also where the C library cannot format it.
 * Requires no argument points into the string.
 * Cost     one vsnprintf into the room there is; a second one only if that was too small.
 */
bool ash_str_printf(ash_str *s, const char *format, ...) ASH_PRINTF(2, 3);
bool ash_str_vprintf(ash_str *s, const char *format, va_list args) ASH_PRINTF(2, 0);

/**
 * ash_str_join - add `count` views at the end, the separator between each two.
 *
 * parts    they and the separator may be pieces of `s` itself.
 * Example:
 *     ash_view path[] = {ASH_VIEW("usr"), ASH_VIEW("include")};
 *     ash_str_join(&s, path, 2, ASH_VIEW("/"));
 */
bool ash_str_join(ash_str *s, const ash_view *parts, size_t count, ash_view separator);

/**
 * ash_str_insert, ash_str_replace - put bytes in the middle.
 *
 * insert   bytes in front of byte `index`; they may be a piece of `s`. false, not failed: index > size.
 * replace  each `part`, from the left, by `with`; both may be pieces of `s`. An empty part is nowhere.
 * Cost     insert: moves what is behind. replace: makes a new array, if there is anything to replace.
 */
bool ash_str_insert(ash_str *s, size_t index, const char *bytes, size_t size);
bool ash_str_replace(ash_str *s, ash_view part, ash_view with);

/* Take away `size` bytes from index on; false, and nothing is done, if they are not all there. */
bool ash_str_remove(ash_str *s, size_t index, size_t size);
/* Take away all but the first `size` bytes, if there are more; all; white space at both ends. */
void ash_str_truncate(ash_str *s, size_t size);
void ash_str_clear(ash_str *s);
void ash_str_trim(ash_str *s);

/* Have room for a string of `size` bytes. Give back the room there is; true: there is none any more. */
bool ash_str_reserve(ash_str *s, size_t size);
bool ash_str_shrink(ash_str *s);

/**
 * ash_str_release - take the bytes out of the string, which is empty then.
 *
 * size     gets their number; may be NULL.
 * Returns  the bytes, and a 0 behind them: size + 1 bytes of the string's resource, at alignment 1. On an
 *          arena they live as all plain memory does; elsewhere ash_resource_free gives them back.
 * Fails    NULL, and the string stands: it has no memory yet and gets none, or cannot give back its room.
 * Example:
 *     char *line = ash_str_release(&s, NULL);
 */
ASH_NODISCARD char *ash_str_release(ash_str *s, size_t *size);

/**
 * ash_str_copy, ash_str_steal, ash_str_swap - from one string to another.
 *
 * copy     `to` has the same bytes then, in its own resource.
 * steal    `to` has the bytes then, and `from` is empty. A `to` without resource (a zeroed one) takes over from's.
 * swap     they have each other's bytes; each keeps its own resource.
 * Reports  fatal: steal or swap that would give a string the memory of one in a scope younger than it.
 * Cost     steal and swap: with one resource O(1), and true; with two the bytes are copied.
 */
bool ash_str_copy(ash_str *to, const ash_str *from);
bool ash_str_steal(ash_str *to, ash_str *from);
bool ash_str_swap(ash_str *a, ash_str *b);

/* The bytes, terminated; "" where there are none. Never NULL. */
static inline const char *ash_str_cstr(const ash_str *s)
{
    return s->data ? s->data : "";
}

static inline ash_view ash_str_view(const ash_str *s)
{
    ash_view view = {ash_str_cstr(s), s->size};
    return view;
}

/* Has a call that grows it answered false since init or the last clear_failed? ash_str_clear does not clear it. */
static inline bool ash_str_failed(const ash_str *s)
{
    return s->failed_;
}

static inline void ash_str_clear_failed(ash_str *s)
{
    s->failed_ = false;
}

ash_vec_stats ash_str_stats(const ash_str *s);

/* Is it consistent? */
bool ash_str_check(const ash_str *s);

/* ---- views: nothing here needs memory, or can fail ---- */

/* Of a terminated string; NULL: nothing. */
static inline ash_view ash_view_of(const char *terminated)
{
    ash_view view = {terminated, terminated ? strlen(terminated) : 0};
    return view;
}

/* `size` bytes from index on, or what there is of them. */
ash_view ash_view_slice(ash_view view, size_t index, size_t size);

/* Without white space (space, \t \n \v \f \r) at both ends. */
ash_view ash_view_trim(ash_view view);

/* By bytes, as unsigned char; a shorter one comes before what it begins. Below 0, 0, above 0. */
int ash_view_compare(ash_view a, ash_view b);
bool ash_view_equal(ash_view a, ash_view b);
bool ash_view_begins(ash_view view, ash_view part);
bool ash_view_ends(ash_view view, ash_view part);

/**
 * ash_view_find, ash_view_find_last - where `part` begins, the first time, the last time.
 *
 * Returns  its index, or ASH_NOT_FOUND. An empty part is found at the start, at the end.
 * Cost     at worst view.size * part.size; in text a little more than view.size.
 */
size_t ash_view_find(ash_view view, ash_view part);
size_t ash_view_find_last(ash_view view, ash_view part);

/**
 * ash_view_split - the next part, up to a separator.
 *
 * rest     what is left to split; it goes behind the separator, and is {NULL, 0} after the last part.
 * part     gets the part, without its separator. "a,,b" has three, "a," two, "" one.
 * Returns  false if rest was {NULL, 0}: there is no part any more. An empty separator is nowhere.
 * Example:
 *     ash_view rest = ash_view_of(line), word;
 *     while (ash_view_split(&rest, ASH_VIEW(", "), &word))
 *         use(word);
 */
bool ash_view_split(ash_view *rest, ash_view separator, ash_view *part);

ASH_DECLS_END

#endif
