/*
 * pushes_int.c - a million ints.
 */
#include <ashlar.h>

/* cppcheck takes the functions that one macro makes for each other, and the int 0 for a pointer. */
/* cppcheck-suppress ctunullpointer */
ASH_VEC_DEFINE(vector, int)

#define ELEMENT           int
#define ELEMENT_AT(i)     ((int)(i))
#define ELEMENT_SETTLE(e) ((void)0)
#define ELEMENT_IS(e, i)  (*(e) == (int)(i))
#define ELEMENT_BY_BYTES  1
#define RAW_LIST          raw_int
#define ASH_LIST          ash_int
#include "pushes.h"
