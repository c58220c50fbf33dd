/* clk/clk_jump.h — whether time itself jumped: the machine slept, or its date was set.
 * Shape    clk_moment_read … clk_moment_read → clk_jump_between.
 * Units    ns. A step is positive where the date was set forward.
 * Limits   CLOCK_BOOTTIME goes on while the machine is suspended and CLOCK_MONOTONIC does not;
 *          CLOCK_REALTIME moves against both only when it is set, as slewing moves all three. Less
 *          than CLK_JUMP_NS is no jump. A machine that was stopped from outside (a paused guest) has
 *          no clock that says so.
 * Errors   `known` is false where a reading took so long that it proves nothing.
 * Threads  no state.
 * Source   clock_gettime(2); tests/unit/test_clk_jump.c. */
#ifndef LOADLINE_CLK_CLK_JUMP_H
#define LOADLINE_CLK_CLK_JUMP_H

#include <stdbool.h>
#include <stdint.h>

#define CLK_JUMP_NS 10000000

/* Three clocks, read within `gap_ns`. */
struct clk_moment {
    uint64_t monotonic_ns;
    uint64_t boottime_ns;
    uint64_t wall_ns;
    uint64_t gap_ns;
};
void clk_moment_read(struct clk_moment *out);

struct clk_jump {
    bool known;
    uint64_t suspended_ns;
    int64_t stepped_ns;
};
struct clk_jump clk_jump_between(const struct clk_moment *before, const struct clk_moment *after);

#endif
