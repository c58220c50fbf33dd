/* base/zipf.h — Zipf's law over 1 … n without a table, and ranks scattered over places.
 * Shape    zipf_init once, zipf_draw as often as liked: rank k comes with probability k^-s / Σ i^-s,
 *          exactly. scatter_init, then scatter_place: a bijection of 0 … n − 1 onto itself, fixed by
 *          its key, under which neighbours do not stay neighbours.
 * Limits   1 ≤ n ≤ ZIPF_N_MAX; 0 < s ≤ ZIPF_SKEW_MAX, 1 included. Memory and time per draw do not
 *          depend on n: below two tries of a draw, and below two of a place, on average.
 * Threads  values, read-only after init; the generator is the caller's.
 * Source   W. Hörmann, G. Derflinger: Rejection-inversion to generate variates from monotone
 *          discrete distributions, ACM TOMACS 6 (1996) 169–184. tests/unit/test_zipf.c. */
#ifndef LOADLINE_BASE_ZIPF_H
#define LOADLINE_BASE_ZIPF_H

#include "base/rng.h"

#define ZIPF_N_MAX    ((uint64_t)1 << 50) /* ranks stay exact in a double */
#define ZIPF_SKEW_MAX 20

struct zipf {
    double s;
    double n;
    double low;  /* H(3/2) − 1: where the hat of rank 1 begins */
    double high; /* H(n + 1/2) */
    double sure; /* closer to its rank than this, a draw needs no test */
};

void zipf_init(struct zipf *z, uint64_t n, double s);
/* 1 … n. */
uint64_t zipf_draw(const struct zipf *z, struct rng *rng);

struct scatter {
    uint64_t n;
    uint64_t mask; /* the next power of two, less one */
    uint64_t key;
    unsigned half; /* bits */
};

void scatter_init(struct scatter *s, uint64_t n, uint64_t key);

/* x < n. Each line is a bijection of the numbers up to mask; what lands beyond n goes round again,
 * which keeps the whole one. */
static inline uint64_t scatter_place(const struct scatter *s, uint64_t x)
{
    do {
        x = ((x ^ s->key) * 0x9e3779b97f4a7c15u + 0x7f4a7c15u) & s->mask;
        x ^= x >> s->half;
        x = x * 0xd1342543de82ef95u & s->mask;
        x ^= x >> s->half;
        x = x * 0xbf58476d1ce4e5b9u & s->mask;
        x ^= x >> s->half;
    } while (x >= s->n);
    return x;
}

#endif
