#include "map.h"

#define ONE       ((uint64_t)1)
#define FROM(bit) (~(uint64_t)0 << ((bit) & 63)) /* this bit and all above */

static uint64_t bit_of(size_t i)
{
    return ONE << (i & 63);
}

/* The end is rounded up: the last granule may be a part of one. */
static size_t leaves_for(const char *lowest, const char *end)
{
    size_t span = ash_up_((uintptr_t)end, ASH_GRANULE_) - (uintptr_t)lowest;
    return span / ASH_LEAF_SPAN_ + !!(span % ASH_LEAF_SPAN_);
}

size_t ash_map_size_(const char *lowest, const char *end)
{
    size_t count = leaves_for(lowest, end);
    size_t size = count * sizeof(ash_leaf_);
    unsigned levels = 0;
    while (count > 1) {
        count = (count + 63) / 64;
        size += count * sizeof(ash_node_);
        levels++;
    }
    return levels > ASH_MAP_LEVELS_ ? SIZE_MAX : size;
}

void ash_map_init_(ash_map_ *map, void *storage, char *lowest, char *end)
{
    size_t count = leaves_for(lowest, end);
    map->origin = ash_up_((uintptr_t)end, ASH_GRANULE_) - count * ASH_LEAF_SPAN_;
    map->end = map->top = end;
    map->leaves = storage;
    map->levels = 0;
    ash_node_ *nodes = (ash_node_ *)(map->leaves + count);
    while (count > 1) {
        count = (count + 63) / 64;
        map->nodes[map->levels++] = nodes;
        nodes += count;
    }
}

/*
 * Makes the leaf of `granule` known, where `top` is the lowest granule in use. The words that top
 * lies in are cleaned below it first: the new object will lie over what they say there.
 */
static ash_leaf_ *reach(ash_map_ *map, size_t granule, size_t top)
{
    size_t at = granule / 64, old = top == ASH_NOWHERE_ ? ASH_NOWHERE_ : top / 64;
    ash_leaf_ *leaf = &map->leaves[at];
    if (old != ASH_NOWHERE_)
        map->leaves[old].start &= FROM(top);
    if (at == old)
        return leaf;
    leaf->start = leaf->head = 0;
    for (unsigned level = 0; level < map->levels; level++) {
        size_t up = at / 64, old_up = old == ASH_NOWHERE_ ? ASH_NOWHERE_ : old / 64;
        ash_node_ *node = &map->nodes[level][up];
        if (old != ASH_NOWHERE_)
            map->nodes[level][old_up].known &= FROM(old);
        if (up == old_up) {
            node->known |= bit_of(at);
            break;
        }
        *node = (ash_node_){.known = bit_of(at)};
        at = up;
        old = old_up;
    }
    return leaf;
}

static uint64_t typed_heads(const ash_leaf_ *leaf)
{
    return leaf->head & ~leaf->start; /* an untyped object starts at its head */
}

static void set_live(ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64) {
        uint64_t *live = &map->nodes[level][at / 64].live, old = *live;
        *live = old | bit_of(at);
        if (old)
            break;
    }
}

static void set_typed(ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64) {
        uint64_t *typed = &map->nodes[level][at / 64].typed, old = *typed;
        *typed = old | bit_of(at);
        if (old)
            break;
    }
}

static void clear_live(ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64)
        if (map->nodes[level][at / 64].live &= ~bit_of(at))
            break;
}

static void clear_typed(ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64)
        if (map->nodes[level][at / 64].typed &= ~bit_of(at))
            break;
}

void ash_map_add_(ash_map_ *map, size_t object, ash_kind_ kind, size_t top)
{
    ash_leaf_ *leaf = reach(map, object, top);
    leaf->start |= bit_of(object);
    size_t head = object - (size_t)kind;
    if (kind != ASH_UNTYPED_) {
        leaf = reach(map, head, object);
        if (!typed_heads(leaf))
            set_typed(map, head / 64);
    }
    if (!leaf->head)
        set_live(map, head / 64);
    leaf->head |= bit_of(head);
}

void ash_map_remove_(ash_map_ *map, size_t object, ash_kind_ kind)
{
    size_t head = object - (size_t)kind;
    ash_leaf_ *leaf = &map->leaves[head / 64];
    leaf->head &= ~bit_of(head);
    if (!leaf->head)
        clear_live(map, head / 64);
    if (kind != ASH_UNTYPED_ && !typed_heads(leaf))
        clear_typed(map, head / 64);
}

/* Has this leaf been written since the objects last came there? */
static bool known(const ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64)
        if (!(map->nodes[level][at / 64].known & bit_of(at)))
            return false;
    return true;
}

/* Three granules, the last one `granule`, as bits 0, 1 and 2 of *start and *head. */
static void window(const ash_map_ *map, size_t granule, unsigned *start, unsigned *head)
{
    size_t at = granule / 64, bit = granule % 64;
    const ash_leaf_ *leaf = &map->leaves[at];
    if (bit >= 2) {
        *start = (unsigned)(leaf->start >> (bit - 2)) & 7;
        *head = (unsigned)(leaf->head >> (bit - 2)) & 7;
        return;
    }
    uint64_t low_start = 0, low_head = 0;
    if (at > 0 && known(map, at - 1)) {
        low_start = map->leaves[at - 1].start;
        low_head = map->leaves[at - 1].head;
    }
    *start = (unsigned)(leaf->start << (2 - bit) | low_start >> (62 + bit)) & 7;
    *head = (unsigned)(leaf->head << (2 - bit) | low_head >> (62 + bit)) & 7;
}

ash_kind_ ash_map_find_(const ash_map_ *map, size_t granule, size_t top)
{
    if (!known(map, granule / 64))
        return ASH_NOTHING_;
    unsigned start, head;
    window(map, granule, &start, &head);
    if (granule - top < 2) /* what the window shows below top is garbage */
        head &= granule == top ? 4 : 6;
    if (!(start & 4))
        return ASH_NOTHING_;
    if (head & 4)
        return ASH_UNTYPED_;
    if ((head & 2) && !(start & 2))
        return ASH_TYPED_;
    if ((head & 1) && !(start & 3) && !(head & 2))
        return ASH_WIDE_;
    return ASH_DEAD_;
}

ash_kind_ ash_map_kind_(const ash_map_ *map, size_t head)
{
    if (map->leaves[head / 64].start & bit_of(head))
        return ASH_UNTYPED_;
    return map->leaves[(head + 1) / 64].start & bit_of(head + 1) ? ASH_TYPED_ : ASH_WIDE_;
}

typedef enum search { LIVE, TYPED } search;

static uint64_t leaf_bits(const ash_leaf_ *leaf, search what)
{
    return what == LIVE ? leaf->head : typed_heads(leaf);
}

static uint64_t node_bits(const ash_node_ *node, search what)
{
    return what == LIVE ? node->live : node->typed;
}

/* The lowest set bit at or above `granule`; up to where one is left, and down again. */
static inline size_t next(const ash_map_ *map, size_t granule, search what)
{
    size_t at = granule / 64;
    uint64_t bits = leaf_bits(&map->leaves[at], what) & FROM(granule);
    unsigned level = 0;
    while (!bits) {
        if (level == map->levels)
            return ASH_NOWHERE_;
        bits = node_bits(&map->nodes[level][at / 64], what) & FROM(at) & ~bit_of(at);
        at /= 64;
        level++;
    }
    while (level > 0) {
        level--;
        at = at * 64 + ash_lowest_bit_(bits);
        bits = level ? node_bits(&map->nodes[level - 1][at], what) : leaf_bits(&map->leaves[at], what);
    }
    return at * 64 + ash_lowest_bit_(bits);
}

size_t ash_map_next_(const ash_map_ *map, size_t granule)
{
    return next(map, granule, LIVE);
}

size_t ash_map_next_typed_(const ash_map_ *map, size_t granule)
{
    return next(map, granule, TYPED);
}

/* The next leaf above `at` that is known. */
static size_t next_known(const ash_map_ *map, size_t at)
{
    uint64_t bits = 0;
    unsigned level = 0;
    for (; level < map->levels && !bits; level++, at /= 64)
        bits = map->nodes[level][at / 64].known & FROM(at) & ~bit_of(at);
    if (!bits)
        return ASH_NOWHERE_;
    while (--level > 0) {
        at = at * 64 + ash_lowest_bit_(bits);
        bits = map->nodes[level - 1][at].known;
    }
    return at * 64 + ash_lowest_bit_(bits);
}

/* A leaf may hold no more than the head of an object that starts in the next. */
static size_t next_start(const ash_map_ *map, size_t at, uint64_t bits)
{
    while (!bits) {
        at = next_known(map, at);
        if (at == ASH_NOWHERE_)
            return ASH_NOWHERE_;
        bits = map->leaves[at].start;
    }
    return at * 64 + ash_lowest_bit_(bits);
}

size_t ash_map_first_start_(const ash_map_ *map, size_t top)
{
    return next_start(map, top / 64, map->leaves[top / 64].start & FROM(top));
}

size_t ash_map_next_start_(const ash_map_ *map, size_t start)
{
    return next_start(map, start / 64, map->leaves[start / 64].start & FROM(start) & ~bit_of(start));
}

void ash_map_rewind_(ash_map_ *map, size_t top)
{
    if (top == ASH_NOWHERE_)
        return;
    size_t at = top / 64;
    ash_leaf_ *leaf = &map->leaves[at];
    leaf->head &= FROM(top);
    bool live = leaf->head, typed = typed_heads(leaf);
    for (unsigned level = 0; level < map->levels; level++, at /= 64) {
        ash_node_ *node = &map->nodes[level][at / 64];
        node->live &= live ? FROM(at) : FROM(at) & ~bit_of(at);
        node->typed &= typed ? FROM(at) : FROM(at) & ~bit_of(at);
        live = node->live;
        typed = node->typed;
    }
}

typedef struct summary {
    bool right, live, typed;
} summary;

static summary check_leaf(const ash_map_ *map, size_t at, size_t top)
{
    const ash_leaf_ *leaf = &map->leaves[at];
    bool clean = at != top / 64 || !(leaf->head & ~FROM(top));
    return (summary){clean, leaf->head, typed_heads(leaf)};
}

/* `height` levels of nodes and the leaves stand under and include this one. */
static summary check_node(const ash_map_ *map, unsigned height, size_t at, size_t top)
{
    if (height == 0)
        return check_leaf(map, at, top);
    const ash_node_ *node = &map->nodes[height - 1][at];
    size_t lowest = top >> (6 * height);
    uint64_t in_use = at == lowest / 64 ? FROM(lowest) : ~(uint64_t)0;
    uint64_t known = node->known & in_use;
    bool right = !((node->live | node->typed) & ~known) && !(node->typed & ~node->live);
    for (uint64_t left = known; left && right; left &= left - 1) {
        size_t child = at * 64 + ash_lowest_bit_(left);
        summary below = check_node(map, height - 1, child, top);
        right = below.right && below.live == !!(node->live & bit_of(child)) &&
                below.typed == !!(node->typed & bit_of(child));
    }
    return (summary){right, node->live, node->typed};
}

bool ash_map_check_(const ash_map_ *map, size_t top)
{
    return top == ASH_NOWHERE_ ||
           (known(map, top / 64) && check_node(map, map->levels, 0, top).right);
}
