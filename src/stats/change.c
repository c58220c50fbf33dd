#include "stats/change.h"

#include "stats/spread.h"

#include <errno.h>
#include <math.h>

/* Values that agree to this are equal: the mean of equal numbers is not always that number. */
#define ALIKE_FRAC 1e-9

/* Mean and variance of logarithms. */
struct logs {
    double mean;
    double var; /* of one run (n − 1); 0 for n = 1 */
    double n;
};

static bool all_positive(const struct change_side *side)
{
    for (size_t i = 0; i < side->n; i++)
        if (!isfinite(side->value[i]) || side->value[i] <= 0)
            return false;
    return side->n > 0 && side->resolution_frac >= 0;
}

static struct logs logs_of(const double *value, const double *per, size_t n)
{
    struct logs out = {.n = (double)n};
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        double x = per ? log(value[i] / per[i]) : log(value[i]);
        double delta = x - out.mean;
        out.mean += delta / (double)(i + 1);
        squares += delta * (x - out.mean);
    }
    if (n > 1)
        out.var = squares / (double)(n - 1);
    return out;
}

/* Mean square of the relative standard errors within runs; NaN where one is not known. */
static double within_var(const struct change_side *side)
{
    double sum = 0;

    for (size_t i = 0; i < side->n; i++)
        sum += side->within_frac ? side->within_frac[i] * side->within_frac[i] : NAN;
    return sum / (double)side->n;
}

/* Between whole numbers of degrees of freedom t is nearly straight over 1/df. */
static double t95(double df)
{
    double below = floor(df);
    double low = spread_t95((size_t)below);
    double high = spread_t95((size_t)below + 1);

    return low + (high - low) * (1 / below - 1 / df) / (1 / below - 1 / (below + 1));
}

/* Variance of one run of b that has too few of its own: a's, more by what b is noisier within its
 * runs than a is within its, and no less than the few runs show. Never less than a's: that b's runs
 * look quiet within themselves says nothing about how the next one would come out. */
static double borrowed_var(const struct change_side *a, const struct change_side *b,
                           const struct logs *la, const struct logs *lb)
{
    double noisier = within_var(b) - within_var(a);
    double var = la->var + (noisier > 0 ? noisier : 0);

    return fmax(var, lb->var);
}

static void put_means(struct change *out, const struct logs *a, const struct logs *b)
{
    *out = (struct change){.mean_a = exp(a->mean),
                           .mean_b = exp(b->mean),
                           .frac = expm1(b->mean - a->mean),
                           .low = NAN,
                           .high = NAN,
                           .half_frac = NAN,
                           .low_b = NAN,
                           .high_b = NAN};
}

/* se: standard error of the difference of logarithms. */
static void put_interval(struct change *out, double diff, double se, double df, double off)
{
    double half = t95(df) * fmax(se, ALIKE_FRAC) + off;

    out->df = df;
    out->low = expm1(diff - half);
    out->high = expm1(diff + half);
    out->half_frac = expm1(half);
}

static void put_interval_b(struct change *out, const struct logs *b, double se, double df,
                           double off)
{
    double half = t95(df) * fmax(se, ALIKE_FRAC) + off;

    out->low_b = exp(b->mean - half);
    out->high_b = exp(b->mean + half);
}

static void judge_apart(const struct change_side *a, const struct change_side *b,
                        const struct logs *la, const struct logs *lb, struct change *out)
{
    bool borrows = b->n < CHANGE_RUNS_MIN;
    double var_a = la->var / la->n;
    double var_b = (borrows ? borrowed_var(a, b, la, lb) : lb->var) / lb->n;
    double sum = var_a + var_b;
    double df_a = la->n - 1;
    double df = df_a;
    double df_b = borrows ? df_a : lb->n - 1;

    /* Satterthwaite; what is borrowed is the same estimate twice. */
    if (!borrows && sum > 0)
        df = sum * sum / (var_a * var_a / df_a + var_b * var_b / df_b);
    out->noise = CHANGE_NOISE_RUNS;
    put_interval(out, lb->mean - la->mean, sqrt(sum), df, a->resolution_frac + b->resolution_frac);
    put_interval_b(out, lb, sqrt(var_b), df_b, b->resolution_frac);
}

int change_of(const struct change_side *a, const struct change_side *b, struct change *out)
{
    if (!all_positive(a) || !all_positive(b))
        return -EINVAL;
    struct logs la = logs_of(a->value, NULL, a->n);
    struct logs lb = logs_of(b->value, NULL, b->n);
    put_means(out, &la, &lb);
    if (a->n >= CHANGE_RUNS_MIN)
        judge_apart(a, b, &la, &lb, out);
    return 0;
}

int change_of_pairs(const struct change_side *a, const struct change_side *b, struct change *out)
{
    if (a->n != b->n || !all_positive(a) || !all_positive(b))
        return -EINVAL;
    struct logs la = logs_of(a->value, NULL, a->n);
    struct logs lb = logs_of(b->value, NULL, b->n);
    put_means(out, &la, &lb);
    if (a->n < 2)
        return 0;
    struct logs diff = logs_of(b->value, a->value, a->n);
    double df = diff.n - 1;
    out->noise = CHANGE_NOISE_PAIRS;
    put_interval(out, diff.mean, sqrt(diff.var / diff.n), df,
                 a->resolution_frac + b->resolution_frac);
    put_interval_b(out, &lb, sqrt(lb.var / lb.n), df, b->resolution_frac);
    return 0;
}

bool change_is_seen(const struct change *change)
{
    return change->low > 0 || change->high < 0;
}
