/* result/flowops.h — what a run of a workload file comes to in all, counted as its language counts.
 * Shape    result_flowops_of sums the lines of one result; result_flowops_add pools repeats.
 * Units    ns, bytes, executions of flowops.
 * Limits   an implicit open is an execution of its flowop; a wake-up counts once per stream that it woke.
 * Threads  values.
 * Source   specs 14.2 (sums), array test c.4 (latency by the rule of 2008);
 *          tests/unit/test_flowops.c. */
#ifndef LOADLINE_RESULT_FLOWOPS_H
#define LOADLINE_RESULT_FLOWOPS_H

#include "result/result.h"

struct result_flowops {
    uint64_t window_ns;
    uint64_t ops; /* of classes IO and AIO */
    uint64_t reads;
    uint64_t writes;
    uint64_t bytes;
    uint64_t listed_bytes;  /* of directory listings: filebench counts them as moved */
    double latency_ns;      /* of all these ops, summed; of AIO that of handing over */
    double sync_latency_ns; /* of class IO only … */
    uint64_t sync_moves;    /* … and how many of its ops read or write */
    double machine_cpu_ns;  /* of all processors in the window; < 0 unknown */
    double tool_cpu_ns;     /* of loadline's workers, user and system; < 0 unknown */
    bool open_loop;
};

void result_flowops_of(const struct result *r, struct result_flowops *out);
void result_flowops_add(struct result_flowops *into, const struct result_flowops *from);

/* Executions of one line. */
uint64_t result_flowop_count(const struct result_line *line);

/* Mean time of an op over all of them. */
double result_flowops_mean_ns(const struct result_flowops *f);
/* The "latency" of filebench up to 1.4.9.1: time of all synchronous ops over the reads and writes
 * among them, so that opens and syncs make it longer than any op is. */
double result_flowops_fb2008_ns(const struct result_flowops *f);
double result_flowops_per_s(const struct result_flowops *f, double what);

#endif
