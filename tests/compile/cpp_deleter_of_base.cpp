/* must-not-compile: (no matching|could not convert|no viable) */
#include <ashlar.hpp>

struct base {
};
struct derived : base {
};

/* The destructor of derived would not run. */
ash::unique_ptr<base> widen(ash::unique_ptr<derived> pointer)
{
    return ash::unique_ptr<base>(static_cast<ash::unique_ptr<derived> &&>(pointer));
}
