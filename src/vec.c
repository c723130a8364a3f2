/*
 * What all vectors share. The functions that ASH_VEC_DEFINE makes hand in an ash_vec_ that they have
 * filled in, and take back what came out, also where the answer is false: the array may have moved.
 */
#include "ashlar/vec.h"

#include <errno.h>
#include <limits.h>

#include "base.h"
#include "vec_internal.h"

/* ---- elements ---- */

static char *element(const ash_vec_ *v, const ash_vec_kind_ *kind, size_t index)
{
    return v->data ? (char *)v->data + index * kind->size : NULL;
}

/* The last one first, as everything here is destroyed; errno is kept. */
static void destroy_elements(const ash_vec_kind_ *kind, char *first, size_t count)
{
    if (!kind->type || !kind->type->destroy)
        return;
    int error = errno;
    while (count--)
        kind->type->destroy(first + count * kind->size);
    errno = error;
}

/* The places may overlap: one is moved only after what was in its place. */
static void move_elements(const ash_vec_kind_ *kind, char *to, char *from, size_t count)
{
    if (!count)
        return;
    if (!kind->type || !kind->type->relocate) {
        memmove(to, from, count * kind->size);
        return;
    }
    bool down = (uintptr_t)to < (uintptr_t)from;
    for (size_t i = 0; i < count; i++) {
        size_t at = (down ? i : count - 1 - i) * kind->size;
        kind->type->relocate(to + at, from + at);
    }
}

/* All of them, or none is left. */
static bool copy_elements(const ash_vec_kind_ *kind, char *to, const char *from, size_t count,
                          ash_resource *resource)
{
    const ash_type *type = kind->type;
    if (!type || (!type->copy && !type->resource)) {
        if (count)
            memcpy(to, from, count * kind->size);
        return true;
    }
    for (size_t i = 0; i < count; i++)
        if (!type->copy || !type->copy(to + i * kind->size, from + i * kind->size, resource)) {
            destroy_elements(kind, to, i);
            return false;
        }
    return true;
}

/* All of them, or none is left. */
static bool begin_elements(const ash_vec_kind_ *kind, char *first, size_t count,
                           ash_resource *resource)
{
    memset(first, 0, count * kind->size);
    if (!kind->type || !kind->type->init)
        return true;
    for (size_t i = 0; i < count; i++)
        if (!kind->type->init(first + i * kind->size, resource)) {
            destroy_elements(kind, first, i);
            return false;
        }
    return true;
}

/* The value is gone then: moved, or copied to where the vector has its memory, and destroyed. */
static bool take_over(const ash_vec_ *v, const ash_vec_kind_ *kind, char *to, void *value)
{
    const ash_type *type = kind->type;
    if (!type || !type->resource || type->resource(value) == v->resource) {
        move_elements(kind, to, value, 1);
        return true;
    }
    if (!copy_elements(kind, to, value, 1, v->resource))
        return false;
    destroy_elements(kind, value, 1);
    return true;
}

/* ---- room ---- */

/* Would they be more bytes than anything may have? The product of two half words never is. */
static bool is_too_much(const ash_vec_kind_ *kind, size_t count)
{
    const size_t half = (size_t)1 << (sizeof(size_t) * CHAR_BIT / 2 - 1);
    return (count >= half || kind->size >= half) && kind->size &&
           count > ASH_SIZE_MAX_ / kind->size;
}

static bool resize_array(ash_vec_ *v, const ash_vec_kind_ *kind, size_t capacity)
{
    if (!ash_resource_resize(v->resource, v->data, v->capacity * kind->size, capacity * kind->size,
                             kind->align))
        return false;
    v->capacity = capacity;
    return true;
}

/* Where not all that is wanted fits but what is needed does, at least half of what is left there is taken: an
 * array that fills a block up to its end asks a few times, not once an element. */
static bool grow_in_place(ash_vec_ *v, const ash_vec_kind_ *kind, size_t needed, size_t wanted)
{
    bool grown = resize_array(v, kind, wanted);
    if (!grown && needed < wanted && resize_array(v, kind, needed)) {
        size_t more = wanted - needed;
        do
            more /= 2;
        while (more && !resize_array(v, kind, needed + more));
        grown = true;
    }
    v->stats_.in_place += grown;
    return grown;
}

static bool remap_array(ash_vec_ *v, const ash_vec_kind_ *kind, size_t capacity)
{
    if (kind->type && kind->type->relocate)
        return false;
    uintptr_t before = (uintptr_t)v->data;
    void *data = ash_resource_remap(v->resource, v->data, v->capacity * kind->size,
                                    capacity * kind->size, kind->align);
    if (!data)
        return false;
    bool stayed = (uintptr_t)data == before;
    v->stats_.in_place += stayed;
    v->stats_.moved += !stayed;
    v->data = data;
    v->capacity = capacity;
    return true;
}

static bool move_array(ash_vec_ *v, const ash_vec_kind_ *kind, size_t capacity)
{
    void *data = ash_resource_alloc(v->resource, capacity * kind->size, kind->align);
    if (!data)
        return false;
    if (v->data) {
        move_elements(kind, data, v->data, v->count);
        ash_resource_free(v->resource, v->data, v->capacity * kind->size, kind->align);
        v->stats_.moved++;
        v->stats_.bytes_moved += v->count * kind->size;
    }
    v->data = data;
    v->capacity = capacity;
    return true;
}

/* What growing is not allowed in, whoever does it. */
static void check_growth(const ash_vec_ *v, const ash_vec_kind_ *kind)
{
    if (v->resource->ops->epoch)
        ash_vec_check_epoch_(v->resource, v->epoch_, v->data);
    if (kind->type && kind->type->size != kind->size)
        ash_fatal_("container made with a type of another size", ash_resource_name(v->resource),
                   v->data);
}

void ash_vec_check_epoch_(const ash_resource *resource, uint64_t began, const void *data)
{
    uint64_t epoch = ash_resource_epoch(resource);
    if (epoch && epoch != began)
        ash_fatal_("container grown inside a scope younger than it", ash_resource_name(resource),
                   data);
}

static bool grow_bound(ash_vec_ *v, const ash_vec_kind_ *kind, size_t needed, size_t wanted)
{
    check_growth(v, kind);
    return (v->data && (grow_in_place(v, kind, needed, wanted) || remap_array(v, kind, wanted))) ||
           move_array(v, kind, wanted) || (needed < wanted && move_array(v, kind, needed));
}

/* More room than there is: for `wanted` elements, or at least for `needed`. */
static bool make_room(ash_vec_ *v, const ash_vec_kind_ *kind, size_t needed, size_t wanted)
{
    if (is_too_much(kind, needed))
        return false;
    if (is_too_much(kind, wanted))
        wanted = needed;
    if (v->resource)
        return grow_bound(v, kind, needed, wanted);
    ash_vec_ bound = *v;
    ash_vec_bind_(&bound, ash_default());
    if (!grow_bound(&bound, kind, needed, wanted))
        return false;
    *v = bound;
    return true;
}

/* 16 elements; of large ones fewer, of small ones what makes 64 bytes. No division: it is done often. */
static size_t first_capacity(size_t size)
{
    if (size < 4)
        return size == 1 ? ASH_VEC_FIRST_BYTES_ : ASH_VEC_FIRST_BYTES_ / 2;
    return size <= 64 ? 16 : size <= 128 ? 8 : 4;
}

static size_t next_capacity(const ash_vec_ *v, const ash_vec_kind_ *kind)
{
    if (!v->capacity)
        return first_capacity(kind->size);
    bool doubled = v->capacity * kind->size < ASH_VEC_DOUBLED_;
    return v->capacity + (doubled ? v->capacity : v->capacity / 2);
}

/* There is room, but elements that have memory of their own must not have it from a scope younger than the vector. */
static bool fits(const ash_vec_ *v, const ash_vec_kind_ *kind, size_t more)
{
    if (more > v->capacity - v->count)
        return false;
    if (v->resource && kind->type && (kind->type->resource || kind->type->init))
        check_growth(v, kind);
    return true;
}

bool ash_vec_more_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t more)
{
    if (fits(v, kind, more))
        return true;
    size_t needed = ash_add_(v->count, more), next = next_capacity(v, kind);
    return make_room(v, kind, needed, ASH_MAX(needed, next));
}

bool ash_vec_reserve_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t capacity)
{
    return capacity <= v->capacity || make_room(v, kind, capacity, capacity);
}

static void free_array(ash_vec_ *v, const ash_vec_kind_ *kind)
{
    ash_resource_free(v->resource, v->data, v->capacity * kind->size, kind->align);
    v->data = NULL;
    v->count = v->capacity = 0;
}

bool ash_vec_shrink_(ash_vec_ *v, const ash_vec_kind_ *kind)
{
    if (v->count == v->capacity)
        return true;
    if (!v->count) {
        free_array(v, kind);
        return true;
    }
    if (resize_array(v, kind, v->count))
        return true;
    check_growth(v, kind);           /* it would have to move */
    ash_vec_stats stats = v->stats_; /* of growing */
    bool done = remap_array(v, kind, v->count) || move_array(v, kind, v->count);
    v->stats_ = stats;
    return done;
}

/* ---- life ---- */

void ash_vec_bind_(ash_vec_ *v, ash_resource *resource)
{
    v->resource = resource;
    v->epoch_ = ash_resource_epoch(resource);
}

void ash_vec_init_(ash_vec_ *v, ash_resource *resource)
{
    *v = (ash_vec_){0};
    ash_vec_bind_(v, resource ? resource : ash_default());
}

void ash_vec_deinit_(ash_vec_ *v, const ash_vec_kind_ *kind)
{
    destroy_elements(kind, v->data, v->count);
    free_array(v, kind);
}

/* ---- one element ---- */

bool ash_vec_insert_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t index, void *value)
{
    if (index > v->count || !ash_vec_more_(v, kind, 1))
        return false;
    char *place = element(v, kind, index);
    size_t behind = v->count - index;
    move_elements(kind, place + kind->size, place, behind);
    if (!take_over(v, kind, place, value)) {
        move_elements(kind, place, place + kind->size, behind);
        return false;
    }
    v->count++;
    return true;
}

void *ash_vec_emplace_(ash_vec_ *v, const ash_vec_kind_ *kind)
{
    size_t index = v->count;
    return ash_vec_resize_(v, kind, index + 1) ? element(v, kind, index) : NULL;
}

bool ash_vec_pop_(ash_vec_ *v, const ash_vec_kind_ *kind, void *out)
{
    if (!v->count)
        return false;
    char *last = element(v, kind, v->count - 1);
    if (out)
        move_elements(kind, out, last, 1);
    else
        destroy_elements(kind, last, 1);
    v->count--;
    return true;
}

/* ---- several ---- */

bool ash_vec_remove_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t index, size_t count)
{
    if (index > v->count || count > v->count - index)
        return false;
    char *first = element(v, kind, index);
    destroy_elements(kind, first, count);
    if (count && index + count < v->count)
        move_elements(kind, first, first + count * kind->size, v->count - index - count);
    v->count -= count;
    return true;
}

bool ash_vec_resize_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t count)
{
    if (count <= v->count)
        return ash_vec_remove_(v, kind, count, v->count - count);
    size_t more = count - v->count;
    if (!ash_vec_more_(v, kind, more) ||
        !begin_elements(kind, element(v, kind, v->count), more, v->resource))
        return false;
    v->count = count;
    return true;
}

bool ash_vec_append_(ash_vec_ *v, const ash_vec_kind_ *kind, const void *values, size_t count)
{
    size_t offset = (uintptr_t)values - (uintptr_t)v->data;
    bool own = v->data && offset < v->count * kind->size;
    if (!count)
        return true;
    if (!ash_vec_more_(v, kind, count))
        return false;
    const char *from = own ? (char *)v->data + offset : values;
    if (!copy_elements(kind, element(v, kind, v->count), from, count, v->resource))
        return false;
    v->count += count;
    return true;
}

/* ---- from one vector to another ---- */

/* With the same resource memory of the younger one would be gone before the older one is. */
static void check_younger(const ash_vec_ *older, const ash_vec_ *younger)
{
    if (younger->data && older->resource == younger->resource && younger->epoch_ > older->epoch_)
        ash_fatal_("container given the memory of one in a scope younger than it",
                   ash_resource_name(older->resource), younger->data);
}

/* What a vector has, without where it belongs to. */
static void give_array(ash_vec_ *to, ash_vec_ *from)
{
    to->data = from->data;
    to->count = from->count;
    to->capacity = from->capacity;
    from->data = NULL;
    from->count = from->capacity = 0;
}

/* An empty vector that belongs where `like` does, with room for so many elements. */
static bool begin_like(ash_vec_ *made, const ash_vec_ *like, size_t count,
                       const ash_vec_kind_ *kind)
{
    *made = (ash_vec_){.resource = like->resource, .epoch_ = like->epoch_};
    return !count || ash_vec_reserve_(made, kind, count);
}

/* Such a vector with copies of the elements of `from`. */
static bool copy_array(ash_vec_ *copy, const ash_vec_ *like, const ash_vec_ *from,
                       const ash_vec_kind_ *kind)
{
    if (begin_like(copy, like, from->count, kind) &&
        ash_vec_append_(copy, kind, from->data, from->count))
        return true;
    free_array(copy, kind);
    return false;
}

/* Elements that have their memory where their container has it are copied across, and `from` keeps the originals
 * until it is ended; all others are moved. */
static bool take_across(ash_vec_ *made, ash_vec_ *from, const ash_vec_kind_ *kind)
{
    if (kind->type && kind->type->resource)
        return ash_vec_append_(made, kind, from->data, from->count);
    move_elements(kind, made->data, from->data, from->count);
    made->count = from->count;
    from->count = 0;
    return true;
}

bool ash_vec_part_(ash_vec_ *made, const ash_vec_ *to, ash_vec_ *from, const ash_vec_kind_ *kind)
{
    const ash_vec_ *like = to->resource ? to : from;
    check_younger(like, from);
    if (like->resource == from->resource) {
        *made = (ash_vec_){.resource = like->resource, .epoch_ = like->epoch_};
        give_array(made, from);
        return true;
    }
    if (!begin_like(made, like, from->count, kind) || !take_across(made, from, kind)) {
        free_array(made, kind);
        return false;
    }
    ash_vec_deinit_(from, kind);
    return true;
}

void ash_vec_replace_(ash_vec_ *to, ash_vec_ *made, const ash_vec_kind_ *kind)
{
    ash_vec_deinit_(to, kind);
    to->resource = made->resource;
    to->epoch_ = made->epoch_;
    give_array(to, made);
}

static void swap_arrays(ash_vec_ *a, ash_vec_ *b)
{
    ash_vec_ between;
    give_array(&between, a);
    give_array(a, b);
    give_array(b, &between);
}

/* Only copies can fail, and then nothing has been moved. */
static bool swap_across(ash_vec_ *a, ash_vec_ *b, const ash_vec_kind_ *kind)
{
    ash_vec_ for_a, for_b = {0};
    if (!begin_like(&for_a, a, b->count, kind) || !begin_like(&for_b, b, a->count, kind) ||
        !take_across(&for_a, b, kind) || !take_across(&for_b, a, kind)) {
        ash_vec_deinit_(&for_a, kind);
        ash_vec_deinit_(&for_b, kind);
        return false;
    }
    ash_vec_deinit_(a, kind);
    ash_vec_deinit_(b, kind);
    give_array(a, &for_a);
    give_array(b, &for_b);
    return true;
}

/* One that has no resource yet belongs nowhere: the two change places. */
bool ash_vec_swap_(ash_vec_ *a, ash_vec_ *b, const ash_vec_kind_ *kind)
{
    if (!a->resource || !b->resource) {
        ash_vec_ between = *a;
        *a = *b;
        *b = between;
        return true;
    }
    if (a->resource != b->resource)
        return swap_across(a, b, kind);
    check_younger(a, b);
    check_younger(b, a);
    swap_arrays(a, b);
    return true;
}

/* Plain bytes go where there is room for them; else all copies are made before anything is lost. */
bool ash_vec_copy_(ash_vec_ *to, const ash_vec_ *from, const ash_vec_kind_ *kind)
{
    if (!kind->type && from->count <= to->capacity) {
        to->count = 0;
        return ash_vec_append_(to, kind, from->data, from->count);
    }
    ash_vec_ copy;
    if (!copy_array(&copy, to, from, kind))
        return false;
    ash_vec_replace_(to, &copy, kind);
    return true;
}

bool ash_vec_check_(const ash_vec_ *v, const ash_vec_kind_ *kind)
{
    if (!v->data)
        return !v->count && !v->capacity;
    return v->resource && v->count <= v->capacity && v->capacity &&
           !is_too_much(kind, v->capacity) && ((uintptr_t)v->data & (kind->align - 1)) == 0 &&
           (!kind->type || kind->type->size == kind->size);
}
