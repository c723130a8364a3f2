/*
 * A buffer in place of the file, and no hash: without the system's calls, and without what all forms
 * have to do, what is left is the form. Opening and closing are calls that count.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "form.h"

static size_t left;

static unsigned char buffer[1 << 12];
static size_t buffer_size;

/* The first bytes of the file. */
size_t source_begin(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    buffer_size = fread(buffer, 1, sizeof buffer, file);
    return fclose(file) ? 0 : buffer_size;
}

mapped_file mapped_file_open(const char *path)
{
    (void)path;
    left++;
    return (mapped_file){.bytes = buffer, .size = buffer_size};
}

void mapped_file_close(mapped_file *file)
{
    left -= file->bytes != NULL;
    *file = (mapped_file){0};
}

static void destroy(void *self)
{
    mapped_file_close(self);
}

ASH_TYPE_DEFINE(mapped_file, .destroy = destroy);

mapped_file source_read(const char *path, void *(*take)(size_t size))
{
    (void)path;
    void *bytes = take(buffer_size);
    if (!bytes)
        return (mapped_file){.error = ENOMEM};
    memcpy(bytes, buffer, buffer_size);
    return (mapped_file){.bytes = bytes, .size = buffer_size};
}

void hash(const mapped_file *file, unsigned char digest[DIGEST])
{
    digest[0] = file->bytes[file->size - 1];
}

size_t source_left(const char *path)
{
    (void)path;
    return left;
}
