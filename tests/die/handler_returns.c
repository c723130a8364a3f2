/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

#include <stdio.h>

static void print(const char *message)
{
    fprintf(stderr, "%s\n", message);
}

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    /* A handler that comes back does not make the program go on. */
    ash_set_fatal_handler(print);
    ash_delete(&arena, ash_alloc(&arena, 64, 8));
    return 0;
}
