/* must-compile: C and C++ */
/* Every function of vectors and strings, for every kind of element; and none of them, without a warning. */
#if defined(__GNUC__)
#pragma GCC diagnostic error "-Wconversion"
#pragma GCC diagnostic error "-Wsign-conversion"
#pragma GCC diagnostic error "-Wshadow"
#pragma GCC diagnostic error "-Wcast-qual"
#pragma GCC diagnostic error "-Wunused-function"
#endif
#include "ashlar/ashlar.h"

typedef struct point {
    char name[3];
    double x, y;
} point;

typedef int (*callback)(void *);
typedef struct node node;

ASH_VEC_DEFINE(ints, int)
ASH_VEC_DEFINE(bytes, signed char)
ASH_VEC_DEFINE(points, point)
ASH_VEC_DEFINE(texts, const char *)
ASH_VEC_DEFINE(callbacks, callback)
ASH_VEC_DEFINE(strings, ash_str, ash_type_of(ash_str))
ASH_VEC_DEFINE(tables, strings, ash_type_of(strings))
ASH_VEC_DEFINE(unused, unsigned)
ASH_VEC_DECLARE(nodes, node);
struct node {
    nodes children;
};
ASH_VEC_IMPLEMENT(nodes, node)
ASH_VEC_DECLARE(views, ash_view);
ASH_VEC_IMPLEMENT(views, ash_view, NULL)

/* clang-format off */
#define EVERY_FUNCTION(name, T) \
    typedef struct name##_every { \
        void (*init)(name *, ash_resource *); \
        void (*deinit)(name *); \
        bool (*push)(name *, T); \
        T *(*emplace)(name *); \
        bool (*pop)(name *, T *); \
        bool (*insert)(name *, size_t, T); \
        bool (*remove_)(name *, size_t, size_t); \
        bool (*append)(name *, T const *, size_t); \
        bool (*reserve)(name *, size_t); \
        bool (*shrink)(name *); \
        bool (*resize)(name *, size_t); \
        void (*clear)(name *); \
        T *(*at)(const name *, size_t); \
        T *(*begin)(const name *); \
        T *(*end)(const name *); \
        bool (*steal)(name *, name *); \
        bool (*swap)(name *, name *); \
        bool (*copy)(name *, const name *); \
        ash_vec_stats (*stats)(const name *); \
        bool (*check)(const name *); \
        const ash_type *type; \
    } name##_every; \
    extern const name##_every name##_functions; \
    const name##_every name##_functions = { \
        name##_init, name##_deinit, name##_push, name##_emplace, name##_pop, name##_insert, \
        name##_remove, name##_append, name##_reserve, name##_shrink, name##_resize, name##_clear, \
        name##_at, name##_begin, name##_end, name##_steal, name##_swap, name##_copy, \
        name##_stats, name##_check, ash_type_of(name)}
/* clang-format on */

EVERY_FUNCTION(ints, int);
EVERY_FUNCTION(bytes, signed char);
EVERY_FUNCTION(points, point);
EVERY_FUNCTION(texts, const char *);
EVERY_FUNCTION(callbacks, callback);
EVERY_FUNCTION(strings, ash_str);
EVERY_FUNCTION(tables, strings);
EVERY_FUNCTION(nodes, node);
EVERY_FUNCTION(views, ash_view);

typedef struct every_string_function {
    void (*init)(ash_str *, ash_resource *);
    void (*deinit)(ash_str *);
    bool (*append)(ash_str *, const char *, size_t);
    bool (*puts_)(ash_str *, const char *);
    bool (*put)(ash_str *, ash_view);
    bool (*putc_)(ash_str *, char);
    bool (*printf_)(ash_str *, const char *, ...);
    bool (*vprintf_)(ash_str *, const char *, va_list);
    bool (*join)(ash_str *, const ash_view *, size_t, ash_view);
    bool (*insert)(ash_str *, size_t, const char *, size_t);
    bool (*replace)(ash_str *, ash_view, ash_view);
    bool (*remove_)(ash_str *, size_t, size_t);
    void (*truncate_)(ash_str *, size_t);
    void (*clear)(ash_str *);
    void (*trim)(ash_str *);
    bool (*reserve)(ash_str *, size_t);
    bool (*shrink)(ash_str *);
    char *(*release)(ash_str *, size_t *);
    bool (*copy)(ash_str *, const ash_str *);
    bool (*steal)(ash_str *, ash_str *);
    bool (*swap)(ash_str *, ash_str *);
    const char *(*cstr)(const ash_str *);
    ash_view (*view)(const ash_str *);
    bool (*failed)(const ash_str *);
    void (*clear_failed)(ash_str *);
    ash_vec_stats (*stats)(const ash_str *);
    bool (*check)(const ash_str *);
    ash_view (*view_of)(const char *);
    ash_view (*view_slice)(ash_view, size_t, size_t);
    ash_view (*view_trim)(ash_view);
    int (*view_compare)(ash_view, ash_view);
    bool (*view_equal)(ash_view, ash_view);
    bool (*view_begins)(ash_view, ash_view);
    bool (*view_ends)(ash_view, ash_view);
    size_t (*view_find)(ash_view, ash_view);
    size_t (*view_find_last)(ash_view, ash_view);
    bool (*view_split)(ash_view *, ash_view, ash_view *);
    const ash_type *type;
} every_string_function;

extern const every_string_function string_functions;

const every_string_function string_functions = {
    ash_str_init,       ash_str_deinit, ash_str_append,      ash_str_puts,   ash_str_put,
    ash_str_putc,       ash_str_printf, ash_str_vprintf,     ash_str_join,   ash_str_insert,
    ash_str_replace,    ash_str_remove, ash_str_truncate,    ash_str_clear,  ash_str_trim,
    ash_str_reserve,    ash_str_shrink, ash_str_release,     ash_str_copy,   ash_str_steal,
    ash_str_swap,       ash_str_cstr,   ash_str_view,        ash_str_failed, ash_str_clear_failed,
    ash_str_stats,      ash_str_check,  ash_view_of,         ash_view_slice, ash_view_trim,
    ash_view_compare,   ash_view_equal, ash_view_begins,     ash_view_ends,  ash_view_find,
    ash_view_find_last, ash_view_split, ash_type_of(ash_str)};

size_t literal_views(ash_view given);

size_t literal_views(ash_view given)
{
    return ash_view_find(given, ASH_VIEW("part")) != ASH_NOT_FOUND ? ASH_VIEW("").size : 1;
}
