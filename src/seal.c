#include "seal.h"

#include <string.h>

#include "base.h"
#include "hooks.h"
#include "os.h"

/* Room for a page of its own however large pages are, so that nothing else becomes read-only. The
 * page is found by arithmetic: a pointer to it could be overwritten. */
enum { PAGE_MOST = 64 * 1024 };
static unsigned char room[2 * PAGE_MOST];

typedef struct keys {
    uint64_t address, nonce, type, bound, pad, pad_by, count, count_by, length, fn, arg;
    uint64_t drawn; /* not 0 once the rest is */
} keys;

static ASH_ATOMIC(size_t) arenas;

static const keys *the_keys(void)
{
    return (const keys *)ash_up_((uintptr_t)room, PAGE_MOST);
}

static void draw_keys(void)
{
    keys drawn;
    unsigned char *page = (unsigned char *)ash_up_((uintptr_t)room, PAGE_MOST);
    if (!ash_os_random_(&drawn, sizeof drawn))
        return;
    drawn.drawn = 1;
    memcpy(page, &drawn, sizeof drawn);
    if (ash_os_page_size_() <= PAGE_MOST)
        (void)ash_os_protect_(page, PAGE_MOST);
}

uint64_t ash_new_nonce_(void)
{
    ash_os_once_(draw_keys);
    const keys *k = the_keys();
    if (!k->drawn)
        return 0;
    uint64_t nonce = ash_mix_(++arenas ^ k->nonce, k->bound) ^ k->length;
    return nonce + !nonce;
}

#define LOW48 (((uint64_t)1 << 48) - 1)

bool ash_seal_is_wide_(const ash_type *type)
{
    return (uint64_t)(uintptr_t)type & ~LOW48;
}

/* What depends on address, nonce and keys alone. */
typedef struct place {
    uint64_t bound, pad;
} place;

static inline place place_of(const keys *k, uint64_t nonce, const void *object)
{
    uint64_t bound = ash_mix_((uintptr_t)object ^ k->address, nonce ^ k->nonce);
    return (place){bound, ash_mix_(bound ^ k->pad, k->pad_by)};
}

static inline uint64_t count_pad(const keys *k, uint64_t bound)
{
    return ash_mix_(bound ^ k->count, k->count_by);
}

static inline uint64_t check_of(const keys *k, uint64_t bound, uint64_t type, uint64_t count,
                                bool wide, bool dying)
{
    uint64_t check = ash_mix_(type ^ k->type, bound ^ k->bound);
    if (wide)
        check = ash_mix_(check ^ count, bound ^ k->length);
    return dying ? check >> 32 & 0xffff : check >> 48;
}

void ash_seal_(uint64_t nonce, void *object, const ash_type *type, size_t count, bool wide,
               bool dying)
{
    const keys *k = the_keys();
    place at = place_of(k, nonce, object);
    uint64_t pointer = (uintptr_t)type;
    uint64_t check = check_of(k, at.bound, pointer, count, wide, dying) << 48;
    uint64_t *words = (uint64_t *)object;
    if (wide) {
        ash_store_word_(words - 2, (pointer | dying) ^ at.pad);
        ash_store_word_(words - 1, ((count ^ count_pad(k, at.bound)) & LOW48) | check);
    } else {
        ash_store_word_(words - 1, (((pointer | dying) ^ at.pad) & LOW48) | check);
    }
}

ash_sealed_ ash_unseal_(uint64_t nonce, const void *object, bool wide)
{
    const keys *k = the_keys();
    place at = place_of(k, nonce, object);
    const uint64_t *words = (const uint64_t *)object;
    uint64_t last = ash_load_word_(words - 1);
    uint64_t pointer = wide ? ash_load_word_(words - 2) ^ at.pad : (last ^ at.pad) & LOW48;
    uint64_t count = wide ? (last ^ count_pad(k, at.bound)) & LOW48 : 1;
    bool dying = pointer & 1;
    pointer &= ~(uint64_t)1;
    bool valid = check_of(k, at.bound, pointer, count, wide, dying) == last >> 48 &&
                 pointer == (uintptr_t)pointer;
    return (ash_sealed_){(const ash_type *)(uintptr_t)pointer, (size_t)count, valid, dying};
}

size_t ash_seal_call_(uint64_t nonce, const void *object, void (*fn)(void *), const void *arg)
{
    const keys *k = the_keys();
    uint64_t bound = place_of(k, nonce, object).bound;
    uint64_t call = ash_mix_((uintptr_t)fn ^ k->fn, (uintptr_t)arg ^ k->arg ^ bound);
    return (size_t)(ash_mix_(call ^ bound, k->arg) & LOW48);
}
