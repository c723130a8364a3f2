/*
 * json.c - figures for other programs: what their documents have in common.
 */
#include "bench.h"

#include <errno.h>

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

bool write_document(output *to, json_t *tables, json_t *budgets)
{
    errno = ENOMEM;
    json_t *all = document(tables, budgets);
    bool written =
        all && json_dumpf(all, to->file, JSON_INDENT(2)) == 0 && fputc('\n', to->file) != EOF;
    json_decref(all);
    return close_written(to, written);
}

#else

bool no_json(output *to)
{
    errno = ENOSYS;
    return close_written(to, false);
}

#endif
