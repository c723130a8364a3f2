/*
 * arena_json.c - the tables of `ashlar bench arena` for other programs.
 */
#include "arena_bench.h"

#ifdef BENCH_JSON

static json_t *row_json(const table *t, const row *r)
{
    json_t *columns = json_object();
    for (int c = 0; c < COLUMNS; c++) {
        const cell *one = &r->cells[c];
        if (!one->measured)
            continue;
        json_t *figures =
            json_pack("{s:o, s:o}", "ns", spread_json(one->ns, per_operation(t, c, 1)), "ratio",
                      spread_json(one->ratio, 1));
        if (json_object_set_new(columns, column_names[c], figures)) {
            json_decref(columns);
            return NULL;
        }
    }
    return json_pack("{s:s, s:s, s:o}", "name", r->name, "library", r->library, "freed", columns);
}

static json_t *table_json(const table *t)
{
    const setting *s = &t->setting;
    json_t *rows = json_array();
    for (size_t i = 0; i < t->row_count; i++) {
        if (!append_json(&rows, row_json(t, &t->rows[i])))
            return NULL;
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:o}", "table", s->name, "threads",
                     (json_int_t)s->threads, "bytes", (json_int_t)s->total, "largest_block",
                     (json_int_t)s->size_max, "written", (int)s->write, "blocks_per_thread",
                     (json_int_t)t->blocks, "repeats", (json_int_t)s->repeats, "rounds",
                     (json_int_t)s->rounds, "rows", rows);
}

bool write_json(output *to, const table *tables, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        if (!append_json(&all, table_json(&tables[i])))
            break;
    }
    return write_document(to, all, NULL);
}

#endif
