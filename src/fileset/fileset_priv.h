/* fileset/fileset_priv.h — how the names of a fileset are written.
 * Shape    a letter and a decimal number without leading zeros beyond digits_min: t00, d3, f17.
 * Limits   at most 23 bytes, the NUL included.
 * Errors   none.                                 Threads  no state. */
#ifndef LOADLINE_FILESET_FILESET_PRIV_H
#define LOADLINE_FILESET_FILESET_PRIV_H

#include <stdint.h>

void fileset_put_name(char *at, char kind, uint64_t number, unsigned digits_min);

#endif
