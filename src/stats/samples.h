/* stats/samples.h — what one worker measured in one interval, and its way to the collector.
 * Shape    Each worker owns one struct samples: two blocks, each with every line of the plan. It
 *          records into the current block; at an interval boundary seen on its own clock it calls
 *          samples_turn, which publishes the block with one release store and goes on in the other.
 *          The collector calls samples_take, adds the block to its sums and gives it back with
 *          samples_give (which clears it). If the other block has not been given back yet the
 *          worker keeps filling the old one, and `kept` counts that.
 * Units    ns, ops, bytes. `interval` of a block is the number of the interval in which its
 *          samples are done.
 * Limits   memory: samples_bytes(lines) of address space; pages never written cost nothing.
 * Errors   -ENOMEM.
 * Threads  one worker, one collector; nothing else is shared.
 * Source   tests/unit/test_samples.c, also under TSan. */
#ifndef LOADLINE_STATS_SAMPLES_H
#define LOADLINE_STATS_SAMPLES_H

#include "stats/hist.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One line of the report: one flowop, or what it shares its name with. */
struct samples_line {
    uint64_t ops;         /* operations at the target; a flowop's sample may hold many */
    uint64_t bytes;       /* transferred, as the target said */
    uint64_t extra;       /* sum of op.extra: what it means belongs to the op kind */
    uint64_t samples;     /* completed flowops; = hist_count(&service) */
    struct hist service;  /* done − issued, ns */
    struct hist response; /* done − due, ns; empty on closed-loop lines, where due is issued */
};

struct samples_block {
    uint64_t interval;
    struct hist lateness; /* issued − due while the stream was idle: the tool's own lateness, ns */
    unsigned lines;
    struct samples_line line[];
};

struct samples {
    struct samples_block *block[2];
    _Atomic(struct samples_block *) published; /* NULL: given back */
    unsigned current;
    uint64_t kept; /* boundaries at which the other block was still out */
    size_t map_bytes;
};

size_t samples_bytes(unsigned lines);
__attribute__((warn_unused_result)) int samples_init(struct samples *s, unsigned lines);
void samples_fini(struct samples *s);

static inline struct samples_block *samples_current(struct samples *s)
{
    return s->block[s->current];
}

/* Worker: publish the current block and continue in the other one as `next_interval`. Returns
 * false when the other block is still out: then the current one goes on and keeps its number. */
bool samples_turn(struct samples *s, uint64_t next_interval);

/* Collector: the published block, the same one until it is given back, or NULL. */
struct samples_block *samples_take(struct samples *s);
/* Collector: clear it and hand it back. */
void samples_give(struct samples *s, struct samples_block *block);

/* An empty block of its own, for sums; freed with samples_block_free. NULL: no memory. */
struct samples_block *samples_block_new(unsigned lines);
void samples_block_free(struct samples_block *block);
void samples_block_clear(struct samples_block *block);
/* Takes out what `part` held, of which `from` has grown (hist_subtract). */
void samples_line_subtract(struct samples_line *from, const struct samples_line *part);
/* Both have the same number of lines; `into` keeps its interval. */
void samples_block_merge(struct samples_block *into, const struct samples_block *from);

#endif
