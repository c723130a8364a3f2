/*
 * form.h - what `ashlar bench scope` measures: one way in which a file that was opened comes to be
 * closed. Each is a program of its own, scope_FORM over real files (file.c) and prepared_FORM over a
 * buffer that stands for one (prepared.c): the form itself is compiled once.
 *
 *   form_FORM.c        a round: open, hash, close
 *   file.c, prepared.c what is opened
 *   counting.c         what the rounds take from the heap
 *   stack.c            how deep they go
 *   worker.c           main: times the rounds, prints what it found
 */
#ifndef ASHLAR_BENCH_SCOPE_FORM_H
#define ASHLAR_BENCH_SCOPE_FORM_H

#include "ashlar/scope.h"
#include "mapped_file.h"

enum { DIGEST = 20 };

/* Before the first round; size: of the file. False: out of memory. */
bool form_begin(size_t size);

/* Opens, hashes, closes or lets be closed. 0, or what is wrong as errno says it. */
int form_round(const char *path, unsigned char digest[DIGEST]);

/* One that does not count: the same, but nothing stays open, whatever the form. */
int form_warm_up(const char *path, unsigned char digest[DIGEST]);

/* Before the rounds that count, and after: prints lines of its own, if any. */
void form_count(void);
void form_print(void);

/* ---- what is opened; see mapped_file.h for the rest ---- */

/* Once, before form_begin. The size; 0: see errno. */
size_t source_begin(const char *path);

/* All of the file in memory from `take`: nothing to close. */
mapped_file source_read(const char *path, void *(*take)(size_t size));

void hash(const mapped_file *file, unsigned char digest[DIGEST]);

/* Files that are still open. */
size_t source_left(const char *path);

/* ---- what the rounds take ---- */

extern size_t heap_allocations, heap_most; /* calls, and the most bytes held at once */

/* Of one round, in bytes; 0: it cannot be told here. */
size_t stack_depth(const char *path);

#endif
