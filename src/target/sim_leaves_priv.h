/* target/sim_leaves_priv.h — names by the million: strings of 1 to 255 bytes, each behind a number of 32 bits.
 * Shape    sim_leaves_keep gives a number, sim_leaves_at the bytes (no NUL), sim_leaves_drop takes the number back.
 * Limits   8 bytes of room each, rounded up; what is dropped is used again for names as long. 32 GiB in all.
 * Errors   -ENOMEM.                              Threads  single owner. */
#ifndef LOADLINE_TARGET_SIM_LEAVES_PRIV_H
#define LOADLINE_TARGET_SIM_LEAVES_PRIV_H

#include <stddef.h>
#include <stdint.h>

#define SIM_LEAF_UNITS 32 /* of the longest name */

struct sim_leaves {
    char **slab;
    unsigned slabs;
    unsigned used;                        /* units of the last slab */
    uint32_t dropped[SIM_LEAF_UNITS + 1]; /* by units: number + 1 of the first of a list; 0: none */
};

void sim_leaves_fini(struct sim_leaves *l);
/* The number (≥ 0), or -ENOMEM. */
int64_t sim_leaves_keep(struct sim_leaves *l, const char *leaf, size_t len);
void sim_leaves_drop(struct sim_leaves *l, uint32_t number, size_t len);
const char *sim_leaves_at(const struct sim_leaves *l, uint32_t number);

#endif
