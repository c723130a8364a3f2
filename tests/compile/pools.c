/* must-compile: C and C++ */
/* Every function of pool.h, taken by its type. */
#include "ashlar/pool.h"

typedef struct every_pool_function {
    bool (*init)(ash_pool *, const ash_pool_config *);
    void (*deinit)(ash_pool *);
    void (*release)(ash_pool *);
    void (*reset)(ash_pool *);
    void *(*alloc)(ash_pool *);
    void (*free_)(ash_pool *, void *);
    size_t (*used)(const ash_pool *);
    size_t (*capacity)(const ash_pool *);
    size_t (*count)(const ash_pool *);
    bool (*owns)(const ash_pool *, const void *);
    const char *(*name)(const ash_pool *);
    ash_resource *(*resource)(ash_pool *);
    bool (*check)(const ash_pool *);

    bool (*pools_init)(ash_pools *, const ash_pools_config *);
    void (*pools_deinit)(ash_pools *);
    void (*pools_release)(ash_pools *);
    void (*pools_reset)(ash_pools *);
    void *(*pools_alloc)(ash_pools *, size_t, size_t);
    void (*pools_free)(ash_pools *, void *, size_t, size_t);
    size_t (*pools_used)(const ash_pools *);
    size_t (*pools_capacity)(const ash_pools *);
    bool (*pools_owns)(const ash_pools *, const void *);
    ash_resource *(*pools_resource)(ash_pools *);
    bool (*pools_check)(const ash_pools *);

    bool (*sync_init)(ash_sync_pools *, const ash_pools_config *);
    void (*sync_deinit)(ash_sync_pools *);
    void (*sync_release)(ash_sync_pools *);
    void *(*sync_alloc)(ash_sync_pools *, size_t, size_t);
    void (*sync_free)(ash_sync_pools *, void *, size_t, size_t);
    size_t (*sync_capacity)(const ash_sync_pools *);
    bool (*sync_owns)(const ash_sync_pools *, const void *);
    ash_resource *(*sync_resource)(ash_sync_pools *);
    bool (*sync_check)(const ash_sync_pools *);
} every_pool_function;

extern const every_pool_function pool_functions;

const every_pool_function pool_functions = {
    ash_pool_init,        ash_pool_deinit,         ash_pool_release,       ash_pool_reset,
    ash_pool_alloc,       ash_pool_free,           ash_pool_used,          ash_pool_capacity,
    ash_pool_count,       ash_pool_owns,           ash_pool_name,          ash_pool_resource,
    ash_pool_check,

    ash_pools_init,       ash_pools_deinit,        ash_pools_release,      ash_pools_reset,
    ash_pools_alloc,      ash_pools_free,          ash_pools_used,         ash_pools_capacity,
    ash_pools_owns,       ash_pools_resource,      ash_pools_check,

    ash_sync_pools_init,  ash_sync_pools_deinit,   ash_sync_pools_release, ash_sync_pools_alloc,
    ash_sync_pools_free,  ash_sync_pools_capacity, ash_sync_pools_owns,    ash_sync_pools_resource,
    ash_sync_pools_check,
};
