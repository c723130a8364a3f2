/* The scratch arenas of a thread: a list that it makes as long as it needs. */
#include "ashlar/scope.h"

#include "base.h"
#include "object_internal.h"
#include "os.h"

typedef struct scratch {
    struct scratch *next;
    ash_resource *upstream;
    ash_arena arena;
} scratch;

/* All that needs to be destroyed first, on all of them, while the memory of all is still there. */
void ash_scratch_ends_(void *first)
{
    for (scratch *s = first; s; s = s->next) {
        ash_scope_close_(&s->arena, NULL, 0);
        ash_objects_destroy_(&s->arena, &(ash_mark){0});
    }
    for (scratch *s = first, *next; s; s = next) {
        next = s->next;
        ash_arena_deinit(&s->arena);
        ash_resource_free(s->upstream, s, sizeof *s, ASH_ALIGNOF(scratch));
    }
}

/* What would have to be called may be gone before: destructors, and any upstream but the library's own. */
void ash_library_ends_(void)
{
    scratch *first = ash_os_thread_get_(ASH_SCRATCH_SLOT_);
    for (scratch *s = first; s; s = s->next)
        if (ash_arena_used(&s->arena) || s->upstream != ash_heap())
            return;
    ash_scratch_ends_(first);
}

static scratch *make(void)
{
    ash_resource *upstream = ash_default();
    scratch *s = ash_resource_alloc(upstream, sizeof *s, ASH_ALIGNOF(scratch));
    if (!s)
        return NULL;
    s->next = NULL;
    s->upstream = upstream;
    ash_arena_init(&s->arena, &(ash_arena_config){.name = "scratch", .upstream = upstream});
    return s;
}

static bool is_among(const ash_arena *arena, const ash_arena *const *arenas, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (arenas[i] == arena)
            return true;
    return false;
}

ash_arena *ash_scratch(const ash_arena *const *conflicts, size_t count)
{
    scratch *first = ash_os_thread_get_(ASH_SCRATCH_SLOT_), *last = NULL;
    for (scratch *s = first; s; last = s, s = s->next)
        if (!is_among(&s->arena, conflicts, count))
            return &s->arena;
    scratch *made = make();
    if (!made)
        return NULL;
    if (last) {
        last->next = made;
    } else if (!ash_os_thread_set_(ASH_SCRATCH_SLOT_, made)) {
        ash_scratch_ends_(made);
        return NULL;
    }
    return &made->arena;
}

void ash_scratch_release(void)
{
    scratch *first = ash_os_thread_get_(ASH_SCRATCH_SLOT_);
    for (const scratch *s = first; s; s = s->next)
        if (s->arena.scope_)
            ash_fatal_("scratch arenas released inside an open scope", ash_arena_name(&s->arena),
                       s);
    if (first && ash_os_thread_set_(ASH_SCRATCH_SLOT_, NULL))
        ash_scratch_ends_(first);
}
