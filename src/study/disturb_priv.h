/* study/disturb_priv.h — what happened to this machine while a run was measured: time that jumped,
 * processors that a hypervisor kept, that were slowed, or that others used.
 * Shape    disturb_begin when the gate opens, disturb_sample now and then, disturb_end when it
 *          closes; passes of one run add up. disturb_facts into the run's counters.
 * Units    ns, kHz.
 * Limits   /proc/stat counts in ticks of 10 ms. Frequencies are read of at most DISTURB_CPUS_MAX
 *          processors, at most once in DISTURB_SAMPLE_NS, by the collecting thread, never by a
 *          worker: reading one may wake it. A round that takes longer than DISTURB_ROUND_NS is cut
 *          short and the last one of its pass.
 * Errors   what cannot be read becomes no fact.  Threads  the study's own thread.
 * Source   proc_stat(5), the kernel's cpufreq and thermal_throttle in sysfs;
 *          tests/unit/test_disturb.c. */
#ifndef LOADLINE_STUDY_DISTURB_PRIV_H
#define LOADLINE_STUDY_DISTURB_PRIV_H

#include "clk/clk_jump.h"
#include "study/machine_priv.h"

#define DISTURB_CPUS_MAX  8
#define DISTURB_SAMPLE_NS 1000000000u
#define DISTURB_ROUND_NS  5000000u

struct fact_pen;

/* Which processors are looked at: spread over those that we may run on. */
struct disturb_cpus {
    unsigned n;
    unsigned number[DISTURB_CPUS_MAX];
};
/* Processor time that the machine has spent since it started, of all of its processors. */
bool disturb_busy(const struct study_view *view, uint64_t *busy_ns);

void disturb_cpus_allowed(struct disturb_cpus *out);

struct disturb_reading {
    bool has_cpu;
    struct clk_moment at;
    uint64_t busy_ns; /* of all processors, since the machine started */
    uint64_t steal_ns;
    uint64_t own_ns;   /* of this process */
    int64_t throttled; /* events; -1 not known */
};

struct disturb_frequency {
    uint64_t samples; /* of one processor each */
    uint64_t rounds;
    double min_khz;
    double max_khz;
    double sum_khz;
    double fastest_sum_khz; /* the fastest processor of each round */
};

struct disturbance {
    unsigned passes;
    unsigned cpu_passes; /* in which /proc/stat could be read; likewise */
    unsigned clock_passes;
    unsigned throttle_passes;
    uint64_t busy_ns;
    uint64_t steal_ns;
    uint64_t own_ns;
    uint64_t suspended_ns;
    int64_t stepped_ns; /* the largest step of a pass */
    uint64_t throttled;
    struct disturb_frequency frequency;
    struct disturb_reading before; /* of the pass at hand */
    uint64_t next_ns;
};

void disturb_begin(const struct study_view *view, const struct disturb_cpus *cpus,
                   struct disturbance *d);
void disturb_sample(const struct study_view *view, const struct disturb_cpus *cpus,
                    struct disturbance *d);
void disturb_end(const struct study_view *view, const struct disturb_cpus *cpus,
                 struct disturbance *d);
void disturb_facts(const struct disturbance *d, struct fact_pen *pen);

#endif
