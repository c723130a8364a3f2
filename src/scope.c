#include "ashlar/scope.h"

#include "base.h"
#include "block.h"
#include "object_internal.h"

/*
 * An open scope has a record among the objects of its arena. Objects made before lie above it and can be
 * deleted, but top does not rise past the record, so their memory stays till the scope ends. The arena knows
 * the innermost; what has to be known to end a scope, the ash_scope has, out of reach of what overflows there.
 */
struct ash_scope_record_ {
    uint64_t tag; /* the serial, made different from another arena's; 0: closed */
    struct ash_scope_record_ *outer;
    const ash_block_ *block; /* the newest when it began */
    const char *next;        /* plain memory of the block below here is older */
};

static uint64_t tag_of(const ash_arena *arena, uint64_t serial)
{
    return serial ^ arena->nonce_;
}

static struct ash_scope_record_ *new_record(ash_arena *arena)
{
    const size_t size = sizeof(struct ash_scope_record_);
    if (ASH_UNLIKELY(!ash_object_has_nonce_(arena)))
        return ash_arena_fail_(arena, size, ASH_GRANULE_);
    return ash_object_alloc(arena, size, ASH_GRANULE_);
}

ash_scope ash_scope_begin(ash_arena *arena)
{
    struct ash_scope_record_ *record = new_record(arena);
    if (!record)
        return (ash_scope){.mark_ = {.arena_ = arena}};
    uint64_t serial = arena->marks_++;
    ash_scope scope = {.mark_ = {.arena_ = arena,
                                 .block_ = arena->block_,
                                 .serial_ = arena->block_->serial,
                                 .taken_ = serial,
                                 .next_ = arena->next_,
                                 .top_ = (char *)record,
                                 .newest_ = arena->newest_},
                       .outer_ = arena->scope_,
                       .outer_serial_ = arena->scope_serial_};
    record->tag = tag_of(arena, serial);
    record->outer = arena->scope_;
    record->block = arena->block_;
    record->next = arena->next_;
    arena->scope_ = record;
    arena->scope_serial_ = serial;
    return scope;
}

static bool is_record(const ash_arena *arena, const struct ash_scope_record_ *record)
{
    return ash_object_find_(arena, record).kind == ASH_UNTYPED_;
}

static inline struct ash_scope_record_ *record_of(const ash_scope *scope)
{
    return (struct ash_scope_record_ *)(void *)scope->mark_.top_;
}

bool ash_scope_is_open(const ash_scope *scope)
{
    const ash_arena *arena = scope->mark_.arena_;
    const struct ash_scope_record_ *record = record_of(scope);
    uint64_t serial = scope->mark_.taken_;
    if (!record || serial >= arena->scope_serial_)
        return record && serial == arena->scope_serial_ && record == arena->scope_;
    return is_record(arena, record) && record->tag == tag_of(arena, serial);
}

static void refuse(const ash_scope *scope, const char *what)
{
    ash_fatal_(what, ash_arena_name(scope->mark_.arena_), scope->mark_.top_);
}

/* The memory of the younger ones may come to be objects again, as it is: no record may be left in it. */
void ash_scope_close_(ash_arena *arena, struct ash_scope_record_ *innermost, uint64_t serial)
{
    struct ash_scope_record_ *record = arena->scope_;
    while (record != innermost) {
        if (!record || !is_record(arena, record))
            ash_fatal_("record of an open scope overwritten", ash_arena_name(arena), record);
        record->tag = 0;
        record = record->outer;
    }
    arena->scope_ = innermost;
    arena->scope_serial_ = serial;
}

void ash_scope_end(ash_scope *scope)
{
    ash_arena *arena = (ash_arena *)(uintptr_t)scope->mark_.arena_;
    struct ash_scope_record_ *record = record_of(scope);
    uint64_t serial = scope->mark_.taken_;
    if (!record)
        return;
    if (arena->scope_ != record || arena->scope_serial_ != serial) {
        if (!ash_scope_is_open(scope))
            refuse(scope, "end of a scope that is closed already");
        ash_scope_close_(arena, record, serial);
    }
    if (serial < arena->floor_)
        refuse(scope, "end of a scope around an object that is being made or destroyed");
    ash_arena_rewind_to_(arena, &scope->mark_);
    if (record->tag != tag_of(arena, serial))
        refuse(scope, "record of an open scope overwritten");
    record->tag = 0;
    ash_delete(arena, record);
    arena->scope_ = scope->outer_;
    arena->scope_serial_ = scope->outer_serial_;
}

bool ash_is_older_in_block_(const ash_arena *arena, const void *p)
{
    const struct ash_scope_record_ *scope = arena->scope_;
    return scope && scope->block == arena->block_ && (const char *)p < scope->next;
}

bool ash_is_older_than_scope_(const ash_arena *arena, const void *p)
{
    const struct ash_scope_record_ *scope = arena->scope_;
    if (!scope)
        return false;
    for (const ash_block_ *b = arena->block_; b && b != scope->block; b = b->older)
        if (ash_block_holds_(b, p))
            return false;
    return !ash_block_holds_(scope->block, p) || (const char *)p < scope->next;
}

bool ash_scope_check_(const ash_arena *arena)
{
    const struct ash_scope_record_ *record = arena->scope_;
    if (record && record->tag != tag_of(arena, arena->scope_serial_))
        return false;
    for (; record; record = record->outer)
        if (!is_record(arena, record) || !record->tag)
            return false;
    return true;
}

void ash_arena_init_local_(ash_arena *arena, void *buffer, size_t size, const char *name)
{
    ash_arena_init(arena, &(ash_arena_config){.name = name, .buffer = buffer, .buffer_size = size});
}
