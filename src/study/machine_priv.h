/* study/machine_priv.h — the machine that measures: what it is, as far as it tells.
 * Shape    machine_read once a study → machine_facts into each result.
 * Units    bytes, kHz.
 * Limits   a word that cannot be had is "", a number 0: neither becomes a fact.
 * Errors   -ENOMEM from a list of facts.         Threads  no state.
 * Source   tests/unit/test_machine.c, over a tree like /proc and /sys. */
#ifndef LOADLINE_STUDY_MACHINE_PRIV_H
#define LOADLINE_STUDY_MACHINE_PRIV_H

#include "result/result.h"

struct machine {
    char hostname[65];
    char kernel[65];
    char arch[33];
    char cpu_model[64];
    char clocksource[32];
    char cpu_governor[32]; /* "" none */
    char hypervisor[32];   /* "" on bare metal as far as the processor tells */
    unsigned cpus;         /* that this process may run on */
    unsigned cpus_online;
    uint64_t memory_bytes;
    uint64_t page_bytes;
    double load_1m;
};
void machine_read(struct machine *m);
__attribute__((warn_unused_result)) int machine_facts(const struct machine *m,
                                                      struct result_facts *facts);
/* Processor, kernel and compiler in one line: what an overhead was measured on. */
void machine_line(char *buf, size_t room);

#endif
