/*
 * plot.c - a picture of the tables: gnuplot draws it, as a child with the file for its output.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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

static void put_script(FILE *to, const table *tables, size_t count)
{
    const size_t across = 3;
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

static int start_gnuplot(pid_t *id, int input, int output)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    char name[] = "gnuplot";
    char *argv[] = {name, NULL};
    if (!error)
        error = posix_spawnp(id, name, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* The script waits in a temporary file: no pipe to break, and gnuplot reads it when it likes. */
static bool draw(FILE *script, FILE *file, const char *path, const table *tables, size_t count)
{
    put_script(script, tables, count);
    if (fflush(script) || ferror(script)) {
        complain("%s: cannot write the script for it: %s", path, strerror(errno));
        return false;
    }
    rewind(script);
    pid_t id;
    int status = 0, error = start_gnuplot(&id, fileno(script), fileno(file));
    if (error) {
        complain("%s: cannot start gnuplot: %s", path, strerror(error));
        return false;
    }
    while (waitpid(id, &status, 0) < 0 && errno == EINTR)
        continue;
    if (status)
        complain("%s: gnuplot failed", path);
    return !status;
}

bool write_plot(FILE *file, const char *path, const table *tables, size_t count)
{
    FILE *script = tmpfile();
    if (!script)
        complain("%s: cannot write the script for it: %s", path, strerror(errno));
    bool drawn = script && draw(script, file, path, tables, count);
    if (script)
        fclose(script);
    fclose(file);
    return drawn;
}
