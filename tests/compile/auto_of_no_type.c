/* must-not-compile: thing_ash_auto_|cleanup argument not a function */
#include "ashlar/ashlar.h"

typedef struct thing {
    int id;
} thing;

int not_made_usable(void);

int not_made_usable(void)
{
    ash_auto(thing) one = {1};
    return one.id;
}
