#include "base/rng.h"

void rng_seed(struct rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        r->s[i] = mix64(seed);
        seed += 0x9e3779b97f4a7c15u;
    }
}
