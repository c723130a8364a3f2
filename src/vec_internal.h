/*
 * vec_internal.h - what strings share with vectors.
 */
#ifndef ASHLAR_SRC_VEC_INTERNAL_H
#define ASHLAR_SRC_VEC_INTERNAL_H

#include "ashlar/vec.h"

/* No array begins with less. One of fewer bytes is doubled when it grows, a larger one grows by a half. */
enum { ASH_VEC_FIRST_BYTES_ = 64, ASH_VEC_DOUBLED_ = 1 << 20 };

/* Reports where memory for a container that began in one scope would come from a younger one. */
void ash_vec_check_epoch_(const ash_resource *resource, uint64_t began, const void *data);

/* This is the resource from now on, and now is when the vector began. */
void ash_vec_bind_(ash_vec_ *v, ash_resource *resource);

/* Room for so many more, with some to spare if it has to grow; false: nothing is changed. */
bool ash_vec_more_(ash_vec_ *v, const ash_vec_kind_ *kind, size_t more);

#endif
