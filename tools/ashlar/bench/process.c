/*
 * process.c - workers: processes that measure, and print what they found.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool find_worker(const char *name, char path[PATH_SIZE])
{
    static const char *const places[] = {"", "../libexec/ashlar/"};
    char self[PATH_SIZE] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int written = snprintf(path, PATH_SIZE, "%s%s%s", slash ? self : "", places[i], name);
        if (written < PATH_SIZE && !access(path, X_OK))
            return true;
    }
    return false;
}

static int spawn(process *p, const char *path, char *const *argv, char *const *env,
                 const int pipe_ends[2], bool quiet)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], 1);
    if (!error && p->input)
        error = posix_spawn_file_actions_adddup2(&actions, p->input, 0);
    if (!error)
        error = posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
    if (!error && quiet)
        error = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (!error)
        error = posix_spawnp(&p->id, path, &actions, NULL, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

int process_start(process *p, const char *path, char *const *argv, char *const *env, bool quiet)
{
    int ends[2];
    if (pipe(ends))
        return errno;
    int error = spawn(p, path, argv, env, ends, quiet);
    close(ends[1]);
    p->output = error ? NULL : fdopen(ends[0], "r");
    if (!p->output)
        close(ends[0]);
    return error;
}

int process_end(process *p)
{
    int status = 0;
    if (p->output)
        fclose(p->output);
    while (waitpid(p->id, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

bool process_succeeded(process *p, const char *name)
{
    int status = process_end(p);
    if (WIFSIGNALED(status))
        complain("the process for %s was killed by signal %d%s", name, WTERMSIG(status),
                 WTERMSIG(status) == SIGKILL ? ": too little memory?" : "");
    return WIFEXITED(status) && WEXITSTATUS(status) == DONE;
}
