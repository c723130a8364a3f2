/* Showing every byte of an arena, and checking that all it knows of itself agrees. */
#include "ashlar/object.h"

#include "base.h"
#include "block.h"
#include "object_internal.h"
#include "seal.h"
#include "table.h"

typedef struct walk {
    const ash_arena *arena;
    ash_walk_fn fn;
    void *ctx;
} walk;

static bool show(const walk *w, ash_walk_kind kind, const char *start, const char *end,
                 const ash_sealed_ *object)
{
    ash_walk_item item = {.kind = kind, .start = start, .size = (size_t)(end - start)};
    if (object) {
        item.type = object->type;
        item.count = object->count;
    }
    return start == end || w->fn(&item, w->ctx);
}

/* A piece of the objects' end: what is at `object`, where it begins, and what is known of it. */
typedef struct piece {
    char *begin, *object;
    ash_kind_ kind;
} piece;

static piece piece_at(const ash_map_ *map, size_t at)
{
    if (at == map->last)
        return (piece){map->end, map->end, ASH_NOTHING_};
    char *begin = ash_granule_address_(map, at);
    if (!(map->leaves[at / 64].head & ASH_BIT_(at)))
        return (piece){begin, begin, ASH_DEAD_};
    ash_kind_ kind = ash_map_kind_(map, at);
    return (piece){begin, begin + (size_t)kind * ASH_GRANULE_, kind};
}

static bool show_piece(const walk *w, const piece *p, const char *end)
{
    if (p->kind == ASH_DEAD_)
        return show(w, ASH_WALK_DEAD, p->object, end, NULL);
    ash_sealed_ sealed = {.count = 1};
    const char *stop = end;
    if (p->kind != ASH_UNTYPED_) {
        sealed = ash_object_unseal_(w->arena, p->object, p->kind);
        if (!sealed.valid) { /* nothing it says can be believed */
            sealed = (ash_sealed_){.count = 1};
        } else {
            if (sealed.type == &ash_defer_type_)
                sealed.count = 1;
            size_t size = sealed.count * sealed.type->size;
            stop = size < (size_t)(end - p->object) ? p->object + size + !size : end;
        }
    }
    return show(w, ASH_WALK_WORD, p->begin, p->object, NULL) &&
           show(w, ASH_WALK_OBJECT, p->object, stop, &sealed) &&
           show(w, ASH_WALK_PADDING, stop, end, NULL);
}

static bool show_objects(const walk *w, const ash_map_ *map, const char *top)
{
    size_t lowest = ash_granule_(map, top);
    piece now = piece_at(map, ash_map_first_(map, lowest));
    if (!show(w, ASH_WALK_DEAD, top, now.begin, NULL))
        return false;
    while (now.kind != ASH_NOTHING_) {
        piece next = piece_at(map, ash_map_after_(map, ash_granule_(map, now.object)));
        if (!show_piece(w, &now, next.begin))
            return false;
        now = next;
    }
    return true;
}

static bool show_block(const walk *w, const ash_block_ *b)
{
    const char *next = ash_block_next_(w->arena, b), *top = ash_block_top_(w->arena, b);
    const char *map = b->inner_map ? b->inner_map : next, *after = map + b->inner_map_size;
    return show(w, ASH_WALK_BLOCK, b->base, b->end, NULL) &&
           show(w, ASH_WALK_PLAIN, b->base, map, NULL) && show(w, ASH_WALK_MAP, map, after, NULL) &&
           show(w, ASH_WALK_PLAIN, after, next, NULL) && show(w, ASH_WALK_FREE, next, top, NULL) &&
           (top == b->end || show_objects(w, b->map, top));
}

bool ash_arena_walk(const ash_arena *arena, ash_walk_fn fn, void *ctx)
{
    walk w = {arena, fn, ctx};
    for (const ash_block_ *b = arena->oldest_; b; b = b->newer)
        if (!show_block(&w, b))
            return false;
    return true;
}

/* ---- check ---- */

static bool check_words(const ash_arena *arena, const ash_map_ *map, size_t top)
{
    for (size_t head = ash_map_next_typed_(map, top); head != map->last;
         head = ash_map_next_typed_(map, head + 1)) {
        ash_kind_ kind = ash_map_kind_(map, head);
        const char *object = ash_granule_address_(map, head + (size_t)kind);
        ash_sealed_ sealed = ash_object_unseal_(arena, object, kind);
        if (!sealed.valid)
            return false;
        if (sealed.type == &ash_defer_type_ && !ash_defer_valid_(arena, object, sealed.count))
            return false;
    }
    return true;
}

static bool check_map(const ash_arena *arena, const ash_block_ *b, const char *top)
{
    const ash_map_ *map = b->map;
    if (map->block != b || map->base != b->base || map->end != b->end ||
        ash_table_find_(arena, b->base) != map || ash_table_find_(arena, b->end - 1) != map)
        return false;
    size_t lowest = ash_granule_(map, top);
    return ash_map_check_(map, lowest) && ash_map_next_(map, lowest) == lowest &&
           check_words(arena, map, lowest);
}

static bool check_block(const ash_arena *arena, const ash_block_ *b, bool spare)
{
    const char *next = ash_block_next_(arena, b), *top = ash_block_top_(arena, b);
    if (b->base > next || next > top || top > b->end || (b->newer && b->newer->older != b))
        return false;
    if (b->inner_map && (b->map != &b->own_map || b->inner_map < b->base || b->inner_map > next))
        return false;
    if (spare && ash_block_used_(arena, b))
        return false;
    return b->map ? check_map(arena, b, top) : top == b->end;
}

/* What the paths in the headers lean on. */
static bool check_hot_words(const ash_arena *arena)
{
    const ash_map_ *map = arena->map_;
    if (arena->limit_ != ASH_MIN(arena->top_, arena->lid_))
        return false;
    if (!arena->leaf_)
        return true;
    size_t leaf = map ? ash_granule_(map, arena->top_) / 64 : 0;
    return map && arena->limit_ == arena->top_ && arena->leaf_ == &map->leaves[leaf] &&
           arena->node_ == &map->nodes[0][leaf / 64];
}

bool ash_arena_check(const ash_arena *arena)
{
    size_t used = 0, maps = 0, held = 0;
    uint64_t serial = 0;
    bool spare = !arena->block_, found = spare;
    for (const ash_block_ *b = arena->oldest_; b; b = b->newer) {
        if (!check_block(arena, b, spare) || (!spare && b->serial <= serial))
            return false;
        serial = b->serial;
        used += ash_block_used_(arena, b);
        held += b->size;
        maps += b->map != NULL;
        if (b == arena->block_)
            found = spare = true;
    }
    return found && used == ash_arena_used(arena) && maps == arena->maps_ && held <= arena->held_ &&
           (!arena->block_ || arena->map_ == arena->block_->map) && check_hot_words(arena) &&
           ash_scope_check_(arena);
}
