/* dies SIGSEGV: */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    volatile char *p = ash_resource_alloc(resource, 1 << 16, 1 << 16);
    p[0] = 1;
    p[-1] = 1;
    return 0;
}
