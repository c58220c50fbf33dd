#include "target/sim_profile_priv.h"

#define PPM       1000000u
#define FINE_BITS 44 /* 10^6 of them fill 64 bits */

static uint64_t draw_table(const struct sim_time *t, struct rng *rng)
{
    uint64_t at = (rng_next(rng) >> (64 - FINE_BITS)) * PPM; /* share, 2^44 to a millionth */
    unsigned i = 1;

    while (i + 1 < t->points && (uint64_t)t->point[i].share_ppm << FINE_BITS <= at)
        i++;
    uint64_t from = (uint64_t)t->point[i - 1].share_ppm << FINE_BITS;
    uint64_t width = ((uint64_t)t->point[i].share_ppm << FINE_BITS) - from;
    uint64_t rise = t->point[i].ns - t->point[i - 1].ns;
    return t->point[i - 1].ns + (uint64_t)((unsigned __int128)rise * (at - from) / width);
}

uint64_t sim_time_draw(const struct sim_time *time, struct rng *rng)
{
    switch (time->kind) {
    case SIM_TIME_EXP:
        return sim_exponential_ns(rng, time->mean_ns);
    case SIM_TIME_TABLE:
        return draw_table(time, rng);
    case SIM_TIME_FIXED:
        break;
    }
    return time->mean_ns;
}

uint64_t sim_cost_ns(const struct sim_cost *cost, enum op_kind kind, bool writes, uint64_t bytes,
                     uint64_t disk_bytes)
{
    uint64_t small = bytes < cost->small_bytes ? bytes : cost->small_bytes;
    uint64_t ps = small * cost->small_ps +
                  (bytes - small) * (writes ? cost->bulk_write_ps : cost->bulk_read_ps) +
                  disk_bytes * (writes ? cost->disk_write_ps : cost->disk_read_ps);

    return cost->op_ns[kind] + (ps + 500) / 1000;
}
