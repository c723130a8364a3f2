/* dies: ashlar: fatal: container grown inside a scope younger than it (arena scoped, ADDR) */
#include "scoped.h"

int main(void)
{
    ash_str s;
    ash_str_init(&s, &scoped);
    ash_str_puts(&s, "outside");
    open_scopes++;
    while (ash_str_putc(&s, 'x'))
        ;
    return 0;
}
