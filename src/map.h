/*
 * map.h - the object map of one block: where objects begin, and which of them live.
 *
 * Two bits a granule of 8 bytes, head and mark, in leaves of 64, under a 64-ary tree of nodes. As an
 * object lies in memory, granule by granule:
 *
 *     untyped   | object ...                      head
 *     typed     | word | object ...               head+mark, -
 *     wide      | word | word | object ...        head+mark, mark, -        (arrays)
 *     dead      | object ...                      mark, where the object was
 *
 * So what most objects do, come and go without a type, changes one bit; delete touches nothing of the
 * object itself.
 *
 * Objects only ever come below those there are, so nothing below the lowest is initialised, and
 * giving memory back, however much, clears next to nothing: what lies below `top` is garbage. A new
 * object reaches down to its leaf: it writes that leaf and the nodes over it that are new, and leaves
 * those it jumps over as they are; the bit `known` above tells them apart. So:
 *
 *   - at and above top, in leaves whose `known` bits are set up to the root, head and mark are exact;
 *   - so are live and typed in the nodes over those, but that the typed bits over top's own leaf may be
 *     set without need: no search from top up looks at them, they become exact when top moves down to
 *     another leaf, and the last typed object of top's leaf goes without a walk up the tree;
 *   - all bits below top in the leaf that top lies in and in the nodes over it are 0;
 *   - at the end of the block stands a head without a mark that is nobody's and always lives. So the leaf
 *     that top lies in is never empty, and every search for a live one finds something.
 *
 * Most leaves are believed without asking the nodes: from top up to the granule `sure` all are known.
 * An object that jumps over a few leaves writes them, and sure stays; one that jumps over many becomes
 * the end of what is sure. Beyond, `doubt` levels of nodes are asked: one until an object has jumped
 * over a whole node, all of them then.
 *
 * Leaves are stretches of 512 bytes of address space, the lowest nodes of 32 KiB, so whether two
 * addresses share one, and which bit is whose, needs nothing but the addresses.
 *
 * Cost: one word a level, whatever the sizes: 3 levels for blocks to 2 MiB, 4 to 128 MiB.
 */
#ifndef ASHLAR_SRC_MAP_H
#define ASHLAR_SRC_MAP_H

#include "ashlar/arena.h"
#include "base.h"

enum { ASH_GRANULE_ = 8 };

/* What is at a granule. Of a live object the value is how many granules are in front of it. */
typedef enum ash_kind_ {
    ASH_UNTYPED_ = 0,
    ASH_TYPED_ = 1,
    ASH_WIDE_ = 2,
    ASH_DEAD_,
    ASH_NOTHING_
} ash_kind_;

/* Bytes of leaves and nodes for objects in [lowest, end); SIZE_MAX if that is more than they can map. */
size_t ash_map_size_(const char *lowest, const char *end);

/* Sets up a map over `storage` for them; of the storage it writes one word a level. */
void ash_map_init_(ash_map_ *map, void *storage, char *lowest, char *end);

/* Rounded up, for the end of a block may be anywhere. */
static inline size_t ash_granule_(const ash_map_ *map, const void *p)
{
    return ((uintptr_t)p + (ASH_GRANULE_ - 1) - map->origin) / ASH_GRANULE_;
}

/* Of any address: if it is no multiple of 8, or below the origin, more than any granule of the block. */
static inline size_t ash_exact_granule_(const ash_map_ *map, uintptr_t at)
{
    uintptr_t bytes = at - map->origin;
    return bytes >> 3 | bytes << (sizeof bytes * 8 - 3);
}

static inline char *ash_granule_address_(const ash_map_ *map, size_t granule)
{
    return (char *)(map->origin + granule * ASH_GRANULE_);
}

#define ASH_BIT_(granule)  ((uint64_t)1 << ((granule)&63))
#define ASH_FROM_(granule) (~(uint64_t)0 << ((granule)&63)) /* its bit and all above */

/*
 * All below `at` under a node that top lies under is forgotten. Each word is written on its own: what
 * compilers make of two in one access waits, on reading, for narrow stores that came right before.
 */
static inline void ash_node_forget_(ash_node_ *node, size_t at)
{
    node->known &= ASH_FROM_(at);
    if (node->typed)
        node->typed &= ASH_FROM_(at);
}

static inline uint64_t ash_typed_heads_(const ash_leaf_ *leaf)
{
    return leaf->head & leaf->mark;
}

/* An object comes at granule `object`; it and the words in front of it lie below `top`, the granule
 * of the lowest one yet, or of the end of the block. */
void ash_map_add_(ash_map_ *map, size_t object, ash_kind_ kind, size_t top);

/* Top is about to move down from this leaf, and a node over it has `typed`: it becomes exact there. */
void ash_map_leave_(ash_map_ *map, size_t leaf);

/*
 * Top moves down from leaf `old` to leaf `at`, which becomes known and will have a live head. An object
 * that leaves out nodes of the lowest level leaves garbage in them: see `doubt`.
 */
void ash_map_descend_(ash_map_ *map, size_t leaf, size_t from);

/* Top has moved down from leaf `old` to leaf `at` under the same node, or the next one: what lies
 * between is made known if it is little, and else `sure` ends there. */
enum { ASH_JUMP_MOST_ = 8 };
void ash_map_jump_(ash_map_ *map, size_t at, size_t old);

/* Its head is cleared. If it is the lowest one, ash_map_rise_ has to follow. */
void ash_map_remove_(ash_map_ *map, size_t object, ash_kind_ kind, size_t top);

/* The first head with a word has come to a leaf; the last head of any kind of a leaf that top is not in
 * has gone. */
void ash_map_set_typed_(ash_map_ *map, size_t leaf);
void ash_map_emptied_(ash_map_ *map, size_t leaf);

/* Top has risen to this leaf: what lies from there to sure, or in the leaf, is known. */
static inline void ash_map_lift_(ash_map_ *map, size_t leaf)
{
    size_t next = (leaf + 1) * 64;
    if (map->sure < next)
        map->sure = ASH_MIN(next, map->last);
}

/* The head at `top` is gone; returns the new top, the next one. */
size_t ash_map_rise_(ash_map_ *map, size_t top);

/* Is this leaf known, by so many levels of nodes? All are read; what stands under a bit that is not set does
 * not count. */
static inline bool ash_map_told_(const ash_map_ *map, size_t leaf, unsigned levels)
{
    uint64_t known = 1;
    for (unsigned level = 0; level < levels; level++, leaf /= 64)
        known &= map->nodes[level][leaf / 64].known >> leaf % 64;
    return known;
}

/* Has this leaf, not below top's, been written since the objects last came there? */
static inline bool ash_map_known_(const ash_map_ *map, size_t leaf)
{
    return leaf < map->sure / 64 || ash_map_told_(map, leaf, map->doubt);
}

/*
 * Three granules, the last one in question, as bits 0, 1 and 2: what is there? A live object's kind,
 * ASH_DEAD_ or ASH_NOTHING_.
 */
static inline ash_kind_ ash_map_decode_(uint64_t head, uint64_t mark)
{
    uint64_t typed = head & mark;
    if (head & 4)
        return mark & 4 ? ASH_NOTHING_ : ASH_UNTYPED_;
    if (typed & 2)
        return mark & 4 ? ASH_NOTHING_ : ASH_TYPED_;
    if (mark & 4)
        return ASH_DEAD_;
    return (typed & 1) && (mark & 2) && !(head & 2) ? ASH_WIDE_ : ASH_NOTHING_;
}

/* What is at `granule`, which is at or above `top`? */
ash_kind_ ash_map_find_(const ash_map_ *map, size_t granule, size_t top);

/* The same for a top: that of a block without objects is its end. */
static inline char *ash_top_address_(const ash_map_ *map, size_t granule)
{
    return granule == map->last ? map->end : ash_granule_address_(map, granule);
}

/* The lowest live head at or above `granule`, which is top or a known object's: map->last if there is no
 * other. typed: one with a word, or map->last. */
size_t ash_map_next_(const ash_map_ *map, size_t granule);
size_t ash_map_next_typed_(const ash_map_ *map, size_t granule);

/* Where objects begin, or dead ones were: the lowest at or above top; the next above a known object,
 * or map->last. */
size_t ash_map_first_(const ash_map_ *map, size_t top);
size_t ash_map_after_(const ash_map_ *map, size_t object);

/* What the head at granule `head` belongs to. */
ash_kind_ ash_map_kind_(const ash_map_ *map, size_t head);

/* Top rises from `old` to `top`, which was a top before, and all below is forgotten. */
void ash_map_raise_(ash_map_ *map, size_t old, size_t top);

/* Are nodes and leaves at and above top consistent? O(all of it). */
bool ash_map_check_(const ash_map_ *map, size_t top);

#endif
