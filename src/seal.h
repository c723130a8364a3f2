/*
 * seal.h - the words in front of typed objects.
 *
 *     one object     p - 8   48 bits of type pointer, encrypted | 16 bits of check
 *     wide           p - 16  64 bits of type pointer, encrypted
 *                    p - 8   48 bits of count, encrypted        | 16 bits of check
 *
 * Arrays are wide, and so are objects whose type pointer does not fit 48 bits. What encrypts the
 * pointer comes from the object's address, the arena's nonce and the process's keys by multiplying and
 * folding; the check comes from the same and the type, by multiplying and folding again; in the wide
 * form the count goes into it too. Knowing a word, its type and its address gives away what encrypts
 * pointers at that address, and one check, and no way to another check or another address: a word
 * that is made up, copied to another place, or overwritten passes with probability 2^-16.
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
#include "base.h"
#include "hooks.h"

typedef struct ash_keys_ {
    uint64_t address, nonce, type, bound, count, count_by, length, fn, arg;
    uint64_t drawn; /* not 0 once the rest is */
} ash_keys_;

/*
 * Room for a page of its own however large pages are, so that nothing else becomes read-only with it.
 * The page is found by arithmetic: a pointer to it could be overwritten.
 */
#define ASH_KEY_PAGE_ ((size_t)64 * 1024)
extern unsigned char ash_key_room_[2 * 64 * 1024];

static inline const ash_keys_ *ash_the_keys_(void)
{
    return (const ash_keys_ *)ash_up_((uintptr_t)ash_key_room_, ASH_KEY_PAGE_);
}

/* A nonce for a new arena, never 0; 0 if the system gave no random bytes for the keys. */
uint64_t ash_new_nonce_(void);

#define ASH_LOW48_ (((uint64_t)1 << 48) - 1)

/* Elements an object may have: what the word has room for. */
#define ASH_COUNT_MAX_ ASH_LOW48_

/* Does this type need the wide form, whatever the count? */
static inline bool ash_seal_is_wide_(const ash_type *type)
{
    return (uint64_t)(uintptr_t)type & ~ASH_LOW48_;
}

/* What depends on the place alone; it encrypts the pointer. */
static inline uint64_t ash_seal_place_(uint64_t nonce, const void *object)
{
    const ash_keys_ *k = ash_the_keys_();
    return ash_mix_((uintptr_t)object ^ k->address, nonce ^ k->nonce);
}

static inline uint64_t ash_seal_check_(uint64_t place, uint64_t type)
{
    const ash_keys_ *k = ash_the_keys_();
    return ash_mix_(type ^ k->type, place ^ k->bound);
}

typedef struct ash_sealed_ {
    const ash_type *type;
    size_t count;
    uint64_t dying_flip; /* toggles dying in the last word */
    bool valid, dying;
} ash_sealed_;

/* One object. */
static inline void ash_seal_(uint64_t nonce, void *object, const ash_type *type)
{
    uint64_t place = ash_seal_place_(nonce, object), pointer = (uintptr_t)type;
    uint64_t check = ash_seal_check_(place, pointer);
    ash_store_word_((uint64_t *)object - 1, ((pointer ^ place) & ASH_LOW48_) | (check >> 48) << 48);
}

static inline ash_sealed_ ash_unseal_(uint64_t nonce, const void *object)
{
    uint64_t place = ash_seal_place_(nonce, object);
    uint64_t word = ash_load_word_((const uint64_t *)object - 1);
    uint64_t pointer = (word ^ place) & ASH_LOW48_, dying = pointer & 1;
    pointer ^= dying;
    uint64_t check = ash_seal_check_(place, pointer);
    uint64_t expected = dying ? check << 16 : check;
    return (ash_sealed_){.type = (const ash_type *)(uintptr_t)pointer,
                         .count = 1,
                         .dying_flip = ((check ^ check << 16) >> 48) << 48 | 1,
                         .valid = (expected ^ word) >> 48 == 0 && pointer == (uintptr_t)pointer,
                         .dying = dying};
}

/* The same where it is expected that the object lives: of a dying one it says that it is not valid. */
static inline ash_sealed_ ash_unseal_live_(uint64_t nonce, const void *object)
{
    uint64_t place = ash_seal_place_(nonce, object);
    uint64_t word = ash_load_word_((const uint64_t *)object - 1);
    uint64_t pointer = (word ^ place) & ASH_LOW48_, check = ash_seal_check_(place, pointer);
    return (ash_sealed_){.type = (const ash_type *)(uintptr_t)pointer,
                         .count = 1,
                         .dying_flip = ((check ^ check << 16) >> 48) << 48 | 1,
                         .valid = (check ^ word) >> 48 == 0 && !(pointer & 1) &&
                                  pointer == (uintptr_t)pointer};
}

/* The wide form, of any count. */
void ash_seal_wide_(uint64_t nonce, void *object, const ash_type *type, size_t count);
ash_sealed_ ash_unseal_wide_(uint64_t nonce, const void *object);

/* Sealed as dying, or not any more. */
static inline void ash_seal_flip_(void *object, const ash_sealed_ *sealed, bool wide)
{
    uint64_t *words = (uint64_t *)object;
    if (wide)
        ash_store_word_(words - 2, ash_load_word_(words - 2) ^ 1);
    uint64_t flip = wide ? sealed->dying_flip ^ 1 : sealed->dying_flip;
    ash_store_word_(words - 1, ash_load_word_(words - 1) ^ flip);
}

/* 48 bits that bind a deferred call to its place; kept as the count of its object. */
size_t ash_seal_call_(uint64_t nonce, const void *object, void (*fn)(void *), const void *arg);

#endif
