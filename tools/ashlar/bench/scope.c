/*
 * scope.c - `ashlar bench scope`: what it costs to have a file closed, in each form there is.
 *
 * An experiment of a blog: open a file, hash it, close it, 30,000 times. Most of the time goes to the
 * system, whatever the form; so a second kind of table takes the system and the hash away.
 */
#define _POSIX_C_SOURCE 200809L

#include "scope_bench.h"

#include <stdlib.h>
#include <string.h>

enum { SMALL = 351, LARGE = 2338324 /* 2.23 MiB */ };

static const char system_text[] =
    "Most of a round is the system's: open, map, first touch, unmap, close. What stands around it\n"
    "does not show. libgc closes files later, inside some other allocation: its median is without a\n"
    "close, its mean without those that are still open. Reading a small file is another matter.\n";

static const char large_text[] =
    "Here it is the hash, and the pages touched or copied. What a file takes that is not closed, libgc\n"
    "cannot see: it counts its own few bytes.\n";

static const char prepared_text[] =
    "The form itself. ash_auto is what closing by hand is, without the malloc; a scope also sees to\n"
    "all else that the round would make.\n";

static const scope_topic topics[] = {
    {"small", "a file of 351 bytes", "scope", SMALL, 30000, 1000, 1, "us", 1e3, system_text},
    {"large", "a file of 2.23 MiB", "scope", LARGE, 300, 20, 1, "us", 1e3, large_text},
    {"prepared", "351 bytes that are there already, not hashed", "prepared", SMALL, 1000, 100, 1000,
     "ns", 1, prepared_text},
};

enum { TOPICS = sizeof topics / sizeof *topics, RUNS = 9, QUICK_RUNS = 3 };

static const char usage[] =
    "usage: ashlar bench scope [OPTION...]\n"
    "Opens a file, hashes it, closes it: with malloc and free by hand, collected by libgc, in a scope\n"
    "of an arena, with ash_auto, and read into an arena; then the same without the system's calls.\n\n"
    "  --quick           1,000 rounds and not 30,000, less exact: some seconds\n"
    "  --table NAME      only this one: small, large, prepared\n"
    "  --json FILE       write the figures to FILE\n"
    "  --plot FILE.svg   draw them with gnuplot\n"
    "  --help            this text\n";

static bool take_table(void *context, const char *name)
{
    const scope_topic **only = context;
    for (size_t i = 0; i < TOPICS; i++) {
        if (!strcmp(topics[i].name, name)) {
            *only = &topics[i];
            return true;
        }
    }
    complain("there is no table '%s'", name);
    return false;
}

static size_t plan(const scope_topic *only, bool quick, scope_table *tables)
{
    size_t count = 0;
    for (size_t i = 0; i < TOPICS; i++) {
        if (only && only != &topics[i])
            continue;
        tables[count].topic = &topics[i];
        tables[count].times = quick ? topics[i].quick_times : topics[i].times;
        tables[count++].runs = quick ? QUICK_RUNS : RUNS;
    }
    return count;
}

/* *done: tables that are complete. */
static bool run(scope_table *tables, size_t count, size_t *done)
{
    report_scope_head();
    for (; *done < count; ++*done) {
        scope_table *t = &tables[*done];
        const char *path = make_file(t->topic->file_size);
        bool good = path && measure_forms(t, path, *done, count);
        remove_file();
        if (!good)
            return false;
        report_scope_table(t);
        if (!flush_output())
            return false;
    }
    return true;
}

int bench_scope(int argc, char **argv)
{
    static const own_option own[] = {{"table", take_table}, {NULL, NULL}};
    const scope_topic *only = NULL;
    options o = {0};
    int leave = parse_options(argc, argv, usage, own, &only, &o);
    if (leave >= 0)
        return leave;
#ifndef BENCH_SCOPE
    complain("scope: this program was built without nettle, or not for Linux");
    return FAILED;
#endif
    if (!open_outputs(&o))
        return FAILED;
    scope_table *tables = calloc(TOPICS, sizeof *tables);
    if (!tables) {
        complain("out of memory");
        discard_outputs(&o);
        return FAILED;
    }
    size_t done = 0;
    bool good = run(tables, plan(only, o.quick, tables), &done);
    if (good && o.json.file)
        good = write_scope_json(&o.json, tables, done);
    if (good && o.plot.file)
        good = write_scope_plot(&o.plot, tables, done);
    discard_outputs(&o);
    free(tables);
    return good ? DONE : FAILED;
}
