/*
 * json.c - the tables for other programs.
 */
#include "bench.h"

#include <errno.h>
#include <string.h>

static bool close_written(FILE *file, const char *path, bool written)
{
    int error = written ? 0 : errno;
    if (fclose(file) && !error)
        error = errno;
    if (error)
        complain("%s: %s", path, strerror(error));
    return !error;
}

#ifdef BENCH_JSON
#include <jansson.h>

bool have_json(void)
{
    return true;
}

/* json_pack answers NULL for what it is given NULL for: the first failure is the last word. */
static json_t *spread_json(spread s, double factor)
{
    return json_pack("{s:f, s:f, s:f}", "median", s.median * factor, "low", s.low * factor, "high",
                     s.high * factor);
}

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
        if (json_array_append_new(rows, row_json(t, &t->rows[i]))) {
            json_decref(rows);
            return NULL;
        }
    }
    return json_pack("{s:s, s:I, s:I, s:I, s:b, s:I, s:I, s:I, s:o}", "table", s->name, "threads",
                     (json_int_t)s->threads, "bytes", (json_int_t)s->total, "largest_block",
                     (json_int_t)s->size_max, "written", (int)s->write, "blocks_per_thread",
                     (json_int_t)t->blocks, "repeats", (json_int_t)s->repeats, "rounds",
                     (json_int_t)s->rounds, "rows", rows);
}

static json_t *document(const table *tables, size_t count)
{
    json_t *all = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(all, table_json(&tables[i]))) {
            json_decref(all);
            return NULL;
        }
    }
    return json_pack("{s:s, s:I, s:o}", "version", ASH_VERSION, "processors",
                     (json_int_t)processors(), "tables", all);
}

bool write_json(FILE *file, const char *path, const table *tables, size_t count)
{
    errno = ENOMEM;
    json_t *all = document(tables, count);
    bool written = all && json_dumpf(all, file, JSON_INDENT(2)) == 0 && fputc('\n', file) != EOF;
    json_decref(all);
    return close_written(file, path, written);
}

#else

bool have_json(void)
{
    return false;
}

bool write_json(FILE *file, const char *path, const table *tables, size_t count)
{
    (void)tables, (void)count;
    errno = ENOSYS;
    return close_written(file, path, false);
}

#endif
