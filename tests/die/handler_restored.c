/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

static void swallow(const char *message)
{
    (void)message;
}

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    if (ash_set_fatal_handler(swallow) != NULL || ash_set_fatal_handler(NULL) != swallow)
        return 0;
    ash_delete(&arena, ash_alloc(&arena, 64, 8));
    return 0;
}
