/* dies: ashlar: fatal: more given back than was taken (arena heap, ADDR) */
#include "ashlar/ashlar.h"

int main(void)
{
    ash_budget budget;
    ash_limited mine, other;
    ash_budget_init(&budget, 1000);
    ash_limited_init(&mine, NULL, &budget);
    ash_limited_init(&other, NULL, &budget);
    char *p = ash_resource_alloc(ash_limited_resource(&mine), 100, 16);
    ash_resource_free(ash_limited_resource(&other), p, 100, 16);
    return 0;
}
