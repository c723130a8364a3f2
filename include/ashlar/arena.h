/*
 * arena.h - plain memory: bytes that all die together.
 *
 * An arena takes blocks of memory and hands them out from the low end by moving one pointer. There
 * is no free for a single allocation: a rewind to a mark, a reset or the end of the arena takes back
 * everything that came after. Choose it for the many small things of one request, one parse, one
 * frame. For things that must be deleted one by one, or that own something, see object.h: they live
 * on the same arena, at the other end of the same blocks.
 *
 *     block   [ header | plain  -->      gap      <-- objects ]
 *                            next ^             ^ top
 *
 * Every call is O(1) but the one that needs a new block, and those that give blocks back.
 */
#ifndef ASHLAR_ARENA_H
#define ASHLAR_ARENA_H

#include <stdarg.h>

#include "ashlar/resource.h"

ASH_DECLS_BEGIN

typedef struct ash_arena ash_arena;

/*
 * The library's own bookkeeping. It is complete here so that an ash_arena can live on a stack or in
 * a struct; a name that ends in _ is not for users.
 */
typedef struct ash_leaf_ { /* 64 granules of 8 bytes */
    uint64_t head;         /* bit: a live object's memory, its type word included, begins here */
    uint64_t mark; /* bit: under a head, it has a type word; else a dead one, or a second word */
} ash_leaf_;

typedef struct ash_node_ { /* 64 leaves, or 64 nodes of the level below */
    uint64_t live;         /* bit: there is a live head below */
    uint64_t typed; /* bit: there is one of an object that has a type word, or was; see map.h */
    uint64_t known; /* bit: what is below has been written since the objects last came there */
} ash_node_;

enum {
    ASH_MAP_LEVELS_ = 7,
    ASH_LEAF_SPAN_ = 64 * 8,             /* bytes of block a leaf describes */
    ASH_NODE_SPAN_ = 64 * ASH_LEAF_SPAN_ /* and a node of the lowest level */
};

typedef struct ash_map_ { /* the object map of one block */
    uintptr_t origin; /* address of granule 0, a multiple of ASH_NODE_SPAN_; may lie below base */
    size_t last;      /* the granule of end */
    size_t sure;      /* from top to this granule every leaf is known */
    char *base, *end; /* the block */
    char *top;        /* where its objects begin, while it is not the newest block */
    struct ash_block_ *block;
    ash_leaf_ *leaves; /* counted from origin; those below base are not there */
    ash_node_ *nodes[ASH_MAP_LEVELS_];
    unsigned levels; /* of nodes */
    unsigned doubt;  /* levels to ask before a leaf from there on is believed: 1 until an object
                        jumps over a node */
} ash_map_;

typedef struct ash_block_ {
    struct ash_block_ *older, *newer; /* in order of allocation; spares are newer than the newest */
    char *base, *end;                 /* memory to hand out */
    char *next;                       /* where its gap begins, while it is not the newest block */
    size_t size;                      /* bytes from upstream; 0: the caller's buffer */
    uint64_t serial;                  /* new each time it becomes the newest: tells old marks */
    ash_map_ *map;                    /* NULL: no object yet */
    char *inner_map;                  /* where the map lies inside this block, or NULL */
    size_t inner_map_size;
    ash_map_ own_map; /* what map points to then */
    bool regular;     /* counts for geometric growth */
} ash_block_;

/* A position in an arena, to go back to. */
typedef struct ash_mark {
    const struct ash_arena *arena_;
    ash_block_ *block_;
    uint64_t serial_; /* of the block */
    uint64_t taken_;  /* marks the arena had given out before */
    char *next_, *top_, *newest_;
} ash_mark;

/* Called for every NULL the arena answers, with what was asked for (SIZE_MAX where the product of
 * count and size does not fit). It may leave by longjmp or abort; if it returns, NULL is answered. */
typedef void (*ash_exhausted_fn)(ash_arena *arena, size_t size, size_t align, void *ctx);

struct ash_arena {
    /* the hot words */
    char *next_;      /* plain memory ends here, the gap begins */
    char *limit_;     /* how far ash_alloc may go by itself: top_, or less */
    ash_leaf_ *leaf_; /* what top_ lies in; NULL where ash_object_alloc can do nothing itself */
    char *top_;       /* the gap ends, objects begin */
    ash_node_ *node_; /* over leaf_ */
    struct ash_map_ *map_;  /* of the newest block, or NULL */
    ash_resource resource_; /* the arena as a resource */
    char *lid_;             /* limit_ is the lower of top_ and this */
    char *newest_;          /* under red zones: the newest plain memory, if it is known */
    size_t least_gap_;      /* in the newest block since used was last looked at: for peak */
    /* blocks */
    ash_block_ *block_;  /* the newest; NULL: none in use */
    ash_block_ *oldest_; /* the first of the chain, in use or spare */
    ash_block_ buffer_;  /* describes the caller's buffer or the reserved stretch */
    size_t spare_most_;  /* no spare has room for more than this */
    size_t older_used_;  /* used bytes of all blocks in use but the newest */
    size_t peak_;
    size_t held_;         /* bytes from upstream */
    size_t growth_;       /* bytes of regular blocks */
    size_t committed_[2]; /* of a reserved stretch: bytes at the low end, at the high end */
    uint64_t serial_;     /* of the block taken last */
    /* bookkeeping that lies apart */
    struct ash_side_ *side_; /* guarded pages for maps, or NULL */
    ash_map_ *lone_map_;     /* the only map, if there is one */
    ash_map_ **table_;       /* maps by address, if there are several */
    size_t table_size_;      /* slots, a power of two */
    size_t maps_;            /* blocks that have a map */
    uint64_t scales_;        /* bit s: a map is entered under its addresses >> s */
    uint64_t nonce_;         /* 0: no typed object yet */
    uint64_t marks_;         /* given out so far */
    uint64_t floor_;         /* a destructor runs: earlier marks may not be rewound to; else 0 */
    struct ash_scope_record_ *scope_; /* the innermost that is open, or NULL; see scope.h */
    uint64_t scope_serial_;           /* its mark's; 0: none */
    /* as configured */
    const char *name_;
    ash_resource *upstream_;
    uint64_t epoch_; /* upstream's, at init */
    size_t block_size_, block_max_, most_;
    ash_exhausted_fn on_exhausted_;
    void *exhausted_ctx_;
    bool failed_, reserved_;
};

/* What an arena is to be. {0} is valid: blocks from the default resource, growing from 64 KiB. */
typedef struct ash_arena_config {
    const char *name; /* for messages; NULL: "unnamed". Not copied. */
    ash_resource *
        upstream; /* where blocks come from; NULL: ash_default() at init. Where that is another arena, to
                               ask it inside a scope of its that is younger than this arena is reported as fatal. */
    void *buffer;       /* a first block of the caller's; it stays the caller's */
    size_t buffer_size; /* its bytes */
    size_t block_size;  /* bytes of the first block asked of upstream; 0: 64 KiB */
    size_t block_max;   /* blocks grow no larger than this; 0: 64 MiB; = block_size: all equal */
    size_t limit;       /* most bytes ever held, the caller's buffer apart; 0: no limit */
    size_t reserve;     /* bytes of address space, committed as used: one block and no second */
    ash_exhausted_fn on_exhausted; /* may be NULL */
    void *exhausted_ctx;
} ash_arena_config;

/**
 * ash_arena_init - make an arena in the caller's storage.
 *
 * arena    storage, overwritten; once initialised it may not be copied or moved.
 * config   NULL: all defaults. Not kept; what its pointers point to is.
 * Returns  true. No memory is taken yet, but for `reserve`, which takes address space.
 * Fails    false if `reserve` cannot be had or is combined with a buffer, or if a buffer_size comes
 *          without a buffer. The arena is then a zeroed one: valid, and without memory.
 * Lifetime until ash_arena_deinit. A zeroed arena needs none.
 * Cost     O(1).
 * Threads  one thread at a time per arena, for this and all that follows, unless it says `const`:
 *          calls on const arenas write nothing and may run at once on several threads.
 * Example:
 *     ash_arena arena;
 *     if (!ash_arena_init(&arena, &(ash_arena_config){.name = "request", .limit = 1 << 20}))
 *         return false;
 */
bool ash_arena_init(ash_arena *arena, const ash_arena_config *config);

/**
 * ash_arena_init_fixed - make an arena over one buffer; it never asks anyone for more.
 *
 * buffer   any address: on the stack, static, mapped, from malloc. NULL: size is taken as 0.
 * size     bytes, 0 included. All of them can be handed out.
 * Lifetime until ash_arena_deinit, which gives the buffer back to the caller untouched otherwise.
 * Cost     O(1).
 * Example:
 *     char buffer[4096];
 *     ash_arena arena;
 *     ash_arena_init_fixed(&arena, buffer, sizeof buffer);
 */
void ash_arena_init_fixed(ash_arena *arena, void *buffer, size_t size);

/**
 * ash_arena_deinit - run what destructors are due, newest first, and give all memory back.
 *
 * Scopes that are open on it are over then; to end one of them afterwards is reported.
 * arena    initialised, or zeroed; NULL is nothing. Afterwards it is a zeroed one.
 * Cost     O(objects that have a destructor + blocks).
 */
void ash_arena_deinit(ash_arena *arena);

/**
 * ash_arena_create, ash_arena_destroy - the same with the arena's own storage from its upstream.
 *
 * Requires ash_arena_destroy: no end of a scope on the arena comes later; it would look for it.
 * Returns  ash_arena_create: the arena. Its storage counts as held.
 * Fails    NULL where ash_arena_init is false, or upstream has no memory for it.
 */
ASH_NODISCARD ash_arena *ash_arena_create(const ash_arena_config *config);
void ash_arena_destroy(ash_arena *arena);

/* Not for users: what ash_alloc does when its few lines do not suffice. */
ASH_COLD void *ash_alloc_slow_(ash_arena *arena, size_t size, size_t align);

/* Is this a request the fast path may serve? Folds away where size and align are constants. */
static inline bool ash_ordinary_(size_t size, size_t align)
{
    return size - 1 < (size_t)PTRDIFF_MAX - ASH_ALIGN_MAX && align - 1 < ASH_ALIGN_MAX &&
           !(align & (align - 1));
}

/**
 * ash_alloc - take `size` bytes from an arena.
 *
 * size     bytes, any value; 0 is served as 1, so results are distinct.
 * align    bytes, a power of two, at most ASH_ALIGN_MAX.
 * Returns  address of `size` uninitialised bytes, a multiple of `align`.
 * Fails    NULL if upstream refuses, the limit is reached, `align` is none, or the request does not
 *          fit in an address space; the arena is then unchanged, and ash_arena_failed is true.
 * Lifetime until a rewind to an earlier mark, reset, release or deinit.
 * Cost     O(1), no call while the block has room; else one upstream allocation.
 *          At most align - 1 bytes of padding.
 * Example:
 *     char *line = ash_alloc(&arena, 4096, 64);
 *     int *x = ash_make(&arena, int);
 *     if (!line || !x) return false;       // nothing to undo: a rewind takes both back
 */
ASH_NODISCARD static inline void *ash_alloc(ash_arena *arena, size_t size, size_t align)
{
    if (ASH_LIKELY(ash_ordinary_(size, align))) {
        uintptr_t start = ((uintptr_t)arena->next_ + (align - 1)) & ~(uintptr_t)(align - 1);
        ptrdiff_t room = (ptrdiff_t)((uintptr_t)arena->limit_ - start);
        if (ASH_LIKELY((ptrdiff_t)size <= room)) {
            arena->next_ = (char *)start + size;
            return (char *)start;
        }
    }
    return ash_alloc_slow_(arena, size, align);
}

/* As ash_alloc, and the bytes are 0. */
ASH_NODISCARD void *ash_zalloc(ash_arena *arena, size_t size, size_t align);

/* As ash_alloc, count * size bytes; a product that does not fit fails. ash_zalloc_array: and 0. */
ASH_NODISCARD void *ash_alloc_array(ash_arena *arena, size_t count, size_t size, size_t align);
ASH_NODISCARD void *ash_zalloc_array(ash_arena *arena, size_t count, size_t size, size_t align);

/* One T, or `count` of them: zeroed, aligned, typed; NULL as ash_alloc. */
#define ash_make(arena, T) ((T *)ash_zalloc((arena), sizeof(T), ASH_ALIGNOF(T)))
#define ash_make_array(arena, T, count) \
    ((T *)ash_zalloc_array((arena), (count), sizeof(T), ASH_ALIGNOF(T)))

/**
 * ash_extend - grow or shrink plain memory in place.
 *
 * p        plain memory of this arena, `old_size` bytes; NULL is answered false.
 * new_size 0 is taken as 1, as is old_size.
 * Returns  true if `p` has new_size bytes now. A shrink is always true, and gives bytes back where
 *          `p` is the newest plain memory.
 * Fails    false, nothing changed: `p` is not the newest, or the block has no room, or it would grow and is
 *          older than an open scope. It is an answer: it does not set failed, and upstream is not asked.
 * Requires `p` is not an object: that is reported as fatal.
 * Cost     O(1).
 */
ASH_NODISCARD bool ash_extend(ash_arena *arena, void *p, size_t old_size, size_t new_size);

/**
 * ash_realloc - grow or shrink plain memory, moving it if it must.
 *
 * p        plain memory of this arena, `old_size` bytes, or NULL: then this is ash_alloc.
 * new_size 0 is taken as 1: realloc shrinks, it never frees.
 * align    of the result, a power of two; it may be larger than it was.
 * Returns  `p` where it could stay, else a copy; the bytes it left stay where they are till the rewind.
 * Fails    NULL, and `p` stands as it was; as ash_alloc.
 * Requires `p` is not an object: that is reported as fatal. So is growing what is older than the innermost
 *          open scope: it would be gone when the scope ends.
 * Cost     O(1) in place, else one copy of min(old_size, new_size) bytes.
 */
ASH_NODISCARD void *ash_realloc(ash_arena *arena, void *p, size_t old_size, size_t new_size,
                                size_t align);

/* Copies of bytes and strings; NULL as ash_alloc. ash_strndup: at most `max` bytes of `s`, then 0. */
ASH_NODISCARD void *ash_memdup(ash_arena *arena, const void *bytes, size_t size, size_t align);
ASH_NODISCARD char *ash_strdup(ash_arena *arena, const char *s);
ASH_NODISCARD char *ash_strndup(ash_arena *arena, const char *s, size_t max);

/**
 * ash_printf, ash_vprintf - a formatted string on the arena, as long as it needs to be.
 *
 * Returns  the string. Fails: NULL as ash_alloc, and where the C library cannot format it.
 * Cost     one vsnprintf into the gap; a second one only if the gap was too small.
 * Example:
 *     char *path = ash_printf(&arena, "%s/%s", directory, name);
 */
ASH_NODISCARD char *ash_printf(ash_arena *arena, const char *format, ...) ASH_PRINTF(2, 3);
ASH_NODISCARD char *ash_vprintf(ash_arena *arena, const char *format, va_list args)
    ASH_PRINTF(2, 0);

/**
 * ash_arena_mark, ash_arena_rewind - remember a position; go back to it.
 *
 * Rewind destroys the objects made since, newest first, and takes back all memory handed out since.
 * Blocks are kept as spares.
 *
 * Requires between a mark and its rewind, delete only what was made after the mark, and grow only that: a mark is no
 *          floor, and a vector, say, that is older and grows in place is cut off by the rewind. (A scope is one,
 *          and reports it.) A mark beyond
 *          what is in use is gone: reported as fatal, as is a rewind inside a destructor to a mark
 *          taken before it, and one inside a scope (scope.h) to a mark taken before the scope began.
 * Cost     mark: O(1) amortised. rewind: O(blocks given up), and the destructors.
 * Example:
 *     ash_mark before = ash_arena_mark(&arena);
 *     if (!parse(&arena, text)) ash_arena_rewind(&arena, before);
 */
ash_mark ash_arena_mark(ash_arena *arena);
void ash_arena_rewind(ash_arena *arena, ash_mark mark);

/**
 * ash_arena_reset, ash_arena_trim, ash_arena_release - empty the arena; give memory back.
 *
 * reset    destroys all objects, newest first, and keeps all blocks for reuse. O(blocks).
 * reset and release inside an open scope are reported as fatal.
 * trim     gives back empty blocks, the newest first, until at most `keep` bytes are held.
 * release  reset, and all memory goes back upstream; the arena can be used again.
 */
void ash_arena_reset(ash_arena *arena);
void ash_arena_trim(ash_arena *arena, size_t keep);
void ash_arena_release(ash_arena *arena);

/**
 * ash_arena_used, _capacity, _peak, _room - how much, in bytes.
 *
 * used     taken at both ends of all blocks: what was requested, padding, type words, dead objects
 *          that cannot be reclaimed yet. Not maps, headers, or gaps left behind. Empty: 0.
 * capacity held: the buffer and all that came from upstream, bookkeeping included; of a reserved stretch
 *          what is committed of it, its map apart.
 * peak     the highest used has been.
 * room     the largest n for which ash_alloc(arena, n, 1) succeeds without asking upstream.
 * Cost     O(1); room: O(spare blocks).
 */
size_t ash_arena_used(const ash_arena *arena);
size_t ash_arena_capacity(const ash_arena *arena);
size_t ash_arena_peak(const ash_arena *arena);
size_t ash_arena_room(const ash_arena *arena);

/* Does `p` lie in a block of this arena? Any pointer may be asked about. O(blocks). */
bool ash_arena_owns(const ash_arena *arena, const void *p);

/* Has a call answered NULL since init or the last clear? A rewind or a reset does not clear it. */
bool ash_arena_failed(const ash_arena *arena);
void ash_arena_clear_failed(ash_arena *arena);

/* Its name, never NULL. */
const char *ash_arena_name(const ash_arena *arena);

/* The arena as a resource: plain memory. free gives back the newest, else does nothing; resize is
 * ash_extend. It lives as long as the arena. */
ash_resource *ash_arena_resource(ash_arena *arena);

/* Walks everything the arena keeps and says whether it is consistent. O(all of it). */
bool ash_arena_check(const ash_arena *arena);

typedef enum ash_walk_kind {
    ASH_WALK_BLOCK,  /* a whole block, before what is in it */
    ASH_WALK_PLAIN,  /* plain memory, all of it between two other things in one piece */
    ASH_WALK_MAP,    /* an object map that lies inside the block */
    ASH_WALK_FREE,   /* the gap */
    ASH_WALK_OBJECT, /* a live object. The size of an untyped one is not recorded: its piece runs to
                         whatever comes next, its padding included */
    ASH_WALK_WORD,   /* the type word of the live object that follows */
    ASH_WALK_DEAD,   /* deleted, not yet reclaimed */
    ASH_WALK_PADDING /* lost to alignment */
} ash_walk_kind;

typedef struct ash_walk_item {
    ash_walk_kind kind;
    const void *start;
    size_t size;                 /* bytes */
    const struct ash_type *type; /* of a typed object; else NULL */
    size_t count;                /* of an object: its elements; else 0 */
} ash_walk_item;

/* Return false to stop. The arena may not be changed meanwhile. */
typedef bool (*ash_walk_fn)(const ash_walk_item *item, void *ctx);

/**
 * ash_arena_walk - show every byte of every block, oldest block first, addresses ascending.
 *
 * Returns  true if all was shown, false if `fn` stopped it.
 */
bool ash_arena_walk(const ash_arena *arena, ash_walk_fn fn, void *ctx);

ASH_DECLS_END

#endif
