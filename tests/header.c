/* must-compile */
/* One public header, alone: the compiler is told which by -DHEADER=<...>. */
#include HEADER

extern int not_an_empty_file;
