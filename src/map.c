#include "map.h"

#define FROM(i)   ASH_FROM_(i)
#define bit_of(i) ASH_BIT_(i)

/* Leaves, counted from the origin: those below the lowest one are not kept. */
typedef struct shape {
    uintptr_t origin;
    size_t count, missing;
} shape;

static shape shape_of(const char *lowest, const char *end)
{
    uintptr_t origin = ash_down_((uintptr_t)lowest, ASH_NODE_SPAN_);
    size_t missing = ((uintptr_t)lowest - origin) / ASH_LEAF_SPAN_;
    size_t count = (ash_up_((uintptr_t)end, ASH_GRANULE_) - origin) / ASH_LEAF_SPAN_ + 1;
    return (shape){origin, count, missing};
}

size_t ash_map_size_(const char *lowest, const char *end)
{
    shape of = shape_of(lowest, end);
    size_t size = (of.count - of.missing) * sizeof(ash_leaf_);
    size_t count = of.count;
    unsigned levels = 0;
    do {
        count = (count + 63) / 64;
        size += count * sizeof(ash_node_);
        levels++;
    } while (count > 1);
    return levels > ASH_MAP_LEVELS_ ? SIZE_MAX : size;
}

void ash_map_init_(ash_map_ *map, void *storage, char *lowest, char *end)
{
    shape of = shape_of(lowest, end);
    size_t count = of.count, at = count - 1;
    ash_node_ *nodes = (ash_node_ *)((ash_leaf_ *)storage + (count - of.missing));
    map->origin = of.origin;
    map->end = map->top = end;
    map->last = ash_granule_(map, end);
    map->leaves = (ash_leaf_ *)((uintptr_t)storage - of.missing * sizeof(ash_leaf_));
    map->leaves[at] = (ash_leaf_){bit_of(map->last), 0};
    map->levels = 0;
    do {
        count = (count + 63) / 64;
        map->nodes[map->levels++] = nodes;
        nodes[at / 64] = (ash_node_){bit_of(at), 0, bit_of(at)};
        nodes += count;
        at /= 64;
    } while (count > 1);
    map->doubt = 1;
    map->sure = map->last;
}

static void clear_typed(ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64)
        if (map->nodes[level][at / 64].typed &= ~bit_of(at))
            break;
}

/* Few leaves that an object jumps over are written: then those above stay beyond doubt. */
void ash_map_jump_(ash_map_ *map, size_t at, size_t old)
{
    if (old - at > ASH_JUMP_MOST_) {
        map->sure = (at + 1) * 64;
        return;
    }
    for (size_t between = at + 1; between < old; between++) {
        map->leaves[between] = (ash_leaf_){0, 0};
        map->nodes[0][between / 64].known |= bit_of(between);
    }
}

/* Top has risen to this leaf, not step by step. */
static void rise_to(ash_map_ *map, size_t leaf)
{
    ash_map_lift_(map, leaf);
    if (leaf / 64 == map->last / 64 / 64)
        map->doubt = 1;
}

void ash_map_leave_(ash_map_ *map, size_t at)
{
    if (!ash_typed_heads_(&map->leaves[at]))
        clear_typed(map, at);
}

void ash_map_descend_(ash_map_ *map, size_t leaf, size_t from)
{
    size_t at = leaf, old = from;
    if (map->nodes[map->levels - 1]->typed)
        ash_map_leave_(map, from);
    for (ash_node_ *const *nodes = map->nodes; at != old; nodes++) {
        uint64_t bit = bit_of(at);
        at /= 64;
        old /= 64;
        ash_node_ *node = *nodes + at;
        if (at == old) {
            node->live |= bit;
            node->known |= bit;
        } else {
            *node = (ash_node_){.live = bit, .known = bit};
        }
    }
    if (leaf / 64 + 1 < from / 64)
        map->doubt = map->levels;
    if (from - leaf > 1)
        ash_map_jump_(map, leaf, from);
}

/* Makes the leaf of `granule` known. */
static ash_leaf_ *reach(ash_map_ *map, size_t granule, size_t top)
{
    size_t at = granule / 64, old = top / 64;
    if (at == old)
        return &map->leaves[at];
    ash_map_descend_(map, at, old);
    map->leaves[at] = (ash_leaf_){0, 0};
    return &map->leaves[at];
}

void ash_map_set_typed_(ash_map_ *map, size_t at)
{
    for (unsigned level = 0; level < map->levels; level++, at /= 64) {
        uint64_t *typed = &map->nodes[level][at / 64].typed, old = *typed;
        *typed = old | bit_of(at);
        if (old)
            break;
    }
}

void ash_map_add_(ash_map_ *map, size_t object, ash_kind_ kind, size_t top)
{
    size_t head = object - (size_t)kind;
    (void)reach(map, object, top);
    ash_leaf_ *leaf = reach(map, head, head / 64 == object / 64 ? head : object);
    leaf->head |= bit_of(head);
    if (head / 64 != object / 64 && !map->leaves[object / 64].head)
        ash_map_emptied_(map, object / 64); /* it has the object, and the next leaf the head */
    if (kind == ASH_UNTYPED_)
        return;
    leaf->mark |= bit_of(head);
    if (kind == ASH_WIDE_)
        map->leaves[(head + 1) / 64].mark |= bit_of(head + 1);
    ash_map_set_typed_(map, head / 64);
}

void ash_map_emptied_(ash_map_ *map, size_t at)
{
    for (ash_node_ *const *nodes = map->nodes;; nodes++) { /* the root is never empty */
        uint64_t *live = &(*nodes)[at / 64].live;
        *live &= ~bit_of(at);
        if (*live)
            break;
        at /= 64;
    }
}

void ash_map_remove_(ash_map_ *map, size_t object, ash_kind_ kind, size_t top)
{
    size_t head = object - (size_t)kind, at = head / 64;
    ash_leaf_ *leaf = &map->leaves[at];
    leaf->head &= ~bit_of(head);
    if (kind == ASH_WIDE_)
        map->leaves[(head + 1) / 64].mark &= ~bit_of(head + 1);
    if (kind != ASH_UNTYPED_) {
        leaf->mark &= ~bit_of(head);
        if (at != top / 64 && !ash_typed_heads_(leaf))
            clear_typed(map, at);
    }
    map->leaves[object / 64].mark |= bit_of(object);
    if (!leaf->head && at != top / 64)
        ash_map_emptied_(map, at);
}

/* Up to a node that has something above, and down again along the lowest; all below is forgotten. */
size_t ash_map_rise_(ash_map_ *map, size_t top)
{
    size_t at = top / 64;
    uint64_t above = map->leaves[at].head;
    ash_node_ *node = NULL;
    unsigned level = 0;
    for (; !above; level++, at /= 64) {
        node = &map->nodes[level][at / 64];
        above = node->live & FROM(at) & ~bit_of(at);
    }
    if (node)
        node->live = above;
    while (level > 0) {
        at = at * 64 + ash_lowest_bit_(node->live);
        ash_node_forget_(node, at);
        if (--level > 0)
            node = &map->nodes[level - 1][at];
    }
    ash_leaf_ *leaf = &map->leaves[at];
    at = at * 64 + ash_lowest_bit_(leaf->head);
    leaf->mark &= FROM(at);
    rise_to(map, at / 64);
    return at;
}

ash_kind_ ash_map_find_(const ash_map_ *map, size_t granule, size_t top)
{
    size_t at = granule / 64, bit = granule % 64;
    if (!ash_map_known_(map, at))
        return ASH_NOTHING_;
    const ash_leaf_ *leaf = &map->leaves[at];
    if (bit >= 2)
        return ash_map_decode_(leaf->head >> (bit - 2), leaf->mark >> (bit - 2));
    ash_leaf_ below = {0, 0}; /* below top is garbage */
    if (at > top / 64 && ash_map_known_(map, at - 1))
        below = map->leaves[at - 1];
    return ash_map_decode_(leaf->head << (2 - bit) | below.head >> (62 + bit),
                           leaf->mark << (2 - bit) | below.mark >> (62 + bit));
}

ash_kind_ ash_map_kind_(const ash_map_ *map, size_t head)
{
    if (!(map->leaves[head / 64].mark & bit_of(head)))
        return ASH_UNTYPED_;
    return map->leaves[(head + 1) / 64].mark & bit_of(head + 1) ? ASH_WIDE_ : ASH_TYPED_;
}

typedef enum search { LIVE, TYPED } search;

static uint64_t leaf_bits(const ash_leaf_ *leaf, search what)
{
    return what == LIVE ? leaf->head : ash_typed_heads_(leaf);
}

static uint64_t node_bits(const ash_node_ *node, search what)
{
    return what == LIVE ? node->live : node->typed;
}

/* The lowest set bit at or above `granule`, or last; up to where one is left, and down again. */
static inline size_t next(const ash_map_ *map, size_t granule, search what)
{
    size_t at = granule / 64;
    uint64_t bits = leaf_bits(&map->leaves[at], what) & FROM(granule);
    unsigned level = 0;
    while (!bits) {
        if (level == map->levels)
            return map->last;
        bits = node_bits(&map->nodes[level][at / 64], what) & FROM(at) & ~bit_of(at);
        at /= 64;
        level++;
    }
    while (level > 0) {
        level--;
        at = at * 64 + ash_lowest_bit_(bits);
        bits =
            level ? node_bits(&map->nodes[level - 1][at], what) : leaf_bits(&map->leaves[at], what);
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

/* The next leaf above `at` that is known; the one of the end is. */
static size_t next_known(const ash_map_ *map, size_t at)
{
    uint64_t bits = 0;
    unsigned level = 0;
    for (; level < map->levels && !bits; level++, at /= 64)
        bits = map->nodes[level][at / 64].known & FROM(at) & ~bit_of(at);
    if (!bits)
        return map->last / 64;
    while (--level > 0) {
        at = at * 64 + ash_lowest_bit_(bits);
        bits = map->nodes[level - 1][at].known;
    }
    return at * 64 + ash_lowest_bit_(bits);
}

/* A leaf may have nothing: what begins in the one below ends there. */
static size_t next_begin(const ash_map_ *map, size_t at, uint64_t from)
{
    uint64_t bits = (map->leaves[at].head | map->leaves[at].mark) & from;
    while (!bits) {
        at = next_known(map, at);
        bits = map->leaves[at].head | map->leaves[at].mark;
    }
    return at * 64 + ash_lowest_bit_(bits);
}

size_t ash_map_first_(const ash_map_ *map, size_t top)
{
    return next_begin(map, top / 64, FROM(top));
}

size_t ash_map_after_(const ash_map_ *map, size_t object)
{
    return next_begin(map, object / 64, FROM(object) & ~bit_of(object));
}

void ash_map_raise_(ash_map_ *map, size_t old, size_t top)
{
    ash_leaf_ *leaf = &map->leaves[top / 64];
    leaf->head &= FROM(top);
    if (leaf->mark)
        leaf->mark &= FROM(top);
    rise_to(map, top / 64);
    old /= 64;
    top /= 64;
    for (unsigned level = 0; old != top; level++, old /= 64, top /= 64) {
        ash_node_ *node = &map->nodes[level][top / 64];
        node->live &= FROM(top);
        ash_node_forget_(node, top);
    }
}

typedef struct summary {
    bool right, live, typed;
} summary;

static summary check_leaf(const ash_map_ *map, size_t at, size_t top)
{
    const ash_leaf_ *leaf = &map->leaves[at];
    bool clean = at != top / 64 || !((leaf->head | leaf->mark) & ~FROM(top));
    return (summary){clean, leaf->head, ash_typed_heads_(leaf)};
}

/* `height` levels of nodes and the leaves stand under and include this one. */
static summary check_node(const ash_map_ *map, unsigned height, size_t at, size_t top)
{
    if (height == 0)
        return check_leaf(map, at, top);
    const ash_node_ *node = &map->nodes[height - 1][at];
    size_t lowest = top >> (6 * height);
    uint64_t known = node->known;
    bool right =
        !((node->live | node->typed) & ~known) && (at != lowest / 64 || !(known & ~FROM(lowest)));
    for (uint64_t left = known; left && right; left &= left - 1) {
        size_t child = at * 64 + ash_lowest_bit_(left);
        summary below = check_node(map, height - 1, child, top);
        bool live = node->live & bit_of(child), typed = node->typed & bit_of(child);
        right = below.right && live == below.live &&
                (typed == below.typed || (typed && child == lowest));
    }
    return (summary){right, node->live, node->typed};
}

/* Is what is believed without asking, leaves below sure and nodes above the levels of doubt, known? */
static bool check_belief(const ash_map_ *map, size_t top)
{
    for (unsigned level = map->levels; level-- > 0;) {
        size_t span = (size_t)64 << 6 * level, end = level < map->doubt ? map->sure : map->last;
        for (size_t at = top / span; at < (end + span - 1) / span; at++)
            if (!(map->nodes[level][at / 64].known & bit_of(at)))
                return false;
    }
    return map->sure <= map->last && map->doubt >= 1 && map->doubt <= map->levels;
}

bool ash_map_check_(const ash_map_ *map, size_t top)
{
    ash_leaf_ last = map->leaves[map->last / 64];
    return ash_map_told_(map, top / 64, map->levels) &&
           ash_map_told_(map, map->last / 64, map->levels) &&
           (last.head & ~last.mark & bit_of(map->last)) && check_belief(map, top) &&
           check_node(map, map->levels, 0, top).right;
}
