/*
 * main.c - what a tree of many small things costs with malloc, and on an arena.
 *
 *     xml_tree /usr/share/xml/iso-codes/iso_639_3.xml
 *
 * Each tree is built, walked and dropped several times, in turn, and must give the same counts; the
 * two ways to keep it are in tree.c.
 */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tree.h"

enum { BUILD, WALK, DROP, TOTAL, STEPS };
enum { REPEATS = 15 };

typedef double times[FORMS][STEPS][REPEATS]; /* in ms */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* One tree from first to last. Nothing is left of it, whether it worked or not. */
static bool run_once(const form *f, ash_arena *arena, FILE *file, const char *path,
                     double ms[STEPS], census *c)
{
    builder b = {.form = f, .arena = f == &forms[ARENA] ? arena : NULL};
    if (b.arena)
        b.start = ash_arena_mark(b.arena);
    double t0 = now_ms();
    bool built = build(&b, file, path);
    double t1 = now_ms();
    *c = walk(b.root);
    double t2 = now_ms();
    if (f->drop)
        f->drop(&b);
    double t3 = now_ms();
    ms[BUILD] = t1 - t0;
    ms[WALK] = t2 - t1;
    ms[DROP] = t3 - t2;
    ms[TOTAL] = t3 - t0;
    return built;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double values[REPEATS])
{
    double sorted[REPEATS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, REPEATS, sizeof *sorted, compare_doubles);
    return sorted[REPEATS / 2];
}

/* Medians of each form, and of the ratio repeat by repeat: a machine that changes its speed
 * meanwhile changes it for both. */
static void print_times(times ms)
{
    double ratio[REPEATS];
    printf("  %-16s %9s %9s %9s %9s\n", "median, ms", "build", "walk", "drop", "total");
    for (int f = 0; f < FORMS; f++) {
        printf("  %-16s", forms[f].name);
        for (int step = 0; step < (f == PARSER ? 1 : STEPS); step++)
            printf(" %9.3f", median(ms[f][step]));
        putchar('\n');
    }
    printf("  %-16s", "malloc / arena");
    for (int step = 0; step < STEPS; step++) {
        for (int r = 0; r < REPEATS; r++)
            ratio[r] = ms[HEAP][step][r] / ms[ARENA][step][r];
        printf(" %8.2fx", median(ratio));
    }
    for (int r = 0; r < REPEATS; r++)
        ratio[r] = (ms[HEAP][TOTAL][r] - ms[PARSER][BUILD][r]) /
                   (ms[ARENA][TOTAL][r] - ms[PARSER][BUILD][r]);
    printf("; %.2fx without the parser\n", median(ratio));
}

static bool study(ash_arena *arena, FILE *file, const char *path)
{
    static times ms;
    double taken[STEPS];
    census counted[FORMS];
    for (int turn = 0; turn < REPEATS * FORMS; turn++) {
        int r = turn / FORMS, f = (r + turn) % FORMS; /* each has its turn at being first */
        if (!run_once(&forms[f], arena, file, path, taken, &counted[f]))
            return false;
        for (int step = 0; step < STEPS; step++)
            ms[f][step][r] = taken[step];
    }
    const census *c = &counted[ARENA];
    if (memcmp(c, &counted[HEAP], sizeof *c) != 0) {
        complain(path, "the two trees differ");
        return false;
    }
    printf("%s: %zu elements, depth %zu, %zu bytes of text, %zu attributes, %zu bytes of names\n",
           path, c->elements, c->depth, c->text_bytes, c->attributes, c->name_bytes);
    print_times(ms);
    return true;
}

/* ---- files and options ---------------------------------------------------------------------- */

static bool study_file(ash_arena *arena, const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        complain(path, "%s", strerror(errno));
        return false;
    }
    bool studied = study(arena, file, path);
    fclose(file);
    return studied;
}

static const char usage[] =
    "usage: xml_tree [--limit BYTES] FILE...\n"
    "Builds the tree of each XML file with malloc and on an arena, and compares the times.\n\n"
    "  --limit BYTES   the most memory the arena may hold (default: no limit)\n"
    "  --help          this text\n";

/* Returns the exit status to leave with, or -1 to go on. */
static int parse_options(int argc, char **argv, size_t *limit)
{
    static const struct option known[] = {
        {"limit", required_argument, NULL, 'l'}, {"help", no_argument, NULL, 'h'}, {0}};
    for (int c; (c = getopt_long(argc, argv, "l:h", known, NULL)) != -1;) {
        if (c == 'h') {
            fputs(usage, stdout);
            return 0;
        }
        char *end = NULL;
        errno = 0;
        if (c == 'l' && optarg[0] >= '0' && optarg[0] <= '9')
            *limit = strtoul(optarg, &end, 10);
        if (c == 'l' && (!end || *end || errno || !*limit))
            fprintf(stderr, "xml_tree: '%s' is no number of bytes\n", optarg);
        else if (c == 'l')
            continue;
        fputs("Try 'xml_tree --help'.\n", stderr);
        return 2;
    }
    if (optind < argc)
        return -1;
    fputs(usage, stderr);
    return 2;
}

/* What was printed may still be on its way: a full disk shows at the last flush. */
static int finish(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    perror("xml_tree: standard output");
    return 1;
}

int main(int argc, char **argv)
{
    size_t limit = 0;
    int leave = parse_options(argc, argv, &limit);
    if (leave >= 0)
        return finish(leave);

    ash_arena arena;
    if (!ash_arena_init(&arena, &(ash_arena_config){.name = "xml_tree", .limit = limit}))
        return 1;
    int status = 0;
    for (int i = optind; i < argc; i++) {
        if (!study_file(&arena, argv[i]))
            status = 1;
    }
    ash_arena_deinit(&arena);
    return finish(status);
}
