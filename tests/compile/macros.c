/* must-compile */
/* Every macro for users, in the places it may stand; each argument with an operator in it. */
#include "ashlar/ashlar.h"

typedef struct conn {
    int fd;
} conn;

typedef struct shared {
    char bytes[3];
} shared;

static void conn_close(void *self)
{
    conn *c = self;
    c->fd = -1;
}

ASH_TYPE(conn, .destroy = conn_close);
ASH_TYPE_DECLARE(shared);
ASH_TYPE_DEFINE(shared, .destroy = NULL);

bool macros(ash_arena *first, ash_arena *second, bool which, size_t count);

bool macros(ash_arena *first, ash_arena *second, bool which, size_t count)
{
    int *one = ash_make(which ? first : second, int);
    double *many = ash_make_array(which ? first : second, double, count + 1);
    conn *c = ash_new(which ? first : second, conn);
    shared *pool = ash_new_array(which ? first : second, shared, count + 1);
    void *same = ash_object_new(first, which ? ash_type_of(conn) : ash_type_of(shared), 1);
    return one && many && c && pool && same && ASH_ALIGNOF(conn) <= ASH_ALIGN_MAX;
}

_Static_assert(ASH_VERSION_MAJOR >= 0 && ASH_VERSION_MINOR >= 0 && ASH_VERSION_PATCH >= 0,
               "numbers");
