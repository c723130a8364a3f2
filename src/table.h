/*
 * table.h - which block does an address belong to? Answered for blocks that have an object map.
 *
 * One map is simply remembered. Once there were several they stand in a hash table: a block of up to 2^s bytes is entered
 * under its addresses >> s, which are two at most, and a look-up tries each s there is, a few where
 * blocks double, one where they are equal. No entry lies further than PROBES slots from its place;
 * one that would makes the table grow. So a look-up is O(1), and at worst PROBES slots for each s.
 */
#ifndef ASHLAR_SRC_TABLE_H
#define ASHLAR_SRC_TABLE_H

#include "ashlar/arena.h"

/* The map of the block that `p` lies in, or NULL. */
ash_map_ *ash_table_find_(const ash_arena *arena, const void *p);

/* false if there is no memory for the table. */
bool ash_table_add_(ash_arena *arena, ash_map_ *map);
void ash_table_remove_(ash_arena *arena, ash_map_ *map);

/* Gives back the memory of a table in which there is nothing. */
void ash_table_trim_(ash_arena *arena);

#endif
