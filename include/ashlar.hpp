/*
 * ashlar.hpp - the C++ side by its short name; see ashlar/ashlar.hpp.
 */
#include "ashlar/ashlar.hpp"
