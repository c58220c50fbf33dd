/* target/sim_store_priv.h: caches hit what theory says, dirty data stops at its limit, disks are visited as often as their
 * RAID level costs. In virtual time. */
#include "target/sim_store_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define KIB 1024u
#define MIB (1024u * 1024)
#define SEC 1000000000u

/* A store alone on a net. */
struct box {
    struct sim_profile profile;
    struct sim_net *net;
    struct sim_store *store;
};

/* 8 disks of 100 MB/s without positioning; 128 KiB extents and stripes. */
static struct sim_profile plain(void)
{
    return (struct sim_profile){
        .name = "plain",
        .extent_bytes = 128 * KIB,
        .disks = {.count = 8, .bytes_s = 100000000, .stripe_bytes = 128 * KIB},
    };
}

static void box_open(struct box *b, struct sim_profile profile)
{
    struct err err = {0};

    b->profile = profile;
    assert_int_equal(sim_net_new(1, &b->net), 0);
    if (sim_store_new(&b->profile, b->net, &b->store, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(sim_net_room(b->net, 64), 0);
}

static void box_close(struct box *b)
{
    sim_store_free(b->store);
    sim_net_free(b->net);
}

static void run_until(struct box *b, uint64_t ns)
{
    while (sim_net_step(b->net, ns))
        ;
}

static struct sim_store_sum sum_of(const struct box *b)
{
    struct sim_store_sum sum;
    sim_store_sum(b->store, &sum);
    return sum;
}

static struct sim_found look(struct box *b, uint32_t file, uint64_t off, uint64_t len)
{
    struct sim_found found = {.file = file, .off = off, .len = len};
    sim_store_look(b->store, &found);
    return found;
}

static void assert_near(double got, double wanted, double frac)
{
    if (fabs(got - wanted) > frac * fabs(wanted))
        fail_msg("%.9g is not within %g of %.9g", got, frac, wanted);
}

/* ---- caches ---- */

/* Reads of whole extents of one file of `extents`, after as many to fill the cache as asked. */
static double hit_share(struct box *b, uint64_t extents, bool cyclic, unsigned warm, unsigned n)
{
    struct rng rng;
    unsigned hits = 0;

    rng_seed(&rng, 7);
    for (unsigned i = 0; i < warm + n; i++) {
        uint64_t extent = cyclic ? i % extents : rng_below(&rng, extents);
        struct sim_found found = look(b, 1, extent * 128 * KIB, 4 * KIB);
        hits += i >= warm && found.slowest == SIM_TIER_DRAM;
    }
    return hits / (double)n;
}

static void an_lru_cache_under_uniform_access_hits_its_share_of_the_working_set(void **state)
{
    (void)state;
    static const unsigned percent[] = {10, 50, 90};
    for (unsigned i = 0; i < 3; i++) {
        struct box b;
        struct sim_profile p = plain();
        p.dram.bytes = (uint64_t)percent[i] * 100 * 128 * KIB;
        box_open(&b, p);
        assert_near(hit_share(&b, 10000, false, 100000, 4000000), percent[i] / 100.0, 0.01);
        box_close(&b);
    }
}

/* Of a cycle of n through a cache of c < n the least recent is always the next one. */
static void an_lru_cache_under_cyclic_access_beyond_its_size_hits_nothing(void **state)
{
    (void)state;
    struct box b;
    struct sim_profile p = plain();
    p.dram.bytes = (uint64_t)1000 * 128 * KIB;
    box_open(&b, p);
    assert_true(hit_share(&b, 1001, true, 0, 100000) == 0);
    box_close(&b);
    box_open(&b, p);
    assert_true(hit_share(&b, 1000, true, 1000, 100000) == 1);
    box_close(&b);
}

/* Between two visits of an extent n(1 − h) others are given up, each one of c at random: h = exp(−(1 − h) n/c).
 * For n/c = 2: 0.2032. */
static void random_replacement_under_cyclic_access_hits_what_theory_says(void **state)
{
    (void)state;
    struct box b;
    struct sim_profile p = plain();
    p.dram.bytes = (uint64_t)20000 * 128 * KIB;
    p.dram.replace = SIM_REPLACE_RANDOM;
    box_open(&b, p);
    assert_near(hit_share(&b, 40000, true, 400000, 2000000), 0.2032, 0.02);
    box_close(&b);
}

/* ---- dirty data ---- */

struct writer {
    struct sim_waiter waiter;
    struct box *box;
    uint64_t write_bytes;
    uint64_t taken;
};

/* As fast as it is taken, at most until it has to wait. */
static void write_on(struct sim_event *e, uint64_t now_ns)
{
    struct writer *w = (struct writer *)e;

    (void)now_ns;
    do {
        w->waiter.off = w->taken;
        w->taken += w->write_bytes;
    } while (sim_store_write(w->box->store, &w->waiter));
}

static void writing_above_the_dirty_limit_goes_at_the_drain_rate(void **state)
{
    (void)state;
    struct box b;
    struct sim_profile p = plain();
    p.dram = (struct sim_dram){
        .bytes = 64 * MIB, .dirty_limit_bytes = 16 * MIB, .drain_bytes_s = 10 * MIB};
    box_open(&b, p);
    struct writer w = {.waiter = {.event = {.fire = write_on}, .file = 3, .len = 64 * KIB},
                       .box = &b,
                       .write_bytes = 64 * KIB};
    write_on(&w.waiter.event, 0);
    assert_near((double)w.taken, 16 * MIB, 0.01);
    run_until(&b, (uint64_t)100 * SEC);
    assert_near((double)w.taken, (16 + 1000) * (double)MIB, 0.01);
    assert_true(sum_of(&b).dirty_bytes <= 16 * MIB + 64 * KIB);
    assert_near((double)sum_of(&b).disk_written_bytes, 1000 * (double)MIB, 0.01);
    sim_store_forget(b.store, &w.waiter);
    box_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_lru_cache_under_uniform_access_hits_its_share_of_the_working_set),
        cmocka_unit_test(an_lru_cache_under_cyclic_access_beyond_its_size_hits_nothing),
        cmocka_unit_test(random_replacement_under_cyclic_access_hits_what_theory_says),
        cmocka_unit_test(writing_above_the_dirty_limit_goes_at_the_drain_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
