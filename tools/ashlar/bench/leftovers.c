/*
 * leftovers.c - files that are not to stay when a signal ends the program.
 */
#define _POSIX_C_SOURCE 200809L

#include "bench.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { LEFTOVERS_MAX = 8 };

static const char *volatile leftovers[LEFTOVERS_MAX];

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

/* The last first: a directory comes before what is in it. */
static void on_signal(int number)
{
    for (size_t i = LEFTOVERS_MAX; i--;) {
        const char *path = leftovers[i];
        if (path && unlink(path))
            rmdir(path);
    }
    signal(number, SIG_DFL);
    raise(number);
}

/* What is ignored, by nohup for one, stays ignored. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal}, former;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < NUMBERS; i++) {
        if (!sigaction(numbers[i], NULL, &former) && former.sa_handler == SIG_DFL)
            sigaction(numbers[i], &action, NULL);
    }
}

void hold_signals(bool hold)
{
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < NUMBERS; i++)
        sigaddset(&set, numbers[i]);
    sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

void leftover_add(const char *path)
{
    catch_signals();
    for (size_t i = 0; i < LEFTOVERS_MAX; i++) {
        if (!leftovers[i]) {
            leftovers[i] = path;
            return;
        }
    }
}

void leftover_gone(const char *path)
{
    for (size_t i = 0; i < LEFTOVERS_MAX; i++) {
        if (leftovers[i] == path)
            leftovers[i] = NULL;
    }
}
