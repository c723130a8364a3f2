/*
 * hexdump.c - the first bytes of files, in the form of xxd.
 *
 *     hexdump [-n BYTES | -a] [-s OFFSET] [FILE...]        see usage below
 *
 * Each file is mapped, and closed where the block of its variable ends, whichever way that is left;
 * one that can only be read, as most of /proc and /sys, is read. What goes wrong with one is said on standard error, and the next is done all the same. A file that
 * somebody makes shorter while it is mapped answers with SIGBUS: it is caught around each row.
 *
 * Exit status: 0 all was dumped, 1 something was not, 2 wrong usage.
 */
#define _POSIX_C_SOURCE   200809L
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mapped_file.h"

enum { DONE = 0, FAILED = 1, WRONG_USAGE = 2 };

enum { ROW = 16, FEW = 64 };

typedef struct range {
    uintmax_t offset, count;
} range;

static const char usage[] =
    "usage: hexdump [-n BYTES | -a] [-s OFFSET] [FILE...]\n"
    "Prints the first bytes of each file in rows of 16, as xxd does. No FILE, or -, is standard\n"
    "input. Above each of several files stands its name.\n\n"
    "  -n BYTES    so many of each file (64)\n"
    "  -a          all of them\n"
    "  -s OFFSET   from there on (0)\n"
    "  --help      this text\n\n"
    "A number is decimal, hexadecimal after 0x, or octal after 0.\n";

/* What is printed already stands before it. Always false. */
ASH_PRINTF(2, 3) static bool complain(const char *name, const char *format, ...)
{
    va_list args;
    fflush(stdout);
    va_start(args, format);
    fprintf(stderr, "hexdump: %s: ", name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

static bool ends_too_early(const char *name, uintmax_t size, uintmax_t offset)
{
    if (!size)
        return complain(name, "is empty");
    return complain(name, "has %ju bytes, none of them at offset %ju", size, offset);
}

static int output_error; /* why a row could not be written */

static void print_row(uintmax_t offset, const unsigned char *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char hex[ROW * 5 / 2 + 1], text[ROW + 1], *next = hex;
    memset(hex, ' ', sizeof hex - 1);
    for (size_t i = 0; i < count; i++) {
        *next++ = digits[bytes[i] >> 4];
        *next++ = digits[bytes[i] & 15];
        next += i % 2;
        text[i] = ' ' <= bytes[i] && bytes[i] <= '~' ? (char)bytes[i] : '.';
    }
    hex[sizeof hex - 1] = text[count] = '\0';
    if (printf("%08jx: %s %s\n", offset, hex, text) < 0)
        output_error = errno;
}

static void print_name(const char *name)
{
    static bool is_second;
    printf("%s==> %s <==\n", is_second ? "\n" : "", name);
    is_second = true;
}

/* ---- what is mapped ------------------------------------------------------------------------- */

static sigjmp_buf lost;
static volatile sig_atomic_t is_reading;

static void on_bus_error(int number)
{
    if (is_reading)
        siglongjmp(lost, 1);
    signal(number, SIG_DFL); /* it was something else */
    raise(number);
}

static void catch_bus_errors(void)
{
    struct sigaction action = {.sa_handler = on_bus_error, .sa_flags = SA_NODEFER};
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

/* False: there is nothing behind these addresses any more. */
static bool read_mapped(unsigned char *to, const volatile unsigned char *from, size_t count)
{
    if (sigsetjmp(lost, 0)) {
        is_reading = 0;
        return false;
    }
    is_reading = 1;
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
    is_reading = 0;
    return true;
}

/* Behind the end of a file that became shorter its last page reads as zeros, without a signal. The
 * path may lead to another one by now. */
static bool ends_before(FILE *open, uintmax_t offset)
{
    struct stat status;
    return !fstat(fileno(open), &status) && (uintmax_t)status.st_size < offset;
}

static bool dump_rows(const char *path, FILE *open, const mapped_file *file, range r)
{
    uintmax_t left = file->size - r.offset;
    left = left < r.count ? left : r.count;
    while (left && !ferror(stdout)) {
        unsigned char row[ROW];
        size_t count = left < ROW ? (size_t)left : ROW;
        if (!read_mapped(row, file->bytes + r.offset, count))
            return complain(path,
                            "cannot be read at offset %ju: it became shorter, or its disk failed",
                            r.offset);
        print_row(r.offset, row, count);
        r.offset += count;
        left -= count;
    }
    if (ends_before(open, r.offset))
        return complain(path, "became shorter meanwhile: zeros at the end may not be its own");
    return true;
}

static bool dump_mapped(const char *path, FILE *open, const mapped_file *file, range r, bool named)
{
    if (r.offset >= file->size)
        return ends_too_early(path, file->size, r.offset);
    if (named)
        print_name(path);
    return dump_rows(path, open, file, r);
}

/* ---- what cannot be mapped ------------------------------------------------------------------- */

/* False: it ends before. */
static bool skip(FILE *from, uintmax_t count, uintmax_t *skipped)
{
    char dropped[1 << 12];
    for (*skipped = 0; *skipped < count;) {
        uintmax_t left = count - *skipped;
        size_t size =
            fread(dropped, 1, left < sizeof dropped ? (size_t)left : sizeof dropped, from);
        if (!size)
            return false;
        *skipped += size;
    }
    int next = getc(from);
    return next != EOF && ungetc(next, from) != EOF;
}

static bool input_failed(const char *name)
{
    return complain(name, "%s", strerror(errno));
}

static bool dump_read(const char *name, FILE *from, range r, bool named)
{
    uintmax_t skipped, left = r.count;
    if (!skip(from, r.offset, &skipped))
        return ferror(from) ? input_failed(name) : ends_too_early(name, skipped, r.offset);
    if (named)
        print_name(name);
    while (left && !ferror(stdout)) {
        unsigned char row[ROW];
        size_t count = fread(row, 1, left < ROW ? (size_t)left : ROW, from);
        if (count)
            print_row(r.offset, row, count);
        if (count < ROW)
            break;
        r.offset += count;
        left -= count;
    }
    return !ferror(from) || input_failed(name);
}

static bool dump_input(range r, bool named)
{
    clearerr(stdin);
    return dump_read("standard input", stdin, r, named);
}

/* ---- files ---------------------------------------------------------------------------------- */

/* Kept open beside the mapping: to be asked for its size, or read. */
typedef struct opened {
    FILE *file; /* NULL: see errno */
} opened;

static opened opened_path(const char *path)
{
    int descriptor = mapped_file_descriptor(path);
    opened o = {descriptor < 0 ? NULL : fdopen(descriptor, "rb")};
    if (descriptor >= 0 && !o.file)
        close(descriptor);
    return o;
}

static void opened_close(opened *o)
{
    if (o->file)
        fclose(o->file);
}

ASH_AUTO_DEFINE(opened, opened_close)

static bool not_mapped(const char *path, const mapped_file *file)
{
    return complain(path, file->error == ENODEV ? "%s; try: hexdump - <FILE" : "%s",
                    mapped_file_message(file));
}

static bool dump_file(const char *path, range r, bool named)
{
    ash_auto(opened) open = opened_path(path);
    if (!open.file)
        return not_mapped(path, &(mapped_file){.error = errno});
    ash_auto(mapped_file) file = mapped_file_map(fileno(open.file));
    if (file.error == EOPNOTSUPP)
        return dump_read(path, open.file, r, named);
    if (!file.bytes)
        return not_mapped(path, &file);
    return dump_mapped(path, open.file, &file, r, named);
}

/* ---- the command line ----------------------------------------------------------------------- */

static bool take_number(const char *text, uintmax_t *number)
{
    char *end = NULL;
    errno = 0;
    if (*text >= '0' && *text <= '9')
        *number = strtoumax(text, &end, 0);
    if (end && !*end && !errno)
        return true;
    fprintf(stderr, "hexdump: '%s' is not a number of bytes\n", text);
    return false;
}

/* An exit status, or -1 to go on. What getopt rejects it has complained about. */
static int take_options(int argc, char **argv, range *r)
{
    static const struct option names[] = {{"help", no_argument, NULL, 'h'}, {0}};
    for (int option; (option = getopt_long(argc, argv, "n:as:", names, NULL)) != -1;) {
        bool good = option == 'a';
        if (option == 'h') {
            fputs(usage, stdout);
            return DONE;
        }
        if (option == 'n' || option == 's')
            good = take_number(optarg, option == 'n' ? &r->count : &r->offset);
        else if (good)
            r->count = UINTMAX_MAX;
        if (!good) {
            fputs("Try 'hexdump --help'.\n", stderr);
            return WRONG_USAGE;
        }
    }
    return -1;
}

static bool dump(const char *name, range r, bool named)
{
    return strcmp(name, "-") ? dump_file(name, r, named) : dump_input(r, named);
}

static bool output_is_written(void)
{
    if (!fflush(stdout) && !ferror(stdout))
        return true;
    fprintf(stderr, "hexdump: cannot write output: %s\n",
            strerror(output_error ? output_error : errno));
    return false;
}

static int dump_all(int count, char **names, range r)
{
    bool all = count || dump("-", r, false);
    catch_bus_errors();
    for (int i = 0; i < count && !ferror(stdout); i++)
        all &= dump(names[i], r, count > 1);
    return all ? DONE : FAILED;
}

int main(int argc, char **argv)
{
    range r = {.count = FEW};
    char name[] = "hexdump";
    if (argc)
        argv[0] = name; /* for the messages of getopt */
    int status = take_options(argc, argv, &r);
    if (status < 0)
        status = dump_all(argc - optind, argv + optind, r);
    return output_is_written() ? status : FAILED;
}
