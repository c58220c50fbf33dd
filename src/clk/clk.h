/* clk/clk.h — the one clock of a run.
 * Shape    clk_open … clk_now, clk_now …; or clk_scripted over a function (virtual time, tests).
 * Units    ns since the epoch of CLOCK_MONOTONIC, so that a deadline can be handed to the kernel.
 * Limits   the invariant TSC is used when the kernel itself uses it as its clock source and the
 *          processor reports it constant and non-stop, else CLOCK_MONOTONIC; which one is in
 *          `source`. Calibrated to 5 ppm at the process's first clk_open: over 20 ms, longer when the
 *          machine is noisy, and CLOCK_MONOTONIC when 200 ms are not enough. A later clk_open takes
 *          no time: it starts anew from CLOCK_MONOTONIC at the rate since the first. Drift is told
 *          by clk_drift_ppm.
 * Errors   -errno of clock_gettime, which does not happen on Linux.
 * Threads  clk_now from any thread; the struct is read-only after clk_open. It never goes back on
 *          one thread; the TSC is read without a fence, so a time handed over by another thread
 *          may lie some ns ahead: subtract with that in mind.
 * Source   tests/unit/test_clk.c pins monotony and agreement with CLOCK_MONOTONIC. */
#ifndef LOADLINE_CLK_CLK_H
#define LOADLINE_CLK_CLK_H

#include "base/err.h"

#include <stdint.h>

enum clk_source { CLK_TSC, CLK_MONOTONIC, CLK_SCRIPTED };

struct clk {
    enum clk_source source;
    uint64_t base_ticks; /* TSC at calibration */
    uint64_t base_ns;    /* CLOCK_MONOTONIC at the same moment */
    uint64_t mult;       /* ns per tick, fixed point with 32 fractional bits */
    uint64_t (*now)(void *ctx);
    void *ctx;
};

__attribute__((warn_unused_result)) int clk_open(struct clk *clk, struct err *err);

/* A clock that only `now` moves: a target's own clock, or a test's script. */
void clk_scripted(struct clk *clk, uint64_t (*now)(void *ctx), void *ctx);

/* Parts per million by which the clock has run away from CLOCK_MONOTONIC since clk_open; 0 for
 * other sources than the TSC. */
double clk_drift_ppm(const struct clk *clk);

/* Median cost of one clk_now on this machine, ns; 0 for a scripted clock, which is not read. */
double clk_cost_ns(const struct clk *clk);

const char *clk_source_name(enum clk_source source);

uint64_t clk_monotonic_ns(void);

/* Wall-clock time, ns since 1970 UTC; for dates in results, never for measuring. */
uint64_t clk_wall_ns(void);

static inline uint64_t clk_ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

static inline uint64_t clk_now(const struct clk *clk)
{
    if (clk->source == CLK_TSC) {
        uint64_t ticks = clk_ticks() - clk->base_ticks;
        return clk->base_ns + (uint64_t)(((unsigned __int128)ticks * clk->mult) >> 32);
    }
    return clk->source == CLK_SCRIPTED ? clk->now(clk->ctx) : clk_monotonic_ns();
}

#endif
