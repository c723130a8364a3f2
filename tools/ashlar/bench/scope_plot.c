/*
 * scope_plot.c - a picture of the tables of `ashlar bench scope`: a bar for each form.
 */
#include "scope_bench.h"

typedef struct picture {
    const scope_table *tables;
    size_t count;
} picture;

static void put_data(FILE *to, const scope_table *t, size_t number)
{
    fprintf(to, "$table%zu << END\n", number);
    for (int f = 0; f < FORMS; f++) {
        if (!t->is_there[f])
            continue;
        spread s = form_figure(t, (form)f, MEDIAN);
        fprintf(to, "\"%s\" %.4g %.4g %.4g\n", forms[f].name, s.median / t->topic->ns,
                s.low / t->topic->ns, s.high / t->topic->ns);
    }
    fputs("END\n", to);
}

static void put_script(FILE *to, const void *what)
{
    const picture *p = what;
    for (size_t i = 0; i < p->count; i++)
        put_data(to, &p->tables[i], i);
    fprintf(to, "set terminal svg size %zu,400 dynamic font 'sans-serif,12' background 'white'\n",
            p->count * 420);
    fprintf(to, "set multiplot layout 1,%zu title 'a round: open, hash, close'\n", p->count);
    fputs(
        "set style data histogram\nset style histogram errorbars gap 1\nset style fill solid 0.8\n"
        "set yrange [0:*]\nset grid ytics\nset xtics rotate by -30 noenhanced\nunset key\n",
        to);
    for (size_t i = 0; i < p->count; i++) {
        const scope_topic *topic = p->tables[i].topic;
        fprintf(to, "set title '%s' noenhanced\nset ylabel '%s'\n", topic->title, topic->unit);
        fprintf(to, "plot $table%zu using 2:3:4:xtic(1)\n", i);
    }
    fputs("unset multiplot\n", to);
}

bool write_scope_plot(output *to, const scope_table *tables, size_t count)
{
    return draw(to, put_script, &(picture){tables, count});
}
