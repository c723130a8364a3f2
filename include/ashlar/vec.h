/*
 * vec.h - growing arrays over any resource, with functions made for one element type.
 *
 *     ASH_VEC_DEFINE(ints, int)                              // at file scope: the type ints, ints_push, ...
 *     ASH_VEC_DEFINE(names, ash_str, ash_type_of(ash_str))   // elements that hold memory of their own
 *
 * Choose a vector where the number is not known beforehand. On an arena it grows in place while it is the
 * newest thing there: no copy, no old array left behind. Where it is not, it moves, and the arena gets the
 * old array back with the next rewind; ints_reserve before other things are allocated avoids that.
 *
 * Elements that hold memory of their own have an ash_type that says so, and are then in the same resource as
 * the array: what is pushed into a vector and lives elsewhere is copied over and the original destroyed. So
 * a vector of strings lies in one arena as a whole, and one rewind drops it (docs/containers.md).
 *
 *     vector   [ data | count | capacity | resource ]
 *                 |
 *                 v
 *     resource   [ element | element | ... count | room ... capacity ]
 *
 * The fields data, count, capacity and resource may be read, and elements written through data. A zeroed
 * vector is a valid empty one; it looks for ash_default() when it first needs memory.
 */
#ifndef ASHLAR_VEC_H
#define ASHLAR_VEC_H

#include <string.h>

#include "ashlar/object.h"

ASH_DECLS_BEGIN

/* How often a vector grew, the first time not counted. */
typedef struct ash_vec_stats {
    size_t in_place;      /* at the same address */
    size_t moved;         /* to another one */
    uint64_t bytes_moved; /* copied by the vector; a resource that remaps does what it does */
} ash_vec_stats;

/*
 * The rest of this part is not for users. All vectors look like an ash_vec_ but for the type of data; a
 * generated function that has more to do than a few lines fills one in, has it worked on by a function that
 * all share, and takes back what came out. A pointer to one struct is never used as one to the other: an
 * optimiser that sees both, as with link-time optimisation, may take it that they do not overlap.
 */
typedef struct ash_vec_ {
    void *data;
    size_t count, capacity;
    ash_resource *resource;
    uint64_t epoch_;
    ash_vec_stats stats_;
} ash_vec_;

typedef struct ash_vec_kind_ { /* of element */
    size_t size, align;
    const ash_type *type; /* or NULL */
} ash_vec_kind_;

void ash_vec_init_(ash_vec_ *v, ash_resource *resource);
bool ash_vec_insert_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t index, void *value);
void *ash_vec_emplace_(ash_vec_ *v, const ash_vec_kind_ *kind);
bool ash_vec_pop_(ash_vec_ *v, const ash_vec_kind_ *kind, void *out);
bool ash_vec_remove_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t index, size_t count);
bool ash_vec_append_(ash_vec_ *v, const ash_vec_kind_ *kind, const void *values, size_t count);
bool ash_vec_reserve_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t capacity);
bool ash_vec_shrink_(ash_vec_ *v, const ash_vec_kind_ *kind);
bool ash_vec_resize_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t count);
void ash_vec_deinit_(ash_vec_ *v, const ash_vec_kind_ *kind);
bool ash_vec_part_(ash_vec_ *made, const ash_vec_ *to, ash_vec_ *from, const ash_vec_kind_ *kind);
void ash_vec_replace_(ash_vec_ *to, ash_vec_ *made, const ash_vec_kind_ *kind);
bool ash_vec_swap_(ash_vec_ *a, ash_vec_ *b, const ash_vec_kind_ *kind);
bool ash_vec_copy_(ash_vec_ *to, const ash_vec_ *from, const ash_vec_kind_ *kind);
bool ash_vec_check_(const ash_vec_ *v, const ash_vec_kind_ *kind);

/**
 * ASH_VEC_DEFINE(name, T) and ASH_VEC_DEFINE(name, T, type) - at file scope: a vector type and its functions; no
 * semicolon is wanted after it, and -Wpedantic tells of one.
 *
 * T        any type that can be assigned and for which T * is a pointer to it: a function pointer needs
 *          a typedef, an array a struct.
 * type     const ash_type *, a constant: ash_type_of(T). Without it elements are bytes.
 * Also     name_ash_type, so that ash_type_of(name) works: for vectors of vectors, and on arenas.
 *
 * Where T holds a vector of T, such as a tree's node, ASH_VEC_DECLARE(name, T); before T is complete makes
 * the struct, and ASH_VEC_IMPLEMENT(name, T) or (name, T, type); after it the functions.
 *
 * What follows holds for all of them. NAME_ stands for the name given.
 *
 *   void NAME_init(NAME *v, ash_resource *resource)
 *            empty, without memory. resource: NULL: ash_default() now. Once initialised a vector may be moved
 *            by assignment, if the old one is used no more.
 *   void NAME_deinit(NAME *v)
 *            destroys the elements, the last one first, and frees the memory. It is empty then, as after init.
 *            A vector of elements that have no `destroy`, on an arena, can also be forgotten.
 *   bool NAME_push(NAME *v, T value)            bool NAME_insert(NAME *v, size_t index, T value)
 *            take the value over. Where its type has a `resource` and it is another than the vector's, it is
 *            copied into the vector's and then destroyed. insert: false too where index > count.
 *   T   *NAME_emplace(NAME *v)
 *            a new last element: zeroed, then begun by the type's `init` with the vector's resource.
 *   bool NAME_append(NAME *v, const T *values, size_t count)
 *            copies, by the type's `copy`. The values may be elements of `v`.
 *   bool NAME_resize(NAME *v, size_t count)
 *            destroys the last ones, the last one first, or adds such as emplace does.
 *   bool NAME_pop(NAME *v, T *out)
 *            takes the last one out; out NULL: destroys it. false: there is none.
 *   bool NAME_remove(NAME *v, size_t index, size_t count)
 *            destroys so many from index on; the order of the others stays. false, and nothing is done, where
 *            they are not all there.
 *   void NAME_clear(NAME *v)
 *            destroys all, the last one first, and keeps the memory.
 *   bool NAME_reserve(NAME *v, size_t capacity)
 *            so many will fit without growing.
 *   bool NAME_shrink(NAME *v)
 *            gives back the room. true: capacity is count now.
 *   T   *NAME_at(const NAME *v, size_t index)    NULL where there is none.
 *   T   *NAME_begin(const NAME *v), *NAME_end(const NAME *v)
 *            for (int *i = ints_begin(&v); i != ints_end(&v); i++)
 *   bool NAME_copy(NAME *to, const NAME *from)
 *            `to` has copies then, instead of what it had, in its own resource.
 *   bool NAME_steal(NAME *to, NAME *from)
 *            `to` has the elements then, instead of what it had, and `from` is empty; it may lie in an element
 *            of `to`. A `to` without resource (a zeroed one) takes over from's. With one resource O(1), and true.
 *            With two, elements whose type has a `resource` are copied into to's and the originals
 *            destroyed; others are moved.
 *   bool NAME_swap(NAME *a, NAME *b)
 *            With one resource O(1), and true; with two, as steal, both ways. Each keeps its resource, but one
 *            without takes over the other's. Neither lies in the other.
 *   ash_vec_stats NAME_stats(const NAME *v)
 *   bool NAME_check(const NAME *v)
 *            is it consistent?
 *
 * Fails    NULL or false: upstream refuses, or the number does not fit in an address space, or a type's init
 *          or copy was false. The elements are as before, and a value is still the caller's; there may be more
 *          room than before. An element that would have to be copied and whose type has no `copy` is refused.
 * Reports  fatal: growing, in place too, inside a scope younger than the vector, and adding elements there that
 *          have memory of their own, even where there is room; taking the memory of a vector
 *          that is younger by steal or swap; a `type` whose size is not T's.
 * Requires what a type's functions do, they do without the vector. A type with `relocate` comes by value
 *          in push and insert: from another address than that of the caller's object, which `relocate`, and `copy`
 *          and `destroy` where it comes from another resource, have to bear.
 * Lifetime elements and pointers to them until the vector grows, shrinks or loses an element before them.
 * Cost     push: compare, store, increment while there is room. Growing doubles the capacity up to 1 MiB, and adds
 *          a half then; in place where the resource can, with what fits; else by remap where elements have no
 *          `relocate`; else by one copy. Where so much is refused, what is needed is asked for.
 * Threads  as its resource, one at a time; const functions write nothing.
 * Example:
 *     ASH_VEC_DEFINE(ints, int)
 *
 *     ints v;
 *     ints_init(&v, ash_arena_resource(&arena));
 *     for (int i = 0; i < 100; i++)
 *         if (!ints_push(&v, i)) return false;
 */
/* clang-format off */
#define ASH_VEC_DEFINE(...)    ASH_VEC_DEFINE_(__VA_ARGS__, NULL, )
#define ASH_VEC_DECLARE(name, T) \
    typedef struct name { \
        T *data;                /* NULL: no memory yet */ \
        size_t count, capacity; \
        ash_resource *resource; /* NULL: none yet */ \
        uint64_t epoch_;        /* of the resource at init */ \
        ash_vec_stats stats_; \
    } name
#define ASH_VEC_IMPLEMENT(...) ASH_VEC_IMPLEMENT_(__VA_ARGS__, NULL, )

#define ASH_VEC_DEFINE_(name, T, type, ...) \
    ASH_VEC_DECLARE(name, T); \
    ASH_VEC_IMPLEMENT_(name, T, type, )
#define ASH_VEC_IMPLEMENT_(name, T, type, ...) \
    ASH_VEC_BASE_(name, T, type) \
    ASH_VEC_ENDS_(name, T) \
    ASH_VEC_INSIDE_(name, T) \
    ASH_VEC_ROOM_(name) \
    ASH_VEC_WHOLE_(name) \
    ASH_VEC_TYPE_(name)
/* clang-format on */

#define ASH_VEC_FUNCTION_ ASH_UNUSED static inline

/* What is inlined in any case, and lets no pointer to the vector go anywhere: so that a local vector which is
 * pushed to in a loop has its fields in registers, and a push is no call where nothing is optimised. */
#if defined(__GNUC__) || defined(__clang__)
#define ASH_VEC_INLINE_ ASH_UNUSED static inline __attribute__((always_inline))
#else
#define ASH_VEC_INLINE_ ASH_UNUSED static inline
#endif

/* Where a vector is written to by pointer, gcc would move the loads of what is rarely done ahead, into the loop
 * around a push, right behind the store that they wait for: ten times slower. */
#if defined(__GNUC__) || defined(__clang__)
#define ASH_VEC_APART_ __asm__ volatile("" ::: "memory")
#else
#define ASH_VEC_APART_ ((void)0)
#endif

/* Is no scope open there that is younger than the vector? What an element took inside it would go with it. */
static inline bool ash_vec_at_home_(const ash_resource *resource, uint64_t began)
{
    uint64_t epoch = resource && resource->ops->epoch ? resource->ops->epoch(resource) : 0;
    return !epoch || epoch == began;
}

/* May an element be made, of a type that has memory of its own? */
#define ASH_VEC_MAY_MAKE_(name, v) \
    (!name##_kind_.type || (!name##_kind_.type->resource && !name##_kind_.type->init) || \
     ash_vec_at_home_((v)->resource, (v)->epoch_))

/* Does a value have its memory where the vector has, and may the vector have it, if it has any? */
#define ASH_VEC_HERE_(name, v, value) \
    (!name##_kind_.type || !name##_kind_.type->resource || \
     (name##_kind_.type->resource(value) == (v)->resource && \
      ash_vec_at_home_((v)->resource, (v)->epoch_)))

/* May bytes be all that is known of an element on its way in or out? */
#define ASH_VEC_BYTES_(name) \
    (!name##_kind_.type || (!name##_kind_.type->resource && !name##_kind_.type->relocate))

#define ASH_VEC_BASE_(name, T, type_) \
    ASH_UNUSED static const ash_vec_kind_ name##_kind_ = {sizeof(T), ASH_ALIGNOF(T), (type_)}; \
    ASH_VEC_INLINE_ ash_vec_ name##_open_(const name *v) \
    { \
        ASH_VEC_APART_; \
        ash_vec_ whole = {v->data, v->count, v->capacity, v->resource, v->epoch_, v->stats_}; \
        return whole; \
    } \
    ASH_VEC_INLINE_ void name##_close_(name *v, const ash_vec_ *whole) \
    { \
        v->data = (T *)whole->data; \
        v->count = whole->count; \
        v->capacity = whole->capacity; \
        v->resource = whole->resource; \
        v->epoch_ = whole->epoch_; \
        v->stats_ = whole->stats_; \
    } \
    ASH_VEC_INLINE_ void name##_init(name *v, ash_resource *resource) \
    { \
        ash_vec_ whole; \
        ash_vec_init_(&whole, resource); \
        name##_close_(v, &whole); \
    } \
    ASH_VEC_INLINE_ T *name##_at(const name *v, size_t index) \
    { \
        return index < v->count ? v->data + index : NULL; \
    } \
    ASH_VEC_INLINE_ T *name##_begin(const name *v) \
    { \
        return v->data; \
    } \
    ASH_VEC_INLINE_ T *name##_end(const name *v) \
    { \
        return v->count ? v->data + v->count : v->data; \
    } \
    ASH_VEC_FUNCTION_ ash_vec_stats name##_stats(const name *v) \
    { \
        return v->stats_; \
    } \
    ASH_VEC_FUNCTION_ bool name##_check(const name *v) \
    { \
        ash_vec_ whole = name##_open_(v); \
        return ash_vec_check_(&whole, &name##_kind_); \
    }

/* At the end: what is done often, and its few lines here. */
#define ASH_VEC_ENDS_(name, T) \
    ASH_NODISCARD ASH_COLD ASH_UNUSED static bool name##_push_slow_(ash_vec_ *whole, T value) \
    { \
        return ash_vec_insert_(whole, &name##_kind_, whole->count, &value); \
    } \
    ASH_NODISCARD ASH_VEC_INLINE_ bool name##_push(name *v, T value) \
    { \
        if (ASH_LIKELY(v->count < v->capacity && ASH_VEC_HERE_(name, v, &value))) { \
            if (name##_kind_.type && name##_kind_.type->relocate) \
                name##_kind_.type->relocate(v->data + v->count, &value); \
            else \
                v->data[v->count] = value; \
            v->count++; \
            return true; \
        } \
        ash_vec_ whole = name##_open_(v); \
        bool done = name##_push_slow_(&whole, value); \
        name##_close_(v, &whole); \
        return done; \
    } \
    ASH_NODISCARD ASH_VEC_INLINE_ T *name##_emplace(name *v) \
    { \
        if (ASH_LIKELY(v->count < v->capacity && ASH_VEC_MAY_MAKE_(name, v))) { \
            T *element = (T *)memset(v->data + v->count, 0, sizeof(T)); \
            if (name##_kind_.type && name##_kind_.type->init && \
                !name##_kind_.type->init(element, v->resource)) \
                return NULL; \
            v->count++; \
            return element; \
        } \
        ash_vec_ whole = name##_open_(v); \
        T *made = (T *)ash_vec_emplace_(&whole, &name##_kind_); \
        name##_close_(v, &whole); \
        return made; \
    } \
    ASH_VEC_INLINE_ bool name##_pop(name *v, T *out) \
    { \
        if (ASH_LIKELY(v->count && out && ASH_VEC_BYTES_(name))) { \
            *out = v->data[--v->count]; \
            return true; \
        } \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_pop_(&whole, &name##_kind_, out); \
        name##_close_(v, &whole); \
        return done; \
    }

#define ASH_VEC_INSIDE_(name, T) \
    ASH_NODISCARD ASH_VEC_FUNCTION_ bool name##_insert(name *v, size_t index, T value) \
    { \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_insert_(&whole, &name##_kind_, index, &value); \
        name##_close_(v, &whole); \
        return done; \
    } \
    ASH_NODISCARD ASH_VEC_INLINE_ bool name##_append(name *v, T const *values, size_t count) \
    { \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_append_(&whole, &name##_kind_, values, count); \
        name##_close_(v, &whole); \
        return done; \
    } \
    ASH_VEC_FUNCTION_ bool name##_remove(name *v, size_t index, size_t count) \
    { \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_remove_(&whole, &name##_kind_, index, count); \
        name##_close_(v, &whole); \
        return done; \
    }

#define ASH_VEC_ROOM_(name) \
    ASH_NODISCARD ASH_VEC_INLINE_ bool name##_reserve(name *v, size_t capacity) \
    { \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_reserve_(&whole, &name##_kind_, capacity); \
        name##_close_(v, &whole); \
        return done; \
    } \
    ASH_VEC_FUNCTION_ bool name##_shrink(name *v) \
    { \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_shrink_(&whole, &name##_kind_); \
        name##_close_(v, &whole); \
        return done; \
    } \
    ASH_NODISCARD ASH_VEC_INLINE_ bool name##_resize(name *v, size_t count) \
    { \
        ash_vec_ whole = name##_open_(v); \
        bool done = ash_vec_resize_(&whole, &name##_kind_, count); \
        name##_close_(v, &whole); \
        return done; \
    } \
    ASH_VEC_INLINE_ void name##_clear(name *v) \
    { \
        ash_vec_ whole = name##_open_(v); \
        (void)ash_vec_remove_(&whole, &name##_kind_, 0, v->count); \
        name##_close_(v, &whole); \
    } \
    ASH_VEC_INLINE_ void name##_deinit(name *v) \
    { \
        ash_vec_ whole = name##_open_(v); \
        ash_vec_deinit_(&whole, &name##_kind_); \
        name##_close_(v, &whole); \
    }

#define ASH_VEC_WHOLE_(name) \
    ASH_VEC_FUNCTION_ bool name##_steal(name *to, name *from) \
    { \
        if (to == from) \
            return true; \
        ash_vec_ target = name##_open_(to), source = name##_open_(from), made; \
        if (!ash_vec_part_(&made, &target, &source, &name##_kind_)) \
            return false; \
        name##_close_(from, &source); /* before what it may lie in is destroyed */ \
        ash_vec_replace_(&target, &made, &name##_kind_); \
        name##_close_(to, &target); \
        return true; \
    } \
    ASH_VEC_FUNCTION_ bool name##_swap(name *a, name *b) \
    { \
        if (a == b) \
            return true; \
        ash_vec_ one = name##_open_(a), other = name##_open_(b); \
        bool done = ash_vec_swap_(&one, &other, &name##_kind_); \
        name##_close_(a, &one); \
        name##_close_(b, &other); \
        return done; \
    } \
    ASH_NODISCARD ASH_VEC_FUNCTION_ bool name##_copy(name *to, const name *from) \
    { \
        if (to == from) \
            return true; \
        ash_vec_ target = name##_open_(to), source = name##_open_(from); \
        bool done = ash_vec_copy_(&target, &source, &name##_kind_); \
        name##_close_(to, &target); \
        return done; \
    }

/* The vector as an element, or as an object on an arena. */
#define ASH_VEC_TYPE_(name) \
    ASH_VEC_FUNCTION_ void name##_type_destroy_(void *self) \
    { \
        name##_deinit((name *)self); \
    } \
    ASH_VEC_FUNCTION_ bool name##_type_init_(void *self, ash_resource *resource) \
    { \
        name##_init((name *)self, resource); \
        return true; \
    } \
    ASH_VEC_FUNCTION_ bool name##_type_copy_(void *to, const void *from, ash_resource *resource) \
    { \
        name##_init((name *)to, resource); \
        return name##_copy((name *)to, (const name *)from); \
    } \
    ASH_VEC_FUNCTION_ ash_resource *name##_type_resource_(const void *self); \
    ASH_UNUSED static const ash_type name##_ash_type = {#name, \
                                                        sizeof(name), \
                                                        ASH_ALIGNOF(name), \
                                                        name##_type_destroy_, \
                                                        name##_type_init_, \
                                                        name##_type_copy_, \
                                                        name##_type_resource_, \
                                                        NULL}; \
    ASH_VEC_FUNCTION_ ash_resource *name##_type_resource_(const void *self) \
    { \
        return ((const name *)self)->resource; \
    }

ASH_DECLS_END

#endif
