#include "ashlar/object.h"

#include <errno.h>
#include <string.h>

#include "base.h"
#include "block.h"
#include "hooks.h"
#include "map.h"
#include "object_internal.h"
#include "seal.h"
#include "table.h"

/* A deferred call is an object of the library's own; in the place of its count stands a seal over
 * what it calls. */
typedef struct deferred {
    void (*fn)(void *);
    void *arg;
} deferred;

const ash_type ash_defer_type_ = {
    .name = "deferred call", .size = sizeof(deferred), .align = ASH_ALIGNOF(deferred)};

/* ---- making ---- */

/* The object lies at `start`; its words, if any, right below. */
static ASH_NOINLINE void *lay(ash_arena *arena, uintptr_t start, ash_kind_ kind)
{
    ash_map_ *map = arena->map_;
    size_t top = ash_granule_(map, arena->top_);
    ash_map_add_(map, ash_granule_(map, (void *)start), kind, top);
    arena->top_ = (char *)(start - (size_t)kind * ASH_GRANULE_);
    ash_block_publish_(arena);
    return (void *)start;
}

static ASH_COLD void *take_anew(ash_arena *arena, size_t size, size_t align, ash_kind_ kind)
{
    ash_request_ request = {size + !size, align, (size_t)kind * ASH_GRANULE_, true};
    if (!ash_align_ok_(align) || request.size > ASH_SIZE_MAX_)
        return ash_arena_fail_(arena, size, align);
    if (!ash_block_room_(arena, &request))
        return ash_arena_fail_(arena, size, align);
    uintptr_t start = ash_object_place_(arena->next_, arena->top_, &request);
    ash_request_ zoned = request;
    zoned.size = ash_add_(request.size, ASH_RED_ZONE);
    if (ASH_RED_ZONE && ash_object_place_(arena->next_, arena->top_, &zoned) &&
        ash_block_room_(arena, &zoned))
        start = ash_object_place_(arena->next_, arena->top_, &zoned);
    ash_unpoison_((void *)start, request.size);
    return lay(arena, start, kind);
}

static void mark_typed(ash_arena *arena, uintptr_t head)
{
    if (!(arena->node_->typed & ASH_BIT_(head / ASH_LEAF_SPAN_)))
        ash_map_set_typed_(arena->map_, (head - arena->map_->origin) / ASH_LEAF_SPAN_);
}

/* What the words of an object that lies in one leaf mark there; `start` is where it begins. */
ASH_HOT uint64_t marks_of(uintptr_t start, uintptr_t head)
{
    return ASH_BIT_(start / ASH_GRANULE_) - ASH_BIT_(head / ASH_GRANULE_);
}

/* The object lies in one leaf, under another node than top's. */
static ASH_NOINLINE void *put_far(ash_arena *arena, uintptr_t start, uintptr_t head)
{
    ash_map_ *map = arena->map_;
    size_t at = (head - map->origin) / ASH_LEAF_SPAN_;
    arena->node_ = &map->nodes[0][at / 64];
    arena->leaf_ = &map->leaves[at];
    *arena->leaf_ = (ash_leaf_){ASH_BIT_(head / ASH_GRANULE_), marks_of(start, head)};
    ash_map_descend_(map, at, ((uintptr_t)arena->top_ - map->origin) / ASH_LEAF_SPAN_);
    arena->limit_ = (char *)head;
    arena->top_ = (char *)head;
    if (start != head)
        mark_typed(arena, head);
    return (void *)start;
}

/* The object lies in one leaf, below the one that top lies in and under the same node. */
ASH_HOT void put_below(ash_arena *arena, uintptr_t start, uintptr_t head, uintptr_t top)
{
    ash_leaf_ *leaf = arena->leaf_ - (top / ASH_LEAF_SPAN_ - head / ASH_LEAF_SPAN_);
    *leaf = (ash_leaf_){ASH_BIT_(head / ASH_GRANULE_), marks_of(start, head)};
    arena->node_->live |= ASH_BIT_(head / ASH_LEAF_SPAN_);
    arena->node_->known |= ASH_BIT_(head / ASH_LEAF_SPAN_);
    arena->leaf_ = leaf;
    arena->limit_ = (char *)head;
    arena->top_ = (char *)head;
    if (start != head)
        mark_typed(arena, head);
}

/* The same, where it jumps over leaves, or the one that top lies in may have a typed bit too many. */
static ASH_NOINLINE void *put_over(ash_arena *arena, uintptr_t start, uintptr_t head)
{
    ash_map_ *map = arena->map_;
    uintptr_t top = (uintptr_t)arena->top_;
    size_t old = (size_t)(arena->leaf_ - map->leaves);
    if (arena->node_->typed & ASH_BIT_(old))
        ash_map_leave_(map, old);
    put_below(arena, start, head, top);
    ash_map_jump_(map, (size_t)(arena->leaf_ - map->leaves), old);
    return (void *)start;
}

/* An object in the newest block, where nobody watches and all of the gap is there; else the long way. */
ASH_HOT void *take(ash_arena *arena, size_t size, size_t align, ash_kind_ kind)
{
    ash_leaf_ *leaf = arena->leaf_;
    if (ASH_UNLIKELY(!leaf || !ash_ordinary_(size, align)))
        return take_anew(arena, size, align, kind);
    uintptr_t top = (uintptr_t)arena->top_;
    uintptr_t start = ash_down_(top - size, align < 8 ? 8 : align);
    uintptr_t head = start - (size_t)kind * ASH_GRANULE_;
    if (ASH_UNLIKELY((ptrdiff_t)(head - (uintptr_t)arena->next_) < 0))
        return take_anew(arena, size, align, kind);
    if ((start ^ head) >= ASH_LEAF_SPAN_)
        return lay(arena, start, kind);
    if ((head ^ top) >= ASH_NODE_SPAN_)
        return put_far(arena, start, head);
    if ((head ^ top) >= ASH_LEAF_SPAN_) {
        if (arena->node_->typed & ASH_BIT_(top / ASH_LEAF_SPAN_) ||
            top / ASH_LEAF_SPAN_ - head / ASH_LEAF_SPAN_ > 1)
            return put_over(arena, start, head);
        put_below(arena, start, head, top);
        return (void *)start;
    }
    leaf->head |= ASH_BIT_(head / ASH_GRANULE_);
    if (kind != ASH_UNTYPED_)
        leaf->mark ^= marks_of(start, head); /* see ash_object_one_ */
    arena->limit_ = (char *)head;
    arena->top_ = (char *)head;
    if (kind != ASH_UNTYPED_)
        mark_typed(arena, head);
    return (void *)start;
}

void *ash_object_slow_(ash_arena *arena, size_t size, size_t align)
{
    return take(arena, size, align, ASH_UNTYPED_);
}

bool ash_object_has_nonce_(ash_arena *arena)
{
    if (!arena->nonce_)
        arena->nonce_ = ash_new_nonce_();
    return arena->nonce_;
}

/* A type's function runs, which begins scopes and ends them. */
static inline void must_have_ended_scopes(const ash_arena *arena,
                                          const struct ash_scope_record_ *scope)
{
    if (ASH_UNLIKELY(arena->scope_ != scope))
        ash_fatal_("scope left open by a destructor or an init", ash_arena_name(arena),
                   arena->scope_);
}

static void seal(ash_arena *arena, void *object, const ash_type *type, size_t count, bool wide)
{
    if (wide)
        ash_seal_wide_(arena->nonce_, object, type, count);
    else
        ash_seal_(arena->nonce_, object, type);
}

static bool is_wide(const ash_type *type, size_t count)
{
    return count != 1 || ash_seal_is_wide_(type);
}

/* Memory for a typed object, whose word is not written yet. */
ASH_HOT void *take_typed(ash_arena *arena, const ash_type *type, size_t count)
{
    size_t size = ash_mul_(count, type->size);
    if (ASH_UNLIKELY(!ash_object_has_nonce_(arena) || count > ASH_COUNT_MAX_))
        return ash_arena_fail_(arena, size, type->align);
    return take(arena, size, type->align, is_wide(type, count) ? ASH_WIDE_ : ASH_TYPED_);
}

/* Sealed, not zeroed. */
static ASH_NOINLINE void *make(ash_arena *arena, const ash_type *type, size_t count)
{
    void *p = take_typed(arena, type, count);
    if (p)
        seal(arena, p, type, count, is_wide(type, count));
    return p;
}

void *ash_object_new_slow_(ash_arena *arena, const ash_type *type, size_t count)
{
    void *p = make(arena, type, count);
    if (!p)
        return NULL;
    memset(p, 0, count * type->size);
    return type->init ? ash_object_init_(arena, type, p, count) : p;
}

/* Within top's leaf, where the nodes know of types already: then there is a nonce too. */
void *ash_object_one_(ash_arena *arena, const ash_type *type)
{
    uintptr_t top = (uintptr_t)arena->top_;
    ash_leaf_ *leaf = arena->leaf_;
    if (ASH_LIKELY(leaf && arena->node_->typed & ASH_BIT_(top / ASH_LEAF_SPAN_))) {
        uintptr_t start = (top - type->size) & (0 - type->align) & (0 - (uintptr_t)ASH_GRANULE_);
        uintptr_t head = start - ASH_GRANULE_;
        ptrdiff_t room = (ptrdiff_t)(head - (uintptr_t)arena->next_);
        if (ASH_LIKELY(room >= 0 && (head ^ top) < ASH_LEAF_SPAN_ && !ash_seal_is_wide_(type))) {
            uint64_t bit = ASH_BIT_(head / ASH_GRANULE_);
            /* mark was 0 there; with |= compilers make one access of both words, which waits for
             * what wrote them apart */
            leaf->head |= bit;
            leaf->mark ^= bit;
            arena->top_ = arena->limit_ = (char *)head;
            ash_seal_(arena->nonce_, (void *)start, type);
            return (void *)start;
        }
    }
    return make(arena, type, 1);
}

static const ash_type unborn = {.name = "object not begun yet"};

/* Until it is finished it is as one that is dying: to delete it does nothing, and what is older stays. */
static void conceal(ash_making_ *making)
{
    ash_arena *arena = making->arena;
    making->floor = arena->floor_;
    arena->floor_ = arena->marks_;
    bool wide = is_wide(making->type, making->count);
    seal(arena, making->object, &unborn, making->count, wide);
    ash_sealed_ sealed = ash_object_unseal_(arena, making->object, wide ? ASH_WIDE_ : ASH_TYPED_);
    ash_seal_flip_(making->object, &sealed, wide);
}

bool ash_making_begin_(ash_making_ *making)
{
    making->object = take_typed(making->arena, making->type, making->count);
    if (making->object)
        conceal(making);
    return making->object;
}

static void reveal(const ash_making_ *making, const ash_type *type)
{
    making->arena->floor_ = making->floor;
    seal(making->arena, making->object, type, making->count, is_wide(making->type, making->count));
}

void ash_making_finish_(const ash_making_ *making)
{
    reveal(making, making->type);
}

void ash_making_abandon_(const ash_making_ *making)
{
    reveal(making, &unborn);
    ash_delete(making->arena, making->object);
}

void *ash_object_init_(ash_arena *arena, const ash_type *type, void *object, size_t count)
{
    ash_making_ making = {arena, type, count, object, 0};
    conceal(&making);
    int error = errno;
    const struct ash_scope_record_ *scope = arena->scope_;
    size_t begun = 0;
    while (begun < count &&
           type->init((char *)object + begun * type->size, ash_arena_resource(arena)))
        begun++;
    bool all = begun == count;
    while (!all && type->destroy && begun > 0)
        type->destroy((char *)object + --begun * type->size);
    errno = error;
    must_have_ended_scopes(arena, scope);
    if (all) {
        ash_making_finish_(&making);
        return object;
    }
    ash_making_abandon_(&making);
    return ash_arena_fail_(arena, count * type->size, type->align);
}

bool ash_defer(ash_arena *arena, void (*fn)(void *), void *arg)
{
    deferred *d = ash_object_has_nonce_(arena)
                      ? take(arena, sizeof *d, ASH_ALIGNOF(deferred), ASH_WIDE_)
                      : ash_arena_fail_(arena, sizeof *d, ASH_ALIGNOF(deferred));
    if (!d)
        return false;
    *d = (deferred){fn, arg};
    size_t seal = ash_seal_call_(arena->nonce_, d, fn, arg);
    ash_seal_wide_(arena->nonce_, d, &ash_defer_type_, seal);
    return true;
}

/* ---- finding ---- */

static char *top_of(const ash_arena *arena, const ash_map_ *map)
{
    return map == arena->map_ ? arena->top_ : map->top;
}

const ash_block_ *ash_object_block_(const ash_arena *arena, const void *p)
{
    const ash_map_ *map = ash_table_find_(arena, p);
    return map ? map->block : NULL;
}

ash_found_ ash_object_find_(const ash_arena *arena, const void *p)
{
    ash_map_ *map = ash_table_find_(arena, p);
    const char *top = map ? top_of(arena, map) : NULL;
    if (!map || (const char *)p < top || (uintptr_t)p % ASH_GRANULE_)
        return (ash_found_){map, ASH_NOTHING_};
    return (ash_found_){map, ash_map_find_(map, ash_granule_(map, p), ash_granule_(map, top))};
}

bool ash_defer_valid_(const ash_arena *arena, const void *p, size_t seal)
{
    const deferred *d = p;
    return ash_seal_call_(arena->nonce_, d, d->fn, d->arg) == seal;
}

/* What a user may know of an object; a defer is nothing to them. */
static ash_object_state look(const ash_arena *arena, const void *p, ash_kind_ *kind,
                             ash_sealed_ *sealed)
{
    *kind = ash_object_find_(arena, p).kind;
    *sealed = (ash_sealed_){.count = 1};
    if (*kind == ASH_NOTHING_)
        return ASH_OBJECT_FOREIGN;
    if (*kind == ASH_DEAD_)
        return ASH_OBJECT_DEAD;
    if (*kind == ASH_UNTYPED_)
        return ASH_OBJECT_LIVE;
    *sealed = ash_object_unseal_(arena, p, *kind);
    if (!sealed->valid)
        return ASH_OBJECT_CORRUPT;
    if (sealed->type == &ash_defer_type_)
        return ASH_OBJECT_FOREIGN;
    return sealed->dying ? ASH_OBJECT_DYING : ASH_OBJECT_LIVE;
}

ash_object_state ash_object_inspect(const ash_arena *arena, const void *p)
{
    ash_kind_ kind;
    ash_sealed_ sealed;
    return look(arena, p, &kind, &sealed);
}

const ash_type *ash_object_type(const ash_arena *arena, const void *p)
{
    ash_kind_ kind;
    ash_sealed_ sealed;
    ash_object_state state = look(arena, p, &kind, &sealed);
    return state == ASH_OBJECT_LIVE || state == ASH_OBJECT_DYING ? sealed.type : NULL;
}

size_t ash_object_count(const ash_arena *arena, const void *p)
{
    ash_kind_ kind;
    ash_sealed_ sealed;
    ash_object_state state = look(arena, p, &kind, &sealed);
    return state == ASH_OBJECT_LIVE || state == ASH_OBJECT_DYING ? sealed.count : 0;
}

bool ash_object_is_top(const ash_arena *arena, const void *p)
{
    ash_found_ found = ash_object_find_(arena, p);
    if (found.kind > ASH_WIDE_ || ash_object_inspect(arena, p) == ASH_OBJECT_FOREIGN)
        return false;
    for (const ash_block_ *b = arena->block_; b != found.map->block; b = b->older)
        if (b->map && ash_block_top_(arena, b) != b->end)
            return false;
    return (const char *)p - (size_t)found.kind * ASH_GRANULE_ == top_of(arena, found.map);
}

/* ---- destroying ---- */

/* Top rises within its leaf, to the lowest bit of `heads`. */
ASH_HOT void raise_in_leaf(ash_arena *arena, uintptr_t top, uint64_t heads)
{
    size_t gap = top - (uintptr_t)arena->next_;
    if (ASH_UNLIKELY(gap < arena->least_gap_))
        arena->least_gap_ = gap;
    top = ash_down_(top, ASH_LEAF_SPAN_) + ash_lowest_bit_(heads) * ASH_GRANULE_;
    arena->top_ = arena->limit_ = (char *)top;
}

/* Top rises from a leaf that is empty now; the next one may lie under the same node. */
static ASH_NOINLINE void raise_from_leaf(ash_arena *arena, uintptr_t top)
{
    size_t here = top / ASH_LEAF_SPAN_ % 64;
    ash_node_ *node = arena->node_;
    ash_map_ *map = arena->map_;
    uint64_t above = node->live & ASH_FROM_(here) & ~ASH_BIT_(here);
    if (ASH_UNLIKELY(!above)) {
        size_t next = ash_map_rise_(map, (top - map->origin) / ASH_GRANULE_);
        arena->least_gap_ = ASH_MIN(arena->least_gap_, (size_t)(top - (uintptr_t)arena->next_));
        arena->leaf_ = &map->leaves[next / 64];
        arena->node_ = &map->nodes[0][next / 64 / 64];
        arena->limit_ = ash_granule_address_(map, next);
        arena->top_ = arena->limit_;
        return;
    }
    size_t there = ash_lowest_bit_(above);
    node->live = above;
    ash_node_forget_(node, there);
    ash_leaf_ *leaf = arena->leaf_ += there - here;
    if (leaf->mark)
        leaf->mark &= ASH_FROM_(ash_lowest_bit_(leaf->head));
    ash_map_lift_(map, (size_t)(leaf - map->leaves));
    size_t gap = top - (uintptr_t)arena->next_;
    arena->least_gap_ = ASH_MIN(arena->least_gap_, gap);
    raise_in_leaf(arena, ash_down_(top, ASH_NODE_SPAN_) + there * ASH_LEAF_SPAN_, leaf->head);
}

/* The head at top goes; in its leaf, where bits below top are 0. */
ASH_HOT void leave_top(ash_arena *arena, ash_leaf_ *leaf, uintptr_t top)
{
    uint64_t left = leaf->head & (leaf->head - 1);
    leaf->head = left;
    if (ASH_UNLIKELY(!left)) {
        raise_from_leaf(arena, top);
        return;
    }
    leaf->mark &= left | (0 - left); /* the next head and all above */
    raise_in_leaf(arena, top, left);
}

/* Gives back a typed object of the newest block. */
static void drop_near(ash_arena *arena, ash_map_ *map, uintptr_t object, ash_kind_ kind)
{
    uintptr_t head = object - (size_t)kind * ASH_GRANULE_;
    ash_map_remove_(map, (object - map->origin) / ASH_GRANULE_, kind,
                    ((uintptr_t)arena->top_ - map->origin) / ASH_GRANULE_);
    if (head != (uintptr_t)arena->top_)
        return;
    ash_leaf_ *leaf = arena->leaf_;
    if (!leaf->head) {
        raise_from_leaf(arena, head);
        return;
    }
    leaf->mark &= ASH_FROM_(ash_lowest_bit_(leaf->head));
    raise_in_leaf(arena, head, leaf->head);
}

/* Its memory is given back up to the lowest live object of the block, if it was the lowest. */
static ASH_NOINLINE void drop_far(ash_arena *arena, ash_map_ *map, char *object, ash_kind_ kind)
{
    char *top = top_of(arena, map), *next = top;
    size_t lowest = ash_granule_(map, top);
    ash_map_remove_(map, ash_granule_(map, object), kind, lowest);
    if (object - (size_t)kind * ASH_GRANULE_ == top) {
        next = ash_top_address_(map, ash_map_rise_(map, lowest));
        ash_poison_(object, (size_t)(next - object));
    } else if (ASH_WATCHED) { /* nobody knows the size, but something else begins there, or begun */
        size_t after = ash_map_after_(map, ash_granule_(map, object));
        ash_poison_(object, (size_t)(ash_top_address_(map, after) - object));
    }
    if (map == arena->map_) {
        size_t gap = (size_t)(top - arena->next_);
        arena->least_gap_ = ASH_MIN(arena->least_gap_, gap);
        arena->top_ = next;
        ash_block_publish_(arena);
    } else if (next != top) {
        ash_block_note_peak_(arena);
        arena->older_used_ -= (size_t)(next - top);
        map->top = next;
    }
}

static void drop(ash_arena *arena, ash_map_ *map, char *object, ash_kind_ kind)
{
    if (ASH_LIKELY(map == arena->map_ && arena->leaf_))
        drop_near(arena, map, (uintptr_t)object, kind);
    else
        drop_far(arena, map, object, kind);
}

/* The same for one with a plain word in front, which lies in `leaf` with it. */
ASH_HOT void drop_from(ash_arena *arena, ash_map_ *map, ash_leaf_ *leaf, uintptr_t head)
{
    bool near = leaf == arena->leaf_;
    if (near && head == (uintptr_t)arena->top_) {
        leave_top(arena, leaf, head);
        return;
    }
    uint64_t bit = ASH_BIT_(head / ASH_GRANULE_);
    uint64_t left = leaf->head & ~bit, mark = leaf->mark & ~bit;
    if (ASH_UNLIKELY(!near && (map != arena->map_ || !(left & mark)))) {
        drop(arena, map, (char *)head + ASH_GRANULE_, ASH_TYPED_);
        return;
    }
    leaf->head = left;
    leaf->mark = mark | bit << 1; /* dead */
}

static void call_destructor(char *object, const ash_sealed_ *sealed)
{
    const ash_type *type = sealed->type;
    if (type == &ash_defer_type_) {
        const deferred *d = (const deferred *)object;
        d->fn(d->arg);
        return;
    }
    for (size_t i = sealed->count; i-- > 0;)
        type->destroy(object + i * type->size);
}

/* The object is dying until its destructor has returned; it keeps its bits in the map until then. */
static inline void destroy(ash_arena *arena, ash_map_ *map, char *object, ash_kind_ kind,
                           const ash_sealed_ *sealed)
{
    bool defer = sealed->type == &ash_defer_type_;
    if (defer && !ash_defer_valid_(arena, object, sealed->count))
        ash_fatal_("deferred call overwritten", ash_arena_name(arena), object);
    if (defer || sealed->type->destroy) {
        uint64_t floor = arena->floor_;
        const struct ash_scope_record_ *scope = arena->scope_;
        arena->floor_ = arena->marks_;
        ash_seal_flip_(object, sealed, kind == ASH_WIDE_);
        call_destructor(object, sealed);
        must_have_ended_scopes(arena, scope);
        arena->floor_ = floor;
    }
    drop(arena, map, object, kind);
}

static ASH_COLD void refuse(const ash_arena *arena, const void *p, bool dead)
{
    ash_fatal_(dead ? "delete of an object already deleted"
                    : "delete of what is not the start of an object",
               ash_arena_name(arena), p);
}

static void delete_typed(ash_arena *arena, ash_map_ *map, char *object, ash_kind_ kind)
{
    int error = errno;
    ash_sealed_ sealed = ash_object_unseal_(arena, object, kind);
    if (ASH_UNLIKELY(!sealed.valid))
        ash_fatal_("type word overwritten", ash_arena_name(arena), object);
    if (ASH_UNLIKELY(sealed.type == &ash_defer_type_))
        refuse(arena, object, false);
    if (ASH_LIKELY(!sealed.dying))
        destroy(arena, map, object, kind, &sealed);
    errno = error;
}

/* What destroy does, for one object with a plain word and a destructor; it is dropped by who calls. */
ASH_HOT void destroy_plain(ash_arena *arena, char *object, const ash_sealed_ *sealed)
{
    uint64_t floor = arena->floor_;
    const struct ash_scope_record_ *scope = arena->scope_;
    arena->floor_ = arena->marks_;
    ash_seal_flip_(object, sealed, false);
    sealed->type->destroy(object);
    must_have_ended_scopes(arena, scope);
    arena->floor_ = floor;
}

static ASH_NOINLINE void delete_far(ash_arena *arena, void *object)
{
    if (!object)
        return;
    ash_found_ found = ash_object_find_(arena, object);
    if (found.kind == ASH_UNTYPED_)
        drop_far(arena, found.map, object, ASH_UNTYPED_);
    else if (found.kind <= ASH_WIDE_)
        delete_typed(arena, found.map, object, found.kind);
    else
        refuse(arena, object, found.kind == ASH_DEAD_);
}

/* Does an object with a plain word begin there, and the word in the same leaf? */
ASH_HOT bool is_plain_typed(const ash_leaf_ *leaf, const char *object)
{
    uint64_t bit = ASH_BIT_((uintptr_t)object / ASH_GRANULE_);
    return ash_typed_heads_(leaf) & bit >> 1 && !((leaf->head | leaf->mark) & bit);
}

/* What lies in this leaf of the newest block, which is known, and is not untyped. */
static ASH_NOINLINE void delete_typed_near(ash_arena *arena, ash_map_ *map, ash_leaf_ *leaf,
                                           char *object)
{
    if (ASH_UNLIKELY(!is_plain_typed(leaf, object))) {
        delete_far(arena, object);
        return;
    }
    ash_sealed_ sealed = ash_unseal_live_(arena->nonce_, object);
    if (ASH_UNLIKELY(!sealed.valid)) {
        delete_typed(arena, map, object, ASH_TYPED_);
        return;
    }
    if (sealed.type->destroy) {
        int error = errno;
        destroy_plain(arena, object, &sealed);
        errno = error;
    }
    drop_from(arena, map, leaf, (uintptr_t)object - ASH_GRANULE_);
}

/* An untyped object above top, in a leaf that is known. */
ASH_HOT bool delete_untyped(ash_map_ *map, ash_leaf_ *leaf, size_t granule)
{
    uint64_t bit = ASH_BIT_(granule), head = leaf->head, mark = leaf->mark;
    if (!(head & bit) || mark & bit)
        return false;
    head ^= bit;
    leaf->mark = mark | bit;
    leaf->head = head;
    if (!head)
        ash_map_emptied_(map, (size_t)(leaf - map->leaves));
    return true;
}

/* One at top, which is untyped, or alone in its leaf, or the end of the block; or one that is not there. */
static ASH_NOINLINE void delete_slowly(ash_arena *arena, void *object)
{
    uintptr_t at = (uintptr_t)object;
    ash_leaf_ *leaf = arena->leaf_;
    if (!leaf || object != arena->top_ || object == arena->map_->end ||
        leaf->mark & ASH_BIT_(at / ASH_GRANULE_)) {
        delete_far(arena, object);
        return;
    }
    leave_top(arena, leaf, at);
}

/* One in a leaf that may not be known. */
static ASH_NOINLINE void delete_in_doubt(ash_arena *arena, void *object, ash_map_ *map,
                                         size_t granule)
{
    if (granule >= map->last || !ash_map_known_(map, granule / 64) ||
        !delete_untyped(map, &map->leaves[granule / 64], granule))
        delete_far(arena, object);
}

/* The object at top, untyped, in a leaf where nothing has a mark; or the end of an empty block. */
ASH_HOT void delete_top(ash_arena *arena, ash_leaf_ *leaf, uintptr_t top)
{
    uint64_t left = leaf->head & (leaf->head - 1); /* bits below top are 0 */
    if (ASH_UNLIKELY(!left)) {
        delete_slowly(arena, (void *)top);
        return;
    }
    leaf->head = left;
    raise_in_leaf(arena, top, left);
}

/* One that begins above top. */
ASH_HOT void delete_above(ash_arena *arena, void *object)
{
    ash_map_ *map = arena->map_;
    size_t granule = ash_exact_granule_(map, (uintptr_t)object);
    if (ASH_UNLIKELY(granule >= map->sure)) {
        delete_in_doubt(arena, object, map, granule);
        return;
    }
    ash_leaf_ *leaf = &map->leaves[granule / 64];
    if (!delete_untyped(map, leaf, granule))
        delete_typed_near(arena, map, leaf, object);
}

void ash_delete(ash_arena *arena, void *object)
{
    uintptr_t at = (uintptr_t)object, top = (uintptr_t)arena->top_;
    ash_leaf_ *leaf = arena->leaf_;
    if (ASH_UNLIKELY(!leaf || at < top)) {
        delete_far(arena, object);
    } else if (at == top) {
        if (leaf->mark)
            delete_slowly(arena, object);
        else
            delete_top(arena, leaf, top);
    } else {
        delete_above(arena, object);
    }
}

/* The newest typed object of a block, if it was made since the mark. */
static char *newest_typed(const ash_arena *arena, const ash_block_ *block, const ash_mark *mark,
                          ash_kind_ *kind)
{
    const ash_map_ *map = block->map;
    const char *top = ash_block_top_(arena, block);
    if (!map || top == block->end || (block == mark->block_ && top >= mark->top_))
        return NULL;
    size_t head = ash_map_next_typed_(map, ash_granule_(map, top));
    if (head == map->last)
        return NULL;
    char *address = ash_granule_address_(map, head);
    if (block == mark->block_ && address >= mark->top_)
        return NULL;
    *kind = ash_map_kind_(map, head);
    return address + (size_t)*kind * ASH_GRANULE_;
}

/* Is the head at top that of an object with a plain word, and both in this leaf? */
ASH_HOT bool is_plain_typed_top(const ash_leaf_ *leaf)
{
    uint64_t word = leaf->head & (0 - leaf->head), object = word << 1;
    return object && (leaf->mark & (word | object)) == word;
}

/*
 * Most of what is destroyed at once is one object at top after the other, each with a plain word and a
 * destructor that makes nothing. Goes on while that is so; the rest is done with care.
 */
static ASH_NOINLINE void destroy_run(ash_arena *arena, const ash_mark *mark)
{
    ash_map_ *map = arena->map_;
    uintptr_t stop = arena->block_ == mark->block_ ? (uintptr_t)mark->top_ : UINTPTR_MAX;
    for (;;) {
        ash_leaf_ *leaf = arena->leaf_;
        uintptr_t top = (uintptr_t)arena->top_;
        if (!leaf || top >= stop || !is_plain_typed_top(leaf))
            return;
        char *object = (char *)top + ASH_GRANULE_;
        ash_sealed_ sealed = ash_unseal_live_(arena->nonce_, object);
        if (ASH_UNLIKELY(!sealed.valid))
            return;
        if (sealed.type->destroy)
            destroy_plain(arena, object, &sealed);
        if (ASH_UNLIKELY(top != (uintptr_t)arena->top_ || leaf != arena->leaf_)) {
            drop_from(arena, map, leaf, top);
            return;
        }
        leave_top(arena, leaf, top);
    }
}

void ash_objects_destroy_(ash_arena *arena, const ash_mark *mark)
{
    int error = errno;
    ash_block_ *block = arena->block_;
    while (block) {
        if (block == arena->block_) {
            destroy_run(arena, mark);
            block = arena->block_; /* a destructor may have opened one */
            if (block == mark->block_ && arena->top_ >= mark->top_)
                break;
        }
        ash_kind_ kind;
        char *object = newest_typed(arena, block, mark, &kind);
        if (object) {
            uint64_t serial = arena->serial_;
            ash_sealed_ sealed = ash_object_unseal_(arena, object, kind);
            if (ASH_UNLIKELY(!sealed.valid))
                ash_fatal_("type word overwritten", ash_arena_name(arena), object);
            destroy(arena, block->map, object, kind, &sealed);
            /* If the destructor made newer ones, they lie in the newest block, or in new ones. */
            if (serial != arena->serial_ || newest_typed(arena, arena->block_, mark, &kind))
                block = arena->block_;
        } else if (block == mark->block_) {
            break;
        } else {
            block = block->older;
        }
    }
    errno = error;
}
