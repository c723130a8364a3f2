/*
 * vector_table.c - fills one table: starts the workers, and reads what they print.
 *
 * GROWN: a process for each level, where all take turns; it has grown its heap before. AGAIN and FIRST:
 * a process for each contestant in each round, all in turn, and in it a first run and some more.
 */
#define _POSIX_C_SOURCE 200809L

#include "vector_bench.h"

#include <string.h>

extern char **environ;

const char *const level_names[LEVELS] = {"O0", "O1", "O2"};
const char *const surroundings_names[SURROUNDINGS] = {
    "one process, heap grown", "a process each, again and again", "a process each, the first time"};

const row *find_row(const table *t, unsigned roles)
{
    for (size_t i = 0; i < t->row_count; i++) {
        if (t->rows[i].roles & roles)
            return &t->rows[i];
    }
    return NULL;
}

spread row_ns(const table *t, const row *r, int level)
{
    double ns[VALUES_MAX];
    for (size_t i = 0; i < t->rounds; i++)
        ns[i] = r->ns[level][i] / (double)t->operations;
    return spread_of(ns, t->rounds);
}

spread row_ratio(const table *t, const row *r, const row *to, int level)
{
    double ratios[VALUES_MAX];
    for (size_t i = 0; i < t->rounds; i++)
        ratios[i] = r->ns[level][i] / to->ns[level][i];
    return spread_of(ratios, t->rounds);
}

/* ---- workers -------------------------------------------------------------------------------- */

/* Takes a time, from `round` on. */
static void take_time(table *t, int level, size_t round, const char *figures)
{
    size_t which, in_round;
    double ns;
    if (sscanf(figures, "%zu %zu %lf", &which, &in_round, &ns) != 3)
        return;
    if (which < t->row_count && round + in_round < t->rounds)
        t->rows[which].ns[level][round + in_round] = ns;
}

static void read_line(table *t, table *first, int level, size_t round, const char *line)
{
    size_t which, operations;
    unsigned roles;
    counts c;
    char name[sizeof t->rows->name];
    if (sscanf(line, "operations %zu", &operations) == 1) {
        t->operations = operations;
    } else if (sscanf(line, "row %zu %u %47[^\n]", &which, &roles, name) == 3) {
        if (which != t->row_count || which == ROWS_MAX)
            return;
        row *r = &t->rows[t->row_count++];
        r->roles = roles;
        memcpy(r->name, name, sizeof name);
    } else if (sscanf(line, "counts %zu %zu %zu %zu", &which, &c.growths, &c.in_place,
                      &c.moved_bytes) == 4) {
        if (which < t->row_count)
            t->rows[which].counts = c;
    } else if (!strncmp(line, "time ", 5)) {
        take_time(t, level, round, line + 5);
    } else if (first && !strncmp(line, "first ", 6)) {
        take_time(first, level, round, line + 6);
    }
}

/* What it prints goes into the table, times from `round` on; those of first runs into `first`. */
static bool run_worker(table *t, table *first, int level, size_t round, const char *task,
                       size_t number)
{
    char path[PATH_SIZE], name[32], word[16], topic_name[32], digits[24], line[256];
    snprintf(name, sizeof name, "vector_worker_%s", level_names[level]);
    if (!find_worker(name, path)) {
        complain("%s: not found", path);
        return false;
    }
    snprintf(word, sizeof word, "%s", task);
    snprintf(topic_name, sizeof topic_name, "%s", t->topic->name);
    snprintf(digits, sizeof digits, "%zu", number);
    bool list = !strcmp(task, "list");
    char *argv[] = {path, word, topic_name, list ? NULL : digits, NULL};
    process worker = {0};
    int error = process_start(&worker, path, argv, environ, false);
    if (error) {
        complain("%s: %s", path, strerror(error));
        return false;
    }
    while (worker.output && fgets(line, sizeof line, worker.output))
        read_line(t, first, level, round, line);
    return process_succeeded(&worker, t->topic->title);
}

/* 0 of a time is no time: a worker that prints less than it should is not believed. */
static bool complete(const table *t)
{
    bool all = find_row(t, BASE) && find_row(t, LIMIT) && t->operations;
    for (size_t i = 0; i < t->row_count; i++) {
        for (size_t j = 0; j < (size_t)LEVELS * t->rounds; j++)
            all &= t->rows[i].ns[j % LEVELS][j / LEVELS] > 0;
    }
    if (!all)
        complain("%s: figures are missing", t->topic->title);
    return all;
}

bool measure_grown(table *t, size_t tables_done, size_t tables)
{
    bool good = run_worker(t, NULL, LEVELS - 1, 0, "list", 0);
    for (int level = 0; level < LEVELS && good; level++) {
        progress(tables_done * LEVELS + (size_t)level, tables * LEVELS, "%s, %s, -%s",
                 t->topic->title, surroundings_names[GROWN], level_names[level]);
        good = run_worker(t, NULL, level, 0, "rounds", t->rounds);
    }
    progress_end();
    return good && complete(t);
}

bool measure_own(table *again, table *first, size_t tables_done, size_t tables)
{
    bool good = run_worker(again, NULL, LEVELS - 1, 0, "list", 0);
    first->operations = again->operations;
    first->row_count = again->row_count;
    memcpy(first->rows, again->rows, sizeof first->rows);
    for (size_t round = 0; round < again->rounds && good; round++) {
        progress(tables_done * again->rounds + round, tables * again->rounds,
                 "%s, a process each, round %zu", again->topic->title, round + 1);
        for (size_t i = 0; i < LEVELS * again->row_count && good; i++)
            good = run_worker(again, first, (int)(i % LEVELS), round, "alone", i / LEVELS);
    }
    progress_end();
    return good && complete(again) && complete(first);
}
