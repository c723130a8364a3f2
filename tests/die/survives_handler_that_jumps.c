/* exits: 0 */
#include "ashlar/ashlar.h"

#include <setjmp.h>

static jmp_buf back;

static void jump(const char *message)
{
    (void)message;
    longjmp(back, 1);
}

int main(void)
{
    ash_arena arena;
    ash_arena_config config = {.name = "doomed"};
    ash_arena_init(&arena, &config);
    ash_set_fatal_handler(jump);
    if (setjmp(back) == 0) {
        ash_delete(&arena, ash_alloc(&arena, 64, 8));
        return 1;
    }
    int status = !ash_alloc(&arena, 64, 8) || !ash_object_alloc(&arena, 8, 8);
    ash_arena_deinit(&arena);
    return status;
}
