/*
 * scope_report.c - the tables of `ashlar bench scope` as text.
 */
#include "scope_bench.h"

enum { LABEL_WIDTH = 38, WIDTH = 13 };

typedef struct line {
    const char *label;
    figure which;
    double unit; /* 0: that of the table; -1: whole numbers */
} line;

static const line lines[] = {
    {"a round, median by the clock", MEDIAN, 0},
    {"a round, mean of processor time", MEAN, 0},
    {"a round, longest", LONGEST, 0},
    {"stack of a round, bytes", STACK, -1},
    {"memory held at most, kB", MEMORY, 1000},
    {"heap allocations in all rounds", ALLOCATIONS, -1},
    {"files open after the last round", LEFT, -1},
    {"collections", COLLECTIONS, -1},
    {"longest pause, ms", PAUSE_LONGEST, 1e6},
    {"all pauses, ms", PAUSE_TOTAL, 1e6},
    {"longest collection, ms", COLLECTION_LONGEST, 1e6},
    {"all collections, ms", COLLECTION_TOTAL, 1e6},
    {"executable, kB", EXECUTABLE, 1000},
    {"code of it, kB", TEXT, 1000},
};

void report_scope_head(void)
{
    printf(
        "processors: %zu. Built as %s.\n\n"
        "Opens a file, hashes it, closes it; in other forms each time, in a program each:\n"
        "  malloc, free  the object from malloc, closed and freed by hand\n"
        "  libgc         the object collected, closed by a finalizer\n"
        "  arena scope   an object of an arena, closed where the scope ends\n"
        "  ash_auto      an object on the stack, closed where its block ends\n"
        "  read, arena   the file is read into an arena and not mapped: nothing to close\n"
        "ratio: of the medians to the first column, process by process; a tenth lie below \"from\",\n"
        "a tenth above \"to\". All forms in turn; medians of the processes.\n",
        processors(), BENCH_BUILD);
#ifndef BENCH_GC
    puts("libgc: not found when this was built");
#endif
}

static void print_ratios(const scope_table *t)
{
    static const char *const labels[] = {"ratio", "  from", "  to"};
    for (int i = 0; i < 3; i++) {
        printf("%-*s", LABEL_WIDTH, labels[i]);
        for (int f = 0; f < FORMS; f++) {
            spread ratio = form_ratio(t, (form)f);
            if (t->is_there[f])
                print_number(WIDTH, i == 0 ? ratio.median : i == 1 ? ratio.low : ratio.high);
            else
                printf(" %*s", WIDTH, "-");
        }
        putchar('\n');
    }
}

static void print_line(const scope_table *t, const line *l)
{
    printf("%-*s", LABEL_WIDTH, l->label);
    for (int f = 0; f < FORMS; f++) {
        if (!has_figure(t, (form)f, l->which)) {
            printf(" %*s", WIDTH, "-");
            continue;
        }
        double value = form_figure(t, (form)f, l->which).median;
        if (l->unit < 0)
            printf(" %*.0f", WIDTH, value);
        else
            print_number(WIDTH, value / (l->unit > 0 ? l->unit : t->topic->ns));
    }
    putchar('\n');
}

void report_scope_table(const scope_table *t)
{
    printf("\n%s: %zu rounds, %zu processes each; times of a round in %s\n\n%-*s", t->topic->title,
           t->times * t->topic->rounds, t->runs, t->topic->unit, LABEL_WIDTH, "");
    for (int f = 0; f < FORMS; f++)
        printf(" %*s", WIDTH, forms[f].name);
    putchar('\n');
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        print_line(t, &lines[i]);
        if (lines[i].which == MEDIAN)
            print_ratios(t);
    }
    printf("\n%s", t->topic->text);
}
