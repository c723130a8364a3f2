/*
 * spread.c - the middle of many values, and how far the others lie from it.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

spread spread_of(const double *values, size_t count)
{
    double sorted[VALUES_MAX];
    memcpy(sorted, values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    return (spread){sorted[count / 2], sorted[count / 10], sorted[count - 1 - count / 10]};
}

void print_number(int width, double value)
{
    printf(" %*.*f", width, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}
