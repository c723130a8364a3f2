/*
 * vector_json.c - the tables of `ashlar bench vector` for other programs.
 */
#include "vector_bench.h"

#ifdef BENCH_JSON

static json_t *levels_json(const table *t, const row *r)
{
    const row *base = find_row(t, BASE), *limit = find_row(t, LIMIT);
    json_t *levels = json_object();
    for (int level = 0; level < LEVELS; level++) {
        json_t *figures = json_pack("{s:o, s:o, s:o}", "ns", spread_json(row_ns(t, r, level), 1),
                                    "ratio", spread_json(row_ratio(t, r, base, level), 1), "limit",
                                    spread_json(row_ratio(t, r, limit, level), 1));
        if (json_object_set_new(levels, level_names[level], figures)) {
            json_decref(levels);
            return NULL;
        }
    }
    return levels;
}

static json_t *row_json(const table *t, const row *r)
{
    json_t *one = json_pack("{s:s, s:o}", "name", r->name, "levels", levels_json(t, r));
    if (!(r->roles & COUNTED) || t->surroundings != GROWN)
        return one;
    json_t *counted =
        json_pack("{s:I, s:I, s:I}", "growths", (json_int_t)r->counts.growths, "in_place",
                  (json_int_t)r->counts.in_place, "moved_bytes", (json_int_t)r->counts.moved_bytes);
    if (json_object_set_new(one, "counts", counted)) {
        json_decref(one);
        return NULL;
    }
    return one;
}

static json_t *table_json(const table *t)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < t->row_count; i++) {
        if (!append_json(&rows, row_json(t, &t->rows[i])))
            return NULL;
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:o}", "table", t->topic->name, "surroundings",
                     surroundings_names[t->surroundings], "operations", (json_int_t)t->operations,
                     "rounds", (json_int_t)t->rounds, "rows", rows);
}

static json_t *verdict_json(const verdict *v)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:b}", "table", v->table->topic->name,
                     "surroundings", surroundings_names[v->table->surroundings], "level",
                     level_names[v->level], "name", v->row->name, "to", v->to->name, "value",
                     v->value, "most", v->most, "met", (int)(v->value <= v->most));
}

bool write_vector_json(output *to, const table *tables, size_t count)
{
    verdict verdicts[VERDICTS_MAX];
    size_t found = judge(tables, count, verdicts);
    json_t *all = json_array(), *budgets = json_array();
    for (size_t i = 0; i < count && all; i++)
        append_json(&all, table_json(&tables[i]));
    for (size_t i = 0; i < found && budgets; i++)
        append_json(&budgets, verdict_json(&verdicts[i]));
    return write_document(to, all, budgets);
}

#endif
