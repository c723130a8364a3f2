/* must-not-compile: makes objects, not void */
#include <ashlar.hpp>

void *make(ash::arena &arena)
{
    return arena.make<void>();
}
