/*
 * map.h - the object map of one block: where objects begin, and which of them live.
 *
 * Two bits a granule of 8 bytes, in leaves of 64, under a 64-ary tree of nodes. With p the granule
 * of an object's address and h the one where its memory begins (its type word included):
 *
 *     untyped   h = p        | object ...
 *     typed     h = p - 1    | word | object ...
 *     wide      h = p - 2    | word | word | object ...        (arrays)
 *
 *     start  set at p, clear at the granules of its words
 *     head   set at h; cleared by delete, which so touches nothing of the object
 *
 * Objects only ever come below those there are, so nothing below the lowest is initialised, and
 * giving memory back, however much, clears nothing: what lies below `top` is garbage. A new object
 * reaches down to its leaf: it writes that leaf and the nodes over it that are new, and leaves those
 * it jumps over as they are; the bit `known` above tells them apart. So:
 *
 *   - at and above top, in leaves whose `known` bits are set up to the root, start and head are exact;
 *   - in the leaf and the nodes over top, head, live and typed bits below top are 0;
 *   - granules are counted so that the end of the block is the end of a leaf.
 *
 * Cost: one word a level, whatever the sizes: 3 levels for blocks to 2 MiB, 4 to 128 MiB.
 */
#ifndef ASHLAR_SRC_MAP_H
#define ASHLAR_SRC_MAP_H

#include "ashlar/arena.h"
#include "base.h"

enum { ASH_GRANULE_ = 8, ASH_LEAF_SPAN_ = 64 * ASH_GRANULE_ };

#define ASH_NOWHERE_ SIZE_MAX

typedef enum ash_kind_ { /* its value: the granules in front of the object */
    ASH_UNTYPED_ = 0,
    ASH_TYPED_ = 1,
    ASH_WIDE_ = 2,
    ASH_DEAD_,
    ASH_NOTHING_
} ash_kind_;

/* Bytes of leaves and nodes for objects in [lowest, end); SIZE_MAX if that is more than they can map. */
size_t ash_map_size_(const char *lowest, const char *end);

/* Sets up a map over `storage` for them; writes none of the storage. */
void ash_map_init_(ash_map_ *map, void *storage, char *lowest, char *end);

static inline size_t ash_granule_(const ash_map_ *map, const void *p)
{
    return ((uintptr_t)p - map->origin) / ASH_GRANULE_;
}

static inline char *ash_granule_address_(const ash_map_ *map, size_t granule)
{
    return (char *)(map->origin + granule * ASH_GRANULE_);
}

/* An object comes at granule `object`, the words in front of it included below `top`, the granule
 * of the lowest one yet (ASH_NOWHERE_ if there is none). */
void ash_map_add_(ash_map_ *map, size_t object, ash_kind_ kind, size_t top);

/* Its head is cleared. */
void ash_map_remove_(ash_map_ *map, size_t object, ash_kind_ kind);

/* What is at `granule`, which is at or above `top`? Of a live object: its kind. */
ash_kind_ ash_map_find_(const ash_map_ *map, size_t granule, size_t top);

/* The lowest live head at or above `granule`, which is top or a known object's; typed: with a word. */
size_t ash_map_next_(const ash_map_ *map, size_t granule);
size_t ash_map_next_typed_(const ash_map_ *map, size_t granule);

/* Where objects are or were, for walks: the lowest at or above top; the next above a known one. */
size_t ash_map_first_start_(const ash_map_ *map, size_t top);
size_t ash_map_next_start_(const ash_map_ *map, size_t start);

/* What the head at granule `head` belongs to. */
ash_kind_ ash_map_kind_(const ash_map_ *map, size_t head);

/* Forgets all below `top`, which was a top before, or is ASH_NOWHERE_. */
void ash_map_rewind_(ash_map_ *map, size_t top);

/* Are nodes and leaves at and above top consistent? O(all of it). */
bool ash_map_check_(const ash_map_ *map, size_t top);

#endif
