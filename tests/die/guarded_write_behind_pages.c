/* dies SIGSEGV: */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    volatile char *p = ash_resource_alloc(resource, 8192, ASH_ALIGN_MAX);
    p[8191] = 1;
    p[8192] = 1;
    return 0;
}
