/* study/machine_priv.h — the machine that measures: what it is, as far as it tells.
 * Shape    machine_read once a study → machine_facts into each result.
 * Units    bytes, kHz.
 * Limits   a word that cannot be had is "", a number 0 or below: neither becomes a fact.
 * Errors   -ENOMEM from a list of facts.         Threads  no state.
 * Source   tests/unit/test_machine.c, over trees like /proc and /sys. */
#ifndef LOADLINE_STUDY_MACHINE_PRIV_H
#define LOADLINE_STUDY_MACHINE_PRIV_H

#include "study/study.h"

struct machine {
    char hostname[65];
    char kernel[65];
    char arch[33];
    char cpu_model[64];
    char clocksource[32];
    char cpu_governor[32]; /* "" none */
    char cpu_driver[32];   /* of frequencies */
    char cpu_preference[32];
    char hypervisor[32]; /* "" on bare metal as far as the processor tells */
    unsigned cpus;       /* that this process may run on */
    unsigned cpus_online;
    int boost; /* 1 on, 0 off, -1 not known; likewise */
    int smt;
    unsigned numa_nodes;
    uint64_t cpu_nominal_khz; /* without boost */
    uint64_t memory_bytes;
    uint64_t page_bytes;
    double load_1m;
};
/* What to look at: this machine itself, unless something else is given. */
const struct study_view *machine_view(const struct study_view *given);
void machine_read(const struct study_view *view, struct machine *m);
__attribute__((warn_unused_result)) int machine_facts(const struct machine *m,
                                                      struct result_facts *facts);
/* Processor, kernel and compiler in one line: what an overhead was measured on. */
void machine_line(char *buf, size_t room);

/* The first line of a file below `root`; "" when there is none. */
void machine_word(const char *root, const char *name, char *buf, size_t room);
/* Its number; `otherwise` when there is none. */
long long machine_number(const char *root, const char *name, long long otherwise);

#endif
