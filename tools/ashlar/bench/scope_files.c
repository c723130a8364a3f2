/*
 * scope_files.c - the file that `ashlar bench scope` opens again and again: it is made, and removed.
 */
#define _POSIX_C_SOURCE 200809L

#include "scope_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[PATH_SIZE], path[PATH_SIZE];

void remove_file(void)
{
    if (*path)
        unlink(path);
    if (*directory)
        rmdir(directory);
    leftover_gone(path);
    leftover_gone(directory);
    *path = *directory = '\0';
}

static bool write_content(FILE *file, size_t size)
{
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        if (putc((int)(state >> 24), file) == EOF)
            return false;
    }
    return true;
}

static bool make_directory(void)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !*parent)
        parent = "/tmp";
    int length = snprintf(directory, sizeof directory, "%s/ashlar-XXXXXX", parent);
    bool fits = length > 0 && (size_t)length < sizeof directory - sizeof "/file";
    hold_signals(true);
    bool made = fits && mkdtemp(directory);
    int error = fits ? errno : ENAMETOOLONG;
    if (made)
        leftover_add(directory);
    hold_signals(false);
    if (made)
        return true;
    complain("%s: %s", parent, strerror(error));
    *directory = '\0';
    return false;
}

const char *make_file(size_t size)
{
    if (!make_directory())
        return NULL;
    snprintf(path, sizeof path, "%.*s/file", (int)(sizeof path - sizeof "/file"), directory);
    leftover_add(path);
    FILE *file = fopen(path, "wb");
    bool written = file && write_content(file, size);
    int error = errno;
    if (file && fclose(file) && written) {
        error = errno;
        written = false;
    }
    if (written)
        return path;
    complain("%s: %s", path, strerror(error));
    remove_file();
    return NULL;
}
