/* On the C stack: closed where the block is left. */
#include "form.h"

bool form_begin(size_t size)
{
    (void)size;
    return true;
}

int form_round(const char *path, unsigned char digest[DIGEST])
{
    ash_auto(mapped_file) file = mapped_file_open(path);
    if (!file.error)
        hash(&file, digest);
    return file.error;
}

int form_warm_up(const char *path, unsigned char digest[DIGEST])
{
    return form_round(path, digest);
}

void form_count(void) {}

void form_print(void) {}
