/*
 * wrapper.h - what the resources of debug.h have in common: what they pass on as it is.
 */
#ifndef ASHLAR_SRC_WRAPPER_H
#define ASHLAR_SRC_WRAPPER_H

#include "ashlar/debug.h"

_Static_assert(offsetof(ash_wrapper_, resource_) == 0, "a resource is told by its first member");
_Static_assert(offsetof(ash_counting, wrapper_) == 0, "as above");
_Static_assert(offsetof(ash_limited, wrapper_) == 0, "as above");
_Static_assert(offsetof(ash_failing, wrapper_) == 0, "as above");
_Static_assert(offsetof(ash_traced, wrapper_) == 0, "as above");
_Static_assert(offsetof(ash_guarded, wrapper_) == 0, "as above");

ash_wrapper_ ash_wrapper_over_(const ash_resource_ops *ops, ash_resource *upstream);

/* Ops that ask upstream. */
bool ash_wrapper_owns_(const ash_resource *self, const void *p);
uint64_t ash_wrapper_epoch_(const ash_resource *self);
const char *ash_wrapper_name_(const ash_resource *self);

static inline ash_resource *ash_upstream_of_(const ash_resource *self)
{
    return ((const ash_wrapper_ *)(const void *)self)->upstream_;
}

#endif
