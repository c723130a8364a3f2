/*
 * bench.c - `ashlar bench`: finds which benchmark is wanted, in one table.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

static const struct benchmark {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} benchmarks[] = {
    {"arena", "allocations and frees, one by one, in an arena and elsewhere", bench_arena},
    {"vector", "a million push_backs, at -O0, -O1 and -O2, and building strings", bench_vector},
    {"scope", "open a file, hash it, close it: by hand, libgc, a scope, ash_auto", bench_scope},
};

enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("ashlar bench: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

size_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}

/* A pipe must not get a number below 3. What stands for a closed one fails as that does. */
static bool hold_standard_descriptors(void)
{
    for (int descriptor; (descriptor = open("/dev/null", O_RDONLY)) >= 0;) {
        if (descriptor > STDERR_FILENO)
            return !close(descriptor);
    }
    complain("/dev/null: %s", strerror(errno));
    return false;
}

/* A table fits: only flush_output writes, and knows why it could not. */
static void hold_output(void)
{
    static char room[1 << 16];
    setvbuf(stdout, room, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof room);
}

/* What is said here, the end of the program need not say again. */
bool flush_output(void)
{
    errno = EIO;
    if (!fflush(stdout) && !ferror(stdout))
        return true;
    complain("standard output: %s", strerror(errno));
    clearerr(stdout);
    return false;
}

static void usage(FILE *out)
{
    fputs("usage: ashlar bench NAME [OPTION...]\n\n", out);
    for (size_t i = 0; i < BENCHMARKS; i++)
        fprintf(out, "  %-12s %s\n", benchmarks[i].name, benchmarks[i].summary);
    fputs("\nTry 'ashlar bench NAME --help' for the options of one.\n", out);
}

int bench(int argc, char **argv)
{
    if (!hold_standard_descriptors())
        return FAILED;
    hold_output();
    for (size_t i = 0; argc > 1 && i < BENCHMARKS; i++) {
        if (!strcmp(argv[1], benchmarks[i].name))
            return benchmarks[i].run(argc - 1, argv + 1);
    }
    if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        usage(stdout);
        return DONE;
    }
    if (argc > 1)
        complain("there is no benchmark '%s'", argv[1]);
    usage(stderr);
    return WRONG_USAGE;
}
