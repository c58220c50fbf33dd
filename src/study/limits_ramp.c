/* Which load is next: doublings until they give no more, then loads around the knee. */
#include "study/limits_priv.h"

#include <math.h>
#include <sys/param.h>

#define REFINES_MAX 4
#define KNEE_NEAR   8 /* a knee is known to an eighth of itself */
/* More streams that give no more than this are only a longer queue. */
#define TOP_NEAR_FRAC 0.995

void limits_ramp_begin(struct limits_ramp *r, uint32_t from, uint32_t to)
{
    *r = (struct limits_ramp){.from = MAX(from, 1), .to = MAX(to, MAX(from, 1))};
}

void limits_ramp_add(struct limits_ramp *r, uint32_t streams, double rate)
{
    if (r->n < LIMITS_POINTS_MAX)
        r->point[r->n++] = (struct knee_point){streams, isfinite(rate) ? rate : 0};
}

static double best_rate(const struct knee_point *point, unsigned n)
{
    double best = 0;
    for (unsigned i = 0; i < n; i++)
        best = fmax(best, point[i].rate);
    return best;
}

/* Whether point i gave more than all before it: 3 % a doubling, of a last step that is none in proportion. */
static bool gained(const struct limits_ramp *r, unsigned i)
{
    double doublings = log2((double)r->point[i].load / r->point[i - 1].load);
    return r->point[i].rate > best_rate(r->point, i) * pow(1 + LIMITS_GAIN_FRAC, doublings);
}

/* How many of the points are of the way up, and whether that is at its end. */
static unsigned way_up(const struct limits_ramp *r, bool *ended)
{
    unsigned flat = 0, n = 0;
    for (uint64_t load = r->from; n < r->n && r->point[n].load == load; n++) {
        flat = n > 0 && !gained(r, n) ? flat + 1 : 0;
        *ended = flat == 2 || load >= r->to;
        if (*ended)
            return n + 1;
        load = MIN(2 * load, r->to);
    }
    *ended = false;
    return n;
}

/* The least load that gave such a part of the most. */
static uint32_t least_load(const struct limits_ramp *r, double frac)
{
    double enough = frac * best_rate(r->point, r->n);
    uint32_t least = UINT32_MAX;
    for (unsigned i = 0; i < r->n; i++)
        if (r->point[i].rate >= enough)
            least = MIN(least, r->point[i].load);
    return r->n > 0 ? least : r->from;
}

static uint32_t measured_below(const struct limits_ramp *r, uint32_t load)
{
    uint32_t below = 0;
    for (unsigned i = 0; i < r->n; i++)
        if (r->point[i].load < load)
            below = MAX(below, r->point[i].load);
    return below;
}

static uint32_t measured_above(const struct limits_ramp *r, uint32_t load)
{
    uint32_t above = UINT32_MAX;
    for (unsigned i = 0; i < r->n; i++)
        if (r->point[i].load > load)
            above = MIN(above, r->point[i].load);
    return above;
}

static double rate_at(const struct limits_ramp *r, uint32_t load)
{
    for (unsigned i = 0; i < r->n; i++)
        if (r->point[i].load == load)
            return r->point[i].rate;
    return 0;
}

/* Half-way between the load that was too little and the knee; and where the curve falls behind its knee, between
 * the knee and the load that was too much: the top may be there. */
static uint32_t refined(const struct limits_ramp *r)
{
    uint32_t knee = least_load(r, KNEE_FRAC);
    uint32_t above = measured_above(r, knee);
    uint32_t below = measured_below(r, knee);
    bool falls = above != UINT32_MAX && rate_at(r, above) < KNEE_FRAC * best_rate(r->point, r->n);

    if (falls && above - knee > MAX(knee / KNEE_NEAR, 1))
        return knee + (above - knee) / 2;
    if (below > 0 && knee - below > MAX(knee / KNEE_NEAR, 1))
        return below + (knee - below) / 2;
    return 0;
}

uint32_t limits_ramp_next(const struct limits_ramp *r)
{
    bool ended = false;
    unsigned up = way_up(r, &ended);
    if (r->n == 0)
        return r->from;
    if (r->n == LIMITS_POINTS_MAX)
        return 0;
    if (!ended)
        return (uint32_t)MIN(2 * (uint64_t)r->point[up - 1].load, r->to);
    return !r->hurried && r->n - up < REFINES_MAX ? refined(r) : 0;
}

void limits_ramp_hurry(struct limits_ramp *r)
{
    r->hurried = true;
}

bool limits_ramp_refines(const struct limits_ramp *r)
{
    bool ended = false;
    (void)way_up(r, &ended);
    return ended && limits_ramp_next(r) != 0;
}

enum limits_ramp_end limits_ramp_ended(const struct limits_ramp *r)
{
    bool ended = false;
    unsigned up = way_up(r, &ended);
    if (!ended || limits_ramp_next(r) != 0)
        return LIMITS_RAMP_GOES_ON;
    if (r->from == r->to)
        return LIMITS_RAMP_FIXED;
    return gained(r, up - 1) ? LIMITS_RAMP_RISING : LIMITS_RAMP_FLAT;
}

uint32_t limits_ramp_top(const struct limits_ramp *r)
{
    return least_load(r, TOP_NEAR_FRAC);
}
