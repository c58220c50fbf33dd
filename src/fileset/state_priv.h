/* fileset/state_priv.h — sets of numbers that many threads change and search at once.
 * Shape    a bit per number, and over each 64 of them a bit that says whether there is any, up to one
 *          word. Who changes a bit sees that the levels above follow; who searches believes them.
 * Units    numbers from 0.
 * Limits   a search beside a change may miss a number that was put in or is being looked for at that
 *          moment: what "there is none" means is for counters to say. Without changes it is exact.
 * Errors   -ENOMEM.
 * Threads  all but init and fini, without locks. */
#ifndef LOADLINE_FILESET_STATE_PRIV_H
#define LOADLINE_FILESET_STATE_PRIV_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATE_LEVELS_MAX 7 /* of 64 each: more than there are numbers */

struct state_bits {
    uint64_t n;
    unsigned levels;
    uint64_t level_bits[STATE_LEVELS_MAX];
    _Atomic uint64_t *level[STATE_LEVELS_MAX]; /* of level 0, each within one allocation */
};

/* All clear. */
__attribute__((warn_unused_result)) int state_bits_init(struct state_bits *b, uint64_t n);
void state_bits_fini(struct state_bits *b);
size_t state_bits_memory(const struct state_bits *b);

bool state_bits_get(const struct state_bits *b, uint64_t number);
void state_bits_set(struct state_bits *b, uint64_t number);
/* Whether it was set: of several who clear it one is told so. */
bool state_bits_clear(struct state_bits *b, uint64_t number);
/* The first that is set at or behind `from`. */
bool state_bits_next(const struct state_bits *b, uint64_t from, uint64_t *number);

#endif
