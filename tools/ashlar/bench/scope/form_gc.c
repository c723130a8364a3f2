/* Collected: closed by a finalizer, some time. Pauses and collections are timed as libgc tells them. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdio.h>
#include <time.h>

#include "ashlar/adapt/gc.h"
#include "form.h"

typedef struct stretch {
    double begin, total, longest; /* nanoseconds */
} stretch;

static stretch pause, collection;
static GC_word collections;
static size_t heap_before;

/* The linker sends the calls of GC_malloc here. */
void *__real_GC_malloc(size_t size);
void *__wrap_GC_malloc(size_t size);

void *__wrap_GC_malloc(size_t size)
{
    heap_allocations++;
    return __real_GC_malloc(size);
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void end_stretch(stretch *s)
{
    double ns = now_ns() - s->begin;
    s->total += ns;
    s->longest = ns > s->longest ? ns : s->longest;
}

static void on_event(GC_EventType event)
{
    if (event == GC_EVENT_START)
        collection.begin = now_ns();
    else if (event == GC_EVENT_PRE_STOP_WORLD)
        pause.begin = now_ns();
    else if (event == GC_EVENT_POST_START_WORLD)
        end_stretch(&pause);
    else if (event == GC_EVENT_END)
        end_stretch(&collection);
}

bool form_begin(size_t size)
{
    (void)size;
    GC_INIT();
    heap_before = GC_get_heap_size();
    return true;
}

int form_round(const char *path, unsigned char digest[DIGEST])
{
    mapped_file *file = ash_gc_new(mapped_file);
    if (!file)
        return ENOMEM;
    *file = mapped_file_open(path);
    if (!file->error)
        hash(file, digest);
    return file->error;
}

/* Closed by hand; the finalizer finds nothing to close. */
int form_warm_up(const char *path, unsigned char digest[DIGEST])
{
    mapped_file *file = ash_gc_new(mapped_file);
    if (!file)
        return ENOMEM;
    *file = mapped_file_open(path);
    int error = file->error;
    if (!error)
        hash(file, digest);
    mapped_file_close(file);
    return error;
}

void form_count(void)
{
    collections = GC_get_gc_no();
    GC_set_on_collection_event(on_event);
}

/* A collection that runs when the last round ends has not ended. */
void form_print(void)
{
    GC_set_on_collection_event(NULL);
    heap_most = GC_get_heap_size() - heap_before;
    printf("collections %zu\n", (size_t)(GC_get_gc_no() - collections));
    printf("pause_longest %.17g\npause_total %.17g\n", pause.longest, pause.total);
    printf("collection_longest %.17g\ncollection_total %.17g\n", collection.longest,
           collection.total);
}
