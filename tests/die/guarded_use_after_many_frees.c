/* dies SIGSEGV: */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    volatile char *p = ash_resource_alloc(resource, 100, 1);
    ash_resource_free(resource, (void *)p, 100, 1);
    for (int i = 0; i < 50; i++)
        ash_resource_free(resource, ash_resource_alloc(resource, 100, 1), 100, 1);
    p[0] = 1;
    return 0;
}
