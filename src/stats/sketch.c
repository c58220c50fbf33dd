#include "stats/sketch.h"

#include <math.h>

#define RANKS (64 - SKETCH_BITS + 1) /* the largest that a register can have */

void sketch_merge(struct sketch *into, const struct sketch *from)
{
    for (unsigned i = 0; i < SKETCH_REGISTERS; i++)
        if (from->rank[i] > into->rank[i])
            into->rank[i] = from->rank[i];
}

/* x + Σ x^(2^k) · 2^(k−1): what registers that nothing came to stand for. */
static double sigma(double x)
{
    double y = 1, z = x, last;
    if (x >= 1)
        return INFINITY;
    do {
        x *= x;
        last = z;
        z += x * y;
        y += y;
    } while (z != last);
    return z;
}

/* (1 − x − Σ (1 − x^(2^−k))² · 2^−k) / 3: those that are full. */
static double tau(double x)
{
    double y = 1, z = 1 - x, last;
    if (x <= 0 || x >= 1)
        return 0;
    do {
        x = sqrt(x);
        last = z;
        y *= 0.5;
        z -= (1 - x) * (1 - x) * y;
    } while (z != last);
    return z / 3;
}

double sketch_count(const struct sketch *s)
{
    const double m = SKETCH_REGISTERS;
    unsigned with[RANKS + 1] = {0};
    for (unsigned i = 0; i < SKETCH_REGISTERS; i++)
        with[s->rank[i] < RANKS ? s->rank[i] : RANKS]++;
    double z = m * tau(1 - with[RANKS] / m);
    for (unsigned k = RANKS - 1; k >= 1; k--)
        z = (z + with[k]) / 2;
    z += m * sigma(with[0] / m);
    return m * m / (2 * log(2) * z);
}
