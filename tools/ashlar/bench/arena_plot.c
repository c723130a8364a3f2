/*
 * arena_plot.c - a picture of the tables of `ashlar bench arena`.
 */
#include "arena_bench.h"

/* A line for each row that frees in all three orders. */
static void put_rows(FILE *to, const void *tables, size_t which)
{
    const table *t = (const table *)tables + which;
    for (size_t i = 0; i < t->row_count; i++) {
        const row *r = &t->rows[i];
        if (!r->cells[SUM].measured)
            continue;
        fprintf(to, "\"%s\"", r->name);
        for (int column = 0; column < AT_ONCE; column++)
            fprintf(to, " %.4g", per_operation(t, column, r->cells[column].ns.median));
        fputc('\n', to);
    }
}

static void put_plot(FILE *to, const void *tables, size_t which)
{
    const setting *s = &((const table *)tables + which)->setting;
    fprintf(to, "set title '%s, threads: %zu'\nplot ", s->title, s->threads);
    for (int column = 0; column < AT_ONCE; column++)
        fprintf(to, "%s$table%zu using %d:xtic(1) title '%s'", column ? ", " : "", which,
                column + 2, column_names[column]);
    fputc('\n', to);
}

bool write_plot(output *to, const table *tables, size_t count)
{
    return draw(to, &(picture){
                        .title = "ns of one allocation with its free, by order of the frees",
                        .settings = "set style histogram clustered gap 1\nset logscale y\n"
                                    "set yrange [1:*]\nset xtics rotate by -30\n"
                                    "set key tmargin center horizontal samplen 2\n",
                        .across = 3,
                        .width = 480,
                        .height = 360,
                        .tables = tables,
                        .count = count,
                        .put_rows = put_rows,
                        .put_plot = put_plot,
                    });
}
