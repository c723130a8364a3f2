/*
 * side.h - memory for bookkeeping that lies apart from what it describes.
 *
 * Where an arena's upstream is the heap or the pages of the system, its object maps and the table
 * that finds them lie in chunks of pages of their own, with a page without access at either side: no
 * overflow reaches them. Elsewhere everything comes from upstream or the block, and there is no side.
 */
#ifndef ASHLAR_SRC_SIDE_H
#define ASHLAR_SRC_SIDE_H

#include "ashlar/arena.h"

/* May this arena have one? */
bool ash_side_allowed_(const ash_arena *arena);

/* `size` bytes at a multiple of 16, or NULL: not allowed, over the arena's limit, or refused. */
void *ash_side_alloc_(ash_arena *arena, size_t size);
void ash_side_free_(ash_arena *arena, void *p);

#endif
