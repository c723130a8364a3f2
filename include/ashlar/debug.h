/*
 * debug.h - resources that stand in front of another one and watch it.
 *
 *     ash_counting   how much, how often, how much at most
 *     ash_limited    no more than a budget, which several may share
 *     ash_failing    refuses now and then, to test what a program does without memory
 *     ash_traced     tells of every call
 *     ash_guarded    each allocation against an unmapped page: overflow and use after free fault
 *
 * Each is a struct in the caller's storage, whose first member is an ash_resource, over an upstream;
 * NULL is ash_default() at init. They stack in any order, under and over arenas. What they do not
 * change they pass on: sizes, alignments, refusals, and the answers of owns, epoch and name. Once
 * initialised they are not copied or moved, and live until what they handed out is given back.
 *
 * A request that ash_resource_alloc, resize, remap or free refuses for its arguments (an align that is none, a
 * size over PTRDIFF_MAX) reaches none of them: it is not counted, told, or refused again.
 *
 * What dies otherwise than by a free is not seen: when an arena below is rewound, the wrapper over it
 * goes on counting what it handed out of it.
 */
#ifndef ASHLAR_DEBUG_H
#define ASHLAR_DEBUG_H

#include "ashlar/resource.h"

ASH_DECLS_BEGIN

/* What all of them begin with. */
typedef struct ash_wrapper_ {
    ash_resource resource_;
    ash_resource *upstream_;
} ash_wrapper_;

/* ---- counting ---- */

typedef struct ash_counts {
    uint64_t allocs, frees;       /* that were served */
    uint64_t resizes, remaps;     /* that were served */
    uint64_t failures;            /* allocations refused */
    uint64_t declined;            /* resizes and remaps answered no, which is no failure */
    uint64_t total_bytes;         /* ever handed out: allocations, and what the others grew by */
    size_t live, live_bytes;      /* handed out now */
    size_t peak_live, peak_bytes; /* the most there was of each */
} ash_counts;

typedef struct ash_counting {
    ash_wrapper_ wrapper_;
    ash_counts counts_;
} ash_counting;

/**
 * ash_counting_init, _resource, _counts, _live - count what passes.
 *
 * counts   all of it, as it is now. live: only the bytes handed out and not given back.
 * Requires nothing more is given back than was taken: that is reported as fatal, at the free.
 * Cost     a few additions a call. It holds nothing, and needs no deinit.
 * Threads  one at a time, whatever upstream is.
 * Example:
 *     ash_counting counting;
 *     ash_counting_init(&counting, NULL);
 *     run(ash_counting_resource(&counting));
 *     printf("at most %zu bytes\n", ash_counting_counts(&counting).peak_bytes);
 */
void ash_counting_init(ash_counting *counting, ash_resource *upstream);
ash_resource *ash_counting_resource(ash_counting *counting);
ash_counts ash_counting_counts(const ash_counting *counting);
size_t ash_counting_live(const ash_counting *counting);

/* ---- limited ---- */

/* So many bytes, for all who draw on it. */
typedef struct ash_budget {
    size_t limit_, used_;
} ash_budget;

/**
 * ash_budget_init, _limit, _used - bytes that may be handed out at the same time.
 *
 * limit    0: nothing. SIZE_MAX: all there is, but it is counted.
 * Lifetime at least as long as every ash_limited that draws on it. It needs no deinit.
 * Threads  init: one. limit and used: any, while others draw on it.
 */
void ash_budget_init(ash_budget *budget, size_t limit);
size_t ash_budget_limit(const ash_budget *budget);
size_t ash_budget_used(const ash_budget *budget);

typedef struct ash_limited {
    ash_wrapper_ wrapper_;
    ash_budget *budget_;
    size_t taken_;
} ash_limited;

/**
 * ash_limited_init, _deinit, _resource, _used - hand out no more than a budget has.
 *
 * Bytes are counted as they are asked for; padding and bookkeeping of upstream are not seen. What
 * is given back, by a free, a shrink, or because upstream refused, is there again at once. To move
 * an allocation by copying takes both sizes for a moment.
 *
 * budget   shared by any number of them, over any upstreams, on any threads.
 * used     what this one has taken of the budget.
 * deinit   what it has still taken goes back to the budget, not upstream: for memory that died with
 *          an arena.
 * Requires nothing more is given back than was taken: that is reported as fatal, at the call.
 * Cost     two atomic additions a call.
 * Threads  as upstream; many at once where upstream takes them, as ash_heap() does.
 * Example:
 *     ash_budget budget;
 *     ash_budget_init(&budget, (size_t)64 << 20);
 *     ash_limited images, sounds;
 *     ash_limited_init(&images, ash_pages(), &budget);
 *     ash_limited_init(&sounds, ash_heap(), &budget);
 */
void ash_limited_init(ash_limited *limited, ash_resource *upstream, ash_budget *budget);
void ash_limited_deinit(ash_limited *limited);
ash_resource *ash_limited_resource(ash_limited *limited);
size_t ash_limited_used(const ash_limited *limited);

/* ---- failing ---- */

typedef struct ash_failing {
    ash_wrapper_ wrapper_;
    uint64_t requests_, refused_; /* since init */
    uint64_t wait_;               /* requests until one is refused, itself included; 0: none is */
    uint64_t every_;              /* what wait_ begins again with */
    uint64_t random_;             /* state of the generator */
    uint32_t share_, whole_;      /* share_ of whole_ are refused */
} ash_failing;

/**
 * ash_failing_init, _resource, _requests, _refused - refuse on purpose.
 *
 * alloc, resize and remap are requests, each counts as one, whether upstream could serve it or not;
 * free is none. After init nothing is refused. _requests and _refused: how many since init.
 *
 * Cost     O(1). It holds nothing, and needs no deinit.
 * Threads  one at a time, whatever upstream is.
 * Example:
 *     for (uint64_t n = 1;; n++) {
 *         ash_failing_init(&failing, NULL);
 *         ash_failing_at(&failing, n);
 *         run(ash_failing_resource(&failing));
 *         if (!ash_failing_refused(&failing)) break;       // it makes fewer than n requests
 *     }
 */
void ash_failing_init(ash_failing *failing, ash_resource *upstream);
ash_resource *ash_failing_resource(ash_failing *failing);
uint64_t ash_failing_requests(const ash_failing *failing);
uint64_t ash_failing_refused(const ash_failing *failing);

/**
 * ash_failing_at, _every, _fraction - which requests are refused from now on; the last one called holds.
 *
 * at       the n-th request from now alone, 1 being the next; 0: none.
 * every    each n-th from now; 1: all of them, 0: none.
 * fraction each with probability share / whole, drawn from a generator of its own: the same seed and
 *          the same requests give the same refusals, on every machine. A whole of 0: none.
 */
void ash_failing_at(ash_failing *failing, uint64_t n);
void ash_failing_every(ash_failing *failing, uint64_t n);
void ash_failing_fraction(ash_failing *failing, uint32_t share, uint32_t whole, uint64_t seed);

/* ---- traced ---- */

typedef enum ash_trace_op {
    ASH_TRACE_ALLOC,
    ASH_TRACE_RESIZE,
    ASH_TRACE_REMAP,
    ASH_TRACE_FREE
} ash_trace_op;

/* One call, after it was answered. */
typedef struct ash_trace_event {
    ash_trace_op op;
    bool served;      /* false: refused */
    const char *name; /* upstream's, never NULL */
    const void *p;    /* what it was called with; of an alloc: NULL */
    size_t old_size;  /* of p; of an alloc: 0 */
    size_t new_size;  /* asked for; of a free: 0 */
    size_t align;
    const void *result; /* where the memory is now; NULL: refused, or freed */
} ash_trace_event;

typedef void (*ash_trace_fn)(const ash_trace_event *event, void *ctx);

typedef struct ash_traced {
    ash_wrapper_ wrapper_;
    ash_trace_fn fn_;
    void *ctx_;
} ash_traced;

/**
 * ash_traced_init, _resource - tell of every call.
 *
 * fn       called after each call with what was asked and answered; it may not call the resource.
 *          ash_trace_print, or a function of your own.
 * ctx      handed to fn; for ash_trace_print a FILE *.
 * Cost     that of fn. It holds nothing, and needs no deinit.
 * Threads  as upstream and fn; ash_trace_print: many, each line is written in one piece.
 * Example:
 *     ash_traced traced;
 *     ash_traced_init(&traced, NULL, ash_trace_print, stderr);
 */
void ash_traced_init(ash_traced *traced, ash_resource *upstream, ash_trace_fn fn, void *ctx);
ash_resource *ash_traced_resource(ash_traced *traced);

/* Writes the event as a line, as ash_trace_format has it, to a FILE *; whole, however long the name is. */
void ash_trace_print(const ash_trace_event *event, void *file);

/**
 * ash_trace_format - an event as a line of text, without its newline.
 *
 *     heap alloc 24 align 8 = 0x5581e0
 *     heap remap 24 to 48 align 8 at 0x5581e0 = 0x5582f0
 *     heap resize 48 to 96 align 8 at 0x5582f0 = refused
 *     heap free 48 align 8 at 0x5582f0
 *
 * Two runs that do the same differ in nothing but what begins with 0x; with those taken out
 * (`sed 's|0x[0-9a-f]*||g'`) their traces can be compared.
 *
 * Returns  the characters the whole line has, as snprintf; line gets at most size - 1 of them, and a 0.
 */
size_t ash_trace_format(const ash_trace_event *event, char *line, size_t size);

/* ---- guarded ---- */

enum { ASH_GUARDED_KEPT_ = 64 };

typedef struct ash_guard_ { /* a live allocation, or one freed of late */
    char *p;
    size_t size, align;
    char *base; /* of the address space it stands in */
} ash_guard_;

typedef struct ash_guarded {
    ash_wrapper_ wrapper_;
    size_t page_;
    ash_guard_ *table_;                  /* live ones, hashed by address; from upstream */
    size_t slots_;                       /* a power of two, or 0 */
    size_t live_;                        /* allocations */
    size_t held_;                        /* bytes of pages that can be written to */
    ash_guard_ kept_[ASH_GUARDED_KEPT_]; /* a ring: freed, but their addresses not used again yet */
    size_t frees_;
} ash_guarded;

/**
 * ash_guarded_init, _deinit, _resource, _live, _held - pages of its own for each allocation.
 *
 *     guard page | filled | the allocation | at most align - 1 bytes, filled | guard page
 *
 * It ends against an unmapped page, as near as its alignment lets it: one byte read or written behind
 * that is a fault at the spot. What is filled, on both sides, is looked at when it is freed or resized.
 * The memory is not 0 when it is handed out. Freed memory is unmapped, and a use after free faults: for
 * sure until so many others have been freed that the addresses may serve again.
 *
 * upstream only for a table of what lives: 64 to 128 bytes an allocation, at least 2 KiB. The memory
 *          itself is pages from the system, at least one each, which no upstream counts or limits.
 * live     allocations. held: bytes of pages that can be written to.
 * Fails    as the system and upstream do; Linux has 65530 mappings a process, and each allocation
 *          takes two. Where there are no pages every allocation is refused. Grows and shrinks in place
 *          only where the place against the guard stays the same.
 * Requires what is freed or resized is live, with the size and alignment it has, and no filled byte was
 *          written to: anything else is reported as fatal, before it is touched.
 * Lifetime deinit unmaps what still lives, and gives the table back.
 * Cost     several system calls each.
 * Threads  one at a time.
 * Example:
 *     ash_guarded guarded;
 *     ash_guarded_init(&guarded, NULL);
 *     parse(ash_guarded_resource(&guarded), text);
 *     ash_guarded_deinit(&guarded);
 */
void ash_guarded_init(ash_guarded *guarded, ash_resource *upstream);
void ash_guarded_deinit(ash_guarded *guarded);
ash_resource *ash_guarded_resource(ash_guarded *guarded);
size_t ash_guarded_live(const ash_guarded *guarded);
size_t ash_guarded_held(const ash_guarded *guarded);

ASH_DECLS_END

#endif
