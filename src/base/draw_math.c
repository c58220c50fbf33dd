#include "base/draw_math.h"

#include <math.h>

/* The natural logarithm of 2, in a part that loses nothing when multiplied by an exponent, and the
 * rest. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW  0x1.a39ef35793c76p-33

/* log m = 2 · artanh((m − 1)/(m + 1)), with m between 1/√2 and √2, where eleven terms are enough. */
double draw_log(double x)
{
    int exponent;

    if (x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    if (isinf(x))
        return x;
    double m = frexp(x, &exponent);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        exponent--;
    }
    double s = (m - 1) / (m + 1);
    double square = s * s;
    double sum = 0;
    for (int n = 23; n >= 3; n -= 2)
        sum = (sum + 1.0 / n) * square;
    return exponent * LN2_HIGH + (2 * s + (2 * s * sum + exponent * LN2_LOW));
}

/* e^x = 2^k · e^r with |r| ≤ ln 2 / 2, where fourteen terms of the series are enough. */
double draw_exp(double x)
{
    if (x > 710)
        return INFINITY;
    if (x < -746)
        return 0;
    double k = floor(x / 0x1.62e42fefa39efp-1 + 0.5);
    double r = (x - k * LN2_HIGH) - k * LN2_LOW;
    double sum = 1;
    for (int n = 14; n >= 1; n--)
        sum = 1 + sum * r / n;
    return ldexp(sum, (int)k);
}

double draw_pow(double x, double y)
{
    if (y == 0)
        return 1;
    return x == 0 ? 0 : draw_exp(y * draw_log(x));
}

/* Stirling's series, where it is exact enough; below that by Γ(x) = Γ(x + 1) / x. */
double draw_gamma_of(double x)
{
    double below = 1;

    while (x < 16) {
        below *= x;
        x += 1;
    }
    double v = 1 / (x * x);
    double series = (1.0 / 12 - v * (1.0 / 360 - v * (1.0 / 1260 - v / 1680))) / x;
    double log_root_2pi = 0x1.d67f1c864beb5p-1;
    return draw_exp((x - 0.5) * draw_log(x) - x + log_root_2pi + series) / below;
}
