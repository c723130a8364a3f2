/*
 * contestant.h - what is measured: an allocator and what it can do. C and C++ include this.
 */
#ifndef ASHLAR_BENCH_CONTESTANT_H
#define ASHLAR_BENCH_CONTESTANT_H

#include "pass.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct contestant {
    const char *name;
    unsigned orders; /* bit 1 << o: it can free in order o */
    /* One thread's own; `bytes` in `count` blocks are needed at once. NULL: out of memory. */
    void *(*open)(size_t bytes, size_t count);
    void (*close)(void *state);
    bool (*pass)(void *state, const work *w, pass_order order);
} contestant;

enum { ARENA, MALLOC, CONTESTANTS_MAX = 10 }; /* the first two are always there */

extern const contestant *const contestants[CONTESTANTS_MAX + 1]; /* NULL after the last */
size_t contestant_count(void);

extern const contestant new_delete, cleeus_obstack; /* in C++ */

#ifdef __cplusplus
}
#endif

#endif
