/* dies: ashlar: fatal: written in front of an allocation (arena heap, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    char *p = ash_resource_alloc(resource, 100, 16);
    p[-1] = 0;
    ash_resource_free(resource, p, 100, 16);
    return 0;
}
