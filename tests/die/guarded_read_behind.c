/* dies SIGSEGV: */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_guarded guarded;
    ash_guarded_init(&guarded, NULL);
    ash_resource *resource = ash_guarded_resource(&guarded);
    volatile char *p = ash_resource_alloc(resource, 100, 4);
    char last = p[99];
    return last ^ p[100];
}
