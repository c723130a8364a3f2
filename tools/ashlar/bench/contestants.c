/*
 * contestants.c - what is measured, each through its own interface.
 */
#include "contestant.h"

#include <stdlib.h>

#include <ashlar.h>

enum {
    ONE_BY_ONE = 1 << IN_ORDER | 1 << REVERSE | 1 << RANDOM,
    ALL_AT_ONCE = 1 << AT_ONCE,
};

/* malloc's alignment, so that the blocks are as good. */
enum { ALIGN = _Alignof(max_align_t) };

static void *open_nothing(size_t bytes, size_t count)
{
    (void)bytes, (void)count;
    static char nothing;
    return &nothing;
}

static void close_nothing(void *state)
{
    (void)state;
}

/* ---- malloc and free ------------------------------------------------------------------------ */

static void *malloc_take(void *state, size_t size)
{
    (void)state;
    return malloc(size);
}

static void malloc_give(void *state, void *block)
{
    (void)state;
    free(block);
}

static bool malloc_pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, malloc_take, malloc_give, NULL);
}

static const contestant malloc_free = {"malloc/free", ONE_BY_ONE, open_nothing, close_nothing,
                                       malloc_pass};

/* ---- the arena ------------------------------------------------------------------------------ */

/* One block that everything fits in; it is taken by the first allocation, in the round that does
 * not count. */
static void *arena_open(size_t bytes, size_t count)
{
    size_t size = bytes + bytes / 16 + count * ALIGN + (1 << 16);
    return ash_arena_create(
        &(ash_arena_config){.name = "bench", .block_size = size, .block_max = size});
}

static void arena_close(void *state)
{
    ash_arena_destroy(state);
}

static void arena_drop(void *state)
{
    ash_arena_reset(state);
}

static void *object_take(void *state, size_t size)
{
    return ash_object_alloc(state, size, ALIGN);
}

static void object_give(void *state, void *block)
{
    ash_delete(state, block);
}

static bool object_pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, object_take, object_give, arena_drop);
}

static const contestant arena_objects = {"Ashlar arena", ONE_BY_ONE | ALL_AT_ONCE, arena_open,
                                         arena_close, object_pass};

static void *plain_take(void *state, size_t size)
{
    return ash_alloc(state, size, ALIGN);
}

static bool plain_pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, plain_take, NULL, arena_drop);
}

static const contestant arena_plain = {"Ashlar, plain memory", ALL_AT_ONCE, arena_open, arena_close,
                                       plain_pass};

/* ---- GNU obstack: frees a block together with all that came after --------------------------- */

#ifdef BENCH_OBSTACK
#include <obstack.h>
#define obstack_chunk_alloc malloc
#define obstack_chunk_free  free

typedef struct stack {
    struct obstack obstack;
    void *bottom;
} stack;

/* An obstack leaves with a message where malloc refuses it memory. */
static void *stack_open(size_t bytes, size_t count)
{
    (void)bytes, (void)count;
    stack *s = malloc(sizeof *s);
    if (!s)
        return NULL;
    obstack_init(&s->obstack);
    s->bottom = obstack_alloc(&s->obstack, 1);
    return s;
}

static void stack_close(void *state)
{
    stack *s = state;
    obstack_free(&s->obstack, NULL);
    free(s);
}

static void *stack_take(void *state, size_t size)
{
    stack *s = state;
    return obstack_alloc(&s->obstack, (int)size); /* an int is all it takes */
}

static void stack_give(void *state, void *block)
{
    stack *s = state;
    obstack_free(&s->obstack, block);
}

static void stack_drop(void *state)
{
    stack *s = state;
    obstack_free(&s->obstack, s->bottom);
    s->bottom = obstack_alloc(&s->obstack, 1);
}

static bool stack_pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, stack_take, stack_give, stack_drop);
}

static const contestant gnu_obstack = {"GNU obstack", 1 << REVERSE | ALL_AT_ONCE, stack_open,
                                       stack_close, stack_pass};
#endif

/* ---- APR pools: all at once only ------------------------------------------------------------ */

#ifdef BENCH_APR
#include <apr_general.h>
#include <apr_pools.h>
#include <pthread.h>

static void apr_start(void)
{
    apr_initialize();
}

static void *pool_open(size_t bytes, size_t count)
{
    (void)bytes, (void)count;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, apr_start);
    apr_allocator_t *allocator;
    apr_pool_t *pool;
    if (apr_allocator_create(&allocator) != APR_SUCCESS)
        return NULL;
    if (apr_pool_create_ex(&pool, NULL, NULL, allocator) != APR_SUCCESS) {
        apr_allocator_destroy(allocator);
        return NULL;
    }
    apr_allocator_owner_set(allocator, pool);
    return pool;
}

static void pool_close(void *state)
{
    apr_pool_destroy(state);
}

static void *pool_take(void *state, size_t size)
{
    return apr_palloc(state, size);
}

static void pool_drop(void *state)
{
    apr_pool_clear(state);
}

static bool pool_pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, pool_take, NULL, pool_drop);
}

static const contestant apr_pools = {"APR pool", ALL_AT_ONCE, pool_open, pool_close, pool_pass};
#endif

/* ---- talloc --------------------------------------------------------------------------------- */

#ifdef BENCH_TALLOC
#include <talloc.h>

static void *talloc_open(size_t bytes, size_t count)
{
    (void)bytes, (void)count;
    return talloc_new(NULL);
}

static void talloc_close(void *state)
{
    talloc_free(state);
}

static void *talloc_take(void *state, size_t size)
{
    return talloc_size(state, size);
}

static void talloc_give(void *state, void *block)
{
    (void)state;
    talloc_free(block);
}

static void talloc_drop(void *state)
{
    talloc_free_children(state);
}

static bool talloc_pass(void *state, const work *w, pass_order order)
{
    return run_pass(w, order, state, talloc_take, talloc_give, talloc_drop);
}

static const contestant talloc_contexts = {"talloc", ONE_BY_ONE | ALL_AT_ONCE, talloc_open,
                                           talloc_close, talloc_pass};
#endif

const contestant *const contestants[CONTESTANTS_MAX + 1] = {
    [ARENA] = &arena_objects,
    [MALLOC] = &malloc_free,
#ifdef BENCH_NEW_DELETE
    &new_delete,
#endif
    &arena_plain,
#ifdef BENCH_CLEEUS
    &cleeus_obstack,
#endif
#ifdef BENCH_OBSTACK
    &gnu_obstack,
#endif
#ifdef BENCH_APR
    &apr_pools,
#endif
#ifdef BENCH_TALLOC
    &talloc_contexts,
#endif
};
size_t contestant_count(void)
{
    size_t count = 0;
    while (contestants[count])
        count++;
    return count;
}
