/*
 * unload.c - loads the shared library, uses it, unloads it, over and over: no key of the thread may be left
 * behind, and no code called that is gone.
 *
 *     unload LIBRARY          what was used is empty or released: nothing may leak either
 *     unload LIBRARY alive    threads still have scratch arenas: what they hold is lost, and no more
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashlar/ashlar.h"

enum { ROUNDS = 1100 }; /* more than there are keys */

static const char *path;

typedef struct library {
    void *handle;
    ash_arena *(*scratch)(const ash_arena *const *, size_t);
    void (*release)(void);
    ash_scope (*begin)(ash_arena *);
    void (*end)(ash_scope *);
    bool (*defer)(ash_arena *, void (*)(void *), void *);
    void *(*slow)(ash_arena *, size_t, size_t);
} library;

static void must(bool so, const char *what)
{
    if (so)
        return;
    const char *why = dlerror();
    printf("unload: %s: %s\n", what, why ? why : "failed");
    exit(1);
}

#define find(l, member, name) \
    do { \
        void *found = dlsym((l)->handle, (name)); \
        must(found != NULL, (name)); \
        memcpy(&(l)->member, &found, sizeof found); \
    } while (0)

static library load(void)
{
    library l = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    must(l.handle != NULL, "dlopen");
    find(&l, scratch, "ash_scratch");
    find(&l, release, "ash_scratch_release");
    find(&l, begin, "ash_scope_begin");
    find(&l, end, "ash_scope_end");
    find(&l, defer, "ash_defer");
    find(&l, slow, "ash_alloc_slow_");
    return l;
}

static void unload(library *l)
{
    must(dlclose(l->handle) == 0, "dlclose");
    must(dlopen(path, RTLD_NOW | RTLD_NOLOAD) == NULL, "it is still there");
}

static unsigned called;

static void call(void *arg)
{
    *(unsigned *)arg += 1;
}

/* Begins and ends a scope with something in it. */
static void use(const library *l)
{
    ash_arena *arena = l->scratch(NULL, 0);
    must(arena != NULL, "no scratch arena");
    const ash_arena *mine[] = {arena};
    must(l->scratch(mine, 1) != NULL, "no second scratch arena");
    ash_scope scope = l->begin(arena);
    must(l->slow(arena, 1000, 8) != NULL, "no memory");
    must(l->defer(arena, call, &called), "no deferred call");
    unsigned before = called;
    l->end(&scope);
    must(called == before + 1, "the deferred call did not come");
}

static void *use_in_thread(void *arg)
{
    use(arg);
    library *l = arg;
    must(l->defer(l->scratch(NULL, 0), call, &called), "no deferred call");
    return NULL;
}

static void in_a_thread(library *l)
{
    pthread_t thread;
    unsigned before = called;
    must(pthread_create(&thread, NULL, use_in_thread, l) == 0, "pthread_create");
    must(pthread_join(thread, NULL) == 0, "pthread_join");
    must(called == before + 2, "the thread's end did not destroy");
}

static void round_of(int i)
{
    library l = load();
    if (i % 2)
        in_a_thread(&l);
    if (i % 3)
        use(&l); /* empty, but not released */
    if (i % 5 == 0)
        l.release();
    unload(&l);
}

/* ---- threads that have scratch arenas when the library goes ---- */

static pthread_barrier_t used, gone;

static void *outlive(void *arg)
{
    use(arg);
    library *l = arg;
    must(l->defer(l->scratch(NULL, 0), call, &called), "no deferred call");
    pthread_barrier_wait(&used);
    pthread_barrier_wait(&gone);
    return NULL;
}

static void *unload_in_thread(void *arg)
{
    use(arg);
    unload(arg);
    return NULL;
}

static void round_with_threads(bool by_another)
{
    pthread_t thread, other;
    library l = load();
    must(pthread_create(&thread, NULL, outlive, &l) == 0, "pthread_create");
    pthread_barrier_wait(&used);
    unsigned before = called;
    if (by_another) {
        use(&l);
        before++;
        must(pthread_create(&other, NULL, unload_in_thread, &l) == 0, "pthread_create");
        pthread_join(other, NULL);
        before++;
    } else {
        unload(&l);
    }
    pthread_barrier_wait(&gone);
    must(pthread_join(thread, NULL) == 0, "pthread_join");
    must(called == before, "something was called that was gone");
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    path = argv[1];
    bool alive = argc > 2;
    pthread_barrier_init(&used, NULL, 2);
    pthread_barrier_init(&gone, NULL, 2);
    for (int i = 0; i < (alive ? 50 : ROUNDS); i++)
        alive ? round_with_threads(i % 2) : round_of(i);
    printf("unload: %u calls\n", called);
    return called == 0;
}
