#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS \
    64 /* where addresses have 32 bits: large files can be opened, to be refused */

#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int refusal(const struct stat *status)
{
    if (S_ISDIR(status->st_mode))
        return EISDIR;
    if (!S_ISREG(status->st_mode))
        return ENODEV;
    if (!status->st_size)
        return ENODATA; /* mmap would call it EINVAL */
    return (uintmax_t)status->st_size > PTRDIFF_MAX ? EFBIG : 0;
}

static mapped_file map(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status))
        return (mapped_file){.error = errno};
    int error = refusal(&status);
    if (error)
        return (mapped_file){.error = error};
    size_t size = (size_t)status.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return (mapped_file){.error = errno};
    return (mapped_file){.bytes = bytes, .size = size};
}

mapped_file mapped_file_open(const char *path)
{
    /* Without O_NONBLOCK a pipe would wait for its writer. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (descriptor < 0)
        return (mapped_file){.error = errno};
    mapped_file file = map(descriptor);
    close(descriptor); /* the mapping stays */
    return file;
}

void mapped_file_close(mapped_file *file)
{
    if (file->bytes)
        munmap((void *)(uintptr_t)file->bytes, file->size);
    *file = (mapped_file){0};
}

const char *mapped_file_message(const mapped_file *file)
{
    switch (file->error) {
    case 0:
        return file->bytes ? "is open" : "is closed";
    case ENODATA:
        return "is empty";
    case EISDIR:
        return "is a directory";
    case ENODEV:
    case ENXIO: /* a socket */
        return "is no regular file, and cannot be mapped";
    case EFBIG:
    case ENOMEM:
        return "does not fit in the address space that is left";
    default:
        return strerror(file->error);
    }
}

static void destroy(void *self)
{
    mapped_file_close(self);
}

ASH_TYPE_DEFINE(mapped_file, .destroy = destroy);
