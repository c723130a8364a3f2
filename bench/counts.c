/*
 * counts.c - one hot path, so many times: for counting instructions.
 *
 *     counts PATH N
 *
 * Two runs under callgrind with different N differ by the instructions of the operations in
 * between, loop and all; what starts and ends the process is in both. See counts.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mapped_file.h"

enum { LIVE = 1000 }; /* objects at once */

typedef struct thing {
    unsigned long value[4];
} thing;

static unsigned long destroyed;

static void thing_destroy(void *self)
{
    const thing *t = self;
    destroyed += t->value[0];
}
ASH_TYPE(thing, .destroy = thing_destroy);

static ash_arena arena;
static void *objects[LIVE];

/* Memory is looked at here, as far as the compiler knows. That nothing failed is seen at the end. */
static void used(void *p)
{
    __asm__ volatile("" : : "r"(p) : "memory");
}

static void plain(size_t n)
{
    for (size_t i = 0; i < n; i++)
        used(ash_alloc(&arena, 32, 8));
}

static void newest_first(size_t n)
{
    for (size_t done = 0; done < n; done += LIVE) {
        for (size_t i = 0; i < LIVE; i++)
            used(objects[i] = ash_object_alloc(&arena, 32, 8));
        for (size_t i = LIVE; i-- > 0;)
            ash_delete(&arena, objects[i]);
    }
}

static void in_order(size_t n)
{
    for (size_t done = 0; done < n; done += LIVE) {
        for (size_t i = 0; i < LIVE; i++)
            used(objects[i] = ash_object_alloc(&arena, 32, 8));
        for (size_t i = 0; i < LIVE; i++)
            ash_delete(&arena, objects[i]);
    }
}

static void in_turn(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        void *p = ash_object_alloc(&arena, 32, 8);
        used(p);
        ash_delete(&arena, p);
    }
}

static void typed(size_t n)
{
    for (size_t done = 0; done < n; done += LIVE) {
        for (size_t i = 0; i < LIVE; i++)
            used(objects[i] = ash_new(&arena, thing));
        for (size_t i = LIVE; i-- > 0;)
            ash_delete(&arena, objects[i]);
    }
}

static void typed_dropped(size_t n)
{
    for (size_t done = 0; done < n; done += LIVE) {
        for (size_t i = 0; i < LIVE; i++)
            used(ash_new(&arena, thing));
        ash_arena_reset(&arena);
    }
}

/* ---- a file mapped and closed, with several ways out: by hand and by ash_auto ---- */

static const char *file_path; /* this program */
static unsigned long found;

static bool look_by_hand(size_t i)
{
    mapped_file file = mapped_file_open(file_path);
    if (!file.bytes) {
        mapped_file_close(&file);
        return false;
    }
    if (file.bytes[i % 64] == 'E') {
        found++;
        mapped_file_close(&file);
        return true;
    }
    found += file.size;
    mapped_file_close(&file);
    return true;
}

static bool look_auto(size_t i)
{
    ash_auto(mapped_file) file = mapped_file_open(file_path);
    if (!file.bytes)
        return false;
    if (file.bytes[i % 64] == 'E') {
        found++;
        return true;
    }
    found += file.size;
    return true;
}

static void file_by_hand(size_t n)
{
    for (size_t i = 0; i < n && look_by_hand(i); i++)
        used(&found);
}

static void file_auto(size_t n)
{
    for (size_t i = 0; i < n && look_auto(i); i++)
        used(&found);
}

static const struct path {
    const char *name;
    void (*run)(size_t n);
} paths[] = {
    {"plain", plain},
    {"objects_newest_first", newest_first},
    {"objects_in_order", in_order},
    {"objects_in_turn", in_turn},
    {"typed_newest_first", typed},
    {"typed_dropped", typed_dropped},
    {"file_by_hand", file_by_hand},
    {"file_auto", file_auto},
};

/* N is a multiple of LIVE. Everything fits in the first block, and there is one object below all
 * others, so that the block is never empty. */
int main(int argc, char **argv)
{
    size_t n = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
    const size_t block = (size_t)4 << 20;
    file_path = argv[0];
    if (!ash_arena_init(&arena, &(ash_arena_config){.block_size = block}))
        return 1;
    used(ash_object_alloc(&arena, 32, 8));
    for (size_t i = 0; n && i < sizeof paths / sizeof *paths; i++) {
        if (strcmp(argv[1], paths[i].name) != 0)
            continue;
        paths[i].run(n);
        bool failed = ash_arena_failed(&arena);
        ash_arena_deinit(&arena);
        return failed;
    }
    fputs("usage: counts PATH N; PATH is one of\n", stderr);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        fprintf(stderr, "  %s\n", paths[i].name);
    return 2;
}
