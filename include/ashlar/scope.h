/*
 * scope.h - what ends by itself: scopes of an arena, objects on the C stack, arenas in a frame.
 *
 * Three things, for three lifetimes:
 *   - ash_auto(T): an object on the C stack, ended when its block is left: by falling out, return,
 *     break, continue or goto. It costs what calling the end by hand costs.
 *   - a scope on an arena: all that was made on the arena since it began ends with it, newest first.
 *     A scope is a floor: it may be ended, never undercut.
 *   - a scratch arena of the thread, for what a function needs only while it runs.
 *
 *     bool report(ash_arena *arena, const char *path)
 *     {
 *         ash_auto(ash_scope) scope = ash_scope_begin(arena);
 *         ash_auto(mapped_file) file = mapped_file_open(path);
 *         if (!file.bytes) return false;           // both end here
 *         char *line = ash_alloc(arena, 4096, 1);  // gone with the scope
 *         ...
 *     }                                            // and here, the file first
 *
 * What leaves by longjmp or exit runs no ends; whether pthread_exit does is the system's affair. Of arena
 * scopes left by longjmp the next end of an older one closes all that it finds open.
 */
#ifndef ASHLAR_SCOPE_H
#define ASHLAR_SCOPE_H

#include "ashlar/object.h"

/*
 * ash_auto(T) name = ...;       declares an object that ends with its block
 * ASH_AUTO_DEFINE(T, end)       at file scope, makes T usable so; end is called as end(T *)
 *
 *     typedef struct connection { int fd; } connection;
 *     static void connection_close(connection *c) { if (c->fd > 0) close(c->fd); }
 *     ASH_AUTO_DEFINE(connection, connection_close)
 *
 * T is a single word (a typedef). Objects declared so end in reverse order of their declaration. gcc, clang and
 * tcc have the attribute that this takes; in C++ the object gets a destructor (T is then a struct, and = {} begins
 * a zeroed one; C++17 and later). Elsewhere, and where ASH_NO_AUTO is defined, ASH_HAS_AUTO is 0, there is no ash_auto, and what
 * begins is ended by hand: `ash_scope s = ash_scope_begin(arena); ... ash_scope_end(&s);`
 *
 * A block is not to be entered past such a declaration, by goto or by a later case of a switch: the end would
 * run on what was never begun, and of C compilers only clang refuses that. Give the case a block of its own.
 */
#if defined(ASH_NO_AUTO)
#define ASH_HAS_AUTO            0
#define ASH_AUTO_DEFINE(T, end) ASH_UNUSED typedef T T##_has_no_auto_;
#elif defined(__cplusplus)
#define ASH_HAS_AUTO 1
#define ash_auto(T)  T##_ash_auto_
#define ASH_AUTO_DEFINE(T, end) \
    struct T##_ash_auto_ : T { \
        T##_ash_auto_() : T() {} \
        T##_ash_auto_(const T &value) : T(value) {} \
        T##_ash_auto_(const T##_ash_auto_ &) = delete; \
        T##_ash_auto_ &operator=(const T##_ash_auto_ &) = delete; \
        T##_ash_auto_ &operator=(const T &value) \
        { \
            T::operator=(value); \
            return *this; \
        } \
        ~T##_ash_auto_() \
        { \
            end(this); \
        } \
    };
#elif defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define ASH_HAS_AUTO 1
/* Spelled so because headers of glibc make the other spelling nothing for tcc. */
#define ash_auto(T)  __attribute((cleanup(T##_ash_auto_), unused)) T
#define ASH_AUTO_DEFINE(T, end) \
    ASH_UNUSED static inline void T##_ash_auto_(T *self) \
    { \
        end(self); \
    }
#else
#define ASH_HAS_AUTO            0
#define ASH_AUTO_DEFINE(T, end) ASH_UNUSED typedef T T##_has_no_auto_;
#endif

ASH_DECLS_BEGIN

/* A scope of an arena. Once begun it is not copied. */
typedef struct ash_scope {
    ash_mark mark_; /* top_: its record; NULL: inert */
    struct ash_scope_record_ *outer_;
    uint64_t outer_serial_;
    uint64_t tag_; /* what its record has too */
} ash_scope;

/**
 * ash_scope_begin - from here on, what is made on the arena ends with the scope.
 *
 * Inside it, objects made before may be deleted: their destructors run now, their memory comes back when the
 * scope ends. What was made before is not grown inside it: ash_extend answers false; ash_realloc, containers,
 * pools and arenas over the arena report it, as a rewind or a reset that would undercut the scope is reported. Its
 * record is one more untyped object to those who inspect or walk the arena.
 *
 * Returns  the scope; end it by ash_scope_end, or declare it with ash_auto.
 * Fails    where the arena has no room for its record (an object of 32 bytes), or the system no random bytes, the
 *          arena has failed and the scope is inert: ending it does nothing, and what follows belongs to the
 *          enclosing scope, or to the arena.
 * Cost     O(1).
 * Threads  one thread at a time per arena.
 * Example:
 *     ash_auto(ash_scope) scope = ash_scope_begin(&arena);
 *     char *line = ash_alloc(&arena, 4096, 1);
 */
ASH_NODISCARD ash_scope ash_scope_begin(ash_arena *arena);

/**
 * ash_scope_end - destroy what was made since its begin, newest first, and take back all memory.
 *
 * Scopes that were begun later and not ended, because a longjmp left them, are closed with it. NULL is nothing.
 *
 * Requires the arena's storage is still there; deinit closes its scopes.
 * Reports  fatal: a scope that is closed already, by its own end, by an older one's, or with its arena; and the
 *          end, inside a destructor, of a scope that was begun outside.
 * Cost     as ash_arena_rewind.
 */
void ash_scope_end(ash_scope *scope);

/* Is it open: begun, and closed by nobody? false for an inert one. The arena's storage must be there. O(1). */
bool ash_scope_is_open(const ash_scope *scope);

/**
 * ash_scratch - an arena of this thread for temporary things.
 *
 * A function that gets an arena for its result and needs another for its temporaries asks for one that is not
 * the same; the caller may well have passed a scratch arena itself:
 *
 *     char *joined(ash_arena *result, ...)
 *     {
 *         const ash_arena *mine[] = {result};
 *         ash_arena *scratch = ash_scratch(mine, 1);
 *         if (!scratch) return NULL;
 *         ash_auto(ash_scope) scope = ash_scope_begin(scratch);
 *         ...
 *     }
 *
 * conflicts  arenas that are not to be returned; may be NULL where count is 0. NULLs in it are nothing.
 * count      their number; any.
 * Returns    the first of the thread's arenas that is none of those. It is not emptied: begin a scope on it.
 * Fails      NULL, if there is no memory for one.
 * Lifetime   until the thread ends, whatever scopes are open then, or ash_scratch_release: then all objects on them
 *            are destroyed, and after that all memory is given back. exit does not end the thread that calls it.
 * Cost       O(count), and making the arena the first time.
 * Threads    each has its own. After fork the child has those of the thread that forked. A library that
 *            holds this one may be unloaded when threads that called this have ended or released theirs
 *            (on Windows: not at all).
 */
ash_arena *ash_scratch(const ash_arena *const *conflicts, size_t count);

/* Ends this thread's scratch arenas now; the next ash_scratch makes new ones. Reported as fatal while a scope is
 * open on one of them, also one that a longjmp left: end an older one first. */
void ash_scratch_release(void);

/* Not for users: what ASH_LOCAL_ARENA does besides declaring. */
void ash_arena_init_local_(ash_arena *arena, void *buffer, size_t size, const char *name);

ASH_DECLS_END

ASH_AUTO_DEFINE(ash_scope, ash_scope_end)
ASH_AUTO_DEFINE(ash_arena, ash_arena_deinit)

/*
 * ash_auto(ash_arena) name = {0}; ends an arena with its block too; init it right after.
 *
 * ASH_LOCAL_ARENA(name, bytes); - an ash_arena `name` over a buffer of so many bytes in this frame. What does
 * not fit comes from the default upstream. It ends with the block; where there is no ash_auto it is to be
 * ended by ash_arena_deinit(&name). bytes is a constant, more than 0.
 *
 *     ASH_LOCAL_ARENA(local, 2048);
 *     char *path = ash_printf(&local, "%s/%s", directory, name);
 */
#if ASH_HAS_AUTO
#define ASH_LOCAL_ARENA_(name) ash_auto(ash_arena) name
#else
#define ASH_LOCAL_ARENA_(name) ash_arena name
#endif
#define ASH_LOCAL_ARENA(name, bytes) \
    char name##_buffer_[(bytes)]; \
    ASH_LOCAL_ARENA_(name); \
    ash_arena_init_local_(&name, name##_buffer_, sizeof name##_buffer_, #name)

#endif
