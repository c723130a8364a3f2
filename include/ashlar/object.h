/*
 * object.h - objects on an arena: memory that can be deleted alone, in any order.
 *
 * Objects grow down from the high end of the arena's blocks while plain memory grows up from the
 * low end. Where each begins and whether it lives is kept in the arena's object map, apart from the
 * objects, so that no overflow between them can change the answer, and a pointer that is not a live
 * object is recognised exactly. An object may have a type, with a destructor; a sealed word in front
 * of it names the type. Choose objects for what holds a file, a lock or a socket, and for what dies
 * early; choose plain memory (arena.h) for everything else.
 *
 * Each operation on one object is O(1) in the worst case, whatever the sizes and numbers: at most
 * one map word a level of the tree. Memory: 1/32 of the block and a little for the tree, from the
 * first object on; an untyped object has no bytes of its own, a typed one 8, an array 16.
 */
#ifndef ASHLAR_OBJECT_H
#define ASHLAR_OBJECT_H

#include <string.h>

#include "ashlar/arena.h"

ASH_DECLS_BEGIN

/*
 * What is known of a type. `destroy` runs once, when the object is deleted, or when a rewind, reset
 * or the end of the arena takes it. errno is what it was, afterwards. Inside it one may allocate,
 * register a defer, begin scopes and end them, trim, and delete other objects, or the same again (that is ignored). One
 * may rewind only to marks taken inside it, which rules out reset, release and deinit, and must not leave
 * by longjmp.
 *
 * In a rewind objects that have a type die one by one, newest first, each out of the map before the next; then
 * all that is untyped goes at once. So a destructor does not find there any more what was made after its
 * object: what an object makes for itself is best left to the arena.
 *
 * The rest is for types that hold memory of their own, such as strings, and for elements of containers; NULL
 * where there is nothing to do:
 *   init      a zeroed one begins its life, and takes what memory it needs from `resource`: that of the
 *             container it is an element of, or the arena that it is an object on. false: it has left nothing.
 *   copy      makes `to`, which is uninitialised, a copy of `from` with its memory from `resource`. false: it
 *             has left nothing. NULL: the bytes are copied.
 *   resource  where its memory comes from. Where that is not a container's own, what is put into the
 *             container is copied, never moved across.
 *   relocate  moves one to another address, for types that have pointers to themselves; `from` is gone then.
 *             NULL: the bytes are moved.
 */
typedef struct ash_type {
    const char *name;
    size_t size;                 /* bytes of one */
    size_t align;                /* a power of two */
    void (*destroy)(void *self); /* NULL: nothing to do */
    bool (*init)(void *self, ash_resource *resource);
    bool (*copy)(void *to, const void *from, ash_resource *resource);
    ash_resource *(*resource)(const void *self);
    void (*relocate)(void *to, void *from);
} ash_type;

/*
 * At file scope: describe the type T for this file, or for several. (In C++ before 20 designated
 * initialisers are an extension, which gcc and clang have.)
 *
 *     typedef struct conn { int fd; } conn;
 *     static void conn_close(void *self) { conn *c = self; if (c->fd > 0) close(c->fd); }
 *     ASH_TYPE(conn, .destroy = conn_close);
 *
 * ASH_TYPE_DECLARE(conn); in a header and ASH_TYPE_DEFINE(conn, ...); in one file share one.
 */
/* clang-format off */
#define ASH_TYPE(...)       ASH_UNUSED static ASH_TYPE_(__VA_ARGS__, )
#define ASH_TYPE_DEFINE(...) ASH_TYPE_(__VA_ARGS__, )
#define ASH_TYPE_DECLARE(T) extern const ash_type T##_ash_type
#define ASH_TYPE_(T, ...) \
    const ash_type T##_ash_type = {.name = #T, .size = sizeof(T), .align = ASH_ALIGNOF(T), __VA_ARGS__}
/* clang-format on */

/* The address of its description. */
#define ash_type_of(T) (&T##_ash_type)

/* Not for users: what ash_object_alloc does when its few lines do not suffice. */
void *ash_object_slow_(ash_arena *arena, size_t size, size_t align);

/**
 * ash_object_alloc - take an untyped object: bytes that can be deleted alone.
 *
 * size     bytes; 0 is served as 1.
 * align    bytes, a power of two, at most ASH_ALIGN_MAX; less than 8 is served as 8.
 * Returns  address of `size` uninitialised bytes, a multiple of `align`.
 * Fails    NULL as ash_alloc.
 * Lifetime until ash_delete, or a rewind to an earlier mark, reset, release or deinit.
 * Cost     O(1), and no call while the object lies in the same leaf of the map as the newest; the
 *          first object of a block lays down its map.
 * Example:
 *     message *m = ash_object_alloc(&arena, sizeof *m + length, ASH_ALIGNOF(message));
 */
ASH_NODISCARD static inline void *ash_object_alloc(ash_arena *arena, size_t size, size_t align)
{
    ash_leaf_ *leaf = arena->leaf_;
    if (ASH_LIKELY(leaf && ash_ordinary_(size, align))) {
        uintptr_t top = (uintptr_t)arena->top_;
        uintptr_t start = align <= 8 ? top - ((size + 7) & ~(size_t)7) /* top is a multiple of 8 */
                                     : (top - size) & ~(uintptr_t)(align - 1);
        ptrdiff_t room = (ptrdiff_t)(start - (uintptr_t)arena->next_);
        if (ASH_LIKELY(room >= 0 && (start ^ top) < ASH_LEAF_SPAN_)) {
            leaf->head |= (uint64_t)1 << (start / 8 % 64);
            return arena->top_ = arena->limit_ = (char *)start;
        }
    }
    return ash_object_slow_(arena, size, align);
}

/* Not for users: one element, sealed but not zeroed, of a size and alignment that are ordinary; all
 * that is not; and the last step for types that have an init. */
void *ash_object_one_(ash_arena *arena, const ash_type *type);
void *ash_object_new_slow_(ash_arena *arena, const ash_type *type, size_t count);
void *ash_object_init_(ash_arena *arena, const ash_type *type, void *object, size_t count);

/*
 * Not for users: an object that is made in place by whoever calls, as constructors of C++ are, which may leave
 * by an exception. begin takes memory, which is not zeroed, for `count` elements; false: none. Until finish or
 * abandon, and several may be under way, each inside the one before, it is ASH_OBJECT_DYING, and a rewind past
 * it is reported. finish gives it its type; abandon takes it away, and calls nothing.
 */
typedef struct ash_making_ {
    ash_arena *arena; /* set these three, then begin */
    const ash_type *type;
    size_t count;
    void *object;   /* the first element */
    uint64_t floor; /* the arena's, before */
} ash_making_;

ASH_NODISCARD bool ash_making_begin_(ash_making_ *making);
void ash_making_finish_(const ash_making_ *making);
void ash_making_abandon_(const ash_making_ *making);

/**
 * ash_object_new - take an object, or an array of `count` elements, that has a type.
 *
 * type     not copied; it must stay as long as the object.
 * count    elements; 0 gives a distinct object of count 0, whose destructor is never called.
 * Returns  the first element, aligned as the type says. Each is zeroed, then begun by the type's `init`, the
 *          first one first. A zeroed object must be one that its destructor can take.
 * Fails    NULL as ash_alloc, where count * size does not fit, and where an `init` was false: the elements
 *          before it are destroyed then, the last one first.
 * Lifetime as ash_object_alloc; then `destroy` runs for each element, the last one first.
 * Cost     O(1) and zeroing.
 * Example:
 *     conn *c = ash_new(&arena, conn);
 *     conn *pool = ash_new_array(&arena, conn, 16);
 */
ASH_NODISCARD static inline void *ash_object_new(ash_arena *arena, const ash_type *type,
                                                 size_t count)
{
    if (ASH_UNLIKELY(count != 1 || !ash_ordinary_(type->size, type->align)))
        return ash_object_new_slow_(arena, type, count);
    void *object = ash_object_one_(arena, type);
    if (ASH_UNLIKELY(!object))
        return NULL;
    memset(object, 0, type->size);
    return type->init ? ash_object_init_(arena, type, object, 1) : object;
}

#define ash_new(arena, T)              ((T *)ash_object_new((arena), ash_type_of(T), 1))
#define ash_new_array(arena, T, count) ((T *)ash_object_new((arena), ash_type_of(T), (count)))

/**
 * ash_delete - destroy one object now, in any order.
 *
 * object   from this arena, its first element; NULL is nothing. An object whose destructor is
 *          running is left alone: it is dying already.
 * Its memory comes back when every newer object in its block is gone.
 * Reports  fatal, before anything is called or changed: a pointer that is not a live object of this
 *          arena (deleted before, plain memory, the middle of an object, from elsewhere), and a type
 *          word that was overwritten.
 * Cost     O(1) and the destructor.
 */
void ash_delete(ash_arena *arena, void *object);

/**
 * ash_defer - have fn(arg) called when the arena is rewound past here.
 *
 * It takes its place among the objects: what was made later dies before, what was made earlier after.
 * Returns  true if it was registered.
 * Fails    false, as ash_alloc; nothing will be called.
 * Cost     as a typed object of 16 bytes. fn and arg are under the seal.
 * Example:
 *     char *text = read_all(file);                    // from malloc, by somebody else's library
 *     if (!ash_defer(&arena, free, text)) free(text);
 */
ASH_NODISCARD bool ash_defer(ash_arena *arena, void (*fn)(void *), void *arg);

typedef enum ash_object_state {
    ASH_OBJECT_FOREIGN, /* not the start of an object here */
    ASH_OBJECT_LIVE,
    ASH_OBJECT_DYING,  /* its destructor, or its init, is running */
    ASH_OBJECT_DEAD,   /* it was one, and was deleted */
    ASH_OBJECT_CORRUPT /* it is one, but its type word was overwritten */
} ash_object_state;

/**
 * ash_object_inspect - what is at this address? Any pointer may be asked about.
 *
 * Returns  the state. Once the memory is reclaimed, it is not told whether it answers DEAD or
 *          FOREIGN; never LIVE.
 * Cost     O(1); nothing is read through the pointer but the type word of a live object.
 */
ash_object_state ash_object_inspect(const ash_arena *arena, const void *p);

/* Its type; NULL: untyped, or not a live object. */
const ash_type *ash_object_type(const ash_arena *arena, const void *p);

/* Its elements. Untyped: 1. Not a live object: 0. */
size_t ash_object_count(const ash_arena *arena, const void *p);

/* Is it the newest live object of the arena? Defers, and scopes that are open, count as objects here. O(newer blocks). */
bool ash_object_is_top(const ash_arena *arena, const void *p);

ASH_DECLS_END

#endif
