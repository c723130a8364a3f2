/* must-not-compile: (the alignment is over ASH_ALIGN_MAX|alignment must be) */
#include <ashlar.hpp>

struct alignas(2 << 20) huge {
    char first;
};

huge *make(ash::arena &arena)
{
    return arena.make<huge>();
}
