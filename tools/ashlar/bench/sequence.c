/*
 * sequence.c - the same blocks every time: the sequence of the benchmark of 2012.
 *
 * It drew sizes from the Mersenne Twister with seed 42, and took the uppermost bits. From 1 B to
 * 4 MiB in 1 GiB that makes 514 blocks, as it did then.
 */
#include "arena_bench.h"

#include <stdlib.h>

enum { N = 624, M = 397 };

typedef struct twister {
    uint32_t state[N];
    size_t next;
} twister;

static void twister_seed(twister *t, uint32_t seed)
{
    t->state[0] = seed;
    for (uint32_t i = 1; i < N; i++)
        t->state[i] = 1812433253u * (t->state[i - 1] ^ (t->state[i - 1] >> 30)) + i;
    t->next = N;
}

static void twister_turn(twister *t)
{
    for (size_t i = 0; i < N; i++) {
        uint32_t y = (t->state[i] & 0x80000000u) | (t->state[(i + 1) % N] & 0x7fffffffu);
        t->state[i] = t->state[(i + M) % N] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    t->next = 0;
}

static uint32_t twister_draw(twister *t)
{
    if (t->next == N)
        twister_turn(t);
    uint32_t y = t->state[t->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

static void fill_sizes(const setting *s, uint32_t *sizes, size_t *count)
{
    twister t;
    twister_seed(&t, 42);
    uint64_t bucket = ((uint64_t)1 << 32) / s->size_max;
    size_t sum = 0, total = s->total / s->threads;
    for (*count = 0; sum < total; (*count)++) {
        uint32_t size = 1 + (uint32_t)(twister_draw(&t) / bucket);
        if (size > total - sum)
            size = (uint32_t)(total - sum); /* the last one makes the sum exact */
        sizes[*count] = size;
        sum += size;
    }
}

static void fill_shuffled(uint32_t *shuffled, size_t count)
{
    twister t;
    twister_seed(&t, 42);
    for (size_t i = 0; i < count; i++)
        shuffled[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(((uint64_t)twister_draw(&t) * i) >> 32);
        uint32_t other = shuffled[j];
        shuffled[j] = shuffled[i - 1];
        shuffled[i - 1] = other;
    }
}

bool make_sequence(const setting *s, uint32_t **sizes, uint32_t **shuffled, size_t *count)
{
    /* The mean is half of the largest: with a fifth more, and some for short sequences, it fits. */
    size_t most = s->total / s->threads / (s->size_max / 2 + 1) * 6 / 5 + 1000;
    *sizes = malloc(most * sizeof **sizes);
    *shuffled = malloc(most * sizeof **shuffled);
    if (!*sizes || !*shuffled) {
        free(*sizes);
        free(*shuffled);
        return false;
    }
    fill_sizes(s, *sizes, count);
    fill_shuffled(*shuffled, *count);
    return true;
}
