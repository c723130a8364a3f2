/* must-not-compile: (nodiscard|unused-result) */
#include <ashlar.hpp>

void make(ash::arena &arena)
{
    arena.make_unique<int>(3);
}
