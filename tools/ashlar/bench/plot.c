/*
 * plot.c - pictures: gnuplot draws them, as a child whose output is copied: it would not notice itself
 * that what it writes does not arrive.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

bool have_gnuplot(const char *path)
{
    char *argv[] = {(char[]){"gnuplot"}, (char[]){"--version"}, NULL};
    process p = {0};
    char line[256];
    int error = process_start(&p, "gnuplot", argv, environ, true);
    while (!error && p.output && fgets(line, sizeof line, p.output))
        continue;
    if (!error && !process_end(&p))
        return true;
    complain("%s: cannot start gnuplot%s%s", path, error ? ": " : "", error ? strerror(error) : "");
    return false;
}

/* False: see errno. */
static bool copy_all(FILE *from, FILE *to)
{
    char bytes[1 << 12];
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, from));) {
        if (fwrite(bytes, 1, count, to) < count)
            return false;
    }
    return !ferror(from);
}

/* The script waits in a temporary file: no pipe to break, and gnuplot reads it when it likes. */
static bool draw_script(FILE *script, output *to)
{
    if (fflush(script) || ferror(script)) {
        complain("%s: cannot write the script for it: %s", to->path, strerror(errno));
        return false;
    }
    rewind(script);
    char *argv[] = {(char[]){"gnuplot"}, NULL};
    process p = {.input = fileno(script)};
    int error = process_start(&p, "gnuplot", argv, environ, false);
    if (error) {
        complain("%s: cannot start gnuplot: %s", to->path, strerror(error));
        return false;
    }
    errno = EIO;
    bool copied = p.output && copy_all(p.output, to->file);
    error = errno;
    int status = process_end(&p);
    if (copied && status) {
        complain("%s: gnuplot failed", to->path);
        return false;
    }
    errno = error;
    return close_written(to, copied);
}

static void put_script(FILE *to, const picture *p)
{
    size_t across = p->count < p->across ? p->count : p->across;
    size_t down = across ? (p->count + across - 1) / across : 0;
    for (size_t i = 0; i < p->count; i++) {
        fprintf(to, "$table%zu << END\n", i);
        p->put_rows(to, p->tables, i);
        fputs("END\n", to);
    }
    fprintf(to, "set terminal svg size %zu,%zu dynamic font 'sans-serif,12' background 'white'\n",
            across * p->width, down * p->height + 40);
    fprintf(to, "set multiplot layout %zu,%zu title '%s'\n", down, across, p->title);
    fprintf(to, "set style data histogram\nset style fill solid 0.8\nset grid ytics\n%s",
            p->settings);
    for (size_t i = 0; i < p->count; i++)
        p->put_plot(to, p->tables, i);
    fputs("unset multiplot\n", to);
}

bool draw(output *to, const picture *p)
{
    FILE *script = tmpfile();
    if (!script)
        complain("%s: cannot write the script for it: %s", to->path, strerror(errno));
    else
        put_script(script, p);
    bool drawn = script && draw_script(script, to);
    if (script)
        fclose(script);
    discard_output(to);
    return drawn;
}
