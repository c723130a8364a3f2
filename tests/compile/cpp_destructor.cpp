/* must-not-compile: needs a destructor that it can call */
#include <ashlar.hpp>

class secret
{
    ~secret() = default;
};

secret *make(ash::arena &arena)
{
    return arena.make<secret>();
}
