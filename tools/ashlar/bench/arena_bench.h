/*
 * arena_bench.h - what the parts of `ashlar bench arena` share.
 *
 *   arena.c        its options, and one table after the other
 *   sequence.c     the sizes of the blocks and the orders of freeing them
 *   contestants.c  what is measured, through its own interface; new_delete.cpp, the C++ one
 *   worker.c       threads that take turns at it, in a process of their own
 *   peers.c        starts such processes, with other malloc libraries under them
 *   arena_report.c, arena_json.c, arena_plot.c  what comes out
 */
#ifndef ASHLAR_BENCH_ARENA_BENCH_H
#define ASHLAR_BENCH_ARENA_BENCH_H

#include "bench.h"
#include "contestant.h"

/* ---- how ------------------------------------------------------------------------------------ */

typedef struct setting {
    const char *name;  /* one word */
    const char *title; /* a line */
    size_t total;      /* bytes, of all threads */
    size_t size_max;   /* bytes of the largest block, a power of two; the smallest is 1 */
    bool write;
    size_t repeats; /* of the three passes, in all rounds together */
    size_t rounds;
    size_t quick_repeats, quick_rounds;
    size_t threads;
} setting;

/* NULL if no table has that name. */
const setting *find_setting(const char *name);

/* The blocks of one thread. sizes and shuffled come from malloc. False: out of memory. */
bool make_sequence(const setting *s, uint32_t **sizes, uint32_t **shuffled, size_t *count);

/* ---- what comes out ------------------------------------------------------------------------- */

enum { SUM = ORDERS, COLUMNS }; /* a column an order, and one for the first three together */

typedef struct cell {
    bool measured;
    spread ns;    /* from the first thread's start to the last one's end, one repeat */
    spread ratio; /* to the arena, round by round */
} cell;

typedef struct row {
    char name[32];
    char library[256]; /* the file its malloc was found in; "" if not by that name */
    cell cells[COLUMNS];
} row;

enum { ROWS_MAX = 16 };

typedef struct table {
    setting setting;
    size_t blocks; /* of one thread */
    row rows[ROWS_MAX];
    size_t row_count;
} table;

/* Nanoseconds of processor time for one allocation with its free, of makespan `ns`. */
double per_operation(const table *t, int column, double ns);

extern const char *const column_names[COLUMNS];

/* ---- the parts ------------------------------------------------------------------------------ */

/* The file that malloc comes from in this process; "" if that cannot be told. */
const char *malloc_library(void);

/* In a process of its own: measures, prints rows for read_rows. Returns an exit status. */
int worker_main(int argc, char **argv);

typedef struct peer {
    const char *name;
    char library[256]; /* "": the malloc of this system */
} peer;

enum { PEERS_MAX = 8 };

/* The system's malloc, and those other ones that take its place here when asked to. */
size_t find_peers(peer peers[PEERS_MAX]);

/* Adds the rows of one peer to the table. False: it failed, and said so. */
bool measure_peer(table *t, const peer *p);

void report_head(const setting *s, size_t count);
void report_table(const table *t);
/* Which file each malloc came from. */
void report_libraries(const table *t);
/* Both close the file. False: it could not be written, and that was said. */
#ifdef BENCH_JSON
bool write_json(output *to, const table *tables, size_t count);
#else
#define write_json(to, tables, count) no_json(to)
#endif
bool write_plot(output *to, const table *tables, size_t count);

#endif
