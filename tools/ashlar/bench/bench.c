/*
 * bench.c - `ashlar bench arena`: what single allocations and frees cost in an arena and elsewhere.
 *
 * The benchmark of 2012: one fixed sequence of blocks is allocated and freed in order, in reverse
 * and in random order, again and again, by one thread or by several with an arena each. Its blocks
 * were large and never written to, which flatters arenas: so there are tables with a byte of each
 * written, and with small blocks, too.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)

static const setting settings[] = {
    {"large", "large blocks, not written", 1024 * MIB, 4 * MIB, false, 1000, 20, 20, 5, 0},
    {"large-written", "large blocks, written", 1024 * MIB, 4 * MIB, true, 1000, 20, 20, 5, 0},
    {"small", "small blocks, not written", 16 * MIB, 256, false, 60, 20, 4, 4, 0},
    {"small-written", "small blocks, written", 16 * MIB, 256, true, 60, 20, 2, 2, 0},
    {"many", "many small blocks, not written", 128 * MIB, 256, false, 9, 9, 1, 1, 0},
    {"many-written", "many small blocks, written", 128 * MIB, 256, true, 9, 9, 0, 0, 0},
};

enum { SETTINGS = sizeof settings / sizeof *settings };
enum { THREADS_MAX = 256, CREWS_MAX = 8 };

const setting *find_setting(const char *name)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        if (!strcmp(settings[i].name, name))
            return &settings[i];
    }
    return NULL;
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("ashlar bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* ---- options -------------------------------------------------------------------------------- */

typedef struct options {
    size_t crews[CREWS_MAX]; /* numbers of threads */
    size_t crew_count;
    const setting *only;
    const char *json_path, *plot_path;
    FILE *json, *plot;
    bool quick;
} options;

static const char usage[] =
    "usage: ashlar bench arena [OPTION...]\n"
    "Allocates and frees a fixed sequence of blocks in three orders, on an arena, with malloc, with\n"
    "new, and with what else is found on this machine, and prints times and ratios.\n\n"
    "  --quick           fewer repeats, less exact: well under a minute\n"
    "  --threads N[,N]   numbers of threads (default: 1, 2, 4 and the number of processors)\n"
    "  --table NAME      only this one: large, large-written, small, small-written, many,\n"
    "                    many-written\n"
    "  --json FILE       write the figures to FILE\n"
    "  --plot FILE.svg   draw them with gnuplot\n"
    "  --help            this text\n";

static bool add_crew(options *o, size_t threads)
{
    for (size_t i = 0; i < o->crew_count; i++) {
        if (o->crews[i] == threads)
            return true;
    }
    if (o->crew_count == CREWS_MAX)
        return false;
    o->crews[o->crew_count++] = threads;
    return true;
}

static bool parse_threads(options *o, const char *list)
{
    char *end;
    for (const char *s = list;; s = end + 1) {
        unsigned long n = *s >= '0' && *s <= '9' ? strtoul(s, &end, 10) : 0;
        if (!n || n > THREADS_MAX || (*end && *end != ',') || !add_crew(o, n)) {
            complain("--threads takes up to %d numbers from 1 to %d, not '%s'", CREWS_MAX,
                     THREADS_MAX, list);
            return false;
        }
        if (!*end)
            return true;
    }
}

static bool take_option(options *o, int option)
{
    switch (option) {
    case 'q':
        o->quick = true;
        return true;
    case 't':
        return parse_threads(o, optarg);
    case 'o':
        o->only = find_setting(optarg);
        if (!o->only)
            complain("there is no table '%s'", optarg);
        return o->only;
    case 'j':
        o->json_path = optarg;
        return true;
    case 'p':
        o->plot_path = optarg;
        return true;
    default:
        return false;
    }
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(int argc, char **argv, options *o)
{
    static const struct option known[] = {{"quick", no_argument, NULL, 'q'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"table", required_argument, NULL, 'o'},
                                          {"json", required_argument, NULL, 'j'},
                                          {"plot", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    char name[] = "ashlar bench";
    argv[0] = name; /* for the messages of getopt */
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == 'h') {
            fputs(usage, stdout);
            return DONE;
        }
        if (!take_option(o, c)) {
            fputs("Try 'ashlar bench --help'.\n", stderr);
            return WRONG_USAGE;
        }
    }
    if (optind < argc) {
        complain("unexpected argument '%s'", argv[optind]);
        return WRONG_USAGE;
    }
    size_t usual[] = {1, 2, 4, processors()};
    for (size_t i = 0; i < 4 && !(i == 0 && o->crew_count); i++)
        add_crew(o, usual[i] <= THREADS_MAX ? usual[i] : THREADS_MAX);
    return -1;
}

/* Before anything is measured: it would be a pity to learn it afterwards. */
static bool open_outputs(options *o)
{
    if (o->json_path && !have_json()) {
        complain("--json: this program was built without jansson");
        return false;
    }
    if (o->json_path && !(o->json = fopen(o->json_path, "w"))) {
        complain("%s: %s", o->json_path, strerror(errno));
        return false;
    }
    if (o->plot_path && !(o->plot = fopen(o->plot_path, "w"))) {
        complain("%s: %s", o->plot_path, strerror(errno));
        return false;
    }
    return true;
}

/* ---- one table after the other -------------------------------------------------------------- */

/* On a terminal, one line that is written over; else nothing. */
static void progress(const table *t, const char *name, size_t done, size_t all)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K%3zu %%  %s, threads: %zu, %s", 100 * done / all, t->setting.title,
                t->setting.threads, name);
}

static bool measure_table(table *t, const peer *peers, size_t peer_count, size_t done, size_t all)
{
    bool measured = true;
    for (size_t i = 0; i < peer_count && measured; i++) {
        progress(t, peers[i].name, done * peer_count + i, all * peer_count);
        measured = measure_peer(t, &peers[i]);
    }
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    return measured;
}

/* What is to be measured, in the order in which it is. */
static size_t plan(const options *o, setting chosen[SETTINGS])
{
    size_t count = 0;
    for (size_t i = 0; i < SETTINGS; i++) {
        setting s = settings[i];
        if (o->only && strcmp(o->only->name, s.name) != 0)
            continue;
        if (o->quick && !s.quick_repeats && !o->only)
            continue;
        if (o->quick) {
            s.repeats = s.quick_repeats ? s.quick_repeats : 1;
            s.rounds = s.quick_rounds ? s.quick_rounds : 1;
        }
        chosen[count++] = s;
    }
    return count;
}

static bool run(const options *o, table *tables, size_t *count)
{
    peer peers[PEERS_MAX];
    size_t peer_count = find_peers(peers);
    setting chosen[SETTINGS];
    size_t chosen_count = plan(o, chosen), all = chosen_count * o->crew_count;
    report_head(chosen, chosen_count);
    for (*count = 0; *count < all; (*count)++) {
        table *t = &tables[*count];
        *t = (table){.setting = chosen[*count / o->crew_count]};
        t->setting.threads = o->crews[*count % o->crew_count];
        if (!measure_table(t, peers, peer_count, *count, all))
            return false;
        report_table(t);
    }
    report_libraries(tables);
    return true;
}

static int bench_arena(int argc, char **argv)
{
    options o = {0};
    int leave = parse_options(argc, argv, &o);
    if (leave >= 0)
        return leave;
    if (!open_outputs(&o))
        return FAILED;
    table *tables = calloc(SETTINGS * CREWS_MAX, sizeof *tables);
    if (!tables) {
        complain("out of memory");
        return FAILED;
    }
    size_t count;
    bool good = run(&o, tables, &count);
    if (o.json)
        good &= write_json(o.json, o.json_path, tables, count);
    if (o.plot)
        good &= write_plot(o.plot, o.plot_path, tables, count);
    free(tables);
    return good ? DONE : FAILED;
}

int bench(int argc, char **argv)
{
    if (argc > 2 && !strcmp(argv[1], "arena") && !strcmp(argv[2], "--worker"))
        return worker_main(argc - 3, argv + 3);
    if (argc > 1 && !strcmp(argv[1], "arena"))
        return bench_arena(argc - 1, argv + 1);
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(usage, stdout);
        return DONE;
    }
    if (argc > 1)
        complain("there is no benchmark '%s'", argv[1]);
    fputs(usage, stderr);
    return WRONG_USAGE;
}
