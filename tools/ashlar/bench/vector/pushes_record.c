/*
 * pushes_record.c - a million structs that are moved by their bytes.
 */
#include <ashlar.h>

#include "element.h"

ASH_VEC_DEFINE(vector, record)

#define ELEMENT           record
#define ELEMENT_AT(i)     record_at(i)
#define ELEMENT_SETTLE(e) ((void)0)
#define ELEMENT_IS(e, i)  ((e)->value == (i) && (e)->y == 7)
#define ELEMENT_BY_BYTES  1
#define RAW_LIST          raw_record
#define ASH_LIST          ash_record
#include "pushes.h"
