/* stats/knee.h — what a curve of load against rate says: its top, and the least load that gives it.
 * Shape    points in any order in, one value out.
 * Units    load in streams; rate in whatever it was measured in.
 * Limits   the top is the largest rate; the knee the least load with KNEE_FRAC of it or more; latency rejects
 *          no point here, whoever prints it shows it beside the rate.
 * Errors   false: no point has a rate.            Threads  values.
 * Source   tests/unit/test_knee.c. */
#ifndef LOADLINE_STATS_KNEE_H
#define LOADLINE_STATS_KNEE_H

#include <stdbool.h>
#include <stdint.h>

#define KNEE_FRAC 0.97

struct knee_point {
    uint32_t load;
    double rate;
};

struct knee {
    unsigned top;  /* index of the point */
    unsigned knee; /* index of the point */
};

bool knee_of(const struct knee_point *point, unsigned n, struct knee *out);

#endif
