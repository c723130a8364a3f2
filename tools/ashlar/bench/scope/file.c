/* Files of the file system. */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <nettle/sha1.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "form.h"

size_t source_begin(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (size_t)status.st_size;
}

static mapped_file read_all(int descriptor, unsigned char *to, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = read(descriptor, to + done, size - done);
        if (count <= 0)
            return (mapped_file){.error = count ? errno : EIO};
        done += (size_t)count;
    }
    return (mapped_file){.bytes = to, .size = size};
}

mapped_file source_read(const char *path, void *(*take)(size_t size))
{
    struct stat status;
    int descriptor = mapped_file_descriptor(path);
    if (descriptor < 0)
        return (mapped_file){.error = errno};
    mapped_file file = {.error = ENOMEM};
    if (fstat(descriptor, &status))
        file.error = errno;
    else if ((uintmax_t)status.st_size <= PTRDIFF_MAX) {
        unsigned char *bytes = take((size_t)status.st_size);
        if (bytes)
            file = read_all(descriptor, bytes, (size_t)status.st_size);
    }
    close(descriptor);
    return file;
}

void hash(const mapped_file *file, unsigned char digest[DIGEST])
{
    struct sha1_ctx context;
    sha1_init(&context);
    sha1_update(&context, file->size, file->bytes);
    sha1_digest(&context, DIGEST, digest);
}

/* Each mapping is a line. */
size_t source_left(const char *path)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    size_t length = strlen(path), left = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        size_t end = strcspn(line, "\n");
        left += end > length && !strncmp(line + end - length, path, length);
    }
    if (maps)
        fclose(maps);
    return left;
}
