/*
 * arena_plot.c - a picture of the tables of `ashlar bench arena`.
 */
#include "arena_bench.h"

/* One block of data a table: a line for each row that frees in all three orders. */
static void put_data(FILE *to, const table *tables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const table *t = &tables[i];
        fprintf(to, "$table%zu << END\n", i);
        for (size_t j = 0; j < t->row_count; j++) {
            const row *r = &t->rows[j];
            if (!r->cells[SUM].measured)
                continue;
            fprintf(to, "\"%s\"", r->name);
            for (int column = 0; column < AT_ONCE; column++)
                fprintf(to, " %.4g", per_operation(t, column, r->cells[column].ns.median));
            fputc('\n', to);
        }
        fputs("END\n", to);
    }
}

typedef struct picture {
    const table *tables;
    size_t count;
} picture;

static void put_script(FILE *to, const void *what)
{
    const table *tables = ((const picture *)what)->tables;
    const size_t count = ((const picture *)what)->count, across = 3;
    size_t down = (count + across - 1) / across;
    put_data(to, tables, count);
    fprintf(to, "set terminal svg size %zu,%zu dynamic font 'sans-serif,12' background 'white'\n",
            across * 480, down * 360 + 40);
    fprintf(to,
            "set multiplot layout %zu,%zu title 'ns of one allocation with its free, by order "
            "of the frees'\n",
            down, across);
    fputs(
        "set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.8\n"
        "set logscale y\nset yrange [1:*]\nset grid ytics\nset xtics rotate by -30\n"
        "set key tmargin center horizontal samplen 2\n",
        to);
    for (size_t i = 0; i < count; i++) {
        const setting *s = &tables[i].setting;
        fprintf(to, "set title '%s, threads: %zu'\nplot ", s->title, s->threads);
        for (int column = 0; column < AT_ONCE; column++)
            fprintf(to, "%s$table%zu using %d:xtic(1) title '%s'", column ? ", " : "", i,
                    column + 2, column_names[column]);
        fputc('\n', to);
    }
    fputs("unset multiplot\n", to);
}

bool write_plot(output *to, const table *tables, size_t count)
{
    return draw(to, put_script, &(picture){tables, count});
}
