#include "base/draw.h"

#include "base/draw_math.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* e^-21 and one side of six standard deviations are both below 10^-9. */
#define RARE_LOG    21.0
#define RARE_SIGMAS 6.0
/* What does not fit an offset or a count of bytes. */
#define BOUND_MAX 0x1p63

static const struct kind {
    const char *name;
    unsigned parameters;
    const char *parameter[3];
    bool positive[3]; /* has to be above 0 */
    bool negative[3]; /* may be below 0 */
} kinds[] = {
    [DRAW_FIXED] = {"fixed", 1, {""}, .negative = {true}},
    [DRAW_UNIFORM] = {"uniform", 2, {"low", "high"}, .negative = {true, true}},
    [DRAW_GAMMA] = {"gamma", 2, {"shape", "scale"}, .positive = {true}},
    [DRAW_TABULAR] = {"tabular", 0, {NULL}, .negative = {false}},
    [DRAW_ERLANG] = {"erlang", 2, {"shape", "mean"}, .positive = {true}},
    [DRAW_EXPONENTIAL] = {"exponential", 1, {"mean"}, .negative = {false}},
    [DRAW_LOGNORMAL] = {"lognormal", 2, {"mu", "sigma"}, .negative = {true}},
    [DRAW_NORMAL] = {"normal", 2, {"mean", "sigma"}, .negative = {true}},
    [DRAW_TRIANGULAR] = {"triangular", 3, {"low", "high", "mode"}, .negative = {true, true, true}},
    [DRAW_WEIBULL] = {"weibull", 2, {"shape", "scale"}, .positive = {true}},
};

/* ---- from the generator ---- */

static double below_one(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* Exponential of mean 1. */
static double unit_exponential(struct rng *rng)
{
    return -draw_log(1 - below_one(rng));
}

/* Marsaglia's polar method: a logarithm and a root, which are the same everywhere; the other of its two
 * numbers is left, so that a draw has no state. */
static double unit_normal(struct rng *rng)
{
    for (;;) {
        double x = 2 * below_one(rng) - 1;
        double y = 2 * below_one(rng) - 1;
        double r = x * x + y * y;
        if (r < 1 && r > 0)
            return x * sqrt(-2 * draw_log(r) / r);
    }
}

/* Marsaglia and Tsang; a shape below 1 is drawn as one above it and brought down. */
static double unit_gamma(double shape, struct rng *rng)
{
    if (shape < 1)
        return unit_gamma(shape + 1, rng) * draw_pow(1 - below_one(rng), 1 / shape);
    double d = shape - 1.0 / 3;
    double c = 1 / sqrt(9 * d);
    for (;;) {
        double x = unit_normal(rng);
        double v = 1 + c * x;
        if (v <= 0)
            continue;
        v = v * v * v;
        double u = 1 - below_one(rng);
        double x2 = x * x;
        if (u < 1 - 0.0331 * x2 * x2 || draw_log(u) < x2 / 2 + d * (1 - v + draw_log(v)))
            return d * v;
    }
}

static double from_table(const struct draw *draw, struct rng *rng)
{
    uint64_t slot = rng_below(rng, 100);
    const struct draw_row *row = draw->row;

    while (slot >= row->percent)
        slot -= row++->percent;
    return row->low + below_one(rng) * (row->high - row->low);
}

static double from_triangle(const struct draw *draw, struct rng *rng)
{
    double width = draw->b - draw->a;
    double left = draw->c - draw->a;
    double u = below_one(rng);

    if (u * width < left)
        return draw->a + sqrt(u * width * left);
    return draw->b - sqrt((1 - u) * width * (width - left));
}

static double raw(const struct draw *draw, struct rng *rng)
{
    switch (draw->kind) {
    case DRAW_FIXED:
        return draw->a;
    case DRAW_UNIFORM:
        return draw->a + below_one(rng) * (draw->b - draw->a);
    case DRAW_GAMMA:
    case DRAW_ERLANG: /* the sum of so many exponentials */
        return draw->b * unit_gamma(draw->a, rng);
    case DRAW_TABULAR:
        return from_table(draw, rng);
    case DRAW_EXPONENTIAL:
        return draw->a * unit_exponential(rng);
    case DRAW_LOGNORMAL:
        return draw_exp(draw->a + draw->b * unit_normal(rng));
    case DRAW_NORMAL:
        return draw->a + draw->b * unit_normal(rng);
    case DRAW_TRIANGULAR:
        return from_triangle(draw, rng);
    case DRAW_WEIBULL:
        break;
    }
    return draw->b * draw_pow(unit_exponential(rng), 1 / draw->a);
}

/* ---- what becomes of it ---- */

static double scale_of(const struct draw *draw)
{
    return draw->scale_by == 0 ? 1 : draw->scale_by;
}

/* To the nearest multiple, of two as near to the lower one; of a whole number, as those who wrote
 * such files know it. */
static double rounded(double value, double to)
{
    if (!(to > 0) || !isfinite(value))
        return value;
    if (to >= 1)
        value = trunc(value);
    double low = floor(value / to) * to;
    return value - low > to / 2 ? low + to : low;
}

/* Never falls where x rises (rises where x falls, by a negative scale): so the ends of x are the ends of
 * what is drawn. */
static double finished(const struct draw *draw, double x)
{
    double value = rounded(draw->offset + scale_of(draw) * x, draw->round);

    if (draw->min == 0 && draw->max == 0)
        return value;
    return fmin(fmax(value, draw->min), draw->max);
}

double draw_real(const struct draw *draw, struct rng *rng)
{
    for (;;) {
        double value = finished(draw, raw(draw, rng));
        if (value <= draw->bound)
            return value;
    }
}

uint64_t draw_count(const struct draw *draw, struct rng *rng)
{
    double value = draw_real(draw, rng);
    return value > 0 ? (uint64_t)value : 0;
}

/* ---- ends and means ---- */

/* Of a gamma of scale 1 less than e^-t is above shape + sqrt(2 · shape · t) + t: its distance from the
 * mean is bounded as that of every sum of such tails is (Boucheron, Lugosi and Massart, 2.4). */
static double gamma_high(double shape)
{
    return shape + sqrt(2 * shape * RARE_LOG) + RARE_LOG;
}

/* The largest by sign 1, the smallest by −1; rows of 0 % are not drawn. */
static double table_end(const struct draw *draw, double sign)
{
    double end = -INFINITY;

    for (unsigned i = 0; i < draw->rows; i++) {
        if (draw->row[i].percent > 0)
            end = fmax(end, fmax(sign * draw->row[i].low, sign * draw->row[i].high));
    }
    return sign * end;
}

static double raw_high(const struct draw *draw)
{
    switch (draw->kind) {
    case DRAW_FIXED:
        return draw->a;
    case DRAW_UNIFORM:
    case DRAW_TRIANGULAR:
        return draw->b;
    case DRAW_GAMMA:
    case DRAW_ERLANG:
        return draw->b * gamma_high(draw->a);
    case DRAW_TABULAR:
        return table_end(draw, 1);
    case DRAW_EXPONENTIAL:
        return draw->a * RARE_LOG;
    case DRAW_LOGNORMAL:
        return draw_exp(draw->a + draw->b * RARE_SIGMAS);
    case DRAW_NORMAL:
        return draw->a + draw->b * RARE_SIGMAS;
    case DRAW_WEIBULL:
        break;
    }
    return draw->b * draw_pow(RARE_LOG, 1 / draw->a);
}

static double raw_low(const struct draw *draw)
{
    if (draw->kind == DRAW_FIXED || draw->kind == DRAW_UNIFORM || draw->kind == DRAW_TRIANGULAR)
        return draw->a;
    if (draw->kind == DRAW_TABULAR)
        return table_end(draw, -1);
    return draw->kind == DRAW_NORMAL ? draw->a - draw->b * RARE_SIGMAS : 0;
}

static double raw_mean(const struct draw *draw)
{
    double sum = 0;

    switch (draw->kind) {
    case DRAW_FIXED:
    case DRAW_EXPONENTIAL:
    case DRAW_NORMAL:
        return draw->a;
    case DRAW_UNIFORM:
        return draw->a + (draw->b - draw->a) / 2;
    case DRAW_GAMMA:
    case DRAW_ERLANG:
        return draw->a * draw->b;
    case DRAW_TABULAR:
        for (unsigned i = 0; i < draw->rows; i++)
            sum += draw->row[i].percent * (draw->row[i].low + draw->row[i].high) / 2;
        return sum / 100;
    case DRAW_LOGNORMAL:
        return draw_exp(draw->a + draw->b * draw->b / 2);
    case DRAW_TRIANGULAR:
        return (draw->a + draw->b + draw->c) / 3;
    case DRAW_WEIBULL:
        break;
    }
    return draw->b * draw_gamma_of(1 + 1 / draw->a);
}

double draw_bound(const struct draw *draw)
{
    return draw->bound;
}

double draw_mean(const struct draw *draw)
{
    return draw->offset + scale_of(draw) * raw_mean(draw);
}

/* ---- checking ---- */

static int check_parameter(const struct kind *kind, unsigned i, double value, struct err *err)
{
    const char *name = kind->parameter[i];

    if (!isfinite(value))
        return err_set(err, -EINVAL, "%s: %s is no number", kind->name, name);
    if (kind->positive[i] && !(value > 0))
        return err_set(err, -EINVAL, "%s: %s is %g, it has to be above 0", kind->name, name, value);
    if (!kind->negative[i] && value < 0)
        return err_set(err, -EINVAL, "%s: %s is %g, below 0", kind->name, name, value);
    return 0;
}

static int check_table(const struct draw *draw, struct err *err)
{
    uint64_t total = 0;

    if (draw->rows > DRAW_ROWS_MAX)
        return err_set(err, -EINVAL, "tabular: %u rows, accepted are up to %d", draw->rows,
                       DRAW_ROWS_MAX);
    for (unsigned i = 0; i < draw->rows; i++) {
        if (!isfinite(draw->row[i].low) || !isfinite(draw->row[i].high))
            return err_set(err, -EINVAL, "tabular: row %u holds no number", i + 1);
        total += draw->row[i].percent;
    }
    if (total != 100)
        return err_set(err, -EINVAL, "tabular: the percentages sum to %llu, not to 100",
                       (unsigned long long)total);
    return 0;
}

static int check_order(const struct draw *draw, struct err *err)
{
    if ((draw->kind == DRAW_UNIFORM || draw->kind == DRAW_TRIANGULAR) && draw->b < draw->a)
        return err_set(err, -EINVAL, "%s: high is %g, below low, which is %g",
                       kinds[draw->kind].name, draw->b, draw->a);
    if (draw->kind == DRAW_TRIANGULAR && (draw->c < draw->a || draw->c > draw->b))
        return err_set(err, -EINVAL, "triangular: mode is %g, not between %g and %g", draw->c,
                       draw->a, draw->b);
    if (draw->kind == DRAW_ERLANG && draw->a != trunc(draw->a))
        return err_set(err, -EINVAL, "erlang: shape is %g, it has to be whole", draw->a);
    return 0;
}

static int check_after(const struct draw *draw, struct err *err)
{
    if (!isfinite(draw->scale_by) || !isfinite(draw->offset))
        return err_set(err, -EINVAL, "what is added or multiplied by is no number");
    if (!isfinite(draw->round) || draw->round < 0)
        return err_set(err, -EINVAL, "round is %g, accepted is 0 and above", draw->round);
    if (isnan(draw->min) || isnan(draw->max) || draw->max < draw->min)
        return err_set(err, -EINVAL, "max is %g, below min, which is %g", draw->max, draw->min);
    return 0;
}

int draw_check(struct draw *draw, struct err *err)
{
    const double parameter[3] = {draw->a, draw->b, draw->c};
    int rc = 0;

    if ((unsigned)draw->kind >= sizeof kinds / sizeof kinds[0])
        return err_set(err, -EINVAL, "unknown distribution %d", (int)draw->kind);
    const struct kind *kind = &kinds[draw->kind];
    for (unsigned i = 0; rc == 0 && i < kind->parameters; i++)
        rc = check_parameter(kind, i, parameter[i], err);
    if (rc == 0 && draw->kind == DRAW_TABULAR)
        rc = check_table(draw, err);
    if (rc == 0)
        rc = check_order(draw, err);
    if (rc == 0)
        rc = check_after(draw, err);
    if (rc < 0)
        return rc;
    double bound = finished(draw, scale_of(draw) > 0 ? raw_high(draw) : raw_low(draw));
    if (!(bound < BOUND_MAX))
        return err_set(err, -EINVAL, "%s: draws up to %g, accepted is up to 2^63", kind->name,
                       bound);
    draw->bound = bound;
    return 0;
}

/* ---- in words ---- */

/* As few digits as give the same number again. */
static void put_value(struct text *out, const char *name, double value)
{
    char digits[40];

    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    text_addf(out, " %s%s%s", name, *name != '\0' ? "=" : "", digits);
}

void draw_text(const struct draw *draw, struct text *out)
{
    const double parameter[3] = {draw->a, draw->b, draw->c};
    const struct kind *kind = &kinds[draw->kind];

    text_add(out, kind->name);
    for (unsigned i = 0; i < kind->parameters; i++)
        put_value(out, kind->parameter[i], parameter[i]);
    for (unsigned i = 0; draw->kind == DRAW_TABULAR && i < draw->rows; i++) {
        text_addf(out, " %u%%", draw->row[i].percent);
        put_value(out, "low", draw->row[i].low);
        put_value(out, "high", draw->row[i].high);
    }
    if (scale_of(draw) != 1)
        put_value(out, "scale_by", draw->scale_by);
    if (draw->offset != 0)
        put_value(out, "offset", draw->offset);
    if (draw->round != 0)
        put_value(out, "round", draw->round);
    if (draw->min != 0 || draw->max != 0) {
        put_value(out, "min", draw->min);
        put_value(out, "max", draw->max);
    }
}
