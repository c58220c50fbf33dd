/* base/rng.h — fast reproducible random numbers and the mixing of keys.
 * Shape    rng_seed … rng_next; one state per stream. mix64 is a bijection on 64 bits.
 * Limits   not for secrets.                     Threads  single owner per state.
 * Source   xoshiro256** and splitmix64 by Blackman and Vigna (public domain); pinned by their
 *          published first outputs in tests/unit/test_rng.c. */
#ifndef LOADLINE_BASE_RNG_H
#define LOADLINE_BASE_RNG_H

#include <stdint.h>

struct rng {
    uint64_t s[4];
};

static inline uint64_t mix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static inline uint64_t mix64_pair(uint64_t a, uint64_t b)
{
    return mix64(mix64(a) ^ (b * 0xd1342543de82ef95u + 1));
}

void rng_seed(struct rng *r, uint64_t seed);

static inline uint64_t rng_rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s;
    uint64_t result = rng_rotl(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rng_rotl(s[3], 45);
    return result;
}

/* Uniform in [0, n), n > 0; bias below 2^-64 · n. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
    return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}

#endif
