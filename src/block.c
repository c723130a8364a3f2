#include "block.h"

#include <string.h>

#include "hooks.h"
#include "map.h"
#include "os.h"
#include "side.h"
#include "table.h"

enum { BLOCK_ALIGN = 16, COMMIT_LEAST = 64 * 1024, COMMIT_MOST = 2 * 1024 * 1024 };

static size_t span_of(const ash_block_ *block)
{
    return (size_t)(block->end - block->base);
}

static size_t header_size(void)
{
    return ash_up_(sizeof(ash_block_), BLOCK_ALIGN);
}

size_t ash_block_used_(const ash_arena *arena, const ash_block_ *block)
{
    size_t low = (size_t)(ash_block_next_(arena, block) - block->base);
    size_t high = (size_t)(block->end - ash_block_top_(arena, block));
    return low - block->inner_map_size + high;
}

size_t ash_block_peak_(const ash_arena *arena)
{
    const ash_block_ *block = arena->block_;
    if (!block)
        return arena->peak_;
    size_t gap = (size_t)(arena->top_ - arena->next_);
    size_t used = span_of(block) - block->inner_map_size - ASH_MIN(gap, arena->least_gap_);
    return ASH_MAX(arena->peak_, arena->older_used_ + used);
}

void ash_block_note_peak_(ash_arena *arena)
{
    arena->peak_ = ash_block_peak_(arena);
    arena->least_gap_ = (size_t)(arena->top_ - arena->next_);
}

/* ---- fitting: by sizes, so that nothing can wrap ---- */

static bool plain_fits(const char *next, const char *top, const ash_request_ *request)
{
    size_t room = (size_t)(top - next), pad = (0 - (uintptr_t)next) & (request->align - 1);
    return pad <= room && request->size <= room - pad;
}

uintptr_t ash_object_place_(char *floor, char *top, const ash_request_ *request)
{
    size_t align = ASH_MAX(request->align, (size_t)8);
    uintptr_t least = ash_add_((uintptr_t)floor, request->prefix);
    if (request->size > (uintptr_t)top)
        return 0;
    uintptr_t start = ash_down_((uintptr_t)top - request->size, align);
    return start >= least && least >= (uintptr_t)floor ? start : 0;
}

/* ---- maps ---- */

static bool set_map(ash_arena *arena, ash_block_ *block, ash_map_ *map)
{
    map->base = block->base;
    map->block = block;
    if (!ash_table_add_(arena, map))
        return false;
    block->map = map;
    if (block == arena->block_) {
        arena->map_ = map;
        ash_block_publish_(arena);
    }
    return true;
}

static bool lay_side_map(ash_arena *arena, ash_block_ *block)
{
    size_t size = ash_map_size_(block->base, block->end),
           head = ash_up_(sizeof(ash_map_), BLOCK_ALIGN);
    char *p = ash_side_alloc_(arena, ash_add_(size, head));
    if (!p)
        return false;
    ash_map_init_((ash_map_ *)p, p + head, block->base, block->end);
    if (set_map(arena, block, (ash_map_ *)p))
        return true;
    ash_side_free_(arena, p);
    return false;
}

static void set_next(ash_arena *arena, ash_block_ *block, char *next)
{
    if (block != arena->block_) {
        block->next = next;
        return;
    }
    ash_block_note_peak_(arena);
    arena->next_ = next;
    arena->least_gap_ = (size_t)(arena->top_ - next);
}

/* At the low end of the gap. */
static bool lay_inner_map(ash_arena *arena, ash_block_ *block, const ash_request_ *request)
{
    char *next = ash_block_next_(arena, block);
    size_t room = (size_t)(block->end - next), pad = (0 - (uintptr_t)next) & 7;
    size_t size = pad > room ? SIZE_MAX : ash_add_(ash_map_size_(next + pad, block->end), pad);
    if (size > room || !ash_object_place_(next + size, block->end, request))
        return false;
    ash_unpoison_(next, size);
    ash_map_init_(&block->own_map, next + pad, next + size, block->end);
    if (!set_map(arena, block, &block->own_map))
        return false;
    set_next(arena, block, next + size);
    block->inner_map = next;
    block->inner_map_size = size;
    return true;
}

static bool lay_map(ash_arena *arena, ash_block_ *block, const ash_request_ *request)
{
    if (!ash_object_place_(ash_block_next_(arena, block), block->end, request))
        return false;
    if (arena->reserved_) /* the gap is not committed */
        return lay_side_map(arena, block);
    bool callers = block->size == 0;
    return (!callers && lay_side_map(arena, block)) || lay_inner_map(arena, block, request);
}

static void forget_map(ash_arena *arena, ash_block_ *block)
{
    if (!block->map)
        return;
    ash_table_remove_(arena, block->map);
    if (!block->inner_map)
        ash_side_free_(arena, block->map);
    block->map = NULL;
    block->inner_map = NULL;
    block->inner_map_size = 0;
    if (block == arena->block_) {
        arena->map_ = NULL;
        ash_block_publish_(arena);
    }
}

/* ---- a reserved stretch: the low end and the high end are committed, what lies between is not ---- */

static size_t uncommitted(const ash_arena *arena)
{
    return span_of(&arena->buffer_) - arena->committed_[0] - arena->committed_[1];
}

static void set_lid(ash_arena *arena)
{
    char *base = arena->block_->base;
    if (ASH_WATCHED)
        arena->lid_ = base;
    else if (arena->reserved_ && uncommitted(arena))
        arena->lid_ = base + arena->committed_[0];
    else
        arena->lid_ = (char *)UINTPTR_MAX;
    ash_block_publish_(arena);
}

static void set_committed(ash_arena *arena, int end, size_t bytes)
{
    arena->held_ += bytes - arena->committed_[end];
    arena->committed_[end] = bytes;
}

/* Commits `need` bytes or more at one end (0 low, 1 high), in growing steps. */
static bool commit(ash_arena *arena, int end, size_t need)
{
    size_t have = arena->committed_[end], page = ash_os_page_size_(), gap = uncommitted(arena);
    if (need <= have || gap == 0)
        return true;
    size_t step = ASH_MIN(ASH_MAX(have, (size_t)COMMIT_LEAST), (size_t)COMMIT_MOST);
    size_t more = ASH_MIN(ash_up_(ASH_MAX(need - have, step), page), gap);
    size_t left = arena->most_ - arena->held_;
    if (more > left)
        more = ASH_MIN(ash_up_(need - have, page), gap);
    ash_block_ *stretch = &arena->buffer_;
    char *at = end ? stretch->end - have - more : stretch->base + have;
    if (more > left || !ash_os_commit_(at, more))
        return false;
    ash_poison_(at, more);
    set_committed(arena, end, have + more);
    set_lid(arena);
    return true;
}

static bool commit_for(ash_arena *arena, const ash_request_ *request)
{
    if (!request->object) {
        uintptr_t start = ash_up_((uintptr_t)arena->next_, request->align);
        return commit(arena, 0, start - (uintptr_t)arena->buffer_.base + request->size);
    }
    uintptr_t start = ash_object_place_(arena->next_, arena->top_, request);
    return commit(arena, 1, (uintptr_t)arena->buffer_.end - start + request->prefix);
}

char *ash_block_plain_end_(const ash_arena *arena)
{
    if (!arena->reserved_ || uncommitted(arena) == 0)
        return arena->top_;
    return ASH_MAX(arena->next_, arena->buffer_.base + arena->committed_[0]);
}

size_t ash_block_reserved_room_(const ash_arena *arena)
{
    size_t gap = (size_t)(arena->top_ - arena->next_);
    size_t left = (arena->most_ - arena->held_) & ~(ash_os_page_size_() - 1);
    if (left >= uncommitted(arena))
        return gap;
    return arena->committed_[0] + left - (size_t)(arena->next_ - arena->buffer_.base);
}

/* ---- taking a block ---- */

static bool room_in(ash_arena *arena, ash_block_ *block, const ash_request_ *request)
{
    char *next = ash_block_next_(arena, block), *top = ash_block_top_(arena, block);
    if (!request->object) {
        if (!plain_fits(next, top, request))
            return false;
    } else if (block->map) {
        if (!ash_object_place_(next, top, request))
            return false;
    } else if (!lay_map(arena, block, request)) {
        return false;
    }
    return !arena->reserved_ || commit_for(arena, request);
}

static void link_after(ash_arena *arena, ash_block_ *older, ash_block_ *block)
{
    block->older = older;
    block->newer = older ? older->newer : arena->oldest_;
    if (block->newer)
        block->newer->older = block;
    if (older)
        older->newer = block;
    else
        arena->oldest_ = block;
}

static void unlink_block(ash_arena *arena, ash_block_ *block)
{
    if (block->newer)
        block->newer->older = block->older;
    if (block->older)
        block->older->newer = block->newer;
    else
        arena->oldest_ = block->newer;
}

/* Its gap becomes the arena's. */
static void load(ash_arena *arena, ash_block_ *block)
{
    char *top = ash_block_top_(arena, block), *next = ash_block_next_(arena, block);
    arena->block_ = block;
    arena->next_ = next;
    arena->top_ = top;
    arena->map_ = block->map;
    arena->newest_ = NULL;
    arena->least_gap_ = (size_t)(top - next);
    set_lid(arena);
}

/* An empty block, linked behind the newest, becomes the newest. */
static void activate(ash_arena *arena, ash_block_ *block)
{
    ash_block_ *old = arena->block_;
    if (old) {
        ash_block_note_peak_(arena);
        arena->older_used_ += ash_block_used_(arena, old);
        old->next = arena->next_;
        if (old->map)
            old->map->top = arena->top_;
    }
    block->serial = ++arena->serial_;
    load(arena, block);
}

static ash_block_ *first_spare(const ash_arena *arena)
{
    return arena->block_ ? arena->block_->newer : arena->oldest_;
}

static bool take_spare(ash_arena *arena, const ash_request_ *request)
{
    if (request->size > arena->spare_most_)
        return false;
    size_t most = 0;
    for (ash_block_ *b = first_spare(arena); b; b = b->newer) {
        if (room_in(arena, b, request)) {
            unlink_block(arena, b);
            link_after(arena, arena->block_, b);
            activate(arena, b);
            return true;
        }
        most = ASH_MAX(most, span_of(b));
    }
    arena->spare_most_ = most;
    return false;
}

/* Bytes to ask of upstream so that the request fits, whatever the address; inner: with its map. */
static size_t bytes_for(const ash_request_ *request, bool inner)
{
    size_t pad = request->align > BLOCK_ALIGN ? request->align - BLOCK_ALIGN : 0;
    size_t body = ash_add_(request->size, pad);
    if (request->object)
        body = ash_add_(body, request->prefix + BLOCK_ALIGN + ASH_GRANULE_);
    if (inner) /* 1/32 and a little, see ash_map_size_ */
        body = ash_add_(body, body / 24 + ASH_LEAF_SPAN_);
    return ash_add_(body, header_size() + 7); /* 7: the end is rounded down */
}

static void free_block(ash_arena *arena, ash_block_ *block)
{
    size_t size = block->size;
    if (block->regular)
        arena->growth_ -= size;
    arena->held_ -= size;
    ash_unpoison_(block, size);
    ash_resource_free(arena->upstream_, block, size, BLOCK_ALIGN);
}

static void init_block(ash_block_ *block, char *base, char *end, size_t size)
{
    *block = (ash_block_){.base = base, .end = end, .next = base, .size = size};
}

void *ash_block_ask_(ash_arena *arena, size_t size, size_t align)
{
    uint64_t epoch = ash_resource_epoch(arena->upstream_);
    if (ASH_UNLIKELY(epoch && epoch != arena->epoch_))
        ash_fatal_("arena grown inside a scope younger than it", ash_arena_name(arena), arena);
    return ash_resource_alloc(arena->upstream_, size, align);
}

/* An empty block from upstream for `need` bytes, among the spares. */
static ash_block_ *new_spare(ash_arena *arena, size_t need)
{
    size_t left = arena->most_ - arena->held_, grown = arena->growth_ + span_of(&arena->buffer_);
    size_t size = ASH_MAX(arena->block_size_, ASH_MIN(grown, arena->block_max_));
    bool regular = need <= size;
    size = regular ? ASH_MIN(size, ASH_MAX(left, need)) : need;
    if (size > left || size > ASH_SIZE_MAX_)
        return NULL;
    char *p = ash_block_ask_(arena, size, BLOCK_ALIGN);
    if (!p)
        return NULL;
    /* ash_alloc rounds up without a check: no block may touch the end of the address space. */
    if ((uintptr_t)p > UINTPTR_MAX - ASH_ALIGN_MAX - size) {
        ash_resource_free(arena->upstream_, p, size, BLOCK_ALIGN);
        return NULL;
    }
    ash_block_ *block = (ash_block_ *)p;
    init_block(block, p + header_size(), p + (size & ~(size_t)7), size);
    block->regular = regular;
    arena->held_ += size;
    arena->growth_ += regular ? size : 0;
    arena->spare_most_ = ASH_MAX(arena->spare_most_, span_of(block));
    ash_poison_(block->base, span_of(block));
    link_after(arena, arena->block_, block);
    return block;
}

/* The block is a spare while its map is laid: the upstream that a table comes from may longjmp. */
static bool take_new(ash_arena *arena, const ash_request_ *request, bool inner)
{
    ash_block_ *block = arena->reserved_ ? NULL : new_spare(arena, bytes_for(request, inner));
    if (!block)
        return false;
    if (room_in(arena, block, request)) {
        activate(arena, block);
        return true;
    }
    unlink_block(arena, block);
    free_block(arena, block);
    return false;
}

bool ash_block_room_(ash_arena *arena, const ash_request_ *request)
{
    ash_block_ *newest = arena->block_;
    if (newest && room_in(arena, newest, request))
        return true;
    ash_block_settle_(arena);
    if (arena->block_ != newest && room_in(arena, arena->block_, request))
        return true;
    if (take_spare(arena, request))
        return true;
    /* A map apart is hoped for, but where there are no pages for it, or no limit for them, it must fit in. */
    bool inner = request->object && (!ash_side_allowed_(arena) || arena->most_ != SIZE_MAX);
    return take_new(arena, request, inner) ||
           (request->object && !inner && take_new(arena, request, true));
}

/* ---- giving up ---- */

static bool is_empty(const ash_arena *arena, const ash_block_ *block)
{
    return ash_block_used_(arena, block) == 0;
}

/* The gap of the newest block becomes [next, top). */
static void poison_given_up(const ash_arena *arena, const char *next, const char *top)
{
    if (next < arena->next_)
        ash_poison_(next, (size_t)(arena->next_ - next));
    if (top > arena->top_)
        ash_poison_(arena->top_, (size_t)(top - arena->top_));
}

void ash_block_pop_(ash_arena *arena)
{
    ash_block_ *block = arena->block_, *older = block->older;
    ash_block_note_peak_(arena);
    if (block->inner_map)
        forget_map(arena, block);
    if (block->map) {
        ash_map_raise_(block->map, ash_granule_(block->map, arena->top_), block->map->last);
        block->map->top = block->end;
    }
    block->next = block->base;
    poison_given_up(arena, block->base, block->end);
    arena->spare_most_ = ASH_MAX(arena->spare_most_, span_of(block));
    arena->older_used_ -= ash_block_used_(arena, older);
    load(arena, older);
}

void ash_block_settle_(ash_arena *arena)
{
    while (arena->block_ && arena->block_->older && is_empty(arena, arena->block_))
        ash_block_pop_(arena);
}

void ash_block_rewind_(ash_arena *arena, char *next, char *top)
{
    ash_block_ *block = arena->block_;
    ash_block_note_peak_(arena);
    top = ASH_MAX(top, arena->top_); /* destructors may have deleted what is older than the mark */
    if (block->inner_map && next <= block->inner_map) {
        forget_map(arena, block);
    } else if (block->map) {
        ash_map_ *map = block->map;
        size_t lowest = ash_granule_(map, top);
        ash_map_raise_(map, ash_granule_(map, arena->top_), lowest);
        size_t live = ash_map_next_(map, lowest);
        ash_map_raise_(map, lowest, live);
        top = ash_top_address_(map, live);
    }
    poison_given_up(arena, next, top);
    arena->next_ = next;
    arena->top_ = top;
    arena->least_gap_ = (size_t)(top - next);
    ash_block_publish_(arena);
}

static void give_back(ash_arena *arena, ash_block_ *block)
{
    forget_map(arena, block);
    unlink_block(arena, block);
    free_block(arena, block);
}

/* Uncommits what lies in the gap, from the middle outwards, as far as it must. */
static void trim_reserved(ash_arena *arena, size_t keep)
{
    size_t page = ash_os_page_size_();
    ash_block_ *stretch = &arena->buffer_;
    if (is_empty(arena, stretch))
        forget_map(arena, stretch);
    if (uncommitted(arena) == 0 && arena->held_ > keep) { /* the ends have met: all above is high */
        size_t low = ash_up_((size_t)(arena->next_ - stretch->base), page);
        size_t most = span_of(stretch) - ASH_MIN(low, span_of(stretch));
        size_t high = ASH_MIN(most, ash_up_((size_t)(stretch->end - arena->top_), page));
        set_committed(arena, 0, span_of(stretch) - high);
        set_committed(arena, 1, high);
    }
    for (int end = 1; end >= 0; end--) {
        size_t used = (size_t)(end ? stretch->end - arena->top_ : arena->next_ - stretch->base);
        size_t have = arena->committed_[end], floor = ash_up_(used, page);
        if (arena->held_ <= keep || have <= floor)
            continue;
        size_t less = ASH_MIN(have - floor, ash_up_(arena->held_ - keep, page));
        ash_os_decommit_(end ? stretch->end - have : stretch->base + have - less, less);
        set_committed(arena, end, have - less);
    }
    set_lid(arena);
}

void ash_block_trim_(ash_arena *arena, size_t keep)
{
    ash_block_settle_(arena);
    if (arena->reserved_) {
        trim_reserved(arena, keep);
        return;
    }
    ash_block_ *block = arena->oldest_;
    while (block && block->newer)
        block = block->newer;
    bool spare = true; /* those come first, then what is empty among the rest */
    while (block && arena->held_ > keep) {
        ash_block_ *older = block->older;
        spare = spare && block != arena->block_;
        if (spare ||
            (block->size && block != arena->block_ && !arena->floor_ && is_empty(arena, block)))
            give_back(arena, block);
        block = older;
    }
    block = arena->block_;
    if (block && block->size && arena->held_ > keep && !arena->floor_ && is_empty(arena, block)) {
        ash_block_note_peak_(arena);
        arena->block_ = NULL;
        arena->next_ = arena->top_ = NULL;
        arena->map_ = NULL;
        ash_block_publish_(arena);
        give_back(arena, block);
    }
    if (arena->held_ > keep)
        ash_table_trim_(arena);
}

/* ---- the first block ---- */

void ash_block_adopt_(ash_arena *arena, void *buffer, size_t size)
{
    uintptr_t most = UINTPTR_MAX - ASH_ALIGN_MAX;
    uintptr_t at = (uintptr_t)buffer;
    size = at >= most ? 0 : ASH_MIN(size, ASH_MIN(most - at, ASH_SIZE_MAX_));
    if (size == 0)
        return;
    init_block(&arena->buffer_, buffer, (char *)buffer + size, 0);
    ash_poison_(buffer, size);
    link_after(arena, NULL, &arena->buffer_);
    activate(arena, &arena->buffer_);
}

bool ash_block_reserve_(ash_arena *arena, size_t size)
{
    size_t page = ash_os_page_size_();
    size = ash_add_(size, page - 1) & ~(page - 1);
    char *stretch = size > ASH_SIZE_MAX_ ? NULL : ash_os_reserve_(size);
    if (!stretch)
        return false;
    arena->reserved_ = true;
    init_block(&arena->buffer_, stretch, stretch + size, 0);
    link_after(arena, NULL, &arena->buffer_);
    activate(arena, &arena->buffer_);
    return true;
}
