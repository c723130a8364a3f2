/*
 * seal.h - the words in front of typed objects.
 *
 *     one object     p - 8   48 bits of type pointer, encrypted | 16 bits of check
 *     wide           p - 16  64 bits of type pointer, encrypted
 *                    p - 8   48 bits of count, encrypted        | 16 bits of check
 *
 * Arrays are wide, and so are objects whose type pointer does not fit 48 bits. The pads that encrypt
 * and the check come from the object's address, the arena's nonce and the process's keys by
 * multiplying and folding; the check covers type and count besides. Knowing a word, its type and its
 * address gives the pad of that address and one check, and no way to another: a word made up, copied
 * to another place, or overwritten passes with probability 2^-16.
 *
 * While its destructor runs an object is marked as dying in the lowest bit of the type pointer; the
 * check is then other bits of the same product.
 *
 * The keys are in a page of their own, read-only once they are drawn. The mixing step is wyhash's
 * (Wang Yi) and mum-hash's (Makarov); it is no cipher, and 2^16 tries find a passing word.
 */
#ifndef ASHLAR_SRC_SEAL_H
#define ASHLAR_SRC_SEAL_H

#include "ashlar/object.h"

typedef struct ash_sealed_ {
    const ash_type *type;
    size_t count;
    bool valid, dying;
} ash_sealed_;

/* Elements an object may have: what the word has room for. */
#define ASH_COUNT_MAX_ (((uint64_t)1 << 48) - 1)

/* A nonce for a new arena, never 0; 0 if the system gave no random bytes for the keys. */
uint64_t ash_new_nonce_(void);

/* Does this type need the wide form, whatever the count? */
bool ash_seal_is_wide_(const ash_type *type);

void ash_seal_(uint64_t nonce, void *object, const ash_type *type, size_t count, bool wide,
               bool dying);
ash_sealed_ ash_unseal_(uint64_t nonce, const void *object, bool wide);

/* 48 bits that bind a deferred call to its place; kept as the count of its object. */
size_t ash_seal_call_(uint64_t nonce, const void *object, void (*fn)(void *), const void *arg);

#endif
