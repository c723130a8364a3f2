#include "seal.h"

#include <string.h>

#include "os.h"

#if ASH_WATCHED
ASH_BLIND uint64_t ash_load_word_(const uint64_t *p)
{
    return *p;
}

ASH_BLIND void ash_store_word_(uint64_t *p, uint64_t value)
{
    *p = value;
}
#endif

unsigned char ash_key_room_[2 * 64 * 1024];

static ASH_ATOMIC(size_t) arenas;

static void draw_keys(void)
{
    ash_keys_ drawn;
    unsigned char *page = (unsigned char *)ash_up_((uintptr_t)ash_key_room_, ASH_KEY_PAGE_);
    if (!ash_os_random_(&drawn, sizeof drawn))
        return;
    drawn.drawn = 1;
    memcpy(page, &drawn, sizeof drawn);
    if (ash_os_page_size_() <= ASH_KEY_PAGE_)
        (void)ash_os_protect_(page, ASH_KEY_PAGE_);
}

uint64_t ash_new_nonce_(void)
{
    ash_os_once_(draw_keys);
    const ash_keys_ *k = ash_the_keys_();
    if (!k->drawn)
        return 0;
    uint64_t nonce = ash_mix_(++arenas ^ k->nonce, k->bound) ^ k->length;
    return nonce + !nonce;
}

static uint64_t count_pad(uint64_t place)
{
    const ash_keys_ *k = ash_the_keys_();
    return ash_mix_(place ^ k->count, k->count_by);
}

/* The check of the wide form. */
static uint64_t check_wide(uint64_t place, uint64_t type, uint64_t count)
{
    return ash_mix_(ash_seal_check_(place, type) ^ count, place ^ ash_the_keys_()->length);
}

void ash_seal_wide_(uint64_t nonce, void *object, const ash_type *type, size_t count)
{
    uint64_t place = ash_seal_place_(nonce, object), pointer = (uintptr_t)type;
    uint64_t check = check_wide(place, pointer, count);
    uint64_t *words = (uint64_t *)object;
    ash_store_word_(words - 2, pointer ^ place);
    ash_store_word_(words - 1, ((count ^ count_pad(place)) & ASH_LOW48_) | (check >> 48) << 48);
}

ash_sealed_ ash_unseal_wide_(uint64_t nonce, const void *object)
{
    uint64_t place = ash_seal_place_(nonce, object);
    const uint64_t *words = (const uint64_t *)object;
    uint64_t pointer = ash_load_word_(words - 2) ^ place, dying = pointer & 1;
    uint64_t last = ash_load_word_(words - 1), count = (last ^ count_pad(place)) & ASH_LOW48_;
    pointer ^= dying;
    uint64_t check = check_wide(place, pointer, count);
    uint64_t expected = dying ? check << 16 : check;
    return (ash_sealed_){.type = (const ash_type *)(uintptr_t)pointer,
                         .count = (size_t)count,
                         .dying_flip = ((check ^ check << 16) >> 48) << 48 | 1,
                         .valid = (expected ^ last) >> 48 == 0 && pointer == (uintptr_t)pointer,
                         .dying = dying};
}

size_t ash_seal_call_(uint64_t nonce, const void *object, void (*fn)(void *), const void *arg)
{
    const ash_keys_ *k = ash_the_keys_();
    uint64_t place = ash_seal_place_(nonce, object);
    uint64_t call = ash_mix_((uintptr_t)fn ^ k->fn, (uintptr_t)arg ^ k->arg ^ place);
    return (size_t)(ash_mix_(call ^ place, k->arg) & ASH_LOW48_);
}
