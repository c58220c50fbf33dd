#include "base/zipf.h"

#include <math.h>

/* (e^x − 1)/x and log(1 + x)/x, which are 1 at 0: so that s = 1 is no special case, and one close to
 * it loses no digits. */
static double expm1_over(double x)
{
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x / 2;
}

static double log1p_over(double x)
{
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x / 2;
}

/* The area under the hat x^-s from 1 on: (x^(1−s) − 1) / (1 − s), or log x. */
static double area(double s, double x)
{
    double log_x = log(x);
    return expm1_over((1 - s) * log_x) * log_x;
}

static double area_inverse(double s, double u)
{
    double t = u * (1 - s);
    if (t < -1) /* rounding, at the very end of a steep tail */
        t = -1;
    return exp(log1p_over(t) * u);
}

static double hat(double s, double x)
{
    return exp(-s * log(x));
}

void zipf_init(struct zipf *z, uint64_t n, double s)
{
    z->s = s;
    z->n = (double)n;
    z->low = area(s, 1.5) - 1;
    z->high = area(s, z->n + 0.5);
    z->sure = 2 - area_inverse(s, area(s, 2.5) - hat(s, 2));
}

uint64_t zipf_draw(const struct zipf *z, struct rng *rng)
{
    for (;;) {
        double u01 = (double)(rng_next(rng) >> 11) * 0x1p-53;
        double u = z->high + u01 * (z->low - z->high);
        double x = area_inverse(z->s, u);
        double k = floor(x + 0.5);
        if (!(k >= 1))
            k = 1;
        else if (k > z->n)
            k = z->n;
        if (k - x <= z->sure || u >= area(z->s, k + 0.5) - hat(z->s, k))
            return (uint64_t)k;
    }
}

void scatter_init(struct scatter *s, uint64_t n, uint64_t key)
{
    unsigned bits = 0;
    while (bits < 63 && (UINT64_C(1) << bits) < n)
        bits++;
    s->n = n;
    s->mask = (UINT64_C(1) << bits) - 1;
    s->key = mix64(key);
    s->half = bits < 2 ? 1 : bits / 2;
}
