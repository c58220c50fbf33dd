#include "base/draw.h"

#include "base/draw_math.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DRAWS = 200000, CELLS = 50 };

static double drawn[DRAWS];

static void check(struct draw *draw)
{
    struct err err = {0};

    if (draw_check(draw, &err) != 0)
        fail_msg("%s", err.text);
}

static int rising(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double sample(struct draw *draw, uint64_t seed)
{
    struct rng rng;
    double sum = 0;

    check(draw);
    rng_seed(&rng, seed);
    for (unsigned i = 0; i < DRAWS; i++) {
        drawn[i] = draw_real(draw, &rng);
        assert_true(drawn[i] <= draw_bound(draw));
        sum += drawn[i];
    }
    qsort(drawn, DRAWS, sizeof drawn[0], rising);
    return sum / DRAWS;
}

/* ---- what they should be: distribution functions, by the C library ---- */

/* Of a gamma, by the series. */
static double gamma_below(double shape, double x)
{
    double term = 1 / shape;
    double sum = term;

    if (x <= 0)
        return 0;
    if (x > shape + 40 * sqrt(shape) + 100)
        return 1;
    for (double n = shape + 1; term > sum * 1e-17; n++) {
        term *= x / n;
        sum += term;
    }
    return sum * exp(shape * log(x) - x - lgamma(shape));
}

static double normal_below(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static double triangle_below(const struct draw *d, double x)
{
    double width = d->b - d->a;
    if (x < d->c)
        return (x - d->a) * (x - d->a) / (width * (d->c - d->a));
    return 1 - (d->b - x) * (d->b - x) / (width * (d->b - d->c));
}

static double table_below(const struct draw *d, double x)
{
    double sum = 0;
    for (unsigned i = 0; i < d->rows; i++) {
        double part = (x - d->row[i].low) / (d->row[i].high - d->row[i].low);
        sum += d->row[i].percent / 100.0 * fmin(fmax(part, 0), 1);
    }
    return sum;
}

static double below(const struct draw *d, double x)
{
    switch (d->kind) {
    case DRAW_UNIFORM:
        return (x - d->a) / (d->b - d->a);
    case DRAW_GAMMA:
    case DRAW_ERLANG:
        return gamma_below(d->a, x / d->b);
    case DRAW_TABULAR:
        return table_below(d, x);
    case DRAW_EXPONENTIAL:
        return 1 - exp(-x / d->a);
    case DRAW_LOGNORMAL:
        return normal_below((log(x) - d->a) / d->b);
    case DRAW_NORMAL:
        return normal_below((x - d->a) / d->b);
    case DRAW_TRIANGULAR:
        return triangle_below(d, x);
    case DRAW_WEIBULL:
        return 1 - exp(-pow(x / d->b, d->a));
    case DRAW_FIXED:
        break;
    }
    return 0;
}

static const struct sampled {
    struct draw draw;
    double mean;
    double deviation;
} sampled[] = {
    {{.kind = DRAW_UNIFORM, .a = -3, .b = 9}, 3, 3.4641016},
    {{.kind = DRAW_GAMMA, .a = 1.5, .b = 10922.67}, 16384.005, 13377.483},
    {{.kind = DRAW_GAMMA, .a = 0.1, .b = 1}, 0.1, 0.31622777},
    {{.kind = DRAW_GAMMA, .a = 0.9, .b = 2}, 1.8, 1.8973666},
    {{.kind = DRAW_GAMMA, .a = 1, .b = 3}, 3, 3},
    {{.kind = DRAW_GAMMA, .a = 250, .b = 4}, 1000, 63.245553},
    {{.kind = DRAW_TABULAR, .rows = 4, .row = {{25, 0, 1}, {0, 50, 60}, {50, 1, 3}, {25, 4, 8}}},
     2.625,
     2.1868},
    {{.kind = DRAW_ERLANG, .a = 3, .b = 2}, 6, 3.4641016},
    {{.kind = DRAW_EXPONENTIAL, .a = 7}, 7, 7},
    {{.kind = DRAW_LOGNORMAL, .a = 1, .b = 0.5}, 3.0802168, 1.641572},
    {{.kind = DRAW_NORMAL, .a = -5, .b = 2}, -5, 2},
    {{.kind = DRAW_TRIANGULAR, .a = 1, .b = 11, .c = 3}, 5, 2.1602469},
    {{.kind = DRAW_TRIANGULAR, .a = 0, .b = 1, .c = 1}, 0.66666667, 0.23570226},
    {{.kind = DRAW_WEIBULL, .a = 2, .b = 5}, 4.4311346, 2.3162568},
    {{.kind = DRAW_WEIBULL, .a = 0.7, .b = 1}, 1.2658235, 1.8512},
};

#define SAMPLED (sizeof sampled / sizeof sampled[0])

/* Of each kind: the mean that is said is the mean that is drawn, within five of its deviations. */
static void means_are_what_is_said(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLED; i++) {
        struct draw draw = sampled[i].draw;
        double mean = sample(&draw, 11 + i);
        double within = 5 * sampled[i].deviation / sqrt(DRAWS);
        if (fabs(mean - sampled[i].mean) > within)
            fail_msg("kind %d: mean %g, not %g", (int)draw.kind, mean, sampled[i].mean);
        assert_true(fabs(draw_mean(&draw) - sampled[i].mean) < 1e-7 * fabs(sampled[i].mean));
    }
}

/* Of each kind: the share below each of a few quantiles, and in cells of equal probability, which a
 * chi-square of 49 exceeds 99.35 in one of 30,000 samples. */
static void shapes_are_what_they_are_called(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLED; i++) {
        struct draw draw = sampled[i].draw;
        double chi_square = 0;
        unsigned cell[CELLS] = {0};

        sample(&draw, 101 + i);
        for (unsigned n = 0; n < DRAWS; n++) {
            double p = below(&draw, drawn[n]);
            unsigned at = (unsigned)(p * CELLS);
            cell[at < CELLS ? at : CELLS - 1]++;
            if (n % (DRAWS / 16) == 0 && fabs(p - (double)n / DRAWS) > 0.006)
                fail_msg("kind %d: %g is the %g-quantile, not the %g", (int)draw.kind, drawn[n], p,
                         (double)n / DRAWS);
        }
        for (unsigned c = 0; c < CELLS; c++) {
            double off = cell[c] - (double)DRAWS / CELLS;
            chi_square += off * off / ((double)DRAWS / CELLS);
        }
        if (chi_square > 99.35)
            fail_msg("kind %d, %zu: chi-square %g", (int)draw.kind, i, chi_square);
    }
}

/* Less than one in 10^9 of each kind is above the bound, and the bound is not far beyond that. */
static void bounds_are_rare(void **state)
{
    (void)state;
    for (size_t i = 0; i < SAMPLED; i++) {
        struct draw draw = sampled[i].draw;
        check(&draw);
        double above = 1 - below(&draw, draw_bound(&draw));
        if (above >= 1e-9)
            fail_msg("kind %d, %zu: %g are above %g", (int)draw.kind, i, above, draw_bound(&draw));
        assert_true(draw_bound(&draw) < sampled[i].mean + 160 * sampled[i].deviation);
    }
}

/* What is above the bound is drawn again: a bound that is lowered by hand cuts the distribution off. */
static void what_is_above_the_bound_is_drawn_again(void **state)
{
    struct draw draw = {.kind = DRAW_EXPONENTIAL, .a = 1};
    struct rng rng;
    double sum = 0;

    (void)state;
    check(&draw);
    draw.bound = 1;
    rng_seed(&rng, 1);
    for (unsigned i = 0; i < DRAWS; i++) {
        double x = draw_real(&draw, &rng);
        assert_true(x <= 1);
        sum += x;
    }
    double e = exp(1);
    assert_true(fabs(sum / DRAWS - (e - 2) / (e - 1)) < 0.005);
}

static void fixed_is_fixed(void **state)
{
    struct draw draw = {.kind = DRAW_FIXED, .a = 1024};
    struct rng rng;

    (void)state;
    check(&draw);
    rng_seed(&rng, 1);
    assert_true(draw_real(&draw, &rng) == 1024);
    assert_int_equal(draw_count(&draw, &rng), 1024);
    assert_true(draw_bound(&draw) == 1024 && draw_mean(&draw) == 1024);
}

static double finished(struct draw draw, double x)
{
    struct rng rng;

    draw.kind = DRAW_FIXED;
    draw.a = x;
    check(&draw);
    rng_seed(&rng, 1);
    return draw_real(&draw, &rng);
}

/* value = clip(round(offset + scale_by · x)). */
static void values_are_scaled_rounded_and_clipped(void **state)
{
    struct draw rounding = {.round = 10};
    struct draw clipping = {.min = -1, .max = 100};

    (void)state;
    assert_true(finished((struct draw){.scale_by = 3, .offset = 4}, 5) == 19);
    assert_true(finished((struct draw){.scale_by = -1}, 5) == -5);
    assert_true(finished(rounding, 14.9) == 10);
    assert_true(finished(rounding, 15.9) == 10); /* the whole part, and of two as near the lower */
    assert_true(finished(rounding, 16) == 20);
    assert_true(finished(rounding, -16) == -20);
    assert_true(finished((struct draw){.round = 0.5}, 1.3) == 1.5);
    assert_true(finished(clipping, 101) == 100);
    assert_true(finished(clipping, -2) == -1);
    assert_true(finished((struct draw){.min = 0, .max = 100, .round = 1000}, 700) == 100);
}

/* The bound is that of what comes out, a falling scale and a clip included. */
static void bounds_are_of_what_comes_out(void **state)
{
    struct draw draw = {.kind = DRAW_UNIFORM, .a = 2, .b = 5, .scale_by = -10, .offset = 100};

    (void)state;
    check(&draw);
    assert_true(draw_bound(&draw) == 80);
    assert_true(draw_mean(&draw) == 65);
    draw = (struct draw){.kind = DRAW_LOGNORMAL, .a = 1, .b = 1000, .max = 4096};
    check(&draw);
    assert_true(draw_bound(&draw) == 4096);
    draw = (struct draw){.kind = DRAW_UNIFORM, .a = 0, .b = 1016, .round = 512};
    check(&draw);
    assert_true(draw_bound(&draw) == 1024);
    draw = (struct draw){.kind = DRAW_TABULAR, .rows = 2, .row = {{100, 1, 2}, {0, 8, 9}}};
    check(&draw);
    assert_true(draw_bound(&draw) == 2);
    draw.scale_by = -1;
    check(&draw);
    assert_true(draw_bound(&draw) == -1);
}

/* Counts are cut toward zero, and none is below it. */
static void counts_are_whole(void **state)
{
    struct draw draw = {.kind = DRAW_FIXED, .a = 7.99};
    struct rng rng;

    (void)state;
    rng_seed(&rng, 1);
    check(&draw);
    assert_int_equal(draw_count(&draw, &rng), 7);
    draw.a = -0.5;
    check(&draw);
    assert_int_equal(draw_count(&draw, &rng), 0);
    draw.a = -7;
    check(&draw);
    assert_int_equal(draw_count(&draw, &rng), 0);
    draw.a = 0x1.fffffffffffffp62;
    check(&draw);
    assert_int_equal(draw_count(&draw, &rng), INT64_MAX - 1023);
}

static void refused(struct draw draw, const char *words)
{
    struct err err = {0};

    draw.bound = 77;
    assert_int_equal(draw_check(&draw, &err), -EINVAL);
    assert_true(draw.bound == 77);
    if (strstr(err.text, words) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, words);
}

static void bad_draws_are_refused(void **state)
{
    (void)state;
    refused((struct draw){.kind = (enum draw_kind)99}, "unknown distribution 99");
    refused((struct draw){.kind = DRAW_GAMMA, .b = 1}, "gamma: shape is 0, it has to be above 0");
    refused((struct draw){.kind = DRAW_GAMMA, .a = 1, .b = -1}, "scale is -1, below 0");
    refused((struct draw){.kind = DRAW_WEIBULL, .a = -2, .b = 1}, "shape is -2");
    refused((struct draw){.kind = DRAW_ERLANG, .a = 1.5, .b = 1}, "whole");
    refused((struct draw){.kind = DRAW_EXPONENTIAL, .a = -1}, "mean is -1");
    refused((struct draw){.kind = DRAW_NORMAL, .b = -1}, "sigma is -1");
    refused((struct draw){.kind = DRAW_NORMAL, .a = NAN}, "mean is no number");
    refused((struct draw){.kind = DRAW_UNIFORM, .a = 2, .b = 1}, "high is 1, below low");
    refused((struct draw){.kind = DRAW_TRIANGULAR, .a = 2, .b = 3, .c = 4}, "mode is 4");
    refused((struct draw){.kind = DRAW_TABULAR, .rows = 1, .row = {{99, 0, 1}}},
            "the percentages sum to 99, not to 100");
    refused((struct draw){.kind = DRAW_TABULAR, .rows = 2, .row = {{100, 0, 1}, {1, 0, 1}}},
            "sum to 101");
    refused((struct draw){.kind = DRAW_TABULAR, .rows = DRAW_ROWS_MAX + 1}, "101 rows");
    refused((struct draw){.kind = DRAW_TABULAR, .rows = 1, .row = {{100, 0, NAN}}}, "row 1");
    refused((struct draw){.kind = DRAW_FIXED, .a = 0x1p63}, "2^63");
    refused((struct draw){.kind = DRAW_LOGNORMAL, .a = 1, .b = 1000}, "2^63");
    refused((struct draw){.kind = DRAW_FIXED, .round = -1}, "round");
    refused((struct draw){.kind = DRAW_FIXED, .min = 2, .max = 1}, "max is 1");
    refused((struct draw){.kind = DRAW_FIXED, .offset = INFINITY}, "no number");
}

static void says(struct draw draw, const char *right)
{
    struct text text;

    check(&draw);
    text_init(&text);
    draw_text(&draw, &text);
    assert_string_equal(text.s, right);
    text_fini(&text);
}

static void texts_are_canonical(void **state)
{
    (void)state;
    says((struct draw){.kind = DRAW_GAMMA, .a = 1.5, .b = 10922.67},
         "gamma shape=1.5 scale=10922.67");
    says((struct draw){.kind = DRAW_FIXED, .a = 1048576}, "fixed 1048576");
    says((struct draw){.kind = DRAW_FIXED, .a = 0.1 + 0.2}, "fixed 0.30000000000000004");
    says((struct draw){.kind = DRAW_TABULAR, .rows = 2, .row = {{30, 0, 1}, {70, 2, 3}}},
         "tabular 30% low=0 high=1 70% low=2 high=3");
    says((struct draw){.kind = DRAW_UNIFORM,
                       .a = 0,
                       .b = 1,
                       .scale_by = 2,
                       .offset = 3,
                       .round = 4,
                       .min = 5,
                       .max = 6},
         "uniform low=0 high=1 scale_by=2 offset=3 round=4 min=5 max=6");
}

static void close_to(double have, double right, double within)
{
    if (!(fabs(have - right) <= within * fabs(right)))
        fail_msg("%.17g is not %.17g", have, right);
}

/* As the C library's, as near as is said; and to the bit what they are on every machine. */
static void functions_are_the_same_everywhere(void **state)
{
    struct rng rng;
    uint64_t digest = 0;

    (void)state;
    rng_seed(&rng, 5);
    for (unsigned i = 0; i < 100000; i++) {
        double u = 1 - (double)(rng_next(&rng) >> 11) * 0x1p-53;
        double x = (u - 0.5) * 1400;
        double value[4] = {draw_log(u), draw_exp(x), draw_log(u * 1e300), draw_pow(u, 1 + x / 700)};
        close_to(value[0], log(u), 4e-15);
        close_to(value[1], exp(x), 4e-15);
        close_to(value[2], log(u * 1e300), 4e-15);
        close_to(value[3], pow(u, 1 + x / 700), 1e-13);
        for (unsigned n = 0; n < 4; n++) {
            uint64_t bits;
            memcpy(&bits, &value[n], sizeof bits);
            digest = mix64_pair(digest, bits);
        }
    }
    for (double x = 0.01; x < 100; x *= 1.1)
        close_to(draw_gamma_of(x), tgamma(x), 1e-12);
    assert_int_equal(digest, UINT64_C(0x6fc6b9f4b865d7e3));
    assert_true(isnan(draw_log(-1)) && draw_log(0) == -INFINITY && draw_log(1) == 0);
    assert_true(draw_exp(-1000) == 0 && isinf(draw_exp(1000)) && draw_exp(0) == 1);
    assert_true(draw_pow(0, 2) == 0 && draw_pow(0, 0) == 1);
}

/* One seed, the same numbers to the bit, of every kind. */
static void seeds_are_the_same_everywhere(void **state)
{
    uint64_t digest = 0;

    (void)state;
    for (size_t i = 0; i < SAMPLED; i++) {
        struct draw draw = sampled[i].draw;
        struct rng rng;
        check(&draw);
        rng_seed(&rng, i);
        for (unsigned n = 0; n < 1000; n++) {
            double x = draw_real(&draw, &rng);
            uint64_t bits;
            memcpy(&bits, &x, sizeof bits);
            digest = mix64_pair(digest, bits);
        }
    }
    assert_int_equal(digest, UINT64_C(0x363fa0b436761b6c));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_are_what_is_said),
        cmocka_unit_test(shapes_are_what_they_are_called),
        cmocka_unit_test(bounds_are_rare),
        cmocka_unit_test(what_is_above_the_bound_is_drawn_again),
        cmocka_unit_test(fixed_is_fixed),
        cmocka_unit_test(values_are_scaled_rounded_and_clipped),
        cmocka_unit_test(bounds_are_of_what_comes_out),
        cmocka_unit_test(counts_are_whole),
        cmocka_unit_test(bad_draws_are_refused),
        cmocka_unit_test(texts_are_canonical),
        cmocka_unit_test(functions_are_the_same_everywhere),
        cmocka_unit_test(seeds_are_the_same_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
