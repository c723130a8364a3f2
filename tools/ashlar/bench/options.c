/*
 * options.c - the options that all benchmarks have, and the line of progress.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <getopt.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

enum { QUICK = 'q', JSON = 'j', PLOT = 'p', HELP = 'h', OWN = 256 };

enum { KNOWN_MAX = 4 + OWN_OPTIONS_MAX + 1 };

static void list_options(const own_option *own, struct option known[KNOWN_MAX])
{
    static const struct option shared[] = {{"quick", no_argument, NULL, QUICK},
                                           {"json", required_argument, NULL, JSON},
                                           {"plot", required_argument, NULL, PLOT},
                                           {"help", no_argument, NULL, HELP}};
    memcpy(known, shared, sizeof shared);
    size_t count = sizeof shared / sizeof *shared;
    for (int i = 0; own[i].name; i++)
        known[count++] = (struct option){own[i].name, required_argument, NULL, OWN + i};
    known[count] = (struct option){0};
}

static bool take_option(options *o, const own_option *own, void *context, int option)
{
    switch (option) {
    case QUICK:
        o->quick = true;
        return true;
    case JSON:
        o->json.path = optarg;
        return true;
    case PLOT:
        o->plot.path = optarg;
        return true;
    default:
        return option >= OWN && own[option - OWN].take(context, optarg);
    }
}

int parse_options(int argc, char **argv, const char *usage, const own_option *own, void *context,
                  options *o)
{
    struct option known[KNOWN_MAX];
    list_options(own, known);
    char program[64], *name = argv[0];
    snprintf(program, sizeof program, "ashlar bench");
    argv[0] = program; /* for the messages of getopt */
    int status = -1;
    for (int c; status < 0 && (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (c == HELP) {
            fputs(usage, stdout);
            status = DONE;
        } else if (!take_option(o, own, context, c)) {
            fprintf(stderr, "Try 'ashlar bench %s --help'.\n", name);
            status = WRONG_USAGE;
        }
    }
    argv[0] = name;
    if (status < 0 && optind < argc) {
        complain("unexpected argument '%s'", argv[optind]);
        status = WRONG_USAGE;
    }
    return status;
}

void progress(size_t done, size_t all, const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    va_list args;
    va_start(args, format);
    fprintf(stderr, "\r\033[K%3zu %%  ", 100 * done / all);
    vfprintf(stderr, format, args);
    va_end(args);
}

void progress_end(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}
