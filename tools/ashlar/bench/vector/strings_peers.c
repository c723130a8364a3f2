/*
 * strings_peers.c - what other C libraries do with strings: GNU obstack and APR, where they are.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* obstack_printf */
#endif

#include <stdlib.h>
#include <string.h>

#include "subject.h"

#ifdef BENCH_OBSTACK
#include <stdio.h>

#include <obstack.h>
/* Its macros mix int and size_t. */
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define obstack_chunk_alloc malloc
#define obstack_chunk_free  free

static bool obstack_append(counts *c)
{
    struct obstack o;
    obstack_init(&o);
    size_t count = appends, size = token_size;
    for (size_t i = 0; i < count; i++)
        obstack_grow(&o, token, (int)size);
    obstack_1grow(&o, 0);
    char *s = obstack_finish(&o);
    ESCAPE(s);
    bool good = !c || strlen(s) == count * size;
    obstack_free(&o, NULL);
    return good;
}

static bool obstack_kept(counts *c)
{
    struct obstack o;
    obstack_init(&o);
    size_t count = kept_strings;
    char **strings = obstack_alloc(&o, (int)(count * sizeof *strings));
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < kept_appends; j++)
            obstack_grow(&o, token, (int)kept_token_size);
        obstack_1grow(&o, 0); /* NOLINT(clang-analyzer-core.NullDereference): there is a chunk */
        strings[i] = obstack_finish(&o);
        ESCAPE(strings[i]);
    }
    bool good = !c || strlen(strings[count - 1]) == kept_appends * kept_token_size;
    obstack_free(&o, NULL);
    return good;
}

static bool obstack_formatted(counts *c)
{
    struct obstack o;
    obstack_init(&o);
    for (size_t i = 0; i < formatted_appends; i++)
        obstack_printf(&o, "item %d=%s;", (int)i, token);
    obstack_1grow(&o, 0);
    char *s = obstack_finish(&o);
    ESCAPE(s);
    bool good = !c || strlen(s) > formatted_appends * (7 + strlen(token));
    obstack_free(&o, NULL);
    return good;
}
#endif

#ifdef BENCH_APR
#include <apr_pools.h>
#include <apr_strings.h>

/* APR strings do not grow: each is made whole. The pool is kept, and cleared after each run. */
static apr_pool_t *pool(void)
{
    static apr_pool_t *one;
    if (!one && (apr_initialize() || apr_pool_create(&one, NULL)))
        one = NULL;
    return one;
}

static bool apr_kept(counts *c)
{
    apr_pool_t *p = pool();
    size_t count = kept_strings;
    char **strings = p ? apr_palloc(p, count * sizeof *strings) : NULL;
    for (size_t i = 0; strings && i < count; i++) {
        strings[i] =
            apr_pstrcat(p, token, token, token, token, token, token, token, token, (char *)NULL);
        ESCAPE(strings[i]);
    }
    bool good = strings && (!c || strlen(strings[count - 1]) == kept_appends * strlen(token));
    if (p)
        apr_pool_clear(p);
    return good;
}

static bool apr_formatted(counts *c)
{
    apr_pool_t *p = pool();
    const char *s = NULL;
    for (size_t i = 0; p && i < formatted_appends; i++) {
        s = apr_psprintf(p, "item %d=%s;", (int)i, token);
        ESCAPE(s);
    }
    bool good = s && (!c || strlen(s) > 7 + strlen(token));
    if (p)
        apr_pool_clear(p);
    return good;
}
#endif

const subject peers_append[] = {
#ifdef BENCH_OBSTACK
    {"GNU obstack, obstack_grow", 0, obstack_append},
#endif
    {0},
};

const subject peers_kept[] = {
#ifdef BENCH_OBSTACK
    {"GNU obstack, obstack_grow", RIVAL, obstack_kept},
#endif
#ifdef BENCH_APR
    {"APR, apr_pstrcat, all 8 in one call", 0, apr_kept},
#endif
    {0},
};

const subject peers_formatted[] = {
#ifdef BENCH_OBSTACK
    {"GNU obstack, obstack_printf", 0, obstack_formatted},
#endif
#ifdef BENCH_APR
    {"APR, apr_psprintf, a string each", 0, apr_formatted},
#endif
    {0},
};
