#include "ashlar/fatal.h"

#include <stdio.h>

#include "base.h"
#include "os.h"

static ASH_ATOMIC(ash_fatal_fn) handler;

ash_fatal_fn ash_set_fatal_handler(ash_fatal_fn new_handler)
{
    return (ash_fatal_fn)ash_exchange_(&handler, new_handler);
}

void ash_fatal_(const char *what, const char *arena, const void *address)
{
    char line[256];
    snprintf(line, sizeof line, "ashlar: fatal: %s (arena %s, 0x%llx)", what, arena,
             (unsigned long long)(uintptr_t)address);
    ash_fatal_fn chosen = ash_load_(&handler);
    if (chosen)
        chosen(line);
    else
        ash_os_write_error_(line);
    ash_os_abort_();
}
