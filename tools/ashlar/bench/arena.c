/*
 * arena.c - `ashlar bench arena`: what single allocations and frees cost in an arena and elsewhere.
 *
 * The benchmark of 2012: one fixed sequence of blocks is allocated and freed in order, in reverse
 * and in random order, again and again, by one thread or by several with an arena each. Its blocks
 * were large and never written to, which flatters arenas: so there are tables with a byte of each
 * written, and with small blocks, too.
 */
#include "arena_bench.h"

#include <stdlib.h>
#include <string.h>

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

/* ---- options -------------------------------------------------------------------------------- */

typedef struct choice {
    size_t crews[CREWS_MAX]; /* numbers of threads */
    size_t crew_count;
    const setting *only;
} choice;

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

static bool add_crew(choice *o, size_t threads)
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

static bool take_threads(void *context, const char *list)
{
    char *end;
    for (const char *s = list;; s = end + 1) {
        unsigned long n = *s >= '0' && *s <= '9' ? strtoul(s, &end, 10) : 0;
        if (!n || n > THREADS_MAX || (*end && *end != ',') || !add_crew(context, n)) {
            complain("--threads takes up to %d numbers from 1 to %d, not '%s'", CREWS_MAX,
                     THREADS_MAX, list);
            return false;
        }
        if (!*end)
            return true;
    }
}

static bool take_table(void *context, const char *name)
{
    choice *c = context;
    c->only = find_setting(name);
    if (!c->only)
        complain("there is no table '%s'", name);
    return c->only;
}

static void usual_crews(choice *c)
{
    size_t usual[] = {1, 2, 4, processors()};
    for (size_t i = 0; i < 4 && !(i == 0 && c->crew_count); i++)
        add_crew(c, usual[i] <= THREADS_MAX ? usual[i] : THREADS_MAX);
}

/* ---- one table after the other -------------------------------------------------------------- */

static bool measure_table(table *t, const peer *peers, size_t peer_count, size_t done, size_t all)
{
    bool measured = true;
    for (size_t i = 0; i < peer_count && measured; i++) {
        progress(done * peer_count + i, all * peer_count, "%s, threads: %zu, %s", t->setting.title,
                 t->setting.threads, peers[i].name);
        measured = measure_peer(t, &peers[i]);
    }
    progress_end();
    return measured;
}

/* What is to be measured, in the order in which it is. */
static size_t plan(const choice *c, bool quick, setting chosen[SETTINGS])
{
    size_t count = 0;
    for (size_t i = 0; i < SETTINGS; i++) {
        setting s = settings[i];
        if (c->only && strcmp(c->only->name, s.name) != 0)
            continue;
        if (quick && !s.quick_repeats && !c->only)
            continue;
        if (quick) {
            s.repeats = s.quick_repeats ? s.quick_repeats : 1;
            s.rounds = s.quick_rounds ? s.quick_rounds : 1;
        }
        chosen[count++] = s;
    }
    return count;
}

static bool run(const choice *c, bool quick, table *tables, size_t *count)
{
    peer peers[PEERS_MAX];
    size_t peer_count = find_peers(peers);
    setting chosen[SETTINGS];
    size_t chosen_count = plan(c, quick, chosen), all = chosen_count * c->crew_count;
    report_head(chosen, chosen_count);
    for (*count = 0; *count < all; (*count)++) {
        table *t = &tables[*count];
        *t = (table){.setting = chosen[*count / c->crew_count]};
        t->setting.threads = c->crews[*count % c->crew_count];
        if (!measure_table(t, peers, peer_count, *count, all))
            return false;
        report_table(t);
        if (!flush_output())
            return false;
    }
    report_libraries(tables);
    return true;
}

int bench_arena(int argc, char **argv)
{
    static const own_option own[] = {
        {"threads", take_threads}, {"table", take_table}, {NULL, NULL}};
    if (argc > 1 && !strcmp(argv[1], "--worker"))
        return worker_main(argc - 2, argv + 2);
    choice c = {0};
    options o = {0};
    int leave = parse_options(argc, argv, usage, own, &c, &o);
    if (leave >= 0)
        return leave;
    usual_crews(&c);
    if (!open_outputs(&o))
        return FAILED;
    table *tables = calloc(SETTINGS * CREWS_MAX, sizeof *tables);
    if (!tables) {
        complain("out of memory");
        discard_outputs(&o);
        return FAILED;
    }
    size_t count;
    bool good = run(&c, o.quick, tables, &count);
    if (good && o.json.file)
        good = write_json(&o.json, tables, count);
    if (good && o.plot.file)
        good = write_plot(&o.plot, tables, count);
    discard_outputs(&o);
    free(tables);
    return good ? DONE : FAILED;
}
