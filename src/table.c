#include "table.h"

#include <string.h>

#include "base.h"
#include "block.h"
#include "side.h"

enum { PROBES = 8, SLOTS_LEAST = 32 };

static bool lies_in(const ash_map_ *map, const void *p)
{
    return (uintptr_t)p - (uintptr_t)map->base < (uintptr_t)map->end - (uintptr_t)map->base;
}

static unsigned scale_of(const ash_map_ *map)
{
    return ash_highest_bit_((uintptr_t)map->end - (uintptr_t)map->base) + 1;
}

/* The slot where the entries of a cell begin. */
static size_t place_of(const ash_arena *arena, uintptr_t cell, unsigned scale)
{
    uint64_t hash = ash_mix_(cell ^ 0x9e3779b97f4a7c15u, 0xd1342543de82ef95u + 2 * scale);
    return (size_t)hash & (arena->table_size_ - 1);
}

static ash_map_ **slot(const ash_arena *arena, size_t place, size_t probe)
{
    return &arena->table_[(place + probe) & (arena->table_size_ - 1)];
}

ash_map_ *ash_table_find_(const ash_arena *arena, const void *p)
{
    if (arena->map_ && lies_in(arena->map_, p))
        return arena->map_;
    if (arena->lone_map_)
        return lies_in(arena->lone_map_, p) ? arena->lone_map_ : NULL;
    for (uint64_t scales = arena->scales_; scales; scales &= scales - 1) {
        unsigned scale = ash_lowest_bit_(scales);
        size_t place = place_of(arena, (uintptr_t)p >> scale, scale);
        for (size_t probe = 0; probe < PROBES; probe++) {
            ash_map_ *map = *slot(arena, place, probe);
            if (map && lies_in(map, p))
                return map;
        }
    }
    return NULL;
}

static bool enter_cell(ash_arena *arena, ash_map_ *map, uintptr_t cell, unsigned scale)
{
    size_t place = place_of(arena, cell, scale);
    for (size_t probe = 0; probe < PROBES; probe++) {
        ash_map_ **at = slot(arena, place, probe);
        if (!*at) {
            *at = map;
            return true;
        }
    }
    return false;
}

static bool enter(ash_arena *arena, ash_map_ *map)
{
    unsigned scale = scale_of(map);
    uintptr_t first = (uintptr_t)map->base >> scale, last = ((uintptr_t)map->end - 1) >> scale;
    arena->scales_ |= (uint64_t)1 << scale;
    return enter_cell(arena, map, first, scale) &&
           (first == last || enter_cell(arena, map, last, scale));
}

static void *table_memory(ash_arena *arena, size_t size)
{
    if (ash_side_allowed_(arena))
        return ash_side_alloc_(arena, size);
    if (size > arena->most_ - arena->held_)
        return NULL;
    void *p = ash_block_ask_(arena, size, sizeof(ash_map_ *));
    if (p)
        arena->held_ += size;
    return p;
}

static void free_table(ash_arena *arena, ash_map_ **table, size_t slots)
{
    size_t size = slots * sizeof(ash_map_ *);
    if (!table)
        return;
    if (ash_side_allowed_(arena)) {
        ash_side_free_(arena, table);
        return;
    }
    ash_resource_free(arena->upstream_, table, size, sizeof(ash_map_ *));
    arena->held_ -= size;
}

/* `added` need not be in the chain yet. */
static bool enter_all(ash_arena *arena, ash_map_ *added)
{
    for (ash_block_ *b = arena->oldest_; b; b = b->newer)
        if (b->map && b->map != added && !enter(arena, b->map))
            return false;
    return enter(arena, added);
}

/* Replaces the table by one of at least `slots` in which all maps have their place. */
static bool rebuild(ash_arena *arena, size_t slots, ash_map_ *added)
{
    ash_map_ **old = arena->table_;
    size_t old_size = arena->table_size_;
    uint64_t old_scales = arena->scales_;
    for (; slots <= ASH_SIZE_MAX_ / sizeof(ash_map_ *) / 2; slots *= 2) {
        size_t size = slots * sizeof(ash_map_ *);
        ash_map_ **table = table_memory(arena, size); /* may longjmp */
        if (!table)
            break;
        arena->table_ = table;
        arena->table_size_ = slots;
        arena->scales_ = 0;
        memset(arena->table_, 0, size);
        if (enter_all(arena, added)) {
            free_table(arena, old, old_size);
            return true;
        }
        arena->table_ = old;
        arena->table_size_ = old_size;
        arena->scales_ = old_scales;
        free_table(arena, table, slots);
    }
    return false;
}

static void leave_cell(ash_arena *arena, ash_map_ *map, uintptr_t cell, unsigned scale)
{
    size_t place = place_of(arena, cell, scale);
    for (size_t probe = 0; probe < PROBES; probe++) {
        ash_map_ **at = slot(arena, place, probe);
        if (*at == map)
            *at = NULL;
    }
}

static void leave(ash_arena *arena, ash_map_ *map)
{
    unsigned scale = scale_of(map);
    leave_cell(arena, map, (uintptr_t)map->base >> scale, scale);
    leave_cell(arena, map, ((uintptr_t)map->end - 1) >> scale, scale);
}

bool ash_table_add_(ash_arena *arena, ash_map_ *map)
{
    if (arena->maps_ == 0 && !arena->table_) {
        arena->lone_map_ = map;
        arena->maps_ = 1;
        return true;
    }
    bool crowded = arena->table_size_ < 4 * (arena->maps_ + 1);
    if (crowded || !enter(arena, map))
        if (!rebuild(arena, ASH_MAX(arena->table_size_ * 2, (size_t)SLOTS_LEAST), map)) {
            if (arena->table_)
                leave(arena, map);
            return false;
        }
    arena->lone_map_ = NULL;
    arena->maps_++;
    return true;
}

void ash_table_remove_(ash_arena *arena, ash_map_ *map)
{
    arena->maps_--;
    arena->lone_map_ = NULL;
    if (arena->table_)
        leave(arena, map);
}

void ash_table_trim_(ash_arena *arena)
{
    if (arena->maps_ > 0)
        return;
    free_table(arena, arena->table_, arena->table_size_);
    arena->table_ = NULL;
    arena->table_size_ = 0;
    arena->scales_ = 0;
}
