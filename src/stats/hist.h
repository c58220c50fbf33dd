/* stats/hist.h — distribution of non-negative integers with bounded relative error.
 * Shape    hist_clear (or zeroed memory) → hist_record … hist_merge … hist_quantile; a value: no
 *          threads, no clock. Zeroed memory is an empty histogram, so pages that were never
 *          touched cost nothing.
 * Units    whatever was recorded, by convention ns; q in [0,1].
 * Limits   128 steps per power of two: hist_quantile is within 1/256 (0.39 %) of the value that
 *          has that rank; exact below 256. Values of 2^44 (4.9 h in ns) and more count in
 *          `overflow`, keep their share in sum and max, and are never put into a bucket.
 *          sizeof(struct hist) is 39 KiB.
 * Errors   none.                                 Threads  single owner.
 * Source   the log-linear buckets of HdrHistogram (G. Tene); pinned by tests/unit/test_hist.c and
 *          tests/truth. */
#ifndef LOADLINE_STATS_HIST_H
#define LOADLINE_STATS_HIST_H

#include <stdint.h>

#define HIST_SUB_BITS 7
#define HIST_TOP_BITS 44 /* first value that is overflow: 1 << 44 */
#define HIST_GROUPS   (HIST_TOP_BITS - HIST_SUB_BITS + 1)
#define HIST_BUCKETS  (HIST_GROUPS << HIST_SUB_BITS)

struct hist {
    uint64_t sum;     /* of all values, overflow included; stays at UINT64_MAX once it is reached */
    uint64_t max;     /* largest value; 0 when empty */
    uint64_t min_inv; /* ~smallest value: zeroed memory is empty, and both ends are a maximum */
    uint64_t overflow;
    uint64_t touched; /* bit g: group g (buckets g·128 … g·128+127) has been written */
    uint64_t n[HIST_BUCKETS];
};

static inline unsigned hist_bucket(uint64_t v)
{
    unsigned shift = 63u - (unsigned)__builtin_clzll(v | (1u << HIST_SUB_BITS)) - HIST_SUB_BITS;
    return (shift << HIST_SUB_BITS) + (unsigned)(v >> shift);
}

static inline void hist_record(struct hist *h, uint64_t v)
{
    if (__builtin_add_overflow(h->sum, v, &h->sum))
        h->sum = UINT64_MAX;
    if (v > h->max)
        h->max = v;
    if (~v > h->min_inv)
        h->min_inv = ~v;
    if (v >> HIST_TOP_BITS) {
        h->overflow++;
        return;
    }
    unsigned b = hist_bucket(v);
    if (h->n[b]++ == 0)
        h->touched |= 1ull << (b >> HIST_SUB_BITS);
}

/* hist_record of the same value n times. */
void hist_record_n(struct hist *h, uint64_t v, uint64_t n);

/* Least and largest value that bucket b stands for. */
uint64_t hist_bucket_low(unsigned b);
uint64_t hist_bucket_high(unsigned b);

/* Writes to the pages that values from low to high would be counted in, without counting any. */
void hist_touch(struct hist *h, uint64_t low, uint64_t high);

/* Clears only the groups that were touched; writes nothing to an empty histogram, so that its pages
 * stay untouched. hist_merge from an empty histogram writes nothing either. */
void hist_clear(struct hist *h);
void hist_merge(struct hist *into, const struct hist *from);

/* Takes out what `part` held, a histogram that `from` has grown from. min and max of what is left are those
 * of its buckets, and never outside what they were. */
void hist_subtract(struct hist *from, const struct hist *part);

uint64_t hist_count(const struct hist *h); /* all values, overflow included */
uint64_t hist_min(const struct hist *h);   /* 0 when empty */

/* Exact, sum / count, until the sum has reached UINT64_MAX (584 years of ns); from then on from the
 * buckets, overflow taken as max. 0 when empty. */
double hist_mean(const struct hist *h);

/* Smallest recorded value v such that at least q of the values are ≤ v, as the middle of its
 * bucket and never outside [min, max]; the first and the last rank are min and max themselves, and
 * a rank that falls into the overflow gives max. 0 if empty. */
uint64_t hist_quantile(const struct hist *h, double q);

#endif
