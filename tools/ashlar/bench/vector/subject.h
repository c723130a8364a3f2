/*
 * subject.h - what `ashlar bench vector` measures: one container over one kind of memory. C and C++.
 *
 * All of this directory is compiled three times, at -O0, -O1 and -O2, into a program each: what is
 * in headers, templates and inline functions, is then as good as the level makes it.
 */
#ifndef ASHLAR_BENCH_VECTOR_SUBJECT_H
#define ASHLAR_BENCH_VECTOR_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What growing took, in a run that is not timed. */
typedef struct counts {
    size_t growths;     /* times more memory was needed, the first time included */
    size_t in_place;    /* of them: the elements stayed where they were */
    size_t moved_bytes; /* of elements that got another address */
} counts;

enum role {
    BASE = 1,     /* the others are compared with it */
    LIMIT = 2,    /* no container: what would have to be done anyway */
    BUDGETED = 4, /* it has a budget to keep */
    RIVAL = 8,    /* that budget is a part of what this one takes */
    COUNTED = 16, /* it fills in the counts */
};

typedef struct subject {
    const char *name;
    unsigned roles;
    /* c NULL: does the work, to be timed. Else it counts, and looks at what it has made. False: out
     * of memory, or what was made is wrong. */
    bool (*run)(counts *c);
} subject;

/* Each list ends with a NULL name. */
extern const subject raw_int[], raw_record[], raw_handle[];
extern const subject std_int[], std_record[], std_handle[];
extern const subject ash_int[], ash_record[], ash_handle[];
extern const subject c_append[], c_kept[], c_formatted[], c_list[];
extern const subject peers_append[], peers_kept[], peers_formatted[];
extern const subject std_append[], std_kept[], std_formatted[], std_list[];

/* How much is done, out of the compiler's sight. */
extern const size_t pushes, appends, kept_strings, kept_appends, formatted_appends, list_strings;

enum { STACK_BUFFER = 4 << 20, WARM_BUFFER = 64 << 20 };

/* WARM_BUFFER bytes that have all been written once; NULL: out of memory. */
char *warm_buffer(void);

/* The bytes of one append, and how many of them the compiler must not know. */
extern const char token[];
extern const size_t token_size, kept_token_size;

/* The i-th string of the list: 20 to 60 bytes, ended by 0. */
const char *list_string(size_t i, size_t *size);

/* The compiler must take it that somebody looks at what p points to. No function: at -O0 that would
 * be a call, where a store is to be timed. */
#define ESCAPE(p) __asm__ volatile("" : : "r"(p) : "memory")

#ifdef __cplusplus
}
#endif

#endif
