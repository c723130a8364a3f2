/*
 * peers.c - a process for each measurement, with another malloc library under it where asked for.
 *
 * A library that replaces malloc must be there before the program starts: the dynamic linker is told
 * to load it first (LD_PRELOAD), and the new process says which file its malloc comes from. Only if
 * that is the library is it a peer; so what is not installed is never measured under its name.
 */
#define _POSIX_C_SOURCE 200809L

#include "arena_bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { ARGUMENTS_MAX = 6 };

static const char preload[] = "LD_PRELOAD=";

/* The environment with `assignment` for LD_PRELOAD; from malloc, the strings are not copied. */
static char **environment_with(char *assignment)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **copy = malloc((count + 2) * sizeof *copy);
    for (size_t i = 0; copy && i < count; i++) {
        if (strncmp(environ[i], preload, sizeof preload - 1) != 0)
            copy[kept++] = environ[i];
    }
    if (copy) {
        copy[kept++] = assignment;
        copy[kept] = NULL;
    }
    return copy;
}

/* Starts this program again as a worker. Returns 0 or what errno would be. */
static int worker_start(process *p, char *const *arguments, const char *library, bool quiet)
{
    char *argv[4 + ARGUMENTS_MAX] = {(char[]){"ashlar"}, (char[]){"bench"}, (char[]){"arena"},
                                     (char[]){"--worker"}};
    for (size_t i = 0; arguments[i]; i++)
        argv[4 + i] = arguments[i];
    char assignment[sizeof preload + sizeof((peer *)0)->library];
    snprintf(assignment, sizeof assignment, "%s%s", preload, library);
    char **env = *library ? environment_with(assignment) : environ;
    if (!env)
        return errno;
    int error = process_start(p, "/proc/self/exe", argv, env, quiet);
    if (env != environ)
        free(env);
    return error;
}

/* ---- who is there --------------------------------------------------------------------------- */

static bool take_line(const char *line, const char *word, char *rest, size_t size)
{
    size_t length = strlen(word);
    if (strncmp(line, word, length) != 0 || line[length] != ' ')
        return false;
    snprintf(rest, size, "%.*s", (int)strcspn(line + length + 1, "\n"), line + length + 1);
    return true;
}

/* Does malloc come from a file of that name, with the library in front? */
static bool probe(const char *library, const char *stem)
{
    process p = {0};
    char line[512], found[256] = "";
    char *arguments[] = {(char[]){"probe"}, NULL};
    if (worker_start(&p, arguments, library, true))
        return false;
    while (p.output && fgets(line, sizeof line, p.output))
        take_line(line, "library", found, sizeof found);
    process_end(&p);
    const char *slash = strrchr(found, '/');
    return strstr(slash ? slash : found, stem) != NULL;
}

size_t find_peers(peer peers[PEERS_MAX])
{
    static const struct known {
        const char *name, *stem, *libraries[3];
    } known[] = {
        {"jemalloc", "libjemalloc", {"libjemalloc.so.2", "libjemalloc.so"}},
        {"tcmalloc", "libtcmalloc", {"libtcmalloc_minimal.so.4", "libtcmalloc.so.4"}},
        {"mimalloc", "libmimalloc", {"libmimalloc.so.2", "libmimalloc.so.3", "libmimalloc.so"}},
    };
    size_t count = 0;
    peers[count++] = (peer){.name = "malloc/free"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (size_t j = 0; j < 3 && known[i].libraries[j]; j++) {
            if (!probe(known[i].libraries[j], known[i].stem))
                continue;
            peers[count].name = known[i].name;
            snprintf(peers[count].library, sizeof peers->library, "%s", known[i].libraries[j]);
            count++;
            break;
        }
    }
    return count;
}

/* ---- measuring ------------------------------------------------------------------------------ */

/* The row of a contestant; with a peer under it, malloc's is the peer's and the arena's is not
 * wanted a second time. */
static row *row_for(table *t, const peer *p, const char *library, size_t which)
{
    const char *name = contestants[which]->name;
    if (*p->library && which != MALLOC)
        return NULL;
    if (*p->library)
        name = p->name;
    for (size_t i = 0; i < t->row_count; i++) {
        if (!strcmp(t->rows[i].name, name))
            return &t->rows[i];
    }
    if (t->row_count == ROWS_MAX)
        return NULL;
    row *r = &t->rows[t->row_count++];
    snprintf(r->name, sizeof r->name, "%s", name);
    if (which == MALLOC)
        snprintf(r->library, sizeof r->library, "%s", library);
    return r;
}

static void read_rows(FILE *from, table *t, const peer *p)
{
    char line[512], library[sizeof((row *)0)->library] = "";
    while (fgets(line, sizeof line, from)) {
        size_t which;
        int column;
        cell c = {.measured = true};
        take_line(line, "library", library, sizeof library);
        sscanf(line, "blocks %zu", &t->blocks);
        if (sscanf(line, "cell %zu %d %lf %lf %lf %lf %lf %lf", &which, &column, &c.ns.median,
                   &c.ns.low, &c.ns.high, &c.ratio.median, &c.ratio.low, &c.ratio.high) != 8 ||
            which >= contestant_count() || column < 0 || column >= COLUMNS)
            continue;
        row *r = row_for(t, p, library, which);
        if (r)
            r->cells[column] = c;
    }
}

bool measure_peer(table *t, const peer *p)
{
    const setting *s = &t->setting;
    char name[32], threads[24], repeats[24], rounds[24];
    snprintf(name, sizeof name, "%s", s->name);
    snprintf(threads, sizeof threads, "%zu", s->threads);
    snprintf(repeats, sizeof repeats, "%zu", s->repeats);
    snprintf(rounds, sizeof rounds, "%zu", s->rounds);
    char all[] = "all", only_malloc[] = "malloc";
    char *arguments[] = {name, threads, repeats, rounds, *p->library ? only_malloc : all, NULL};
    process worker = {0};
    int error = worker_start(&worker, arguments, p->library, false);
    if (error) {
        complain("cannot start a process for %s: %s", p->name, strerror(error));
        return false;
    }
    if (worker.output)
        read_rows(worker.output, t, p);
    return process_succeeded(&worker, p->name);
}
