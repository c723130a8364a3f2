/* must-not-compile: arrays with make_array */
#include <ashlar.hpp>

void make(ash::arena &arena)
{
    (void)arena.make<int[3]>();
}
