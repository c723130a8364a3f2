/*
 * orphan.h - a worker does not go on measuring for minutes when who started it is gone, however that happened.
 */
#ifndef ASHLAR_BENCH_ORPHAN_H
#define ASHLAR_BENCH_ORPHAN_H

#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>

static inline void end_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}
#else
static inline void end_with_parent(void) {}
#endif

#endif
