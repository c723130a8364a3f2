#include "ashlar/scope.h"

#include "base.h"
#include "block.h"
#include "hooks.h"
#include "object_internal.h"
#include "seal.h"

/*
 * An open scope has a record among the objects of its arena. Objects made before lie above it and can be
 * deleted, but top does not rise past the record, so their memory stays till the scope ends. The arena knows
 * the innermost; what has to be known to end a scope, the ash_scope has, out of reach of what overflows there.
 */
struct ash_scope_record_ {
    uint64_t tag; /* binds the rest to this place and this life of the arena; 0: closed */
    uint64_t serial;
    struct ash_scope_record_ *outer;
    const char *next; /* plain memory of its block below here is older */
};

static uint64_t tag_of(const ash_arena *arena, const struct ash_scope_record_ *at, uint64_t serial,
                       const struct ash_scope_record_ *outer, const char *next)
{
    uint64_t place = ash_seal_place_(arena->nonce_, at);
    uint64_t tag = ash_mix_(place ^ serial, ~place ^ (uintptr_t)outer);
    tag = ash_mix_(tag ^ place, place ^ (uintptr_t)next);
    return tag + !tag;
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
    scope.tag_ = tag_of(arena, record, serial, scope.outer_, arena->next_);
    *record = (struct ash_scope_record_){scope.tag_, serial, scope.outer_, arena->next_};
    arena->scope_ = record;
    arena->scope_serial_ = serial;
    return scope;
}

static bool is_record(const ash_arena *arena, const struct ash_scope_record_ *record)
{
    return ash_object_find_(arena, record).kind == ASH_UNTYPED_;
}

static bool is_sound(const ash_arena *arena, const struct ash_scope_record_ *record)
{
    return record->tag == tag_of(arena, record, record->serial, record->outer, record->next);
}

static ASH_COLD void refuse(const ash_arena *arena, const void *record, const char *what)
{
    ash_fatal_(what, ash_arena_name(arena), record);
}

/* The next record outwards may be believed to be one, if this one may. */
static void must_be_sound(const ash_arena *arena, const struct ash_scope_record_ *record)
{
    if (ASH_UNLIKELY(!record || !is_record(arena, record) || !is_sound(arena, record)))
        refuse(arena, record, "record of an open scope overwritten");
}

static inline struct ash_scope_record_ *record_of(const ash_scope *scope)
{
    return (struct ash_scope_record_ *)(void *)scope->mark_.top_;
}

/* Was it begun in this life of the arena? There may have been others in the same storage. */
static bool is_of_this_life(const ash_arena *arena, const ash_scope *scope)
{
    const ash_mark *mark = &scope->mark_;
    return scope->tag_ == tag_of(arena, record_of(scope), mark->taken_, scope->outer_, mark->next_);
}

bool ash_scope_is_open(const ash_scope *scope)
{
    const ash_arena *arena = scope->mark_.arena_;
    const struct ash_scope_record_ *record = record_of(scope);
    if (!record || scope->mark_.taken_ > arena->scope_serial_)
        return false;
    /* What lies there may be a smaller object by now, with poison right behind it. */
    return is_of_this_life(arena, scope) && is_record(arena, record) &&
           ash_load_word_(&record->tag) == scope->tag_;
}

/* The same, however records may have been overwritten: that is reported. */
static bool is_in_chain(const ash_arena *arena, const ash_scope *scope)
{
    uint64_t serial = scope->mark_.taken_;
    const struct ash_scope_record_ *record = arena->scope_;
    if (serial > arena->scope_serial_ || !is_of_this_life(arena, scope))
        return false;
    for (; record; record = record->outer) {
        must_be_sound(arena, record);
        if (record->serial <= serial)
            break;
    }
    return record && record->serial == serial;
}

/* The memory of the younger ones may come to be objects again, as it is: no record may be left in it. */
void ash_scope_close_(ash_arena *arena, struct ash_scope_record_ *innermost, uint64_t serial)
{
    struct ash_scope_record_ *record = arena->scope_;
    while (record != innermost) {
        must_be_sound(arena, record);
        record->tag = 0;
        record = record->outer;
    }
    arena->scope_ = innermost;
    arena->scope_serial_ = serial;
}

/* It is the innermost, and its record is all as it was made. */
static inline bool is_plainly_open(const ash_arena *arena, const ash_scope *scope)
{
    const struct ash_scope_record_ *record = record_of(scope);
    return record == arena->scope_ && record->tag == scope->tag_ &&
           record->serial == scope->mark_.taken_ && record->outer == scope->outer_ &&
           record->next == scope->mark_.next_;
}

void ash_scope_end(ash_scope *scope)
{
    struct ash_scope_record_ *record = scope ? record_of(scope) : NULL;
    if (!record)
        return;
    ash_arena *arena = (ash_arena *)(uintptr_t)scope->mark_.arena_;
    uint64_t serial = scope->mark_.taken_;
    if (ASH_UNLIKELY(!is_plainly_open(arena, scope)) && !is_in_chain(arena, scope))
        refuse(arena, record, "end of a scope that is closed already");
    if (serial < arena->floor_)
        refuse(arena, record, "end of a scope around an object that is being made or destroyed");
    if (ASH_UNLIKELY(record != arena->scope_))
        ash_scope_close_(arena, record, serial);
    ash_arena_rewind_to_(arena, &scope->mark_);
    record->tag = 0;
    ash_delete(arena, record);
    if (arena->top_ == arena->block_->end)
        ash_block_settle_(
            arena); /* its record has opened a block: what came before grows in place again */
    arena->scope_ = scope->outer_;
    arena->scope_serial_ = scope->outer_serial_;
}

bool ash_is_older_in_block_(const ash_arena *arena, const void *p)
{
    const struct ash_scope_record_ *scope = arena->scope_;
    return scope && ash_block_holds_(arena->block_, scope) && (const char *)p < scope->next;
}

bool ash_is_older_than_scope_(const ash_arena *arena, const void *p)
{
    const struct ash_scope_record_ *scope = arena->scope_;
    if (!scope)
        return false;
    const ash_block_ *b = arena->block_;
    for (; b && !ash_block_holds_(b, scope); b = b->older)
        if (ash_block_holds_(b, p))
            return false;
    return !b || !ash_block_holds_(b, p) || (const char *)p < scope->next;
}

bool ash_scope_check_(const ash_arena *arena)
{
    const struct ash_scope_record_ *record = arena->scope_;
    uint64_t serial = arena->scope_serial_;
    if ((record != NULL) != (serial != 0))
        return false;
    for (; record; record = record->outer) {
        if (!is_record(arena, record) || !is_sound(arena, record) || record->serial > serial ||
            (record == arena->scope_ && record->serial != serial))
            return false;
        serial = record->serial - 1;
    }
    return true;
}

void ash_arena_init_local_(ash_arena *arena, void *buffer, size_t size, const char *name)
{
    ash_arena_init(arena, &(ash_arena_config){.name = name, .buffer = buffer, .buffer_size = size});
}
