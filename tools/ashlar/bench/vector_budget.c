/*
 * vector_budget.c - what was promised of vectors and strings, held against what was measured.
 */
#include "vector_bench.h"

#include <string.h>

static const struct budget {
    const char *topic;
    unsigned to; /* the role of the row it is a part of */
    int level;   /* the lowest it holds for */
    double most;
} budgets[] = {
    {"int", BASE, 0, 0.3},   {"int", LIMIT, 2, 1.3},       {"append", RIVAL, 2, 0.6},
    {"kept", RIVAL, 2, 0.8}, {"formatted", LIMIT, 2, 1.1},
};

static void judge_table(const table *t, const struct budget *b, verdict *verdicts, size_t *count)
{
    const row *to = find_row(t, b->to), *limit = find_row(t, LIMIT);
    for (int level = b->level; to && level < LEVELS; level++) {
        for (size_t i = 0; i < t->row_count; i++) {
            const row *r = &t->rows[i];
            if (!(r->roles & BUDGETED) || *count == VERDICTS_MAX)
                continue;
            double value = row_ratio(t, r, to, level).median;
            double least = row_ratio(t, limit, to, level).median;
            verdicts[(*count)++] = (verdict){b, t, r, to, level, value, b->most, least};
        }
    }
}

size_t judge(const table *tables, size_t count, verdict verdicts[VERDICTS_MAX])
{
    size_t found = 0;
    for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
        for (size_t i = 0; i < count; i++) {
            if (!strcmp(tables[i].topic->name, budgets[b].topic))
                judge_table(&tables[i], &budgets[b], verdicts, &found);
        }
    }
    return found;
}
