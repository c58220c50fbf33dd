/* perf/perf.h — how the cost of our engine and of a bare loop are measured in one process.
 * Shape    perf_run_plan and perf_run_bare each measure one side once; perf_rounds lets them take
 *          turns and prints a line "ours peer again" a round, for bench.py to judge.
 * Units    ns of CPU, user and system, of the whole process between the opening of a gate and the
 *          end of the last thread behind it: of the engine that includes its collector.
 * Errors   end the program with a line on stderr.
 * Threads  bare threads are made as the posix target makes its own: each with a descriptor table of
 *          its own, grown before the gate opens. */
#ifndef LOADLINE_PERF_PERF_H
#define LOADLINE_PERF_PERF_H

#include "plan/plan.h"

#include <stdint.h>
#include <stdnoreturn.h>

#define PERF_SEED 1

struct perf_cost {
    uint64_t cpu_ns;
    uint64_t ops;
};

noreturn void perf_fail(const char *what, const char *reason);
noreturn void perf_fail_errno(const char *what);

struct fileset_state;

/* Ops are the samples of the plan's line `line`; state as engine_job has it. */
struct perf_cost perf_run_plan(const struct plan *plan, const char *directory, unsigned line,
                               struct fileset_state *const *state);

struct perf_gate;
/* A bare thread calls the first between its preparations and what is measured, the second behind
 * that. */
void perf_gate_enter(struct perf_gate *gate);
void perf_gate_leave(struct perf_gate *gate);
typedef void perf_body(struct perf_gate *gate, unsigned thread, void *ctx);
uint64_t perf_run_bare(unsigned threads, perf_body *body, void *ctx);

struct perf_pair {
    struct perf_cost (*ours)(void *ctx);
    /* As many ops as ours made last. */
    struct perf_cost (*peer)(void *ctx, uint64_t ops);
    void *ctx;
};
void perf_rounds(const struct perf_pair *pair, unsigned rounds);

/* What the program argv[0] has resident at most, in MiB; its answer is thrown away. */
double perf_resident_mb(char *const argv[]);

#endif
