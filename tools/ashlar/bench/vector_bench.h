/*
 * vector_bench.h - what the parts of `ashlar bench vector` share.
 *
 *   vector.c           its options, and one table after the other
 *   vector_table.c     starts the workers, reads what they print
 *   vector_report.c, vector_json.c, vector_plot.c  what comes out
 *   vector_budget.c    what was promised, and whether it was kept
 *   vector/            what is measured: a program of its own, built once for each level
 */
#ifndef ASHLAR_BENCH_VECTOR_BENCH_H
#define ASHLAR_BENCH_VECTOR_BENCH_H

#include "bench.h"
#include "vector/subject.h"

enum { LEVELS = 3 };

extern const char *const level_names[LEVELS]; /* "O0" */

/* Where a vector finds itself: GROWN: in a process that all share, whose heap has grown before. Else in
 * a process that has only this contestant: AGAIN: it has run there before; FIRST: it has not. */
typedef enum surroundings { GROWN, AGAIN, FIRST, SURROUNDINGS } surroundings;

extern const char *const surroundings_names[SURROUNDINGS];

typedef struct topic {
    const char *name; /* one word */
    const char *title;
    const char *operation; /* of which there are as many as the worker says */
    size_t rounds, quick_rounds;
    size_t own_rounds, quick_own_rounds; /* in processes of their own; 0: not there */
    const char *text;                    /* what the tables show */
} topic;

typedef struct row {
    char name[48];
    unsigned roles;
    counts counts;
    double ns[LEVELS][VALUES_MAX]; /* of one run, by round */
} row;

enum { ROWS_MAX = 24 };

typedef struct table {
    const topic *topic;
    surroundings surroundings;
    size_t operations, rounds;
    row rows[ROWS_MAX];
    size_t row_count;
} table;

/* The first row that has one of these roles, or NULL. */
const row *find_row(const table *t, unsigned roles);

/* Of one operation; of a row to another one, round by round. */
spread row_ns(const table *t, const row *r, int level);
spread row_ratio(const table *t, const row *r, const row *to, int level);

/* False: a worker failed, and that was said. tables_done, tables: for the line of progress. */
bool measure_grown(table *t, size_t tables_done, size_t tables);
bool measure_own(table *again, table *first, size_t tables_done, size_t tables);

/* ---- promises ------------------------------------------------------------------------------- */

typedef struct verdict {
    const struct budget *budget;
    const table *table;
    const row *row, *to;
    int level;
    double value, most;
    double limit; /* what the value is for the row that has that role */
} verdict;

enum { VERDICTS_MAX = 64 };

size_t judge(const table *tables, size_t count, verdict verdicts[VERDICTS_MAX]);

/* ---- what comes out ------------------------------------------------------------------------- */

void report_vector_head(void);
void report_vector_table(const table *t);
/* What growing took, and in words what the tables of this topic show. */
void report_growth(const table *t);
void report_verdicts(const verdict *verdicts, size_t count);
/* Both close the file. False: it could not be written, and that was said. */
#ifdef BENCH_JSON
bool write_vector_json(output *to, const table *tables, size_t count);
#else
#define write_vector_json(to, tables, count) no_json(to)
#endif
bool write_vector_plot(output *to, const table *tables, size_t count);

#endif
