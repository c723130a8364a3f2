/*
 * vector_plot.c - a picture of the tables of `ashlar bench vector`.
 */
#include "vector_bench.h"

/* A line for each row, a column for each level. */
static void put_rows(FILE *to, const void *tables, size_t which)
{
    const table *t = (const table *)tables + which;
    for (size_t i = 0; i < t->row_count; i++) {
        fprintf(to, "\"%s\"", t->rows[i].name);
        for (int level = 0; level < LEVELS; level++)
            fprintf(to, " %.4g", row_ns(t, &t->rows[i], level).median);
        fputc('\n', to);
    }
}

static void put_plot(FILE *to, const void *tables, size_t which)
{
    const table *t = (const table *)tables + which;
    fprintf(to, "set title '%s, %s' noenhanced\nplot ", t->topic->title,
            surroundings_names[t->surroundings]);
    for (int level = 0; level < LEVELS; level++)
        fprintf(to, "%s$table%zu using %d:xtic(1) title '-%s'", level ? ", " : "", which, level + 2,
                level_names[level]);
    fputc('\n', to);
}

bool write_vector_plot(output *to, const table *tables, size_t count)
{
    return draw(to, &(picture){
                        .title = "ns of one push, append or string",
                        .settings = "set style histogram clustered gap 1\nset logscale y\n"
                                    "set xtics rotate by -30 noenhanced\n"
                                    "set key tmargin center horizontal samplen 2\n",
                        .across = 2,
                        .width = 720,
                        .height = 440,
                        .tables = tables,
                        .count = count,
                        .put_rows = put_rows,
                        .put_plot = put_plot,
                    });
}
