/*
 * pass.h - one pass of the benchmark: allocate every block, free every block.
 *
 * The loops are written once. They are inlined into each contestant with its own functions, so what
 * is measured is what a program that calls them directly would see. C and C++ include this.
 */
#ifndef ASHLAR_BENCH_PASS_H
#define ASHLAR_BENCH_PASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The orders in which blocks are freed. */
typedef enum pass_order { IN_ORDER, REVERSE, RANDOM, AT_ONCE, ORDERS } pass_order;

typedef struct work {
    const uint32_t *sizes;    /* of the blocks, in bytes */
    const uint32_t *shuffled; /* their numbers, in the random order */
    char **blocks;            /* where they are */
    size_t count;
    bool write; /* the first byte of each */
} work;

typedef void *take_fn(void *state, size_t size);
typedef void give_fn(void *state, void *block);
typedef void drop_fn(void *state);

/* `give` and `drop` may be NULL where no order asks for them. False: out of memory, nothing held. */
__attribute__((always_inline)) static inline bool run_pass(const work *w, pass_order order,
                                                           void *state, take_fn *take,
                                                           give_fn *give, drop_fn *drop)
{
    for (size_t i = 0; i < w->count; i++) {
        w->blocks[i] = (char *)take(state, w->sizes[i]);
        if (!w->blocks[i]) {
            while (give && i--)
                give(state, w->blocks[i]);
            if (!give)
                drop(state);
            return false;
        }
        if (w->write)
            *w->blocks[i] = 1;
    }
    if (order == AT_ONCE && drop)
        drop(state);
    for (size_t i = 0; order == IN_ORDER && give && i < w->count; i++)
        give(state, w->blocks[i]);
    for (size_t i = w->count; order == REVERSE && give && i-- > 0;)
        give(state, w->blocks[i]);
    for (size_t i = 0; order == RANDOM && give && i < w->count; i++)
        give(state, w->blocks[w->shuffled[i]]);
    return true;
}

#endif
