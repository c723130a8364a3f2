/*
 * bench.h - what the benchmarks of `ashlar bench` share.
 *
 *   bench.c       which of them is wanted
 *   options.c     the options all of them have, and the line of progress
 *   process.c     workers: processes whose output is read
 *   spread.c      medians
 *   output.c, leftovers.c   files that are written, and that none is left half done
 *   json.c, plot.c   what comes out beside the text
 *
 * `arena` (arena_bench.h): single allocations and frees. `vector` (vector_bench.h): vectors and
 * strings that grow. `scope` (scope_bench.h): files that are opened and closed.
 */
#ifndef ASHLAR_BENCH_H
#define ASHLAR_BENCH_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "ashlar/attr.h"

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

/* The command, and its benchmarks: argv[0] is the name of each. Return an exit status. */
int bench(int argc, char **argv);
int bench_arena(int argc, char **argv);
int bench_vector(int argc, char **argv);
int bench_scope(int argc, char **argv);

/* "ashlar bench: ..." and a newline, on standard error. */
void complain(const char *format, ...) ASH_PRINTF(1, 2);

size_t processors(void);

/* ---- options -------------------------------------------------------------------------------- */

enum { PATH_SIZE = 4096 };

/* A file that is asked for: written beside what is there, whose place it takes when it is complete. */
typedef struct output {
    const char *path; /* NULL: it is not asked for */
    FILE *file;
    char target[PATH_SIZE], temporary[PATH_SIZE + 16]; /* "": written to itself, a device for one */
} output;

typedef struct options {
    output json, plot;
    bool quick;
} options;

/* An option that one benchmark has and not the others. It has an argument. */
typedef struct own_option {
    const char *name;
    bool (*take)(void *context,
                 const char *argument); /* false: it will not do, and that was said */
} own_option;

enum { OWN_OPTIONS_MAX = 4 };

/* own ends with a NULL name. Returns an exit status, or -1 to go on. */
int parse_options(int argc, char **argv, const char *usage, const own_option *own, void *context,
                  options *o);

/* Before anything is measured: it would be a pity to learn it afterwards. False: that was said. */
bool open_outputs(options *o);
/* Those that were not written: nothing is left of them. */
void discard_outputs(options *o);
void discard_output(output *o);

/* On a terminal, one line that is written over; else nothing. */
void progress(size_t done, size_t all, const char *format, ...) ASH_PRINTF(3, 4);
void progress_end(void);

/* ---- figures -------------------------------------------------------------------------------- */

typedef struct spread {
    double median, low, high; /* low, high: a tenth of the values lie below, above */
} spread;

enum { VALUES_MAX = 100 };

/* Of 1 to VALUES_MAX values. */
spread spread_of(const double *values, size_t count);

/* Three digits that matter, in a field behind a blank. */
void print_number(int width, double value);

/* ---- workers -------------------------------------------------------------------------------- */

/* A program beside this one, or where an installed one has it. False: there is none; path says where
 * it was looked for last. */
bool find_worker(const char *name, char path[PATH_SIZE]);

typedef struct process {
    pid_t id;
    FILE *output;
    int input; /* a descriptor, set before it starts; 0: this program's */
} process;

/* Starts a program, by its path or one that is found as the shell finds it, whose output is read; quiet: without its messages. Returns 0 or what errno is. */
int process_start(process *p, const char *path, char *const *argv, char *const *env, bool quiet);

/* Waits for it. Its status, as of waitpid. */
int process_end(process *p);

/* The same. False: it failed, and who did not say so itself is said to have. */
bool process_succeeded(process *p, const char *name);

/* ---- files ---------------------------------------------------------------------------------- */

bool have_json(void);

/* Closes the file. `written`: all is well so far, else errno says what is not. False: that was said. */
bool close_written(output *to, bool written);

/* For the picture at `path`. False: there is none, and that was said. */
bool have_gnuplot(const char *path);
/* Small pictures side by side, one for each table. Sizes are of one of them, in pixels. */
typedef struct picture {
    const char *title;
    const char *settings; /* gnuplot's, for all of them */
    size_t across, width, height;
    const void *tables;
    size_t count;
    void (*put_rows)(FILE *to, const void *tables, size_t which);
    void (*put_plot)(FILE *to, const void *tables, size_t which); /* of $tableN, N being which */
} picture;

/* Closes the file. False: no picture, and that was said. */
bool draw(output *to, const picture *p);

/* Files, and directories before what is in them, that are removed if a signal ends the program. The
 * strings stay the caller's. */
void leftover_add(const char *path);
void leftover_gone(const char *path);
/* While one is made. */
void hold_signals(bool hold);

/* False: what was printed did not arrive; that was said. */
bool flush_output(void);

#ifdef BENCH_JSON
#include <jansson.h>

/* NULL where there is no memory. json_pack answers NULL for what it is given NULL for: the first
 * failure is the last word. */
json_t *spread_json(spread s, double factor);
/* Appends; false: no memory, and the array is gone. */
bool append_json(json_t **array, json_t *value);
/* Writes the document with version and processors; takes `tables`, NULL included, over. */
bool write_document(output *to, json_t *tables, json_t *budgets);
#else
/* In place of what writes one: --json was refused before. */
bool no_json(output *to);
#endif

#endif
