/*
 * run_die.c - runs a program that must die, or must survive, and asserts signal and message.
 *
 *     run_die SOURCE PROGRAM
 *
 * What must happen is declared in the first lines of SOURCE, each in a comment of its own:
 *
 *     dies: MESSAGE            SIGABRT, and standard error is this one line, nothing else
 *     dies SIGSEGV: MESSAGE    another signal; an empty MESSAGE: nothing is printed
 *     exits: STATUS            it exits; what it prints is not looked at
 *     asan: MESSAGE            after one of those: in ASan builds ASan stops it, with such a line
 *     env: NAME=VALUE          set for the program
 *
 * In MESSAGE `ADDR` stands for any hexadecimal address and `.*` for anything; the rest is literal.
 */
#include <ctype.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN_BUILD 1
#endif
#endif
#ifndef ASAN_BUILD
#define ASAN_BUILD 0
#endif

enum { LINE_MAX_BYTES = 1024, OUTPUT_MAX_BYTES = 1 << 16, ASAN_STATUS = 99, EXEC_FAILED = 127 };

typedef struct expectation {
    bool declared;
    int signal; /* 0: it exits */
    int status;
    bool by_asan; /* the message is a line among others */
    char message[LINE_MAX_BYTES];
} expectation;

static const struct {
    const char *name;
    int number;
} signals[] = {{"SIGABRT", SIGABRT},
               {"SIGSEGV", SIGSEGV},
               {"SIGBUS", SIGBUS},
               {"SIGTRAP", SIGTRAP},
               {"SIGILL", SIGILL}};

static int signal_number(const char *name)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(signals[i].name, name) == 0)
            return signals[i].number;
    fprintf(stderr, "run_die: unknown signal %s\n", name);
    exit(2);
}

/* Does the whole of `text` match? */
static bool matches(const char *pattern, const char *text)
{
    if (*pattern == '\0')
        return *text == '\0';
    if (strncmp(pattern, ".*", 2) == 0) {
        for (;; text++) {
            if (matches(pattern + 2, text))
                return true;
            if (*text == '\0')
                return false;
        }
    }
    if (strncmp(pattern, "ADDR", 4) == 0) {
        if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
            return false;
        for (text += 2; isxdigit((unsigned char)*text); text++)
            continue;
        return matches(pattern + 4, text);
    }
    return *pattern == *text && matches(pattern + 1, text + 1);
}

/* One declaration, already without its comment marks. */
static void declare(expectation *expected, const char *text)
{
    char name[16];
    int length = 0;
    if (strncmp(text, "env: ", 5) == 0) {
        if (putenv(strdup(text + 5)) != 0)
            exit(2);
    } else if (strncmp(text, "asan: ", 6) == 0) {
        if (ASAN_BUILD)
            *expected = (expectation){.declared = true, .status = ASAN_STATUS, .by_asan = true};
        if (ASAN_BUILD)
            snprintf(expected->message, sizeof expected->message, ".*%s.*", text + 6);
    } else if (sscanf(text, "exits: %d", &expected->status) == 1) {
        expected->declared = true;
    } else if (strncmp(text, "dies:", 5) == 0) {
        expected->declared = true;
        expected->signal = SIGABRT;
        snprintf(expected->message, sizeof expected->message, "%s", text + 5 + (text[5] == ' '));
    } else if (sscanf(text, "dies %15[A-Z]:%n", name, &length) == 1 && length > 0) {
        expected->declared = true;
        expected->signal = signal_number(name);
        text += length;
        snprintf(expected->message, sizeof expected->message, "%s", text + (*text == ' '));
    }
}

/* The comments at the head of the source, one a line. */
static expectation read_declarations(const char *source)
{
    expectation expected = {0};
    char line[LINE_MAX_BYTES];
    FILE *file = fopen(source, "r");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "/* ", 3) == 0) {
        char *end = strstr(line, "*/");
        if (!end)
            break;
        while (end > line + 3 && end[-1] == ' ')
            end--;
        *end = '\0';
        declare(&expected, line + 3);
    }
    if (file)
        fclose(file);
    return expected;
}

static void become(const char *program, int error_output)
{
    static const char options[] = "handle_abort=0:handle_segv=0:handle_sigbus=0:handle_sigill=0:"
                                  "handle_sigtrap=0:allocator_may_return_null=1:"
                                  "detect_leaks=1:exitcode=99";
    setenv("ASAN_OPTIONS", options, 1);
    setenv("UBSAN_OPTIONS", options, 1);
    setenv("TSAN_OPTIONS", options, 1);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    dup2(error_output, STDERR_FILENO);
    close(error_output);
    execl(program, program, (char *)NULL);
    perror(program);
    _exit(EXEC_FAILED);
}

/* Runs it; answers its wait status, and what it wrote to standard error. */
static int run(const char *program, char *output, size_t capacity)
{
    int ends[2], status;
    if (pipe(ends) != 0) {
        perror("run_die: pipe");
        exit(2);
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        become(program, ends[1]);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], output + used, capacity - 1 - used)) > 0;)
        used += (size_t)n;
    output[used] = '\0';
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("run_die");
        exit(2);
    }
    return status;
}

static bool ended_as_expected(const expectation *expected, int status)
{
    if (expected->signal)
        return WIFSIGNALED(status) && WTERMSIG(status) == expected->signal;
    return WIFEXITED(status) && WEXITSTATUS(status) == expected->status;
}

static bool said_as_expected(const expectation *expected, const char *output)
{
    char copy[OUTPUT_MAX_BYTES];
    size_t length = strlen(output);
    memcpy(copy, output, length + 1);
    if (expected->by_asan) {
        for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
            if (matches(expected->message, line))
                return true;
        return false;
    }
    if (!expected->signal)
        return true;
    if (length > 0 && copy[length - 1] == '\n')
        copy[length - 1] = '\0';
    return matches(expected->message, copy);
}

static void print_end(int status)
{
    if (WIFSIGNALED(status))
        printf("signal %d (%s)\n", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        printf("exit status %d\n", WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
    static char output[OUTPUT_MAX_BYTES];
    if (argc != 3) {
        fputs("usage: run_die SOURCE PROGRAM\n", stderr);
        return 2;
    }
    expectation expected = read_declarations(argv[1]);
    if (!expected.declared) {
        fprintf(stderr, "run_die: %s does not begin with a declaration\n", argv[1]);
        return 2;
    }
    int status = run(argv[2], output, sizeof output);
    if (ended_as_expected(&expected, status) && said_as_expected(&expected, output))
        return 0;
    printf("expected: ");
    if (expected.signal)
        printf("signal %d (%s)\n", expected.signal, strsignal(expected.signal));
    else
        printf("exit status %d\n", expected.status);
    printf("          %s\ngot:      ", expected.message);
    print_end(status);
    printf("          %s\n", output);
    return 1;
}
