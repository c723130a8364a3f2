/*
 * scope_bench.h - what the parts of `ashlar bench scope` share.
 *
 *   scope.c         its options, and one table after the other
 *   scope_files.c   the files that are opened
 *   scope_table.c   starts the workers, reads what they print
 *   scope_report.c, scope_json.c, scope_plot.c  what comes out
 *   scope/          what is measured: a program for each form, twice
 */
#ifndef ASHLAR_BENCH_SCOPE_BENCH_H
#define ASHLAR_BENCH_SCOPE_BENCH_H

#include "bench.h"

typedef enum form { BY_HAND, COLLECTED, SCOPED, AUTOMATIC, READ, FORMS } form;

/* What the workers find out of a form. What they do not print is NAN. */
typedef enum figure {
    MEDIAN, /* times of a round */
    MEAN,
    LONGEST,
    STACK, /* bytes */
    MEMORY,
    ALLOCATIONS, /* counts */
    LEFT,
    COLLECTIONS,
    PAUSE_LONGEST, /* times */
    PAUSE_TOTAL,
    COLLECTION_LONGEST,
    COLLECTION_TOTAL,
    EXECUTABLE, /* bytes */
    TEXT,
    FIGURES
} figure;

extern const char *const figure_keys[FIGURES]; /* one word each */

typedef struct form_text {
    const char *key, *name;
} form_text;

extern const form_text forms[FORMS];

typedef struct scope_topic {
    const char *name, *title;
    const char *program; /* before the key of a form */
    size_t file_size;
    size_t times, quick_times; /* taken of so many rounds each */
    size_t rounds;
    const char *unit;
    double ns;        /* that it has */
    const char *text; /* what the table shows */
} scope_topic;

enum { DIGITS = 40 }; /* of a digest */

typedef struct scope_table {
    const scope_topic *topic;
    size_t times, runs;                        /* processes for each form */
    bool is_there[FORMS];                      /* else it was not built */
    double values[FORMS][FIGURES][VALUES_MAX]; /* by run */
    char digest[DIGITS + 1];
} scope_table;

/* Is it known of this form? */
bool has_figure(const scope_table *t, form f, figure which);
spread form_figure(const scope_table *t, form f, figure which);
/* Of the medians to those of the first form, run by run. */
spread form_ratio(const scope_table *t, form f);

/* False: a worker failed, and that was said. done, all: for the line of progress, in tables. */
bool measure_forms(scope_table *t, const char *path, size_t done, size_t all);

/* Makes a file in a directory of its own. NULL: it could not, and that was said. */
const char *make_file(size_t size);
/* What was made is removed, as it is when a signal ends the program. */
void remove_file(void);

void report_scope_head(void);
void report_scope_table(const scope_table *t);
/* Both close the file. False: it could not be written, and that was said. */
#ifdef BENCH_JSON
bool write_scope_json(output *to, const scope_table *tables, size_t count);
#else
#define write_scope_json(to, tables, count) no_json(to)
#endif
bool write_scope_plot(output *to, const scope_table *tables, size_t count);

#endif
