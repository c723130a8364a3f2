/* must-not-compile: name the type without const */
#include <ashlar.hpp>

const int *make(ash::arena &arena)
{
    return arena.make<const int>(3);
}
