/*
 * scope_json.c - the tables of `ashlar bench scope` for other programs. Times are nanoseconds.
 */
#include "scope_bench.h"

#ifdef BENCH_JSON

static json_t *form_json(const scope_table *t, form f)
{
    json_t *one =
        json_pack("{s:s, s:o}", "name", forms[f].name, "ratio", spread_json(form_ratio(t, f), 1));
    for (int i = 0; i < FIGURES; i++) {
        if (has_figure(t, f, (figure)i) &&
            json_object_set_new(one, figure_keys[i],
                                spread_json(form_figure(t, f, (figure)i), 1))) {
            json_decref(one);
            return NULL;
        }
    }
    return one;
}

static json_t *table_json(const scope_table *t)
{
    json_t *rows = json_array();
    for (int f = 0; f < FORMS; f++) {
        if (t->is_there[f] && !append_json(&rows, form_json(t, (form)f)))
            return NULL;
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:I, s:s, s:o}", "table", t->topic->name, "file_bytes",
                     (json_int_t)t->topic->file_size, "rounds",
                     (json_int_t)t->times * (json_int_t)t->topic->rounds, "rounds_of_a_time",
                     (json_int_t)t->topic->rounds, "processes", (json_int_t)t->runs, "digest",
                     t->digest, "forms", rows);
}

bool write_scope_json(output *to, const scope_table *tables, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count && all; i++)
        append_json(&all, table_json(&tables[i]));
    return write_document(to, all, NULL);
}

#endif
