/* stats/series.h — the run over time, in constant memory.
 * Shape    series_init → series_add for each taken block, in any order → series_at … . Intervals
 *          are kept sparse (only the buckets that hold something). When a label passes SERIES_MAX,
 *          neighbours merge and the width doubles, as often as it takes.
 * Units    width_ns; interval i covers [i·width, (i+1)·width) from the gate.
 * Limits   SERIES_MAX intervals. Memory grows with the buckets used, not with the length of the
 *          run, and a label far ahead costs the time of one merge.
 * Errors   -EINVAL other lines, or widths that no doubling brings together; -EOVERFLOW a width of
 *          2^64 ns or more: the series is as it was. -ENOMEM: it may be wider, and after
 *          series_add hold a part of the block; such a run has no series.
 * Threads  single owner (the collector).
 * Source   tests/unit/test_series.c. */
#ifndef LOADLINE_STATS_SERIES_H
#define LOADLINE_STATS_SERIES_H

#include "stats/samples.h"

#define SERIES_MAX 1024

/* A histogram's non-empty buckets, in rising order. */
struct sparse_hist {
    uint64_t sum;
    uint64_t min;
    uint64_t max;
    uint64_t overflow;
    unsigned used;
    unsigned room;
    uint16_t *bucket; /* [used] */
    uint64_t *count;  /* [used] */
};

__attribute__((warn_unused_result)) int sparse_hist_add(struct sparse_hist *into,
                                                        const struct hist *from);
__attribute__((warn_unused_result)) int sparse_hist_merge(struct sparse_hist *into,
                                                          const struct sparse_hist *from);
/* Adds the sparse histogram to a full one. It may come from a file: -EINVAL when a bucket number or
 * the order is wrong, when min or max lie outside the buckets they belong to, or when a count
 * would pass 2^64; then nothing was added. */
__attribute__((warn_unused_result)) int sparse_hist_to(struct hist *into,
                                                       const struct sparse_hist *from);
void sparse_hist_fini(struct sparse_hist *s);

struct series_line {
    uint64_t ops;
    uint64_t bytes;
    uint64_t samples;
    struct sparse_hist service;
    struct sparse_hist response;
};

struct series {
    uint64_t width_ns;
    unsigned lines;
    unsigned used;            /* intervals 0 … used−1 exist; quiet ones are all zero */
    struct series_line *line; /* [used · lines], line l of interval i at i·lines + l */
    unsigned room;
    uint64_t doublings; /* how often the width was doubled */
};

void series_init(struct series *s, unsigned lines, uint64_t width_ns);
void series_fini(struct series *s);

/* Adds a block whose `interval` counts in units of the width given to series_init. */
__attribute__((warn_unused_result)) int series_add(struct series *s,
                                                   const struct samples_block *block);
/* Appends `from`, another series, behind `into`: several passes of one run. Widths are brought to
 * the wider of the two, or wider when both do not fit; `from` then starts at the next interval
 * edge, so the last interval of each pass may be covered in part only. */
__attribute__((warn_unused_result)) int series_append(struct series *into,
                                                      const struct series *from);

static inline const struct series_line *series_at(const struct series *s, unsigned interval,
                                                  unsigned line)
{
    return &s->line[(size_t)interval * s->lines + line];
}

#endif
