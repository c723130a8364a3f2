/* dies: ashlar: fatal: delete of what is not the start of an object (arena doomed, ADDR) */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "ashlar/ashlar.h"

#include <sys/mman.h>

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    void *object = ash_object_alloc(&arena, 64, 8);
    char *page = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(page, 65536);
    ash_delete(&arena, page + 4096);
    return object == NULL;
}
