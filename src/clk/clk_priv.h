/* clk/clk_priv.h — how the TSC is vouched for and calibrated, open to the clock's own test.
 * Shape    clk_vouched → clk_best_pair, wait, clk_best_pair … → a multiplier, or no TSC.
 * Units    ticks of the TSC; ns of CLOCK_MONOTONIC.
 * Limits   a pair is wrong by at most half its gap, whatever interrupted it, so the error of a
 *          calibration is known: it is accepted below CLK_ERROR_PPM and lengthened until then.
 * Errors   false or -ERANGE: the TSC is not to be used.      Threads  no state. */
#ifndef LOADLINE_CLK_CLK_PRIV_H
#define LOADLINE_CLK_CLK_PRIV_H

#include "clk/clk.h"

#include <stdbool.h>

#define CLK_STRETCH_NS 20000000u /* one stretch of calibration */
#define CLK_STRETCHES  10        /* at most; one is enough on a quiet machine */
#define CLK_PAIR_TRIES 64
#define CLK_ERROR_PPM  5.0
#define CLK_RENEW_PPM  600.0 /* CLOCK_MONOTONIC itself may be slewed by 500 */
#define CLK_MHZ_MIN    10    /* slower or faster is no TSC that we know how to trust */
#define CLK_MHZ_MAX    20000

/* A reading of both clocks: CLOCK_MONOTONIC between two reads of the TSC, gap ticks apart. */
struct clk_pair {
    uint64_t ticks; /* middle of the two */
    uint64_t ns;
    uint64_t gap;
};

struct clk_machine {
    struct clk_pair (*read)(void *ctx);
    void (*wait)(void *ctx, uint64_t ns);
    void *ctx;
};

/* True when the kernel keeps time by the TSC and the processor calls it constant and non-stop. */
bool clk_vouched(const char *clocksource_path, const char *cpuinfo_path);

/* The pair with the least gap out of CLK_PAIR_TRIES. */
struct clk_pair clk_best_pair(const struct clk_machine *machine);

/* Fills base_ticks, base_ns and mult. -ERANGE: too noisy, or no plausible TSC; *clk is untouched. */
__attribute__((warn_unused_result)) int clk_calibrate(struct clk *clk,
                                                      const struct clk_machine *machine);

/* A calibration for now from the first one of the process: the rate over all the time since, counted
 * from `now` on. CLK_MONOTONIC when the two clocks have run apart by more than CLK_RENEW_PPM. */
void clk_renew(struct clk *clk, const struct clk *first, const struct clk_pair *now);

#endif
