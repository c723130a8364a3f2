/*
 * object_internal.h - what arena.c and object.c know of each other.
 */
#ifndef ASHLAR_SRC_OBJECT_INTERNAL_H
#define ASHLAR_SRC_OBJECT_INTERNAL_H

#include "ashlar/object.h"

#include "map.h"
#include "seal.h"

/* Notes the failure, tells on_exhausted, answers NULL. */
ASH_COLD void *ash_arena_fail_(ash_arena *arena, size_t size, size_t align);

/* Gives plain memory back if it is the newest. */
void ash_plain_free_(ash_arena *arena, void *p, size_t size);

/* The block that has objects and in which `p` lies, or NULL. */
const ash_block_ *ash_object_block_(const ash_arena *arena, const void *p);

/* Destroys the typed objects made since the mark, newest first, and those that their destructors
 * make. Untyped ones, and the memory of all, are left for whoever gives up the blocks. */
void ash_objects_destroy_(ash_arena *arena, const ash_mark *mark);

/* A live object, found by its address. */
typedef struct ash_found_ {
    ash_map_ *map;
    ash_kind_ kind;
} ash_found_;

ash_found_ ash_object_find_(const ash_arena *arena, const void *p);

static inline ash_sealed_ ash_object_unseal_(const ash_arena *arena, const void *p, ash_kind_ kind)
{
    return kind == ASH_WIDE_ ? ash_unseal_wide_(arena->nonce_, p) : ash_unseal_(arena->nonce_, p);
}

/* The arena has a nonce now, unless the system gives no random bytes. */
bool ash_object_has_nonce_(ash_arena *arena);

/* Closes the scopes inside the one of this record; NULL and 0: all. */
void ash_scope_close_(ash_arena *arena, struct ash_scope_record_ *innermost, uint64_t serial);

/* Is this plain memory older than the innermost scope? The first is asked of the newest block's. */
bool ash_is_older_in_block_(const ash_arena *arena, const void *p);
bool ash_is_older_than_scope_(const ash_arena *arena, const void *p);

/* Are the records of all open scopes what they should be? */
bool ash_scope_check_(const ash_arena *arena);

/* Rewinds to a mark that is known to be there still. */
void ash_arena_rewind_to_(ash_arena *arena, const ash_mark *mark);

/* The type of the library's own objects that ash_defer makes. */
extern const ash_type ash_defer_type_;

/* Is the call of a defer the one that was registered? */
bool ash_defer_valid_(const ash_arena *arena, const void *p, size_t seal);

#endif
