/*
 * json.c - figures for other programs: what their documents have in common.
 */
#include "bench.h"

#include <errno.h>
#include <string.h>

bool close_written(FILE *file, const char *path, bool written)
{
    int error = written ? 0 : errno;
    if (fclose(file) && !error)
        error = errno;
    if (error)
        complain("%s: %s", path, strerror(error));
    return !error;
}

bool have_json(void)
{
#ifdef BENCH_JSON
    return true;
#else
    return false;
#endif
}

#ifdef BENCH_JSON

json_t *spread_json(spread s, double factor)
{
    return json_pack("{s:f, s:f, s:f}", "median", s.median * factor, "low", s.low * factor, "high",
                     s.high * factor);
}

bool append_json(json_t **array, json_t *value)
{
    if (!json_array_append_new(*array, value))
        return true;
    json_decref(*array);
    *array = NULL;
    return false;
}

static json_t *document(json_t *tables, json_t *budgets)
{
    json_t *all = json_pack("{s:s, s:I, s:o}", "version", ASH_VERSION, "processors",
                            (json_int_t)processors(), "tables", tables);
    if (budgets && json_object_set_new(all, "budgets", budgets)) {
        json_decref(all);
        return NULL;
    }
    return all;
}

bool write_document(FILE *file, const char *path, json_t *tables, json_t *budgets)
{
    errno = ENOMEM;
    json_t *all = document(tables, budgets);
    bool written = all && json_dumpf(all, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
    json_decref(all);
    return close_written(file, path, written);
}

#endif
