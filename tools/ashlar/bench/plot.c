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

bool draw(output *to, void (*put)(FILE *to, const void *what), const void *what)
{
    FILE *script = tmpfile();
    if (!script)
        complain("%s: cannot write the script for it: %s", to->path, strerror(errno));
    else
        put(script, what);
    bool drawn = script && draw_script(script, to);
    if (script)
        fclose(script);
    discard_output(to);
    return drawn;
}
