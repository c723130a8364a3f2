/* exits: 0 */
/* Where the system gives no more, freed address space is given up for it, and a refusal keeps none. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <sys/resource.h>

#include "ashlar/ashlar.h"

static const size_t size = (size_t)64 << 20;

/* Pages mapped, with and without memory. */
static unsigned long mapped(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages;
}

static bool limit(int what, rlim_t bytes)
{
    struct rlimit limits = {bytes, RLIM_INFINITY};
    return setrlimit(what, &limits) == 0;
}

static bool serves_all(ash_resource *resource)
{
    for (int i = 0; i < 20; i++) {
        void *p = ash_resource_alloc(resource, size, 1);
        if (!p)
            return false;
        ash_resource_free(resource, p, size, 1);
    }
    return true;
}

static bool refuses_all(ash_resource *resource)
{
    for (int i = 0; i < 20; i++)
        if (ash_resource_alloc(resource, size, 1))
            return false;
    return true;
}

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    unsigned long before = mapped();
    if (!before || !limit(RLIMIT_AS, before * 4096 + 3 * size + size / 2))
        return 1;
    bool served = serves_all(resource);
    if (!limit(RLIMIT_AS, RLIM_INFINITY) || !limit(RLIMIT_DATA, 4096))
        return 2; /* address space yes, memory no */
    bool refused = ash_resource_alloc(resource, size, 1) == NULL;
    before = mapped();
    refused = refused && refuses_all(resource);
    bool kept = mapped() != before;
    if (!limit(RLIMIT_DATA, RLIM_INFINITY))
        return 3;
    ash_guarded_deinit(&guarded);
    return served && refused && !kept ? 0 : 4;
}
