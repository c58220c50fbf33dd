/* How often the plain mix runs. */
#include "study/io_priv.h"

#include "stats/spread.h"

#include <sys/param.h>

#define UNTIL_REPEATS_MIN 5u

unsigned io_repeats_most(const struct io_options *o)
{
    return MAX(o->until_ci_frac > 0 ? o->max_repeats : o->repeats, 1u);
}

static double bytes_per_s(const struct result *r)
{
    uint64_t ns = r->window_close_ns - r->window_open_ns;
    return ns == 0 ? 0 : (double)r->bytes * 1e9 / (double)ns;
}

/* Half the 95 % interval of throughput over its mean; above 1 while it cannot be said. */
static double interval_frac(const struct study_row *row)
{
    double value[IO_REPEATS_MAX];
    struct spread spread;
    unsigned n = MIN(row->n, IO_REPEATS_MAX);
    for (unsigned i = 0; i < n; i++)
        value[i] = bytes_per_s(row->result[i]);
    if (n < 2 || spread_of(value, n, &spread) < 0 || !spread.has_interval || spread.mean <= 0)
        return 2;
    return spread.half_95 / spread.mean;
}

bool io_needs_more(struct io_study *io)
{
    const struct io_options *o = io->o;
    unsigned least = o->until_ci_frac > 0 ? MAX(o->repeats, UNTIL_REPEATS_MIN) : o->repeats;
    if (io->repeat < least)
        return true;
    if (o->until_ci_frac <= 0)
        return false;
    double frac = interval_frac(&io->row);
    if (frac <= o->until_ci_frac)
        return false;
    if (io->repeat < o->max_repeats)
        return true;
    study_warn(&io->s,
               "throughput is known to ±%.1f %% after %u runs, not to the %.1f %% of --until-ci; "
               "--max-repeat allows no more",
               100 * frac, io->repeat, 100 * o->until_ci_frac);
    return false;
}
