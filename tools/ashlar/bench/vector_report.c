/*
 * vector_report.c - the tables of `ashlar bench vector` as text.
 */
#include "vector_bench.h"

enum { NAME_WIDTH = 42 };

void report_vector_head(void)
{
    printf("processors: %zu. The library itself was built as %s.\n", processors(), BENCH_BUILD);
    printf(
        "Every contestant is compiled three times from the same source: -O0, -O1, -O2.\n\n"
        "ns: of one push, append or string, by the clock, with making and dropping what holds them.\n"
        "ratio: to the first row; a tenth of the rounds lie below \"from\", a tenth above \"to\".\n"
        "limit: ratio to the row that has no vector and no string, and only stores, copies or formats.\n"
        "All taken round by round, in turn; medians of the rounds.\n");
}

static void print_cell(const table *t, const row *r, int level)
{
    const row *limit = find_row(t, LIMIT), *base = find_row(t, BASE);
    spread ratio = row_ratio(t, r, base, level);
    print_number(6, row_ns(t, r, level).median);
    print_number(5, ratio.median);
    print_number(5, ratio.low);
    print_number(5, ratio.high);
    print_number(5, row_ratio(t, r, limit, level).median);
}

void report_vector_table(const table *t)
{
    printf("\n%s: %s (%zu rounds)\n\n%-*s", t->topic->title, surroundings_names[t->surroundings],
           t->rounds, NAME_WIDTH, "");
    for (int level = 0; level < LEVELS; level++)
        printf(" %29s-%s", "", level_names[level]);
    printf("\n%-*s", NAME_WIDTH, "");
    for (int level = 0; level < LEVELS; level++)
        printf("  %6s %5s %5s %5s %5s", "ns", "ratio", "from", "to", "limit");
    putchar('\n');
    for (size_t i = 0; i < t->row_count; i++) {
        printf("%-*s", NAME_WIDTH, t->rows[i].name);
        for (int level = 0; level < LEVELS; level++) {
            putchar(' ');
            print_cell(t, &t->rows[i], level);
        }
        putchar('\n');
    }
}

void report_growth(const table *t)
{
    if (find_row(t, COUNTED)) {
        printf("\n%-*s %9s %9s %12s\n", NAME_WIDTH, "counted apart, not timed", "growths",
               "in place", "MB moved");
        for (size_t i = 0; i < t->row_count; i++) {
            const row *r = &t->rows[i];
            if (r->roles & COUNTED)
                printf("%-*s %9zu %9zu %12.2f\n", NAME_WIDTH, r->name, r->counts.growths,
                       r->counts.in_place, (double)r->counts.moved_bytes * 1e-6);
        }
    }
    printf("\n%s", t->topic->text);
}

void report_verdicts(const verdict *verdicts, size_t count)
{
    const struct budget *last = NULL;
    for (size_t i = 0; i < count; i++) {
        const verdict *v = &verdicts[i];
        if (!i)
            puts("\nbudgets: ratio to another row, at most; in brackets that of the limit");
        if (v->budget != last)
            printf("\n%s, at most %.2f x %s\n", v->table->topic->title, v->most, v->to->name);
        last = v->budget;
        printf("%-6s", v->value <= v->most ? "met" : "missed");
        print_number(5, v->value);
        printf(" (%.2f)  -%s, %s: %s\n", v->limit, level_names[v->level],
               surroundings_names[v->table->surroundings], v->row->name);
    }
}
