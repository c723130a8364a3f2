/*
 * scope_table.c - fills one table: a process for each run of a form, all forms in turn.
 */
#define _POSIX_C_SOURCE 200809L

#include "scope_bench.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

extern char **environ;

const char *const figure_keys[FIGURES] = {
    [MEDIAN] = "median",
    [MEAN] = "mean",
    [LONGEST] = "longest",
    [STACK] = "stack",
    [MEMORY] = "memory",
    [ALLOCATIONS] = "allocations",
    [LEFT] = "left",
    [COLLECTIONS] = "collections",
    [PAUSE_LONGEST] = "pause_longest",
    [PAUSE_TOTAL] = "pause_total",
    [COLLECTION_LONGEST] = "collection_longest",
    [COLLECTION_TOTAL] = "collection_total",
    [EXECUTABLE] = "executable",
    [TEXT] = "text",
};

const form_text forms[FORMS] = {
    [BY_HAND] = {"malloc", "malloc, free"}, [COLLECTED] = {"gc", "libgc"},
    [SCOPED] = {"arena", "arena scope"},    [AUTOMATIC] = {"auto", "ash_auto"},
    [READ] = {"read", "read, arena"},
};

bool has_figure(const scope_table *t, form f, figure which)
{
    for (size_t i = 0; i < t->runs; i++) {
        if (isnan(t->values[f][which][i]))
            return false;
    }
    return t->is_there[f];
}

spread form_figure(const scope_table *t, form f, figure which)
{
    return spread_of(t->values[f][which], t->runs);
}

spread form_ratio(const scope_table *t, form f)
{
    double ratios[VALUES_MAX];
    for (size_t i = 0; i < t->runs; i++)
        ratios[i] = t->values[f][MEDIAN][i] / t->values[BY_HAND][MEDIAN][i];
    return spread_of(ratios, t->runs);
}

/* All forms have read the same. False: this one has not. */
static bool read_line(scope_table *t, form f, size_t run, const char *line)
{
    char key[32], digest[DIGITS + 1];
    double value;
    if (sscanf(line, "digest %40s", digest) == 1) {
        if (!*t->digest)
            memcpy(t->digest, digest, sizeof digest);
        return !strcmp(t->digest, digest);
    }
    if (sscanf(line, "%31s %lf", key, &value) != 2)
        return true;
    for (int i = 0; i < FIGURES; i++) {
        if (!strcmp(figure_keys[i], key))
            t->values[f][i][run] = value;
    }
    return true;
}

static bool read_lines(scope_table *t, form f, size_t run, FILE *from)
{
    char line[128];
    bool same = true;
    while (from && fgets(line, sizeof line, from))
        same &= read_line(t, f, run, line);
    return same;
}

static bool run_worker(scope_table *t, form f, size_t run, char program[PATH_SIZE],
                       const char *path)
{
    char file[PATH_SIZE], times[24], rounds[24];
    snprintf(file, sizeof file, "%s", path);
    snprintf(times, sizeof times, "%zu", t->times);
    snprintf(rounds, sizeof rounds, "%zu", t->topic->rounds);
    char *argv[] = {program, file, times, rounds, NULL};
    process worker = {0};
    int error = process_start(&worker, program, argv, environ, false);
    if (error) {
        complain("%s: %s", program, strerror(error));
        return false;
    }
    bool same = read_lines(t, f, run, worker.output);
    if (!process_succeeded(&worker, forms[f].name))
        return false;
    if (!same || isnan(t->values[f][MEDIAN][run]) || isnan(t->values[f][LEFT][run])) {
        complain("%s: it did not do what the others do", program);
        return false;
    }
    return true;
}

/* Of libgc: whether it was there when this was built. */
static bool find_program(scope_table *t, form f, char path[PATH_SIZE])
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", t->topic->program, forms[f].key);
    if (!find_worker(name, path)) {
        complain("%s: not found", path);
        return false;
    }
    struct stat status;
    if (stat(path, &status)) {
        complain("%s: %s", path, strerror(errno));
        return false;
    }
    for (size_t i = 0; i < t->runs; i++)
        t->values[f][EXECUTABLE][i] = (double)status.st_size;
    return true;
}

static void forget(scope_table *t)
{
    for (size_t i = 0; i < (size_t)FORMS * FIGURES * VALUES_MAX; i++)
        t->values[i / VALUES_MAX / FIGURES][i / VALUES_MAX % FIGURES][i % VALUES_MAX] = (double)NAN;
    for (int f = 0; f < FORMS; f++)
        t->is_there[f] = true;
#ifndef BENCH_GC
    t->is_there[COLLECTED] = false;
#endif
}

bool measure_forms(scope_table *t, const char *path, size_t done, size_t all)
{
    static char programs[FORMS][PATH_SIZE];
    forget(t);
    for (int f = 0; f < FORMS; f++) {
        if (t->is_there[f] && !find_program(t, (form)f, programs[f]))
            return false;
    }
    bool good = true;
    for (size_t i = 0; i < t->runs * FORMS && good; i++) {
        form f = (form)(i % FORMS);
        progress(done * t->runs * FORMS + i, all * t->runs * FORMS, "%s, %s", t->topic->title,
                 forms[f].name);
        if (t->is_there[f])
            good = run_worker(t, f, i / FORMS, programs[f], path);
    }
    progress_end();
    return good;
}
