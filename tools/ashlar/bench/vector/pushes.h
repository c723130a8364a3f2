/*
 * pushes.h - what C does with a million elements: raw stores, a vector over realloc, ash_vec.
 *
 * It is included by pushes_int.c, pushes_record.c and pushes_handle.c, once in each, after they have
 * defined `vector`, an ash_vec of ELEMENT, and:
 *
 *   ELEMENT            its type
 *   ELEMENT_AT(i)      the i-th one
 *   ELEMENT_SETTLE(e)  what is left to do when its bytes lie at e
 *   ELEMENT_IS(e, i)   is it the i-th one?
 *   ELEMENT_BY_BYTES   1: it may be moved by its bytes
 *   RAW_LIST, ASH_LIST  what the lists of subjects are called
 */
#include <stdlib.h>

#include "subject.h"

static bool right(const ELEMENT *data, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!ELEMENT_IS(&data[i], i))
            return false;
    }
    return count == pushes;
}

/* ---- no vector ------------------------------------------------------------------------------ */

/* One store at a time: the compiler may not make wide ones of them, as no push could. */
static bool raw_stores(counts *c)
{
    size_t count = pushes;
    ELEMENT *data = malloc(count * sizeof *data);
    if (!data)
        return false;
    for (size_t i = 0; i < count; i++) {
        data[i] = ELEMENT_AT(i);
        ELEMENT_SETTLE(&data[i]);
        ESCAPE(data);
    }
    bool good = !c || right(data, count);
    free(data);
    return good;
}

/* ---- the vector that C programs write ------------------------------------------------------- */

typedef struct c_vector {
    ELEMENT *data;
    size_t count, capacity;
    counts *counts;
} c_vector;

static ELEMENT *move_to_larger(ELEMENT *data, size_t count, size_t capacity)
{
#if ELEMENT_BY_BYTES
    (void)count;
    return realloc(data, capacity * sizeof *data);
#else
    ELEMENT *larger = malloc(capacity * sizeof *larger);
    if (!larger)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        larger[i] = data[i];
        ELEMENT_SETTLE(&larger[i]);
    }
    free(data);
    return larger;
#endif
}

static bool c_grow(c_vector *v)
{
    size_t capacity = v->capacity ? v->capacity * 2 : 16;
    volatile uintptr_t before =
        (uintptr_t)v->data; /* a number: compilers object to a freed pointer */
    ELEMENT *data = move_to_larger(v->data, v->count, capacity);
    if (!data)
        return false;
    if (v->counts) {
        bool stayed = before && (uintptr_t)data == before;
        v->counts->growths++;
        v->counts->in_place += stayed;
        v->counts->moved_bytes += stayed ? 0 : v->count * sizeof *data;
    }
    v->data = data;
    v->capacity = capacity;
    return true;
}

static inline bool c_push(c_vector *v, ELEMENT e)
{
    if (v->count == v->capacity && !c_grow(v))
        return false;
    v->data[v->count] = e;
    ELEMENT_SETTLE(&v->data[v->count]);
    v->count++;
    return true;
}

static bool c_pushes(counts *c)
{
    c_vector v = {.counts = c};
    size_t count = pushes;
    for (size_t i = 0; i < count; i++) {
        if (!c_push(&v, ELEMENT_AT(i)))
            break;
    }
    ESCAPE(v.data);
    bool good = v.count == count && (!c || right(v.data, count));
    free(v.data);
    return good;
}

/* ---- ash_vec -------------------------------------------------------------------------------- */

/* By value: a vector whose address was never given away may be kept in registers while it is pushed to. */
static bool finish(vector v, counts *c)
{
    ESCAPE(v.data);
    bool good = v.count == pushes;
    if (c && good) {
        ash_vec_stats s = vector_stats(&v);
        *c = (counts){.growths = 1 + s.in_place + s.moved, /* the first time is none of them */
                      .in_place = s.in_place,
                      .moved_bytes = (size_t)s.bytes_moved};
        good = right(v.data, v.count);
    }
    vector_deinit(&v);
    return good;
}

static bool push_all(ash_resource *resource, counts *c)
{
    vector v = {0};
    vector_init(&v, resource);
    size_t count = pushes;
    for (size_t i = 0; i < count; i++) {
        if (!vector_push(&v, ELEMENT_AT(i)))
            break;
    }
    return finish(v, c);
}

static bool on_heap(counts *c)
{
    return push_all(ash_heap(), c);
}

static bool on_pages(counts *c)
{
    return push_all(ash_pages(), c);
}

static bool on_arena(const ash_arena_config *config, counts *c)
{
    ash_arena arena;
    if (!ash_arena_init(&arena, config))
        return false;
    bool good = push_all(ash_arena_resource(&arena), c);
    ash_arena_deinit(&arena);
    return good;
}

static bool on_usual_arena(counts *c)
{
    return on_arena(&(ash_arena_config){.name = "blocks that grow"}, c);
}

static bool on_stack(counts *c)
{
    _Alignas(64) char buffer[STACK_BUFFER];
    return on_arena(&(ash_arena_config){.buffer = buffer, .buffer_size = sizeof buffer}, c);
}

static bool on_reserved_arena(counts *c)
{
    return on_arena(&(ash_arena_config){.reserve = (size_t)WARM_BUFFER}, c);
}

/* The arena a program has anyway, with a block that the vector fits in, and reset after each run. */
static bool on_kept_arena(counts *c)
{
    static ash_arena *arena;
    if (!arena)
        arena = ash_arena_create(&(ash_arena_config){.block_size = (size_t)WARM_BUFFER});
    if (!arena)
        return false;
    bool good = push_all(ash_arena_resource(arena), c);
    ash_arena_reset(arena);
    return good;
}

/* Something else is allocated behind the vector whenever it is full: so it has to move. */
static bool interfered(counts *c)
{
    ash_arena arena;
    vector v = {0};
    if (!ash_arena_init(&arena, NULL))
        return false;
    vector_init(&v, ash_arena_resource(&arena));
    size_t count = pushes;
    for (size_t i = 0; i < count; i++) {
        if (v.count == v.capacity)
            ESCAPE(ash_alloc(&arena, 16, 8));
        if (!vector_push(&v, ELEMENT_AT(i)))
            break;
    }
    bool good = finish(v, c);
    ash_arena_deinit(&arena);
    return good;
}

const subject RAW_LIST[] = {
    {"raw stores, preallocated", LIMIT, raw_stores},
    {ELEMENT_BY_BYTES ? "C vector, realloc" : "C vector, malloc and moves", COUNTED, c_pushes},
    {0},
};

const subject ASH_LIST[] = {
    {"ash_vec, heap", COUNTED, on_heap},
    {"ash_vec, arena, default", COUNTED, on_usual_arena},
    {"ash_vec, arena, 4 MB on the stack", COUNTED | BUDGETED, on_stack},
    {"ash_vec, arena, one block, kept", COUNTED | BUDGETED, on_kept_arena},
    {"ash_vec, arena, reserved addresses", COUNTED, on_reserved_arena},
    {"ash_vec, arena, interfered with", COUNTED, interfered},
    {"ash_vec, pages", COUNTED, on_pages},
    {0},
};
