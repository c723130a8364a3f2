#include "ashlar/arena.h"

#include <string.h>

#include "base.h"
#include "block.h"
#include "hooks.h"
#include "object_internal.h"
#include "os.h"

enum { BLOCK_SIZE = 64 * 1024, BLOCK_MAX = 64 * 1024 * 1024 };

/* ---- the arena as a resource ---- */

static ash_arena *arena_of(const ash_resource *self)
{
    return (ash_arena *)((uintptr_t)self - offsetof(ash_arena, resource_));
}

static void *resource_alloc(ash_resource *self, size_t size, size_t align)
{
    return ash_alloc(arena_of(self), size, align);
}

static bool resource_resize(ash_resource *self, void *p, size_t old_size, size_t new_size,
                            size_t align)
{
    (void)align;
    return ash_extend(arena_of(self), p, old_size, new_size);
}

static void resource_free(ash_resource *self, void *p, size_t size, size_t align)
{
    (void)align;
    ash_plain_free_(arena_of(self), p, size);
}

static bool resource_owns(const ash_resource *self, const void *p)
{
    return ash_arena_owns(arena_of(self), p);
}

static uint64_t resource_epoch(const ash_resource *self)
{
    return arena_of(self)->scope_serial_;
}

static const char *resource_name(const ash_resource *self)
{
    return ash_arena_name(arena_of(self));
}

static const ash_resource_ops arena_ops = {.alloc = resource_alloc,
                                           .resize = resource_resize,
                                           .free = resource_free,
                                           .owns = resource_owns,
                                           .epoch = resource_epoch,
                                           .name = resource_name};

ash_resource *ash_arena_resource(ash_arena *arena)
{
    arena->resource_.ops = &arena_ops; /* here, so that a zeroed arena has it too */
    return &arena->resource_;
}

/* ---- life ---- */

static void set_up(ash_arena *arena, const ash_arena_config *config)
{
    size_t block_size = config->block_size, block_max = config->block_max;
    if (!block_size)
        block_size = block_max ? ASH_MIN((size_t)BLOCK_SIZE, block_max) : BLOCK_SIZE;
    if (!block_max)
        block_max = BLOCK_MAX;
    ash_resource *upstream = config->upstream ? config->upstream : ash_default();
    *arena = (ash_arena){.name_ = config->name,
                         .upstream_ = upstream,
                         .epoch_ = ash_resource_epoch(upstream),
                         .block_size_ = block_size,
                         .block_max_ = block_max,
                         .marks_ = 1,
                         .most_ = config->limit ? config->limit : SIZE_MAX,
                         .on_exhausted_ = config->on_exhausted,
                         .exhausted_ctx_ = config->exhausted_ctx};
}

bool ash_arena_init(ash_arena *arena, const ash_arena_config *config)
{
    static const ash_arena_config defaults;
    config = config ? config : &defaults;
    set_up(arena, config);
    bool valid = config->buffer || !config->buffer_size;
    if (valid && config->reserve)
        valid = !config->buffer_size && ash_block_reserve_(arena, config->reserve);
    if (!valid) {
        *arena = (ash_arena){0};
        return false;
    }
    if (config->buffer_size)
        ash_block_adopt_(arena, config->buffer, config->buffer_size);
    return true;
}

void ash_arena_init_fixed(ash_arena *arena, void *buffer, size_t size)
{
    set_up(arena, &(ash_arena_config){.upstream = ash_null()});
    ash_block_adopt_(arena, buffer, buffer ? size : 0);
}

void ash_arena_deinit(ash_arena *arena)
{
    if (!arena)
        return;
    if (!arena->floor_)
        ash_scope_close_(arena, NULL, 0);
    ash_arena_release(arena);
    ash_block_ *first = &arena->buffer_;
    ash_unpoison_(first->base, (size_t)(first->end - first->base));
    if (arena->reserved_)
        ash_os_unmap_(first->base, (size_t)(first->end - first->base));
    *arena = (ash_arena){0};
}

ash_arena *ash_arena_create(const ash_arena_config *config)
{
    ash_resource *upstream = config && config->upstream ? config->upstream : ash_default();
    ash_arena *arena = ash_resource_alloc(upstream, sizeof *arena, ASH_ALIGNOF(ash_arena));
    if (!arena)
        return NULL;
    ash_arena_config whole = config ? *config : (ash_arena_config){0};
    whole.upstream = upstream;
    bool fits = !whole.limit || whole.limit >= sizeof *arena;
    if (!fits || !ash_arena_init(arena, &whole)) {
        ash_resource_free(upstream, arena, sizeof *arena, ASH_ALIGNOF(ash_arena));
        return NULL;
    }
    arena->held_ += sizeof *arena;
    return arena;
}

void ash_arena_destroy(ash_arena *arena)
{
    if (!arena)
        return;
    ash_resource *upstream = arena->upstream_;
    ash_arena_deinit(arena);
    ash_resource_free(upstream, arena, sizeof *arena, ASH_ALIGNOF(ash_arena));
}

/* ---- plain memory ---- */

void *ash_arena_fail_(ash_arena *arena, size_t size, size_t align)
{
    arena->failed_ = true;
    if (arena->on_exhausted_)
        arena->on_exhausted_(arena, size, align, arena->exhausted_ctx_);
    return NULL;
}

/* In a build with AddressSanitizer: the end of `size` bytes at `start` with the red zone behind it. */
static uintptr_t zoned_end(uintptr_t start, size_t size)
{
    return ASH_RED_ZONE ? ash_up_(start + size, 8) + ASH_RED_ZONE : start + size;
}

/* Where `size` bytes come to lie with a red zone behind them, if there is room for one; or 0. */
static uintptr_t zoned_place(const ash_arena *arena, size_t size, size_t align)
{
    uintptr_t top = (uintptr_t)ash_block_plain_end_(arena);
    uintptr_t start = ash_up_((uintptr_t)arena->next_, ASH_MAX(align, (size_t)8));
    size_t room = start < top ? top - start : 0;
    return size < room && zoned_end(start, size) <= top ? start : 0;
}

static void *place_plain(ash_arena *arena, size_t size, size_t align)
{
    uintptr_t start = ASH_RED_ZONE ? zoned_place(arena, size, align) : 0, end;
    if (start) {
        end = zoned_end(start, size);
    } else {
        start = ash_up_((uintptr_t)arena->next_, align);
        end = start + size;
    }
    arena->next_ = (char *)end;
    arena->newest_ = (char *)start;
    ash_unpoison_((char *)start, size);
    return (char *)start;
}

void *ash_alloc_slow_(ash_arena *arena, size_t size, size_t align)
{
    size_t wanted = size + !size;
    if (!ash_align_ok_(align) || wanted > ASH_SIZE_MAX_)
        return ash_arena_fail_(arena, size, align);
    ash_request_ request = {.size = wanted, .align = align};
    if (!ash_block_room_(arena, &request))
        return ash_arena_fail_(arena, size, align);
    return place_plain(arena, wanted, align);
}

void *ash_zalloc(ash_arena *arena, size_t size, size_t align)
{
    void *p = ash_alloc(arena, size, align);
    return p ? memset(p, 0, size) : NULL;
}

void *ash_alloc_array(ash_arena *arena, size_t count, size_t size, size_t align)
{
    return ash_alloc(arena, ash_mul_(count, size), align);
}

void *ash_zalloc_array(ash_arena *arena, size_t count, size_t size, size_t align)
{
    return ash_zalloc(arena, ash_mul_(count, size), align);
}

/* Is `p` the newest plain memory, with `size` bytes, and not older than the scope? */
static bool is_newest(const ash_arena *arena, const void *p, size_t size)
{
    uintptr_t start = (uintptr_t)p, next = (uintptr_t)arena->next_;
    if (start >= next || size > next - start || !arena->block_ ||
        (const char *)p < arena->block_->base)
        return false;
    if (ash_is_older_in_block_(arena, p))
        return false;
    /* An older one may have had a red zone that ended where a newer one, without, now ends. */
    return start + size == next ||
           (ASH_RED_ZONE && p == arena->newest_ && zoned_end(start, size) == next);
}

/* The end of the newest plain memory moves. */
static void set_end(ash_arena *arena, char *p, size_t old_size, size_t new_size)
{
    size_t gap = (size_t)(arena->top_ - arena->next_);
    uintptr_t end = (uintptr_t)p + new_size;
    if (ASH_RED_ZONE && zoned_end((uintptr_t)p, new_size) <= (uintptr_t)ash_block_plain_end_(arena))
        end = zoned_end((uintptr_t)p, new_size);
    arena->least_gap_ = ASH_MIN(arena->least_gap_, gap);
    arena->next_ = (char *)end;
    if (new_size < old_size)
        ash_poison_(p + new_size, old_size - new_size);
    ash_unpoison_(p, new_size);
}

/* Plain memory lies below where the objects of its block begin. */
static void refuse_objects(const ash_arena *arena, const void *p, const char *what)
{
    const ash_block_ *block = ash_object_block_(arena, p);
    if (block && (const char *)p >= ash_block_top_(arena, block))
        ash_fatal_(what, ash_arena_name(arena), p);
}

/* `what` is reported of an object. The newest plain memory is none: it need not be looked for in the map. */
static bool extend(ash_arena *arena, void *p, size_t old_size, size_t new_size, const char *what)
{
    if (!is_newest(arena, p, old_size)) {
        refuse_objects(arena, p, what);
        return new_size <= old_size;
    }
    if (new_size > ASH_SIZE_MAX_)
        return false;
    if (new_size > (size_t)(arena->top_ - (char *)p))
        return false;
    if (new_size > old_size && arena->reserved_) {
        ash_request_ more = {.size = new_size - old_size, .align = 1};
        if (!ash_block_room_(arena, &more))
            return false;
    }
    set_end(arena, p, old_size, new_size);
    return true;
}

bool ash_extend(ash_arena *arena, void *p, size_t old_size, size_t new_size)
{
    return p && extend(arena, p, old_size + !old_size, new_size + !new_size, "extend of an object");
}

void *ash_realloc(ash_arena *arena, void *p, size_t old_size, size_t new_size, size_t align)
{
    if (!p)
        return ash_alloc(arena, new_size, align);
    const char *what = "realloc of an object";
    old_size += !old_size;
    size_t wanted = new_size + !new_size;
    if (!ash_align_ok_(align))
        return ash_arena_fail_(arena, new_size, align);
    if ((uintptr_t)p & (align - 1))
        refuse_objects(arena, p, what);
    else if (extend(arena, p, old_size, wanted, what))
        return p;
    if (ash_is_older_than_scope_(arena, p))
        ash_fatal_("realloc inside a scope of memory older than it", ash_arena_name(arena), p);
    void *q = ash_alloc(arena, new_size, align);
    return q ? memcpy(q, p, ASH_MIN(old_size, wanted)) : NULL;
}

void ash_plain_free_(ash_arena *arena, void *p, size_t size)
{
    if (!is_newest(arena, p, size))
        return;
    size_t gap = (size_t)(arena->top_ - arena->next_);
    arena->least_gap_ = ASH_MIN(arena->least_gap_, gap);
    ash_poison_(p, size);
    arena->next_ = p;
    arena->newest_ = NULL;
}

/* ---- marks ---- */

ash_mark ash_arena_mark(ash_arena *arena)
{
    ash_block_settle_(arena);
    ash_mark mark = {.arena_ = arena, .taken_ = arena->marks_++};
    if (arena->block_ && ash_block_used_(arena, arena->block_)) {
        mark.block_ = arena->block_;
        mark.serial_ = arena->block_->serial;
        mark.next_ = arena->next_;
        mark.top_ = arena->top_;
        mark.newest_ = arena->newest_;
    }
    return mark;
}

/* A mark in an empty arena names no block: there is nothing below it that could be gone. Where objects
 * began then the map must still know of some: a large one may have been laid over the place. */
static bool still_there(const ash_arena *arena, const ash_mark *mark)
{
    if (mark->arena_ != arena)
        return false;
    if (!mark->block_)
        return true;
    const ash_block_ *b = arena->block_;
    while (b && b->serial > mark->serial_)
        b = b->older;
    if (!b || b != mark->block_ || mark->next_ > ash_block_next_(arena, b) ||
        mark->top_ < ash_block_top_(arena, b))
        return false;
    return !b->map || ash_map_known_(b->map, ash_granule_(b->map, mark->top_) / 64);
}

/* Nothing but plain memory is left that came since, in the same block. */
static bool rewind_plain(ash_arena *arena, const ash_mark *mark)
{
    const ash_block_ *block = arena->block_;
    if (ASH_WATCHED || !block || block != mark->block_ || block->serial != mark->serial_ ||
        arena->top_ != mark->top_ || mark->next_ > arena->next_ ||
        (block->inner_map && mark->next_ <= block->inner_map))
        return false;
    size_t gap = (size_t)(arena->top_ - arena->next_);
    arena->least_gap_ = ASH_MIN(arena->least_gap_, gap);
    arena->next_ = mark->next_;
    return true;
}

static void rewind_all(ash_arena *arena, const ash_mark *mark)
{
    ash_objects_destroy_(arena, mark);
    if (rewind_plain(arena, mark))
        return;
    while (arena->block_ && arena->block_ != mark->block_ && arena->block_->older)
        ash_block_pop_(arena);
    ash_block_ *block = arena->block_;
    if (!block)
        return;
    if (block == mark->block_) {
        ash_block_rewind_(arena, mark->next_, mark->top_);
        arena->newest_ = mark->newest_;
    } else {
        ash_block_rewind_(arena, block->base, block->end);
        block->serial = ++arena->serial_;
    }
}

void ash_arena_rewind_to_(ash_arena *arena, const ash_mark *mark)
{
    if (!rewind_plain(arena, mark))
        rewind_all(arena, mark);
}

static void refuse_rewind(const ash_arena *arena, uint64_t taken, const void *address)
{
    if (arena->floor_ && taken < arena->floor_)
        ash_fatal_("rewind past an object that is being made or destroyed", ash_arena_name(arena),
                   address);
    if (taken < arena->scope_serial_)
        ash_fatal_("rewind below an open scope", ash_arena_name(arena), address);
}

void ash_arena_rewind(ash_arena *arena, ash_mark mark)
{
    if (mark.arena_ == arena)
        refuse_rewind(arena, mark.taken_, mark.next_);
    if (mark.arena_ == arena && rewind_plain(arena, &mark))
        return;
    if (!still_there(arena, &mark))
        ash_fatal_("rewind to a mark that is gone", ash_arena_name(arena), mark.next_);
    rewind_all(arena, &mark);
}

void ash_arena_reset(ash_arena *arena)
{
    refuse_rewind(arena, 0, arena->top_);
    rewind_all(arena, &(ash_mark){0});
}

void ash_arena_trim(ash_arena *arena, size_t keep)
{
    ash_block_trim_(arena, keep);
}

void ash_arena_release(ash_arena *arena)
{
    ash_arena_reset(arena);
    ash_block_trim_(arena, 0);
}

/* ---- questions ---- */

size_t ash_arena_used(const ash_arena *arena)
{
    return arena->block_ ? arena->older_used_ + ash_block_used_(arena, arena->block_) : 0;
}

size_t ash_arena_capacity(const ash_arena *arena)
{
    const ash_block_ *buffer = &arena->buffer_;
    return arena->held_ + (arena->reserved_ ? 0 : (size_t)(buffer->end - buffer->base));
}

size_t ash_arena_peak(const ash_arena *arena)
{
    return ash_block_peak_(arena);
}

size_t ash_arena_room(const ash_arena *arena)
{
    if (arena->reserved_)
        return ash_block_reserved_room_(arena);
    size_t room = 0;
    for (const ash_block_ *b = arena->block_; b; b = b->older) {
        bool given_up = b->older && ash_block_used_(arena, b) == 0; /* it will be a spare */
        const char *next = given_up ? b->base : ash_block_next_(arena, b);
        room = ASH_MAX(room, (size_t)(ash_block_top_(arena, b) - next));
        if (!given_up)
            break;
    }
    const ash_block_ *spare = arena->block_ ? arena->block_->newer : arena->oldest_;
    for (; spare; spare = spare->newer)
        room = ASH_MAX(room, (size_t)(spare->end - spare->base));
    return room;
}

bool ash_arena_owns(const ash_arena *arena, const void *p)
{
    for (const ash_block_ *b = arena->oldest_; b; b = b->newer)
        if (ash_block_holds_(b, p))
            return true;
    return false;
}

bool ash_arena_failed(const ash_arena *arena)
{
    return arena->failed_;
}

void ash_arena_clear_failed(ash_arena *arena)
{
    arena->failed_ = false;
}

const char *ash_arena_name(const ash_arena *arena)
{
    return arena->name_ ? arena->name_ : "unnamed";
}
