/*
 * vector.c - `ashlar bench vector`: what growing costs, in vectors and in strings.
 *
 * The experiment of a blog: a million push_backs into a std::vector and into a pmr::vector, at each
 * level of optimisation. What it found depends on where it looked. A process that does nothing else
 * gives its heap back after each run, and pays for the same pages again in the next; on the stack
 * they stay. One whose heap has grown does not pay, and in its first run every vector does. So all
 * three are measured; besides, vectors over other memory, and the least that has to be done.
 */
#define _XOPEN_SOURCE 700

#include "vector_bench.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const topic topics[] = {
    {"int", "a million push_backs of int", "push", 21, 3, 15, 3,
     "A vector that is full needs twice the memory. std::vector and pmr::vector then always take\n"
     "new memory and move all they have, on a monotonic resource without ever giving back the old.\n"
     "ash_vec asks first whether what it has can grow where it is: on an arena it can, while\n"
     "nothing else was allocated behind it and the block has room, and then nothing is moved.\n"},
    {"struct", "a million push_backs of a struct of 24 bytes, moved by its bytes", "push", 11, 3, 5,
     0,
     "24 MB do not fit in 4 MB on the stack: the rest comes from the heap, and is moved there once\n"
     "it no longer fits in a block. Where memory is touched for the first time the system's pages\n"
     "cost more than the pushes.\n"},
    {"moved", "a million push_backs of a struct of 24 bytes that has a move of its own", "push", 11,
     3, 5, 0,
     "Each element has to be moved by a call or a few instructions of its own, which points it to\n"
     "its new place. What grows in place makes none of these moves, but the one into the vector.\n"},
    {"append", "a million appends of 11 bytes to one string", "append", 15, 3, 0, 0,
     "memcpy alone is a call of it for each. Besides, a string sees whether the bytes fit, and ends\n"
     "with a 0; where it copies the few bytes without a call it is ahead all the same.\n"},
    {"kept", "100,000 strings of 8 appends of 12 bytes, all kept, then dropped", "string", 15, 3, 0,
     0,
     "Each string is built by 8 appends, so it grows several times. An obstack and an arena build\n"
     "the newest in place; what is dropped at once costs nothing for each.\n"},
    {"formatted", "100,000 formatted appends to one string", "append", 15, 3, 0, 0,
     "snprintf takes most of it: what formats into the string itself has nothing to copy.\n"},
    {"list", "100,000 strings of 20 to 60 bytes, pushed to a vector, then dropped", "string", 15, 3,
     0, 0,
     "std::vector and std::string take memory from the heap for each string and give it back one by\n"
     "one. On one arena both the vector and the bytes of its strings are dropped with it. A string\n"
     "is built and then pushed, or built where it will be, emplaced.\n"},
};

enum { TOPICS = sizeof topics / sizeof *topics, TABLES_MAX = TOPICS * SURROUNDINGS };

static const char usage[] =
    "usage: ashlar bench vector [OPTION...]\n"
    "Pushes a million elements to vectors of C++ and of C over several kinds of memory, compiled\n"
    "at -O0, -O1 and -O2, in one process and in one for each; then builds strings.\n\n"
    "  --quick           fewer rounds, less exact: well under a minute\n"
    "  --table NAME      only this one: int, struct, moved, append, kept, formatted, list\n"
    "  --json FILE       write the figures to FILE\n"
    "  --plot FILE.svg   draw them with gnuplot\n"
    "  --help            this text\n";

static bool take_table(void *context, const char *name)
{
    const topic **only = context;
    for (size_t i = 0; i < TOPICS; i++) {
        if (!strcmp(topics[i].name, name))
            *only = &topics[i];
    }
    if (!*only)
        complain("there is no table '%s'", name);
    return *only;
}

/* Buffers of 4 MB lie on the stacks of the workers, which inherit the limit that is set here. */
static bool have_stack(void)
{
    const rlim_t needed = STACK_BUFFER + (1 << 20);
    struct rlimit limit;
    if (getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur >= needed)
        return true;
    limit.rlim_cur = needed;
    if (limit.rlim_max >= needed && !setrlimit(RLIMIT_STACK, &limit))
        return true;
    complain("the stack is limited to %zu kB, buffers of %d kB lie on it: see ulimit -s",
             (size_t)(limit.rlim_max / 1024), STACK_BUFFER / 1024);
    return false;
}

static size_t plan(const topic *only, bool quick, table *tables)
{
    size_t count = 0;
    for (size_t i = 0; i < TOPICS; i++) {
        const topic *t = &topics[i];
        size_t own = quick ? t->quick_own_rounds : t->own_rounds;
        for (int s = GROWN; s < (own ? SURROUNDINGS : AGAIN) && (!only || only == t); s++) {
            tables[count].topic = t;
            tables[count].surroundings = (surroundings)s;
            tables[count].rounds = s != GROWN ? own : quick ? t->quick_rounds : t->rounds;
            count++;
        }
    }
    return count;
}

static bool measure(table *t, size_t done, size_t count)
{
    if (t->surroundings == GROWN)
        return measure_grown(t, done, count);
    return t->surroundings == FIRST || measure_own(t, t + 1, done, count); /* FIRST: with AGAIN */
}

/* *done: tables that are complete. */
static bool run(table *tables, size_t count, size_t *done)
{
    const table *grown = tables;
    report_vector_head();
    for (size_t i = 0; i < count; i++, (*done)++) {
        table *t = &tables[i];
        if (!measure(t, i, count))
            return false;
        report_vector_table(t);
        if (!flush_output())
            return false;
        if (t->surroundings == GROWN)
            grown = t;
        if (i + 1 == count || tables[i + 1].topic != t->topic)
            report_growth(grown);
    }
    verdict verdicts[VERDICTS_MAX];
    report_verdicts(verdicts, judge(tables, count, verdicts));
    return true;
}

int bench_vector(int argc, char **argv)
{
    static const own_option own[] = {{"table", take_table}, {NULL, NULL}};
    const topic *only = NULL;
    options o = {0};
    int leave = parse_options(argc, argv, usage, own, &only, &o);
    if (leave >= 0)
        return leave;
#ifndef BENCH_VECTOR
    complain("vector: this program was built without a C++ compiler that has <memory_resource>");
    return FAILED;
#endif
    if (!have_stack() || !open_outputs(&o))
        return FAILED;
    table *tables = calloc(TABLES_MAX, sizeof *tables);
    if (!tables) {
        complain("out of memory");
        discard_outputs(&o);
        return FAILED;
    }
    size_t done = 0;
    bool good = run(tables, plan(only, o.quick, tables), &done);
    if (good && o.json.file)
        good = write_vector_json(&o.json, tables, done);
    if (good && o.plot.file)
        good = write_vector_plot(&o.plot, tables, done);
    discard_outputs(&o);
    free(tables);
    return good ? DONE : FAILED;
}
