/*
 * output.c - the files that figures are written to.
 *
 * What is there stays as it is until all is measured and written: that is done beside it, and what was
 * written takes its place. What is no regular file, a device or a pipe, is written to itself.
 */
#define _XOPEN_SOURCE 700

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refused(const char *path, int error)
{
    complain("%s: %s", path, strerror(error));
    return false;
}

/* The one that it stands for if it is a link: a link is not what shall be replaced. */
static bool find_target(output *o)
{
    char *found = realpath(o->path, NULL);
    const char *target = found ? found : o->path;
    bool fits = strlen(target) < sizeof o->target;
    if (fits)
        snprintf(o->target, sizeof o->target, "%s", target);
    free(found);
    return fits;
}

static FILE *open_beside(output *o, mode_t mode)
{
    const char *slash = strrchr(o->target, '/');
    snprintf(o->temporary, sizeof o->temporary, "%.*s.ashlar-XXXXXX",
             (int)(slash ? slash + 1 - o->target : 0), o->target);
    hold_signals(true);
    int descriptor = mkstemp(o->temporary), error = errno;
    if (descriptor >= 0)
        leftover_add(o->temporary);
    else
        *o->temporary = '\0';
    hold_signals(false);
    if (descriptor < 0) {
        errno = error;
        return NULL;
    }
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    fchmod(descriptor, mode);
    return fdopen(descriptor, "wb");
}

static bool open_output(output *o)
{
    struct stat status;
    if (!o->path)
        return true;
    bool there = !stat(o->path, &status);
    if (!find_target(o))
        return refused(o->path, ENAMETOOLONG);
    if (!*o->path || (!there && errno != ENOENT))
        return refused(o->path, *o->path ? errno : ENOENT);
    if (there && access(o->path, W_OK))
        return refused(o->path, errno);
    if (there && !S_ISREG(status.st_mode)) {
        o->file = fopen(o->path, "wb");
    } else {
        mode_t mask = umask(0);
        umask(mask);
        o->file = open_beside(o, there ? status.st_mode & 0777 : 0666 & ~mask);
    }
    return o->file || refused(o->path, errno);
}

void discard_output(output *o)
{
    if (o->file)
        fclose(o->file);
    if (*o->temporary) {
        unlink(o->temporary);
        leftover_gone(o->temporary);
    }
    *o = (output){.path = o->path};
}

bool close_written(output *o, bool written)
{
    int error = written ? 0 : errno;
    if ((fflush(o->file) || ferror(o->file)) && !error)
        error = errno;
    FILE *file = o->file;
    o->file = NULL;
    if (fclose(file) && !error)
        error = errno;
    if (!error && *o->temporary && rename(o->temporary, o->target))
        error = errno;
    if (!error) {
        leftover_gone(o->temporary);
        *o->temporary = '\0';
    }
    discard_output(o);
    return !error || refused(o->path, error);
}

bool open_outputs(options *o)
{
    if (o->json.path && !have_json()) {
        complain("--json: this program was built without jansson");
        return false;
    }
    bool good = open_output(&o->json) && open_output(&o->plot);
    if (good && *o->json.target && !strcmp(o->json.target, o->plot.target)) {
        complain("--json and --plot name the same file: %s", o->json.path);
        good = false;
    }
    good = good && (!o->plot.path || have_gnuplot(o->plot.path));
    if (!good)
        discard_outputs(o);
    return good;
}

void discard_outputs(options *o)
{
    discard_output(&o->json);
    discard_output(&o->plot);
}
