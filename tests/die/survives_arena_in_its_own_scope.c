/* exits: 0 */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena parent, outside, child;
    ash_arena_init(&parent, NULL);
    ash_arena_config config = {.upstream = ash_arena_resource(&parent)};
    ash_arena_init(&outside, &config);
    if (!ash_alloc(&outside, 100, 8))
        return 1;
    ash_scope scope = ash_scope_begin(&parent);
    ash_arena_init(&child, &config);
    bool made = ash_alloc(&child, 100000, 8) && ash_alloc(&outside, 100, 8); /* it has room */
    ash_arena_deinit(&child);
    ash_scope_end(&scope);
    made = made && ash_alloc(&outside, 100000, 8);
    ash_arena_deinit(&outside);
    ash_arena_deinit(&parent);
    return !made;
}
