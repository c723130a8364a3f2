/*
 * element.h - what is pushed besides ints: two structs of 24 bytes. C and C++.
 *
 * A record is moved by its bytes. A handle points to itself: it has a move constructor in C++, and
 * `relocate` in its ash_type (pushes_handle.c).
 */
#ifndef ASHLAR_BENCH_VECTOR_ELEMENT_H
#define ASHLAR_BENCH_VECTOR_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct record {
    uint64_t value;
    uint32_t x, y;
    double weight;
} record;

static inline record record_at(size_t i)
{
    record r = {i, (uint32_t)i, 7, 0.5};
    return r;
}

typedef struct handle {
    uint64_t value;
    const uint64_t *here; /* &value, wherever it is */
    uint64_t other;
#ifdef __cplusplus
    explicit handle(size_t i) : value(i), here(&value), other(7) {}
    handle(handle &&from) noexcept : value(from.value), here(&value), other(from.other) {}
    handle &operator=(handle &&) = delete;
#endif
} handle;

#ifndef __cplusplus
static inline handle handle_at(size_t i)
{
    handle h = {i, NULL, 7};
    return h;
}
#endif

#endif
