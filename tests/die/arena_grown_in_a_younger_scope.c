/* dies: ashlar: fatal: arena grown inside a scope younger than it (arena doomed, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_arena parent, child;
    ash_arena_init(&parent, NULL);
    ash_arena_config config = {.name = "doomed", .upstream = ash_arena_resource(&parent)};
    ash_arena_init(&child, &config);
    ash_scope scope = ash_scope_begin(&parent);
    bool made = ash_alloc(&child, 100, 8);
    ash_scope_end(&scope);
    return !made;
}
