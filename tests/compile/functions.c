/* must-compile: C and C++ */
/* Every function, taken by its type: what programs written against the headers rely on. */
#include "ashlar/ashlar.h"

typedef struct every_function {
    ash_fatal_fn (*set_fatal_handler)(ash_fatal_fn);

    void *(*resource_alloc)(ash_resource *, size_t, size_t);
    bool (*resource_resize)(ash_resource *, void *, size_t, size_t, size_t);
    void *(*resource_remap)(ash_resource *, void *, size_t, size_t, size_t);
    void *(*resource_realloc)(ash_resource *, void *, size_t, size_t, size_t);
    void (*resource_free)(ash_resource *, void *, size_t, size_t);
    bool (*resource_owns)(const ash_resource *, const void *);
    uint64_t (*resource_epoch)(const ash_resource *);
    const char *(*resource_name)(const ash_resource *);
    ash_resource *(*heap)(void);
    ash_resource *(*null)(void);
    ash_resource *(*pages)(void);
    ash_resource *(*huge_pages)(void);
    ash_resource *(*default_resource)(void);
    ash_resource *(*set_default)(ash_resource *);

    bool (*init)(ash_arena *, const ash_arena_config *);
    void (*init_fixed)(ash_arena *, void *, size_t);
    void (*deinit)(ash_arena *);
    ash_arena *(*create)(const ash_arena_config *);
    void (*destroy)(ash_arena *);
    void *(*alloc)(ash_arena *, size_t, size_t);
    void *(*zalloc)(ash_arena *, size_t, size_t);
    void *(*alloc_array)(ash_arena *, size_t, size_t, size_t);
    void *(*zalloc_array)(ash_arena *, size_t, size_t, size_t);
    bool (*extend)(ash_arena *, void *, size_t, size_t);
    void *(*realloc_)(ash_arena *, void *, size_t, size_t, size_t);
    void *(*memdup)(ash_arena *, const void *, size_t, size_t);
    char *(*strdup_)(ash_arena *, const char *);
    char *(*strndup_)(ash_arena *, const char *, size_t);
    char *(*printf_)(ash_arena *, const char *, ...);
    char *(*vprintf_)(ash_arena *, const char *, va_list);
    ash_mark (*mark)(ash_arena *);
    void (*rewind_)(ash_arena *, ash_mark);
    void (*reset)(ash_arena *);
    void (*trim)(ash_arena *, size_t);
    void (*release)(ash_arena *);
    size_t (*used)(const ash_arena *);
    size_t (*capacity)(const ash_arena *);
    size_t (*peak)(const ash_arena *);
    size_t (*room)(const ash_arena *);
    bool (*owns)(const ash_arena *, const void *);
    bool (*failed)(const ash_arena *);
    void (*clear_failed)(ash_arena *);
    const char *(*name)(const ash_arena *);
    ash_resource *(*resource)(ash_arena *);
    bool (*check)(const ash_arena *);
    bool (*walk)(const ash_arena *, ash_walk_fn, void *);

    void *(*object_alloc)(ash_arena *, size_t, size_t);
    void *(*object_new)(ash_arena *, const ash_type *, size_t);
    void (*object_delete)(ash_arena *, void *);
    bool (*defer)(ash_arena *, void (*)(void *), void *);
    ash_object_state (*inspect)(const ash_arena *, const void *);
    const ash_type *(*type)(const ash_arena *, const void *);
    size_t (*count)(const ash_arena *, const void *);
    bool (*is_top)(const ash_arena *, const void *);

    ash_scope (*scope_begin)(ash_arena *);
    void (*scope_end)(ash_scope *);
    bool (*scope_is_open)(const ash_scope *);
    ash_arena *(*scratch)(const ash_arena *const *, size_t);
    void (*scratch_release)(void);
} every_function;

extern const every_function functions;

const every_function functions = {
    ash_set_fatal_handler,

    ash_resource_alloc,
    ash_resource_resize,
    ash_resource_remap,
    ash_resource_realloc,
    ash_resource_free,
    ash_resource_owns,
    ash_resource_epoch,
    ash_resource_name,
    ash_heap,
    ash_null,
    ash_pages,
    ash_huge_pages,
    ash_default,
    ash_set_default,

    ash_arena_init,
    ash_arena_init_fixed,
    ash_arena_deinit,
    ash_arena_create,
    ash_arena_destroy,
    ash_alloc,
    ash_zalloc,
    ash_alloc_array,
    ash_zalloc_array,
    ash_extend,
    ash_realloc,
    ash_memdup,
    ash_strdup,
    ash_strndup,
    ash_printf,
    ash_vprintf,
    ash_arena_mark,
    ash_arena_rewind,
    ash_arena_reset,
    ash_arena_trim,
    ash_arena_release,
    ash_arena_used,
    ash_arena_capacity,
    ash_arena_peak,
    ash_arena_room,
    ash_arena_owns,
    ash_arena_failed,
    ash_arena_clear_failed,
    ash_arena_name,
    ash_arena_resource,
    ash_arena_check,
    ash_arena_walk,

    ash_object_alloc,
    ash_object_new,
    ash_delete,
    ash_defer,
    ash_object_inspect,
    ash_object_type,
    ash_object_count,
    ash_object_is_top,

    ash_scope_begin,
    ash_scope_end,
    ash_scope_is_open,
    ash_scratch,
    ash_scratch_release,
};
