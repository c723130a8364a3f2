/*
 * main.c - the command `ashlar`: finds what was asked for in one table, and runs it.
 *
 * Exit status: 0 done, 1 it failed (output that could not be written included), 2 wrong usage.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ashlar/attr.h"
#ifdef ASHLAR_BENCH
#include "bench.h"
#endif

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Gets its own name as argv[0] and what follows it; returns an exit status. */
typedef int command_fn(int argc, char **argv);

typedef struct command {
    const char *name;
    const char *summary;
    command_fn *run;
} command;

static command_fn help, version;

static const command commands[] = {
#ifdef ASHLAR_BENCH
    {"bench", "measure arenas, vectors and scopes against others", bench},
#endif
    {"--help", "show this text", help},
    {"--version", "show the version of the library", version},
};

static void usage(FILE *out)
{
    fputs("usage: ashlar COMMAND [ARGUMENT...]\n\n", out);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
}

static int wrong_usage(const char *what, const char *argument)
{
    fprintf(stderr, "ashlar: %s '%s'; try 'ashlar --help'\n", what, argument);
    return EXIT_USAGE;
}

static int help(int argc, char **argv)
{
    if (argc > 1)
        return wrong_usage("unexpected argument", argv[1]);
    usage(stdout);
    return EXIT_DONE;
}

static int version(int argc, char **argv)
{
    if (argc > 1)
        return wrong_usage("unexpected argument", argv[1]);
    puts("ashlar " ASH_VERSION);
    return EXIT_DONE;
}

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

/* What was printed may still be on its way: a full disk shows at the last flush. */
static int finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "ashlar: standard output: %s\n", errno ? strerror(errno) : "write error");
    return EXIT_FAILED;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    const command *found = find_command(argv[1]);
    if (!found)
        return wrong_usage(argv[1][0] == '-' ? "unknown option" : "unknown command", argv[1]);
    return finish(found->run(argc - 1, argv + 1));
}
