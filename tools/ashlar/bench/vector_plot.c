/*
 * vector_plot.c - a picture of the tables of `ashlar bench vector`.
 */
#include "vector_bench.h"

typedef struct picture {
    const table *tables;
    size_t count;
} picture;

/* One block of data a table: a line for each row, a column for each level. */
static void put_data(FILE *to, const table *tables, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const table *t = &tables[i];
        fprintf(to, "$table%zu << END\n", i);
        for (size_t j = 0; j < t->row_count; j++) {
            fprintf(to, "\"%s\"", t->rows[j].name);
            for (int level = 0; level < LEVELS; level++)
                fprintf(to, " %.4g", row_ns(t, &t->rows[j], level).median);
            fputc('\n', to);
        }
        fputs("END\n", to);
    }
}

static void put_script(FILE *to, const void *what)
{
    const picture *p = what;
    const size_t across = p->count > 1 ? 2 : 1;
    size_t down = (p->count + across - 1) / across;
    put_data(to, p->tables, p->count);
    fprintf(to, "set terminal svg size %zu,%zu dynamic font 'sans-serif,12' background 'white'\n",
            across * 720, down * 440 + 40);
    fprintf(to, "set multiplot layout %zu,%zu title 'ns of one push, append or string'\n", down,
            across);
    fputs(
        "set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.8\n"
        "set logscale y\nset grid ytics\nset xtics rotate by -30 noenhanced\n"
        "set key tmargin center horizontal samplen 2\n",
        to);
    for (size_t i = 0; i < p->count; i++) {
        const table *t = &p->tables[i];
        fprintf(to, "set title '%s, %s' noenhanced\nplot ", t->topic->title,
                surroundings_names[t->surroundings]);
        for (int level = 0; level < LEVELS; level++)
            fprintf(to, "%s$table%zu using %d:xtic(1) title '-%s'", level ? ", " : "", i, level + 2,
                    level_names[level]);
        fputc('\n', to);
    }
    fputs("unset multiplot\n", to);
}

bool write_vector_plot(output *to, const table *tables, size_t count)
{
    return draw(to, put_script, &(picture){tables, count});
}
