/*
 * mapped_file.h - the bytes of a whole file, mapped for reading until it is closed.
 *
 * One type for three lifetimes; each closes it, whatever happens in between:
 *
 *     ash_auto(mapped_file) file = mapped_file_open(path);    with its block, on the C stack
 *
 *     mapped_file *file = mapped_file_new(&arena, path);      with a scope of the arena, by ash_delete,
 *                                                             or with the arena
 *
 *     mapped_file *file = ash_gc_new(mapped_file);            some time after nothing points to it;
 *     if (file)                                               ashlar/adapt/gc.h, over libgc
 *         *file = mapped_file_open(path);
 *
 * Whoever reads the bytes of a file that somebody makes shorter meanwhile gets SIGBUS; hexdump.c shows
 * what to do about it. On a system without mmap this is not for you.
 */
#ifndef ASHLAR_EXAMPLES_MAPPED_FILE_H
#define ASHLAR_EXAMPLES_MAPPED_FILE_H

#include <ashlar.h>

ASH_DECLS_BEGIN

typedef struct mapped_file {
    const unsigned char *bytes; /* NULL: there are none, and error says why */
    size_t size;
    int error; /* as errno; ENODATA: it is empty, ENODEV: it is no regular file, EOPNOTSUPP: it is one
                  that can only be read */
} mapped_file;

/* Does not wait, whatever the path names, and opens nothing but regular files. Any thread. */
mapped_file mapped_file_open(const char *path);

/* Its two steps, for who needs the descriptor besides. -1: errno says why. */
int mapped_file_descriptor(const char *path);
mapped_file mapped_file_map(int descriptor);

/* One that is zeroed, closed or was not opened is left alone. */
void mapped_file_close(mapped_file *file);

/* In words, why there are no bytes. */
const char *mapped_file_message(const mapped_file *file);

ASH_TYPE_DECLARE(mapped_file);

/* NULL: the arena has no room for it. What else can fail, `error` says. */
ASH_NODISCARD static inline mapped_file *mapped_file_new(ash_arena *arena, const char *path)
{
    mapped_file *file = ash_new(arena, mapped_file);
    if (file)
        *file = mapped_file_open(path);
    return file;
}

ASH_DECLS_END

ASH_AUTO_DEFINE(mapped_file, mapped_file_close)

#endif
