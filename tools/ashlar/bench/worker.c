/*
 * worker.c - measures one setting: threads, each with blocks and arenas of its own, take turns at
 * the contestants.
 *
 * One contestant runs for a few milliseconds, then the next. A machine that changes its speed
 * between seconds changes it for all of them, and the ratio to the arena, taken round by round,
 * does not see it. All threads work at one contestant at a time; a slice lasts from when the first
 * thread starts to when the last one is done.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr */
#endif

#include "arena_bench.h"
#include "orphan.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A slice is repeated until it is this long. With several threads it must hide that they do not
 * wake up at the same instant. */
static const double slice_ns = 0.3e6, shared_slice_ns = 4e6;

typedef struct member {
    struct crew *crew;
    pthread_t thread;
    work work;
    void *states[CONTESTANTS_MAX];
    double begin, end;
    bool failed;
} member;

struct crew {
    pthread_barrier_t gate; /* for the members and who drives them */
    member *members;
    size_t size;
    /* the task, written while the members wait at the gate */
    size_t which; /* of the contestants */
    pass_order order;
    size_t repeats;
    bool over;
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void work_slice(member *m)
{
    const struct crew *crew = m->crew;
    const contestant *c = contestants[crew->which];
    void **state = &m->states[crew->which];
    size_t bytes = 0;
    for (size_t i = 0; !*state && i < m->work.count; i++)
        bytes += m->work.sizes[i];
    if (!*state)
        *state = c->open(bytes, m->work.count);
    m->failed = !*state;
    m->begin = now_ns();
    for (size_t r = 0; r < crew->repeats && !m->failed; r++)
        m->failed = !c->pass(*state, &m->work, crew->order);
    m->end = now_ns();
}

static void *member_main(void *self)
{
    member *m = self;
    for (;;) {
        pthread_barrier_wait(&m->crew->gate);
        if (m->crew->over)
            break;
        work_slice(m);
        pthread_barrier_wait(&m->crew->gate);
    }
    for (size_t c = 0; contestants[c]; c++) {
        if (m->states[c])
            contestants[c]->close(m->states[c]);
    }
    return NULL;
}

/* Nanoseconds of one repeat; negative if a thread ran out of memory. */
static double run_slice(struct crew *crew, size_t which, pass_order order, size_t repeats)
{
    crew->which = which;
    crew->order = order;
    crew->repeats = repeats;
    pthread_barrier_wait(&crew->gate);
    pthread_barrier_wait(&crew->gate);
    double begin = crew->members[0].begin, end = crew->members[0].end;
    for (size_t i = 0; i < crew->size; i++) {
        const member *m = &crew->members[i];
        if (m->failed)
            return -1;
        begin = m->begin < begin ? m->begin : begin;
        end = m->end > end ? m->end : end;
    }
    return (end - begin) / (double)repeats;
}

/* ---- rounds --------------------------------------------------------------------------------- */

enum { ROUNDS_MAX = VALUES_MAX };

typedef double rounds[CONTESTANTS_MAX][COLUMNS][ROUNDS_MAX];

static bool takes_part(size_t which, int order, bool all)
{
    return (all || which == ARENA || which == MALLOC) && contestants[which]->orders & 1u << order;
}

/* A first slice, which warms up and does not count, says how often to repeat those that do. */
static bool run_rounds(struct crew *crew, const setting *s, bool all, rounds ns)
{
    size_t repeats[CONTESTANTS_MAX][ORDERS] = {0};
    double least = s->threads == 1 ? slice_ns : shared_slice_ns;
    size_t base = s->repeats > s->rounds ? s->repeats / s->rounds : 1;
    for (size_t r = 0; r <= s->rounds; r++) {
        for (size_t c = 0; contestants[c]; c++) {
            for (int o = 0; o < ORDERS; o++) {
                if (!takes_part(c, o, all))
                    continue;
                double t = run_slice(crew, c, (pass_order)o, r ? repeats[c][o] : 1);
                if (t < 0) {
                    complain("out of memory: %s cannot hold %zu bytes (%s, threads: %zu)",
                             contestants[c]->name, s->total, s->title, s->threads);
                    return false;
                }
                if (r)
                    ns[c][o][r - 1] = t;
                else
                    repeats[c][o] = (double)base * t < least ? 1 + (size_t)(least / t) : base;
            }
        }
    }
    return true;
}

static void print_cell(const setting *s, size_t which, int column, rounds ns)
{
    double ratios[ROUNDS_MAX] = {0};
    for (size_t r = 0; r < s->rounds; r++)
        ratios[r] = ns[which][column][r] / ns[ARENA][column][r];
    spread time = spread_of(ns[which][column], s->rounds);
    spread ratio = spread_of(ratios, s->rounds);
    printf("cell %zu %d %.17g %.17g %.17g %.17g %.17g %.17g\n", which, column, time.median,
           time.low, time.high, ratio.median, ratio.low, ratio.high);
}

static void print_rounds(const setting *s, bool all, rounds ns)
{
    for (size_t c = 0; contestants[c]; c++) {
        for (size_t r = 0; r < s->rounds; r++)
            ns[c][SUM][r] = ns[c][IN_ORDER][r] + ns[c][REVERSE][r] + ns[c][RANDOM][r];
    }
    for (size_t c = 0; contestants[c]; c++) {
        for (int o = 0; o < ORDERS; o++) {
            if (takes_part(c, o, all))
                print_cell(s, c, o, ns);
        }
        if (takes_part(c, IN_ORDER, all) && takes_part(c, REVERSE, all) &&
            takes_part(c, RANDOM, all))
            print_cell(s, c, SUM, ns);
    }
}

/* ---- the crew ------------------------------------------------------------------------------- */

/* The members that could be started wait at a gate which only all of them open: on failure the
 * process ends with them standing there. */
static bool crew_start(struct crew *crew, const setting *s, const work *w)
{
    crew->size = s->threads;
    crew->members = calloc(crew->size, sizeof *crew->members);
    if (!crew->members || pthread_barrier_init(&crew->gate, NULL, (unsigned)crew->size + 1)) {
        complain("out of memory for %zu threads", s->threads);
        return false;
    }
    for (size_t i = 0; i < crew->size; i++) {
        member *m = &crew->members[i];
        m->crew = crew;
        m->work = *w;
        m->work.blocks = calloc(w->count, sizeof *w->blocks);
        if (!m->work.blocks) {
            complain("out of memory for %zu blocks", w->count);
            return false;
        }
        int error = pthread_create(&m->thread, NULL, member_main, m);
        if (error) {
            complain("thread %zu of %zu: %s", i + 1, crew->size, strerror(error));
            return false;
        }
    }
    return true;
}

static void crew_end(struct crew *crew)
{
    crew->over = true;
    pthread_barrier_wait(&crew->gate);
    for (size_t i = 0; i < crew->size; i++) {
        pthread_join(crew->members[i].thread, NULL);
        free(crew->members[i].work.blocks);
    }
    free(crew->members);
    pthread_barrier_destroy(&crew->gate);
}

static bool measure(const setting *s, bool all)
{
    static rounds ns;
    uint32_t *sizes, *shuffled;
    work w = {.write = s->write};
    if (!make_sequence(s, &sizes, &shuffled, &w.count)) {
        complain("out of memory for the sequence of blocks");
        return false;
    }
    w.sizes = sizes;
    w.shuffled = shuffled;
    printf("blocks %zu\n", w.count);
    printf("library %s\n", malloc_library());
    struct crew crew = {0};
    if (!crew_start(&crew, s, &w))
        exit(FAILED);
    bool measured = run_rounds(&crew, s, all, ns);
    crew_end(&crew);
    free(sizes);
    free(shuffled);
    if (measured)
        print_rounds(s, all, ns);
    return measured;
}

const char *malloc_library(void)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, "malloc");
    return address && dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
}

int worker_main(int argc, char **argv)
{
    end_with_parent();
    if (argc == 1 && !strcmp(argv[0], "probe")) {
        printf("library %s\n", malloc_library());
        return DONE;
    }
    const setting *known = argc == 5 ? find_setting(argv[0]) : NULL;
    if (!known)
        return WRONG_USAGE;
    setting s = *known;
    s.threads = strtoul(argv[1], NULL, 10);
    s.repeats = strtoul(argv[2], NULL, 10);
    s.rounds = strtoul(argv[3], NULL, 10);
    if (!s.threads || !s.rounds || s.rounds > ROUNDS_MAX)
        return WRONG_USAGE;
    return measure(&s, !strcmp(argv[4], "all")) ? DONE : FAILED;
}
