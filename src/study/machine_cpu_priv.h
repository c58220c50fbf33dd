/* study/machine_cpu_priv.h — processor time of the whole machine over a part of a run that is known
 * only when the run is over.
 * Shape    machine_cpu_begin when the gate opens, machine_cpu_sample now and then and when it closes;
 *          machine_cpu_between reads from the line through the samples.
 * Units    ns since the gate opened.
 * Limits   MACHINE_CPU_SAMPLES: when they are full every second one goes, and they come half as often.
 *          Ticks of /proc/stat are 10 ms.
 * Errors   false: /proc/stat told nothing, or not over all of that time.
 * Threads  the study's own thread.
 * Source   proc_stat(5); tests/unit/test_machine_cpu.c. */
#ifndef LOADLINE_STUDY_MACHINE_CPU_PRIV_H
#define LOADLINE_STUDY_MACHINE_CPU_PRIV_H

#include "study/study.h"

#define MACHINE_CPU_SAMPLES 64

struct machine_cpu {
    uint64_t begun_ns; /* monotonic */
    uint64_t step_ns;  /* least time from one sample to the next; 0 at first */
    unsigned n;
    bool lost; /* a sample could not be had */
    struct machine_cpu_sample {
        uint64_t at_ns;
        uint64_t busy_ns;
    } sample[MACHINE_CPU_SAMPLES];
    struct machine_cpu_sample last;
};

void machine_cpu_begin(const struct study_view *view, struct machine_cpu *cpu);
void machine_cpu_sample(const struct study_view *view, struct machine_cpu *cpu);
bool machine_cpu_between(const struct machine_cpu *cpu, uint64_t from_ns, uint64_t to_ns,
                         uint64_t *busy_ns);

#endif
