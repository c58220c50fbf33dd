/* fileset/fileset_priv.h — how the names of a fileset are written, and the part of the map that is about
 * grown sets.
 * Shape    a letter and a decimal number without leading zeros beyond digits_min: t00, d3, f17; of a
 *          grown set the number alone.
 * Limits   at most 23 bytes, the NUL included.
 * Errors   none.                                 Threads  no state. */
#ifndef LOADLINE_FILESET_FILESET_PRIV_H
#define LOADLINE_FILESET_FILESET_PRIV_H

#include "fileset/fileset.h"

void fileset_put_name(char *at, char kind, uint64_t number, unsigned digits_min);
void fileset_put_number(char *at, uint64_t number, unsigned digits_min);

/* ---- fileset_grown.c ---- */

/* -EINVAL unless `under` is a way that leads somewhere. */
int fileset_grown_check(const struct fileset_spec *spec, struct err *err);
/* -EINVAL when the two have one name in one place. */
int fileset_grown_same_names(const struct fileset_spec *a, const struct fileset_spec *b,
                             struct err *err);
/* Numbers its nodes from `next` on; returns the first one behind them. */
uint64_t fileset_grown_init(struct fileset *set, uint64_t next);
uint64_t fileset_grown_file(const struct fileset *set, uint64_t f, char leaf[FILESET_LEAF_MAX]);
int fileset_grown_parent(const struct fileset *set, uint64_t place, uint64_t node, uint64_t *parent,
                         char leaf[TARGET_LEAF_MAX]);

#endif
