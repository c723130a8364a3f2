/*
 * worker.c - the programs scope_FORM and prepared_FORM: rounds of one form, timed.
 *
 *     scope_FORM FILE TIMES ROUNDS     ROUNDS rounds for one time, TIMES times
 *
 * Prints lines NAME NUMBER; times are nanoseconds: of a round by the clock, where ROUNDS is more than 1
 * the mean of so many, but the mean of all of the
 * processor's, which other processes do not lengthen; of a pause; of a collection.
 */
#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "../orphan.h"
#include "form.h"

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

/* Where the linker put them. */
extern const char __executable_start[], etext[];

static unsigned char digest[DIGEST];

static double now_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static int failed(const char *path, int error)
{
    fprintf(stderr, "ashlar bench: %s: %s\n", path, strerror(error));
    return FAILED;
}

static int time_rounds(const char *path, size_t times, size_t rounds, double *ns)
{
    for (size_t i = 0; i < times; i++) {
        double begin = now_ns(CLOCK_MONOTONIC);
        for (size_t j = 0; j < rounds; j++) {
            int error = form_round(path, digest);
            if (error)
                return failed(path, error);
        }
        ns[i] = (now_ns(CLOCK_MONOTONIC) - begin) / (double)rounds;
    }
    return DONE;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_times(double *ns, size_t count)
{
    qsort(ns, count, sizeof *ns, compare_doubles);
    printf("median %.17g\nlongest %.17g\n", ns[count / 2], ns[count - 1]);
}

static int measure(const char *path, size_t times, size_t rounds, double *ns)
{
    int error = form_warm_up(path, digest); /* what is needed once, is there */
    if (error)
        return failed(path, error);
    size_t depth = stack_depth(path);
    if (depth)
        printf("stack %zu\n", depth);
    size_t before = heap_allocations;
    form_count();
    double begin = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    int status = time_rounds(path, times, rounds, ns);
    double cpu = now_ns(CLOCK_PROCESS_CPUTIME_ID) - begin;
    size_t allocations = heap_allocations - before, left = source_left(path);
    if (status)
        return status;
    printf("mean %.17g\n", cpu / (double)times / (double)rounds);
    print_times(ns, times);
    form_print();
    printf("allocations %zu\nmemory %zu\nleft %zu\n", allocations, heap_most, left);
    printf("text %zu\ndigest ", (size_t)((uintptr_t)etext - (uintptr_t)__executable_start));
    for (size_t i = 0; i < DIGEST; i++)
        printf("%02x", digest[i]);
    putchar('\n');
    return DONE;
}

/* The times are kept where no collector looks for pointers. */
int main(int argc, char **argv)
{
    end_with_parent();
    size_t times = argc == 4 ? strtoul(argv[2], NULL, 10) : 0;
    size_t rounds = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (!times || !rounds) {
        fputs("This program is started by 'ashlar bench scope'.\n", stderr);
        return WRONG_USAGE;
    }
    double *ns =
        mmap(NULL, times * sizeof *ns, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t size = ns == MAP_FAILED ? 0 : source_begin(argv[1]);
    if (!size)
        return failed(argv[1], errno);
    memset(ns, 0, times * sizeof *ns); /* touched once */
    return form_begin(size) ? measure(argv[1], times, rounds, ns) : failed(argv[1], ENOMEM);
}
