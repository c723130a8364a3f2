/*
 * scope_plot.c - a picture of the tables of `ashlar bench scope`: a bar for each form.
 */
#include "scope_bench.h"

static void put_rows(FILE *to, const void *tables, size_t which)
{
    const scope_table *t = (const scope_table *)tables + which;
    for (int f = 0; f < FORMS; f++) {
        if (!t->is_there[f])
            continue;
        spread s = form_figure(t, (form)f, MEDIAN);
        fprintf(to, "\"%s\" %.4g %.4g %.4g\n", forms[f].name, s.median / t->topic->ns,
                s.low / t->topic->ns, s.high / t->topic->ns);
    }
}

static void put_plot(FILE *to, const void *tables, size_t which)
{
    const scope_topic *topic = ((const scope_table *)tables + which)->topic;
    fprintf(to, "set title '%s' noenhanced\nset ylabel '%s'\n", topic->title, topic->unit);
    fprintf(to, "plot $table%zu using 2:3:4:xtic(1)\n", which);
}

bool write_scope_plot(output *to, const scope_table *tables, size_t count)
{
    return draw(to, &(picture){
                        .title = "a round: open, hash, close",
                        .settings = "set style histogram errorbars gap 1\nset yrange [0:*]\n"
                                    "set xtics rotate by -30 noenhanced\nunset key\n",
                        .across = 3,
                        .width = 420,
                        .height = 360,
                        .tables = tables,
                        .count = count,
                        .put_rows = put_rows,
                        .put_plot = put_plot,
                    });
}
