/* dies SIGSEGV: */
#include "ashlar/ashlar.h"

/* An arena's block ends against the guard too. */
int main(void)
{
    ash_guarded guarded;
    ash_arena arena;
    ash_guarded_init(&guarded, NULL);
    ash_arena_config config = {.upstream = ash_guarded_resource(&guarded), .block_size = 8192};
    ash_arena_init(&arena, &config);
    char *p = ash_alloc(&arena, 1, 1);
    size_t room = ash_arena_room(&arena);
    volatile char *all = ash_alloc(&arena, room, 1);
    all[room + 64] = *p;
    return 0;
}
