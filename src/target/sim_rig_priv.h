/* target/sim_rig_priv.h — what a row of `limits` is measured with, where that is not the whole system: [rig] lines.
 * Shape    sim_rig_take keeps a line `PROTOCOL.ROW = PARAMS`, a later one in the place of an earlier one;
 *          sim_rigs_check tries each on the profile they stand in; describe tells them as facts. The model
 *          heeds none of them: who measures the row opens the address with PARAMS added.
 * Limits   SIM_RIGS_MAX lines. PARAMS are those of an address, and streams=N, which is the measurer's.
 * Errors   -EINVAL with words, from sim_rigs_check with `file:line:` in front.
 * Threads  values.
 * Source   tests/unit/test_sim_rig.c. */
#ifndef LOADLINE_TARGET_SIM_RIG_PRIV_H
#define LOADLINE_TARGET_SIM_RIG_PRIV_H

#include "base/err.h"
#include "target/sim_net_priv.h"

#include <stdint.h>

#define SIM_RIGS_MAX    64
#define SIM_RIG_MAX     80
#define SIM_RIG_STREAMS "streams"

struct sim_rig {
    char protocol[SIM_NAME_MAX];
    char row[SIM_NAME_MAX];
    char params[SIM_RIG_MAX]; /* "clients=10&flash=off&streams=20" */
    uint16_t line;            /* of which file of the profile */
    uint8_t file;
};

struct sim_rigs {
    unsigned n;
    struct sim_rig rig[SIM_RIGS_MAX];
};

struct sim_profile;

/* `key` is "nfs.stream-read-disk". */
__attribute__((warn_unused_result)) int sim_rig_take(struct sim_rigs *rigs, const char *key,
                                                     const char *params, unsigned line,
                                                     unsigned file, struct err *err);
/* That each names a protocol of the profile, and is a system that can be. */
__attribute__((warn_unused_result)) int sim_rigs_check(const struct sim_profile *p,
                                                       struct err *err);
/* Rows that a line may name; NULL behind the last. */
const char *sim_rig_row(unsigned i);

#endif
