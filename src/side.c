#include "side.h"

#include "base.h"
#include "os.h"

/* A chunk, at its low end; it is taken from upwards, and goes when nothing in it is in use. */
struct ash_side_ {
    struct ash_side_ *next;
    size_t size, taken; /* bytes, this header included */
    size_t held;        /* of them, counted as held by the arena */
    size_t in_use;      /* pieces */
};

enum { ALIGN = 16, CHUNK_MOST = 1 << 20 };

/*
 * The first chunk of an arena is a page, and taking it from the system and giving it back takes longer
 * than all else a short-lived arena does. So a few are kept for whichever arena comes next.
 */
enum { KEPT = 4 };
static ASH_ATOMIC(struct ash_side_ *) kept[KEPT];

static struct ash_side_ *take_kept(void)
{
    for (size_t i = 0; i < KEPT; i++) {
        struct ash_side_ *chunk = ash_load_(&kept[i]) ? ash_exchange_(&kept[i], NULL) : NULL;
        if (chunk)
            return chunk;
    }
    return NULL;
}

static bool keep(struct ash_side_ *chunk)
{
    for (size_t i = 0; chunk && i < KEPT; i++)
        if (!ash_load_(&kept[i]))
            chunk = ash_exchange_(&kept[i], chunk);
    return !chunk;
}

bool ash_side_allowed_(const ash_arena *arena)
{
    return arena->reserved_ || arena->upstream_ == ash_heap() || arena->upstream_ == ash_pages() ||
           arena->upstream_ == ash_huge_pages();
}

/* `bytes` of pages between two without access. */
static struct ash_side_ *map_chunk(size_t bytes, size_t page)
{
    struct ash_side_ *chunk = bytes == page ? take_kept() : NULL;
    if (chunk)
        return chunk;
    char *all = ash_os_reserve_(bytes + 2 * page);
    if (!all)
        return NULL;
    if (ash_os_commit_(all + page, bytes))
        return (struct ash_side_ *)(all + page);
    ash_os_unmap_(all, bytes + 2 * page);
    return NULL;
}

static void unmap_chunk(struct ash_side_ *chunk, size_t bytes, size_t page)
{
    if (bytes != page || !keep(chunk))
        ash_os_unmap_((char *)chunk - page, bytes + 2 * page);
}

/*
 * Chunks double, so that ten thousand small blocks have few of them. The map of a reserved stretch is
 * mostly address space too, and is counted as the stretch is committed.
 */
static struct ash_side_ *new_chunk(ash_arena *arena, size_t size)
{
    size_t page = ash_os_page_size_();
    size_t grown = arena->side_ ? ASH_MIN(arena->side_->size * 2, (size_t)CHUNK_MOST) : page;
    size_t bytes = ash_up_(ASH_MAX(size, grown), page);
    size_t left = arena->reserved_ ? SIZE_MAX : arena->most_ - arena->held_;
    if (bytes > left) /* the limit: no more than must be */
        bytes = ash_up_(size, page);
    if (bytes > left)
        return NULL;
    struct ash_side_ *chunk = map_chunk(bytes, page);
    if (!chunk)
        return NULL;
    size_t held = arena->reserved_ ? 0 : bytes;
    *chunk = (struct ash_side_){arena->side_, bytes, ash_up_(sizeof *chunk, ALIGN), held, 0};
    arena->side_ = chunk;
    arena->held_ += held;
    return chunk;
}

void *ash_side_alloc_(ash_arena *arena, size_t size)
{
    if (!ash_side_allowed_(arena) || size > ASH_SIZE_MAX_ / 2)
        return NULL;
    size = ash_up_(size, ALIGN);
    struct ash_side_ *chunk = arena->side_;
    if (!chunk || size > chunk->size - chunk->taken)
        chunk = new_chunk(arena, size + ash_up_(sizeof *chunk, ALIGN));
    if (!chunk)
        return NULL;
    void *p = (char *)chunk + chunk->taken;
    chunk->taken += size;
    chunk->in_use++;
    return p;
}

void ash_side_free_(ash_arena *arena, void *p)
{
    struct ash_side_ **link = &arena->side_, *chunk;
    while (chunk = *link, (uintptr_t)p - (uintptr_t)chunk >= chunk->size)
        link = &chunk->next;
    if (--chunk->in_use > 0)
        return;
    *link = chunk->next;
    size_t page = ash_os_page_size_(), size = chunk->size;
    arena->held_ -= chunk->held;
    unmap_chunk(chunk, size, page);
}
