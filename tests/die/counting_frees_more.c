/* dies: ashlar: fatal: more given back than was taken (arena heap, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_counting counting;
    ash_counting_init(&counting, NULL);
    ash_resource *resource = ash_counting_resource(&counting);
    char *p = ash_resource_alloc(resource, 100, 16);
    ash_resource_free(resource, p, 101, 16);
    return 0;
}
