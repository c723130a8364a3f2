/*
 * arena_report.c - the tables of `ashlar bench arena` as text.
 */
#include "arena_bench.h"

#include <unistd.h>

const char *const column_names[COLUMNS] = {"in order", "reverse", "random", "at once",
                                           "the first three"};

double per_operation(const table *t, int column, double ns)
{
    size_t busy = t->setting.threads < processors() ? t->setting.threads : processors();
    size_t passes = column == SUM ? 3 : 1;
    return ns * (double)busy / (double)(t->blocks * t->setting.threads * passes);
}

static void print_size(const char *label, size_t bytes)
{
    bool whole = bytes >= 1024 && bytes % 1024 == 0;
    printf("%31s: %zu%s\n", label, whole ? bytes / 1024 : bytes, whole ? "kB" : "B");
}

void report_head(const setting *s, size_t count)
{
    printf("global parameters:\n");
    printf("%31s: %zu\n", "cpu cores", processors());
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        print_size("memory of this machine", (size_t)pages * (size_t)page);
    for (size_t i = 0; i < count; i++)
        printf("%31s: %zukB in blocks of 1B to %zu%s, %s\n", s[i].name, s[i].total / 1024,
               s[i].size_max < 1024 ? s[i].size_max : s[i].size_max / 1024,
               s[i].size_max < 1024 ? "B" : "kB",
               s[i].write ? "the first byte of each written" : "not written");
    printf(
        "\nns: processor time of one allocation with its free. ratio: to the arena, taken in one\n"
        "process, in turn. Medians of the rounds; a tenth of them lies below \"from\", a tenth\n"
        "above \"to\". time: of all repeats, by the clock. at once: all blocks dropped by one call.\n");
}

static void print_cell(const table *t, const row *r, int column)
{
    const cell *c = &r->cells[column];
    if (!c->measured) {
        printf(" %14s", "n/a");
        return;
    }
    print_number(7, per_operation(t, column, c->ns.median));
    print_number(6, c->ratio.median);
}

static void print_sum(const table *t, const row *r)
{
    const cell *c = &r->cells[SUM];
    if (!c->measured) {
        printf(" %9s %14s %13s", "n/a", "", "");
        return;
    }
    print_number(9, c->ns.median * 1e-6 * (double)t->setting.repeats);
    print_cell(t, r, SUM);
    print_number(6, c->ratio.low);
    print_number(6, c->ratio.high);
}

static void print_row(const table *t, const row *r)
{
    printf("%-20s", r->name);
    for (int column = 0; column < AT_ONCE; column++)
        print_cell(t, r, column);
    print_sum(t, r);
    print_cell(t, r, AT_ONCE);
    putchar('\n');
}

void report_table(const table *t)
{
    const setting *s = &t->setting;
    printf("\n%s: %zu thread%s\n", s->title, s->threads, s->threads == 1 ? "" : "s");
    print_size("memory per thread", s->total / s->threads);
    printf("%31s: %zu\n", "alloc/dealloc ops per thread", t->blocks * s->repeats);
    printf("%31s: %zu, each in three orders\n\n", "total alloc/dealloc ops",
           t->blocks * s->repeats * s->threads);
    printf("%-20s %14s %14s %14s %38s %14s\n", "", column_names[IN_ORDER], column_names[REVERSE],
           column_names[RANDOM], column_names[SUM], column_names[AT_ONCE]);
    printf("%-20s", "");
    for (int column = 0; column < AT_ONCE; column++)
        printf(" %7s %6s", "ns", "ratio");
    printf(" %9s %7s %6s %6s %6s %7s %6s\n", "time, ms", "ns", "ratio", "from", "to", "ns",
           "ratio");
    for (size_t i = 0; i < t->row_count; i++)
        print_row(t, &t->rows[i]);
}

void report_libraries(const table *t)
{
    printf("\n");
    for (size_t i = 0; i < t->row_count; i++) {
        if (*t->rows[i].library)
            printf("%-20s malloc of %s\n", t->rows[i].name, t->rows[i].library);
    }
}
