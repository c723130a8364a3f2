/*
 * ashlar.h - the whole library by its short name; see ashlar/ashlar.h.
 */
#include "ashlar/ashlar.h"
