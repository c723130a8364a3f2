/*
 * plot.c - pictures: gnuplot draws them, as a child with the file for its output.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

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
static bool draw_script(FILE *script, FILE *file, const char *path)
{
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

bool draw(FILE *file, const char *path, void (*put)(FILE *to, const void *what), const void *what)
{
    FILE *script = tmpfile();
    if (!script)
        complain("%s: cannot write the script for it: %s", path, strerror(errno));
    else
        put(script, what);
    bool drawn = script && draw_script(script, file, path);
    if (script)
        fclose(script);
    fclose(file);
    return drawn;
}
