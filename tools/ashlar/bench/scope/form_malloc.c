/* By hand: memory from malloc, each end written down, in each way out. */
#include <errno.h>
#include <stdlib.h>

#include "form.h"

bool form_begin(size_t size)
{
    (void)size;
    return true;
}

int form_round(const char *path, unsigned char digest[DIGEST])
{
    mapped_file *file = malloc(sizeof *file);
    if (!file)
        return ENOMEM;
    *file = mapped_file_open(path);
    int error = file->error;
    if (error) {
        free(file);
        return error;
    }
    hash(file, digest);
    mapped_file_close(file);
    free(file);
    return 0;
}

int form_warm_up(const char *path, unsigned char digest[DIGEST])
{
    return form_round(path, digest);
}

void form_count(void) {}

void form_print(void) {}
