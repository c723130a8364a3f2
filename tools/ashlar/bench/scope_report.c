/*
 * scope_report.c - the tables of `ashlar bench scope` as text.
 */
#include "scope_bench.h"

enum { LABEL_WIDTH = 38, WIDTH = 13 };

typedef struct line {
    const char *label, *of_many; /* where a time is taken of many rounds at once; NULL: the same */
    figure which;
    double unit; /* 0: that of the table; -1: whole numbers */
} line;

static const line lines[] = {
    {"a round, median by the clock", "median", MEDIAN, 0},
    {"a round, mean of processor time", NULL, MEAN, 0},
    {"a round, longest", "longest", LONGEST, 0},
    {"stack of a round, bytes", NULL, STACK, -1},
    {"memory held at most, kB", NULL, MEMORY, 1000},
    {"heap allocations in all rounds", NULL, ALLOCATIONS, -1},
    {"files open after the last round", NULL, LEFT, -1},
    {"collections", NULL, COLLECTIONS, -1},
    {"longest pause, ms", NULL, PAUSE_LONGEST, 1e6},
    {"all pauses, ms", NULL, PAUSE_TOTAL, 1e6},
    {"longest collection, ms", NULL, COLLECTION_LONGEST, 1e6},
    {"all collections, ms", NULL, COLLECTION_TOTAL, 1e6},
    {"executable, kB", NULL, EXECUTABLE, 1000},
    {"code of it, kB", NULL, TEXT, 1000},
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

static void print_label(const scope_table *t, const line *l)
{
    char label[LABEL_WIDTH + 8];
    if (t->topic->rounds > 1 && l->of_many)
        snprintf(label, sizeof label, "means of %zu rounds, %s", t->topic->rounds, l->of_many);
    else
        snprintf(label, sizeof label, "%s", l->label);
    printf("%-*s", LABEL_WIDTH, label);
}

static void print_line(const scope_table *t, const line *l)
{
    print_label(t, l);
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
