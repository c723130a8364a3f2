/* must-not-compile: (deleted|implicitly-deleted) */
#include <ashlar.hpp>

ash::arena move(ash::arena &arena)
{
    return static_cast<ash::arena &&>(arena);
}
