/* Where a cache ends, by the latency of reads of ever larger working sets. */
#include "study/limits_priv.h"

#include <sys/param.h>

#define RAISED_FRAC 1.5 /* of the lowest: memory of a server and its disk or flash differ by more */
#define NEAR_FRAC   0.125 /* to which the knee is known */

void limits_sweep_begin(struct limits_sweep *s, uint64_t least_bytes, uint64_t most_bytes)
{
    *s = (struct limits_sweep){.least_bytes = MAX(least_bytes, 1),
                               .most_bytes = MAX(most_bytes, MAX(least_bytes, 1))};
}

/* Kept in rising order, whatever the order in which they come. */
void limits_sweep_add(struct limits_sweep *s, uint64_t bytes, uint64_t p95_ns)
{
    unsigned at = s->n;
    if (s->n == LIMITS_SWEEP_MAX)
        return;
    for (; at > 0 && s->bytes[at - 1] > bytes; at--) {
        s->bytes[at] = s->bytes[at - 1];
        s->p95_ns[at] = s->p95_ns[at - 1];
    }
    s->bytes[at] = bytes;
    s->p95_ns[at] = p95_ns;
    s->n++;
}

/* How many at the upper end are raised. One alone further down was a disturbance: it did not stay up. */
static unsigned raised_at_end(const struct limits_sweep *s)
{
    uint64_t lowest = UINT64_MAX;
    unsigned n = 0;
    for (unsigned i = 0; i < s->n; i++)
        lowest = MIN(lowest, s->p95_ns[i]);
    while (n < s->n && (double)s->p95_ns[s->n - 1 - n] > RAISED_FRAC * (double)lowest)
        n++;
    return n;
}

uint64_t limits_sweep_next(const struct limits_sweep *s)
{
    unsigned raised = raised_at_end(s);
    if (s->n == 0)
        return s->least_bytes;
    uint64_t largest = s->bytes[s->n - 1];
    if (s->n == LIMITS_SWEEP_MAX)
        return 0;
    if (raised < 2 && largest < s->most_bytes)
        return largest > s->most_bytes / 2 ? s->most_bytes : 2 * largest;
    if (raised == 0)
        return 0;
    uint64_t low = s->bytes[s->n - 1 - raised], high = s->bytes[s->n - raised];
    return (double)(high - low) > NEAR_FRAC * (double)low ? low + (high - low) / 2 : 0;
}

uint64_t limits_sweep_knee(const struct limits_sweep *s)
{
    unsigned raised = raised_at_end(s);
    return raised > 0 ? s->bytes[s->n - 1 - raised] : 0;
}
