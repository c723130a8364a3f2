/* must-not-compile: cannot make an object of an abstract class */
#include <ashlar.hpp>

struct shape {
    virtual void draw() = 0;
    virtual ~shape() = default;
};

shape *make(ash::arena &arena)
{
    return arena.make<shape>();
}
