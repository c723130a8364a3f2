/*
 * ashlar.h - all of the library, level by level.
 */
#ifndef ASHLAR_H
#define ASHLAR_H

#include "ashlar/attr.h"
#include "ashlar/fatal.h"
#include "ashlar/resource.h"

#include "ashlar/arena.h"
#include "ashlar/object.h"

#include "ashlar/debug.h"
#include "ashlar/pool.h"
#include "ashlar/scope.h"

#include "ashlar/str.h"
#include "ashlar/vec.h"

#endif
