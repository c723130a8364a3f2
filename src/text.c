/* Copies, strings and formatted text in plain memory. */
#include "ashlar/arena.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "object_internal.h"

void *ash_memdup(ash_arena *arena, const void *bytes, size_t size, size_t align)
{
    void *p = ash_alloc(arena, size, align);
    return p && size ? memcpy(p, bytes, size) : p;
}

char *ash_strdup(ash_arena *arena, const char *s)
{
    return ash_memdup(arena, s, strlen(s) + 1, 1);
}

char *ash_strndup(ash_arena *arena, const char *s, size_t max)
{
    const char *end = memchr(s, 0, max);
    size_t length = end ? (size_t)(end - s) : max;
    char *copy = ash_alloc(arena, ash_add_(length, 1), 1);
    if (!copy)
        return NULL;
    copy[length] = 0;
    return memcpy(copy, s, length);
}

char *ash_printf(ash_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = ash_vprintf(arena, format, args);
    va_end(args);
    return text;
}

/* Formats into the gap first; what does not fit there is formatted again, its length known. */
char *ash_vprintf(ash_arena *arena, const char *format, va_list args)
{
    va_list again;
    int error = errno;
    va_copy(again, args);
    char *gap = arena->next_;
    size_t room = arena->limit_ > gap ? (size_t)(arena->limit_ - gap) : 0;
    room = ASH_MIN(room, (size_t)INT_MAX); /* musl refuses more */
    int length = vsnprintf(room ? gap : NULL, room, format, args);
    char *text = NULL;
    if (length < 0)
        ash_arena_fail_(arena, 0, 1);
    else
        text = ash_alloc(arena, (size_t)length + 1, 1);
    if (text && (size_t)length >= room)
        text = vsnprintf(text, (size_t)length + 1, format, again) == length ? text : NULL;
    va_end(again);
    errno = error;
    return text;
}
