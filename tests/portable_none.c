/*
 * portable_none.c - the library where there is no operating system (-DASH_OS_NONE): the only memory
 * is what the caller brings.
 *
 * Its checks work under NDEBUG too. It prints how many there were, and exits 1 if one failed.
 */
#include <stdio.h>
#include <string.h>

#include "ashlar/ashlar.h"

static unsigned long checks, failures;

#define CHECK(condition) check((condition), #condition, __LINE__)

static void check(bool holds, const char *what, int line)
{
    checks++;
    if (holds)
        return;
    failures++;
    printf("portable_none.c:%d: %s\n", line, what);
}

static _Alignas(16) char buffer[32768];

static void check_plain(void)
{
    for (size_t offset = 0; offset < 16; offset++) {
        ash_arena arena;
        ash_arena_init_fixed(&arena, buffer + offset, 2000);
        CHECK(ash_arena_capacity(&arena) == 2000);
        for (size_t align = 1; align <= 64; align *= 2) {
            char *p = ash_alloc(&arena, align + 3, align);
            CHECK(p && (uintptr_t)p % align == 0);
            CHECK(!ash_alloc(&arena, SIZE_MAX - align, align));
        }
        CHECK(!ash_alloc_array(&arena, SIZE_MAX / 4 + 2, 4, 4));
        CHECK(!ash_alloc(&arena, 8, 3) && ash_arena_failed(&arena));
        ash_arena_clear_failed(&arena);
        ash_mark mark = ash_arena_mark(&arena);
        size_t room = ash_arena_room(&arena);
        CHECK(!ash_alloc(&arena, room + 1, 1));
        CHECK(ash_alloc(&arena, room, 1) && ash_arena_room(&arena) == 0);
        ash_arena_rewind(&arena, mark);
        CHECK(ash_arena_room(&arena) == room && ash_arena_check(&arena));
        char *text = ash_printf(&arena, "%d-%s", 7, "seven");
        CHECK(text && strcmp(text, "7-seven") == 0);
        ash_arena_deinit(&arena);
    }
}

static unsigned last, wrong, deaths;

typedef struct node {
    unsigned id;
} node;

static void node_destroy(void *self)
{
    unsigned id = ((node *)self)->id;
    wrong += id >= last;
    last = id;
    deaths++;
}
ASH_TYPE(node, .destroy = node_destroy);

static void on_defer(void *arg)
{
    deaths += *(unsigned *)arg;
}

static void check_objects(void)
{
    ash_arena arena;
    static unsigned hundred = 100;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    CHECK(ash_defer(&arena, on_defer, &hundred));
    node *nodes[100];
    for (unsigned i = 0; i < 100; i++) {
        nodes[i] = ash_new(&arena, node);
        CHECK(nodes[i] && nodes[i]->id == 0);
        nodes[i]->id = i;
        CHECK(ash_object_alloc(&arena, i, 8) != NULL);
    }
    for (unsigned i = 99; i > 0; i -= 3) { /* newest first, so that the order holds for all */
        last = i + 1;
        ash_delete(&arena, nodes[i]);
        CHECK(ash_object_inspect(&arena, nodes[i]) == ASH_OBJECT_DEAD);
        nodes[i] = NULL;
    }
    for (unsigned i = 0; i < 100; i++)
        CHECK(!nodes[i] || ash_object_inspect(&arena, nodes[i]) == ASH_OBJECT_LIVE);
    CHECK(deaths == 33 && wrong == 0);
    CHECK(ash_object_inspect(&arena, &arena) == ASH_OBJECT_FOREIGN);
    CHECK(ash_arena_check(&arena));
    last = 100;
    ash_arena_reset(&arena);
    CHECK(deaths == 200 && wrong == 0 && last == 0);
    CHECK(ash_arena_used(&arena) == 0);
    ash_arena_deinit(&arena);
}

/* The word in front of an object is the library's, which an address sanitizer knows. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((no_sanitize("address"), noinline))
#endif
static void
flip(unsigned char *word, unsigned bit)
{
    word[bit / 8] ^= (unsigned char)(1u << bit % 8);
}

static void check_seal(void)
{
    ash_arena arena;
    unsigned found = 0;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    node *one = ash_new(&arena, node);
    for (unsigned bit = 0; one && bit < 64; bit++) {
        flip((unsigned char *)one - 8, bit);
        found += ash_object_inspect(&arena, one) == ASH_OBJECT_CORRUPT;
        flip((unsigned char *)one - 8, bit);
    }
    CHECK(found >= 63); /* one in 65536 passes */
    last = 1;
    ash_arena_deinit(&arena);
}

/* An arena over an arena over the buffer. */
static void check_nested(void)
{
    ash_arena parent, child;
    ash_arena_init_fixed(&parent, buffer, sizeof buffer);
    ash_arena_config config = {.upstream = ash_arena_resource(&parent), .block_size = 1024};
    CHECK(ash_arena_init(&child, &config));
    size_t served = 0;
    while (ash_object_alloc(&child, 100, 8))
        served++;
    CHECK(served > 100 && served < 328);
    CHECK(ash_arena_failed(&child) && ash_arena_check(&child) && ash_arena_check(&parent));
    ash_arena_deinit(&child);
    ash_arena_deinit(&parent);
}

static void check_no_system(void)
{
    ash_arena arena;
    CHECK(!ash_resource_alloc(ash_pages(), 4096, 8));
    CHECK(!ash_resource_alloc(ash_null(), 1, 1));
    CHECK(!ash_arena_init(&arena, &(ash_arena_config){.reserve = 1 << 20}));
    CHECK(!ash_alloc(&arena, 1, 1)); /* a zeroed one */
    ash_arena_deinit(&arena);
}

static void check_wrappers(void)
{
    ash_arena arena;
    ash_budget budget;
    ash_limited limited;
    ash_guarded guarded;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    ash_budget_init(&budget, 100);
    ash_limited_init(&limited, ash_arena_resource(&arena), &budget);
    char *p = ash_resource_alloc(ash_limited_resource(&limited), 100, 8);
    CHECK(p && !ash_resource_alloc(ash_limited_resource(&limited), 1, 1));
    ash_resource_free(ash_limited_resource(&limited), p, 100, 8);
    CHECK(ash_budget_used(&budget) == 0);
    ash_guarded_init(&guarded, ash_arena_resource(&arena));
    CHECK(!ash_resource_alloc(ash_guarded_resource(&guarded), 8, 8)); /* there are no pages */
    ash_guarded_deinit(&guarded);
    ash_arena_deinit(&arena);
}

static void check_scopes(void)
{
    static char bytes[2048];
    ash_arena arena;
    ash_arena_init_fixed(&arena, bytes, sizeof bytes);
    for (int i = 0; i < 100; i++) {
        ash_scope outer = ash_scope_begin(&arena), inner = ash_scope_begin(&arena);
        CHECK(ash_scope_is_open(&inner) && ash_alloc(&arena, 100, 8));
        CHECK(ash_arena_check(&arena));
        ash_scope_end(&outer);
        CHECK(!ash_scope_is_open(&outer) && !ash_scope_is_open(&inner));
        CHECK(ash_arena_used(&arena) == 0);
    }
    ash_arena_deinit(&arena);
    CHECK(!ash_scratch(NULL, 0)); /* there is no upstream it could come from */
    ash_scratch_release();
}

/* No thread keeps cells of its own here: each call goes to the shelves. */
static void check_sync_pools(void)
{
    ash_arena arena;
    ash_sync_pools pools;
    ash_arena_init_fixed(&arena, buffer, sizeof buffer);
    ash_pools_config config = {.upstream = ash_arena_resource(&arena), .slab_size = 1024};
    CHECK(ash_sync_pools_init(&pools, &config));
    for (int round = 0; round < 5; round++) {
        void *cells[100];
        for (size_t i = 0; i < 100; i++) {
            cells[i] = ash_sync_pools_alloc(&pools, 40 + i % 2, 8);
            CHECK(cells[i] != NULL);
            if (cells[i])
                memset(cells[i], (int)i, 40);
        }
        for (size_t i = 0; i < 100; i++) {
            CHECK(cells[i] && ((char *)cells[i])[39] == (char)i);
            ash_sync_pools_free(&pools, cells[i], 40 + i % 2, 8);
        }
        CHECK(ash_sync_pools_check(&pools));
    }
    ash_sync_pools_deinit(&pools);
}

int main(void)
{
    check_scopes();
    check_plain();
    check_objects();
    check_seal();
    check_nested();
    check_no_system();
    check_wrappers();
    check_sync_pools();
    printf("portable: %lu checks", checks);
    printf(failures ? ", %lu failures\n" : "\n", failures);
    return failures != 0;
}
