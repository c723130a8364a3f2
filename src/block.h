/*
 * block.h - the chain of blocks under an arena, and the gap of the newest.
 *
 *     oldest_  <->  ...  <->  block_ (the newest in use)  <->  spare  <->  spare ...
 *
 * Only the newest is allocated from; its gap is in the arena's hot words, that of the others in
 * their headers and maps. When it has no room, a spare that has is moved next to it and taken, or
 * a new block comes from upstream. The newest may be empty, after deletes; it is stepped back over
 * when somebody asks for a mark, or for room it does not have.
 */
#ifndef ASHLAR_SRC_BLOCK_H
#define ASHLAR_SRC_BLOCK_H

#include "ashlar/arena.h"
#include "base.h"
#include "map.h"

/* What room is wanted for. Of an object: `prefix` bytes of words in front of it. */
typedef struct ash_request_ {
    size_t size, align; /* size not 0, at most ASH_SIZE_MAX_; align is one */
    size_t prefix;
    bool object;
} ash_request_;

/* Makes room for a request in the newest block, its map included: in the one there is, or a spare,
 * or a new one. false: the arena is as before. */
bool ash_block_room_(ash_arena *arena, const ash_request_ *request);

/* Memory from upstream; it is reported where a scope there, younger than the arena, would take it away again. */
void *ash_block_ask_(ash_arena *arena, size_t size, size_t align);

/* Where an object would start in the gap [floor, top), or 0 if it does not fit. */
uintptr_t ash_object_place_(char *floor, char *top, const ash_request_ *request);

/* limit_ and leaf_ from top_; after each change of top_, lid_ or map_. The end of a caller's buffer may
 * be no multiple of 8: then top_ is not always where its granule says. */
static inline void ash_block_publish_(ash_arena *arena)
{
    const ash_map_ *map = arena->map_;
    arena->limit_ = ASH_MIN(arena->top_, arena->lid_);
    arena->leaf_ = NULL;
    if (map && arena->lid_ > arena->top_ && (uintptr_t)map->end % ASH_GRANULE_ == 0) {
        size_t leaf = ash_granule_(map, arena->top_) / 64;
        arena->leaf_ = &map->leaves[leaf];
        arena->node_ = &map->nodes[0][leaf / 64];
    }
}

/* The gap of any block in use. */
static inline char *ash_block_next_(const ash_arena *arena, const ash_block_ *block)
{
    return block == arena->block_ ? arena->next_ : block->next;
}

static inline char *ash_block_top_(const ash_arena *arena, const ash_block_ *block)
{
    if (block == arena->block_)
        return arena->top_;
    return block->map ? block->map->top : block->end;
}

static inline bool ash_block_holds_(const ash_block_ *block, const void *p)
{
    return (uintptr_t)p - (uintptr_t)block->base < (uintptr_t)block->end - (uintptr_t)block->base;
}

/* Bytes taken at its two ends. */
size_t ash_block_used_(const ash_arena *arena, const ash_block_ *block);

/* The highest used so far. It is remembered before anything makes used less or changes blocks. */
size_t ash_block_peak_(const ash_arena *arena);
void ash_block_note_peak_(ash_arena *arena);

/* Step back over newest blocks that are empty; they become spares. */
void ash_block_settle_(ash_arena *arena);

/* Give up the newest block, whose objects are gone: it becomes a spare. */
void ash_block_pop_(ash_arena *arena);

/* The newest block's gap becomes [next, top); a map that lay in it beyond next is forgotten. */
void ash_block_rewind_(ash_arena *arena, char *next, char *top);

/* Give back empty blocks, spares first, until at most `keep` bytes are held. */
void ash_block_trim_(ash_arena *arena, size_t keep);

/* The caller's buffer, or a reserved stretch of address space, becomes the first block. */
void ash_block_adopt_(ash_arena *arena, void *buffer, size_t size);
bool ash_block_reserve_(ash_arena *arena, size_t size);

/* How far up plain memory may go as things are: to where objects begin, or what is committed ends. */
char *ash_block_plain_end_(const ash_arena *arena);

/* Of a reserved stretch: bytes ash_alloc could take without more than committing them. */
size_t ash_block_reserved_room_(const ash_arena *arena);

#endif
