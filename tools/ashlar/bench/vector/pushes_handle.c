/*
 * pushes_handle.c - a million structs that point to themselves, and say how they are moved.
 */
#include <ashlar.h>

#include "element.h"

static void handle_relocate(void *to, void *from)
{
    handle *new_one = to, *old_one = from;
    *new_one = *old_one;
    new_one->here = &new_one->value;
}

ASH_TYPE(handle, .relocate = handle_relocate);
ASH_VEC_DEFINE(vector, handle, ash_type_of(handle))

#define ELEMENT           handle
#define ELEMENT_AT(i)     handle_at(i)
#define ELEMENT_SETTLE(e) ((e)->here = &(e)->value)
#define ELEMENT_IS(e, i)  ((e)->value == (i) && (e)->here == &(e)->value && (e)->other == 7)
#define ELEMENT_BY_BYTES  0
#define RAW_LIST          raw_handle
#define ASH_LIST          ash_handle
#include "pushes.h"
