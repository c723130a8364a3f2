/* dies: ashlar: fatal: not a live allocation (arena heap, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    ash_resource_free(resource, &guarded, 100, 16);
    return 0;
}
