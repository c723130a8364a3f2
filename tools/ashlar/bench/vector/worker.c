/*
 * worker.c - the program that measures at one level: `vector_worker_O0`, `_O1`, `_O2`.
 *
 *   list TOPIC            what there is: "operations N", "row I ROLES NAME" for each
 *   rounds TOPIC ROUNDS   all of them in turn, ROUNDS times, after the heap has been grown:
 *                         "counts I GROWTHS IN-PLACE MOVED", "time I ROUND NS"
 *   alone TOPIC I         that one, as the first thing this process does: "first I 0 NS", and some more
 *                         times: "time I 0 NS", their median
 */
#define _XOPEN_SOURCE 700 /* getrusage */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../orphan.h"
#include "subject.h"

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

enum { LISTS_MAX = 4 };

const size_t pushes = 1000000, appends = 1000000, kept_strings = 100000, kept_appends = 8,
             formatted_appends = 100000, list_strings = 100000;
const char token[] = "token-123456";
const size_t token_size = 11, kept_token_size = 12;

static const struct topic {
    const char *name;
    const size_t *operations;
    const subject *lists[LISTS_MAX + 1];
} topics[] = {
    {"int", &pushes, {std_int, raw_int, ash_int}},
    {"struct", &pushes, {std_record, raw_record, ash_record}},
    {"moved", &pushes, {std_handle, raw_handle, ash_handle}},
    {"append", &appends, {std_append, peers_append, c_append}},
    {"kept", &kept_strings, {std_kept, peers_kept, c_kept}},
    {"formatted", &formatted_appends, {std_formatted, peers_formatted, c_formatted}},
    {"list", &list_strings, {std_list, c_list}},
};

static const struct topic *find_topic(const char *name)
{
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        if (!strcmp(topics[i].name, name))
            return &topics[i];
    }
    return NULL;
}

static const subject *find_subject(const struct topic *t, size_t which)
{
    for (size_t l = 0; t->lists[l]; l++) {
        for (const subject *s = t->lists[l]; s->name; s++) {
            if (!which--)
                return s;
        }
    }
    return NULL;
}

/* ---- memory --------------------------------------------------------------------------------- */

char *warm_buffer(void)
{
    static char *buffer;
    if (!buffer && (buffer = malloc((size_t)WARM_BUFFER)))
        memset(buffer, 1, (size_t)WARM_BUFFER);
    return buffer;
}

const char *list_string(size_t i, size_t *size)
{
    static const char text[] =
        "the quick brown fox jumps over the lazy dog, and then over it again";
    *size = 20 + i * 7 % 41;
    return text + sizeof text - 1 - *size;
}

/* What a program leaves behind that has used much memory before: a heap with room in it, already
 * touched, that is not given back. Pages asked of the system are slow the first time. */
static bool grow_heap(void)
{
    enum { BLOCKS = 128, BLOCK = 1 << 20, LARGEST = 31 << 20 };
    static char *blocks[BLOCKS], *last;
    char *large = malloc(LARGEST); /* when it is freed, glibc no longer maps what is smaller */
    if (large)
        memset(large, 1, LARGEST);
    ESCAPE(large);
    free(large);
    for (size_t i = 0; i < BLOCKS; i++) {
        if (!(blocks[i] = malloc(BLOCK)))
            return false;
        memset(blocks[i], 1, BLOCK);
    }
    last = malloc(64); /* stays, and with it the heap below */
    ESCAPE(&last);
    for (size_t i = 0; i < BLOCKS; i++)
        free(blocks[i]);
    return last;
}

/* ---- measuring ------------------------------------------------------------------------------ */

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* How often others were let run instead of this process. */
static long interruptions(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0 : usage.ru_nivcsw;
}

static bool failed(const subject *s)
{
    fprintf(stderr, "ashlar bench: %s: out of memory\n", s->name);
    return false;
}

/* Nanoseconds of one run; negative: it failed. */
static double time_once(const subject *s)
{
    double begin = now_ns();
    bool good = s->run(NULL);
    double end = now_ns();
    return good ? end - begin : -1;
}

/* The same where it can be repeated: a run that was interrupted is, once. */
static double time_undisturbed(const subject *s)
{
    long before = interruptions();
    double ns = time_once(s);
    return ns < 0 || interruptions() == before ? ns : time_once(s);
}

static bool count(const subject *s, size_t which)
{
    counts c = {0};
    if (!s->run(&c)) {
        fprintf(stderr, "ashlar bench: %s: out of memory, or not what was put in\n", s->name);
        return false;
    }
    if (s->roles & COUNTED)
        printf("counts %zu %zu %zu %zu\n", which, c.growths, c.in_place, c.moved_bytes);
    return true;
}

static int list(const struct topic *t)
{
    printf("operations %zu\n", *t->operations);
    const subject *s;
    for (size_t i = 0; (s = find_subject(t, i)); i++)
        printf("row %zu %u %s\n", i, s->roles, s->name);
    return DONE;
}

/* The runs that count warm up, too. */
static int rounds(const struct topic *t, size_t count_of_rounds)
{
    const subject *s;
    if (!grow_heap()) {
        fputs("ashlar bench: out of memory: the heap cannot grow to 128 MB\n", stderr);
        return FAILED;
    }
    for (size_t i = 0; (s = find_subject(t, i)); i++) {
        if (!count(s, i))
            return FAILED;
    }
    for (size_t r = 0; r < count_of_rounds; r++) {
        for (size_t i = 0; (s = find_subject(t, i)); i++) {
            double ns = time_undisturbed(s);
            if (ns < 0)
                return failed(s) ? DONE : FAILED;
            printf("time %zu %zu %.17g\n", i, r, ns);
        }
    }
    return DONE;
}

static double median_of_three(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

static int alone(const struct topic *t, size_t which)
{
    const subject *s = find_subject(t, which);
    if (!s)
        return WRONG_USAGE;
    double ns[4];
    for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
        ns[i] = time_once(s);
        if (ns[i] < 0)
            return failed(s) ? DONE : FAILED;
    }
    printf("first %zu 0 %.17g\n", which, ns[0]);
    printf("time %zu 0 %.17g\n", which, median_of_three(ns[1], ns[2], ns[3]));
    return DONE;
}

int main(int argc, char **argv)
{
    end_with_parent();
    const struct topic *t = argc > 2 ? find_topic(argv[2]) : NULL;
    size_t number = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    if (t && argc == 3 && !strcmp(argv[1], "list"))
        return list(t);
    if (t && argc == 4 && !strcmp(argv[1], "rounds"))
        return rounds(t, number);
    if (t && argc == 4 && !strcmp(argv[1], "alone"))
        return alone(t, number);
    fputs("This program is started by 'ashlar bench vector'.\n", stderr);
    return WRONG_USAGE;
}
