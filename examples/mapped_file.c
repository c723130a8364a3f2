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
    if (S_ISSOCK(status->st_mode))
        return ENXIO; /* as open says it */
    return S_ISREG(status->st_mode) ? 0 : ENODEV;
}

/* Files that a system makes up, those of /proc for one, have no size before they are read. */
static int why_no_bytes(int descriptor)
{
    char byte;
    return pread(descriptor, &byte, 1, 0) ? EOPNOTSUPP : ENODATA;
}

mapped_file mapped_file_map(int descriptor)
{
    struct stat status;
    if (fstat(descriptor, &status))
        return (mapped_file){.error = errno};
    int error = refusal(&status);
    if (!error && !status.st_size) /* mmap would call it EINVAL */
        error = why_no_bytes(descriptor);
    if (!error && (uintmax_t)status.st_size > PTRDIFF_MAX)
        error = EFBIG;
    if (error)
        return (mapped_file){.error = error};
    size_t size = (size_t)status.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return (mapped_file){.error = errno == ENODEV ? EOPNOTSUPP : errno};
    return (mapped_file){.bytes = bytes, .size = size};
}

/* To open a pipe or a device does something to it: whoever waits to write into the pipe goes on, and is
 * killed when it is closed. So it is looked at before; without O_NONBLOCK one that took the place of
 * the file just then would wait. */
int mapped_file_descriptor(const char *path)
{
    struct stat status;
    if (stat(path, &status))
        return -1;
    errno = refusal(&status);
    return errno ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

mapped_file mapped_file_open(const char *path)
{
    int descriptor = mapped_file_descriptor(path);
    if (descriptor < 0)
        return (mapped_file){.error = errno};
    mapped_file file = mapped_file_map(descriptor);
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
    case EOPNOTSUPP:
        return "can be read, but not mapped";
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
