#include "stats/hist.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define TOUCH_STEP 4096 /* no page is smaller */

#define GROUP_SIZE (1u << HIST_SUB_BITS)

static unsigned bucket_shift(unsigned b)
{
    unsigned group = b >> HIST_SUB_BITS;
    return group > 1 ? group - 1 : 0;
}

void hist_record_n(struct hist *h, uint64_t v, uint64_t n)
{
    uint64_t more;
    if (n == 0)
        return;
    hist_record(h, v);
    if (__builtin_mul_overflow(v, n - 1, &more) || __builtin_add_overflow(h->sum, more, &h->sum))
        h->sum = UINT64_MAX;
    if (v >> HIST_TOP_BITS)
        h->overflow += n - 1;
    else
        h->n[hist_bucket(v)] += n - 1;
}

uint64_t hist_bucket_low(unsigned b)
{
    unsigned shift = bucket_shift(b);
    return (uint64_t)(b - (shift << HIST_SUB_BITS)) << shift;
}

uint64_t hist_bucket_high(unsigned b)
{
    return hist_bucket_low(b) + ((1ull << bucket_shift(b)) - 1);
}

static uint64_t bucket_middle(unsigned b)
{
    uint64_t low = hist_bucket_low(b);
    return low + (hist_bucket_high(b) - low) / 2;
}

static bool is_empty(const struct hist *h)
{
    return h->touched == 0 && h->overflow == 0;
}

/* The lowest group in *groups, which is taken out of it; *groups is not 0. */
static unsigned take_group(uint64_t *groups)
{
    unsigned group = (unsigned)__builtin_ctzll(*groups);
    *groups &= *groups - 1;
    return group;
}

void hist_touch(struct hist *h, uint64_t low, uint64_t high)
{
    volatile char *own = (volatile char *)h;
    volatile char *from = (volatile char *)&h->n[hist_bucket(low)];
    volatile char *last = (volatile char *)&h->n[hist_bucket(high)];
    *own = *own;
    for (; from < last; from += TOUCH_STEP)
        *from = *from;
    *last = *last;
}

void hist_clear(struct hist *h)
{
    if (is_empty(h))
        return;
    for (uint64_t left = h->touched; left;)
        memset(&h->n[take_group(&left) << HIST_SUB_BITS], 0, GROUP_SIZE * sizeof h->n[0]);
    h->sum = 0;
    h->max = 0;
    h->min_inv = 0;
    h->overflow = 0;
    h->touched = 0;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (is_empty(from))
        return;
    for (uint64_t left = from->touched; left;) {
        unsigned first = take_group(&left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + GROUP_SIZE; b++)
            into->n[b] += from->n[b];
    }
    if (__builtin_add_overflow(into->sum, from->sum, &into->sum))
        into->sum = UINT64_MAX;
    if (from->max > into->max)
        into->max = from->max;
    if (from->min_inv > into->min_inv)
        into->min_inv = from->min_inv;
    into->overflow += from->overflow;
    into->touched |= from->touched;
}

/* With the overflow's own share kept, where there is any. */
static void fit_ends(struct hist *h)
{
    unsigned low = HIST_BUCKETS, high = 0;
    for (uint64_t left = h->touched; left;) {
        unsigned first = take_group(&left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + GROUP_SIZE; b++) {
            low = h->n[b] && b < low ? b : low;
            high = h->n[b] && b > high ? b : high;
        }
    }
    if (low == HIST_BUCKETS)
        return;
    if (h->overflow == 0 && hist_bucket_high(high) < h->max)
        h->max = hist_bucket_high(high);
    if (~hist_bucket_low(low) < h->min_inv)
        h->min_inv = ~hist_bucket_low(low);
}

void hist_subtract(struct hist *from, const struct hist *part)
{
    for (uint64_t left = part->touched; left;) {
        unsigned first = take_group(&left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + GROUP_SIZE; b++)
            from->n[b] -= part->n[b];
    }
    from->overflow -= part->overflow;
    if (from->sum != UINT64_MAX)
        from->sum -= part->sum;
    if (hist_count(from) == 0)
        hist_clear(from);
    else
        fit_ends(from);
}

uint64_t hist_count(const struct hist *h)
{
    uint64_t count = h->overflow;
    for (uint64_t left = h->touched; left;) {
        unsigned first = take_group(&left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + GROUP_SIZE; b++)
            count += h->n[b];
    }
    return count;
}

uint64_t hist_min(const struct hist *h)
{
    return is_empty(h) ? 0 : ~h->min_inv;
}

static double mean_of_buckets(const struct hist *h, uint64_t count)
{
    double sum = (double)h->overflow * (double)h->max;
    for (uint64_t left = h->touched; left;) {
        unsigned first = take_group(&left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + GROUP_SIZE; b++)
            sum += (double)h->n[b] * (double)bucket_middle(b);
    }
    return sum / (double)count;
}

double hist_mean(const struct hist *h)
{
    uint64_t count = hist_count(h);
    if (count == 0)
        return 0;
    return h->sum == UINT64_MAX ? mean_of_buckets(h, count) : (double)h->sum / (double)count;
}

/* ⌈q · count⌉, at least 1. The product may lie above the whole number that is meant, by the
 * rounding of q itself and of the product: 0.07 · 100 is 7 and not the 8th. */
static uint64_t quantile_rank(uint64_t count, double q)
{
    if (!(q > 0))
        return 1;
    if (q >= 1)
        return count;
    double rank = q * (double)count;
    rank = ceil(rank - rank * 0x1p-51);
    if (rank < 1)
        return 1;
    return rank < (double)count ? (uint64_t)rank : count;
}

/* The bucket that holds the rank-th value; HIST_BUCKETS when that is in the overflow. */
static unsigned bucket_of_rank(const struct hist *h, uint64_t rank)
{
    uint64_t below = 0;
    for (uint64_t left = h->touched; left;) {
        unsigned first = take_group(&left) << HIST_SUB_BITS;
        for (unsigned b = first; b < first + GROUP_SIZE; b++) {
            below += h->n[b];
            if (below >= rank)
                return b;
        }
    }
    return HIST_BUCKETS;
}

uint64_t hist_quantile(const struct hist *h, double q)
{
    uint64_t count = hist_count(h);
    if (count == 0)
        return 0;
    uint64_t rank = quantile_rank(count, q);
    uint64_t min = hist_min(h);
    if (rank == 1)
        return min;
    unsigned b = rank == count ? HIST_BUCKETS : bucket_of_rank(h, rank);
    if (b == HIST_BUCKETS)
        return h->max;
    uint64_t middle = bucket_middle(b);
    if (middle < min)
        return min;
    return middle > h->max ? h->max : middle;
}
