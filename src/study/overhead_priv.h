/* study/overhead_priv.h — rounds of reads through the engine, for finding out what it costs.
 * Shape    overhead_round again and again, the least of all counts.
 * Units    ns of CPU of the worker per op.
 * Errors   -errno and words.                     Threads  one. */
#ifndef LOADLINE_STUDY_OVERHEAD_PRIV_H
#define LOADLINE_STUDY_OVERHEAD_PRIV_H

#include "study/study_priv.h"

#include <math.h>

#define OVERHEAD_ROUNDS     7
#define OVERHEAD_ROUNDS_MAX 100
#define OVERHEAD_ROUND_NS   40000000u
#define OVERHEAD_OPS_MIN    100 /* of a round that counts: beginning it costs something too */

/* Each of the streams reads a file of its own at random places, one worker drives them all. */
struct overhead_cost {
    const char *address;
    struct fileset_spec spec; /* as many files as streams */
    unsigned streams;
    uint64_t block;
    uint64_t (*aside_ns)(void *ctx); /* as engine_job has it */
    void *ctx;
};

/* *best_ns becomes what this one costs, when that is less and the round counts. */
__attribute__((warn_unused_result)) int overhead_round(const struct overhead_cost *cost,
                                                       double *best_ns, struct err *err);
/* Whether another round follows: on a busy machine one may never get the processor, so that there are
 * more of them until one counts. */
static inline bool overhead_goes_on(unsigned rounds, double best_ns)
{
    return rounds < OVERHEAD_ROUNDS || (isinf(best_ns) && rounds < OVERHEAD_ROUNDS_MAX);
}

/* -ETIME when not one round counts. */
__attribute__((warn_unused_result)) int overhead_need_rounds(double best_ns, struct err *err);

static inline double overhead_smaller(double a, double b)
{
    return a < b ? a : b;
}

#endif
