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

/* Of one stream each: one write of a whole extent, all at the limit from the third on. */
struct order {
    struct sim_waiter waiter;
    unsigned *fired; /* how many before */
    unsigned mine;
};

static void note_order(struct sim_event *e, uint64_t now_ns)
{
    struct order *o = (struct order *)e;

    (void)now_ns;
    o->mine = ++*o->fired;
}

static struct sim_profile two_extents_dirty(void)
{
    struct sim_profile p = plain();
    p.dram = (struct sim_dram){.bytes = 64 * MIB, .dirty_limit_bytes = 256 * KIB};
    return p;
}

static void those_who_wait_go_on_in_order_and_all_of_them_do(void **state)
{
    (void)state;
    struct box b;
    static struct order o[40];
    unsigned fired = 0;
    unsigned waits = 0;
    box_open(&b, two_extents_dirty());
    for (unsigned i = 0; i < 40; i++) {
        o[i] =
            (struct order){.waiter = {.event = {.fire = note_order}, .file = i, .len = 128 * KIB},
                           .fired = &fired};
        assert_int_equal(sim_store_write(b.store, &o[i].waiter), i < 2);
    }
    sim_store_forget(b.store, &o[2].waiter);  /* the first, */
    sim_store_forget(b.store, &o[20].waiter); /* one between, */
    sim_store_forget(b.store, &o[39].waiter); /* and the last */
    assert_false(sim_store_write(b.store, &o[39].waiter));
    run_until(&b, (uint64_t)60 * SEC);
    assert_int_equal(fired, 36);
    for (unsigned i = 3; i < 40; i++)
        if (i != 20)
            assert_int_equal(o[i].mine, ++waits);
    assert_int_equal(sum_of(&b).dirty_bytes, 0);
    assert_int_equal(sum_of(&b).dirty_waits, 39);
    assert_true(sum_of(&b).dirty_wait_ns > 0);
    box_close(&b);
}

static void what_is_removed_is_not_written_and_makes_room(void **state)
{
    (void)state;
    struct box b;
    struct order o[4];
    unsigned fired = 0;
    struct sim_profile p = two_extents_dirty();
    p.dram.drain_bytes_s = 1; /* after the first job, none */
    box_open(&b, p);
    for (unsigned i = 0; i < 4; i++) {
        o[i] =
            (struct order){.waiter = {.event = {.fire = note_order}, .file = i, .len = 128 * KIB},
                           .fired = &fired};
        assert_int_equal(sim_store_write(b.store, &o[i].waiter), i < 2);
    }
    run_until(&b, 100 * (uint64_t)SEC);
    assert_int_equal(fired, 1); /* file 0 has been written */
    sim_store_cut(b.store, 1, 0);
    sim_store_cut(b.store, 2, 64 * KIB);
    run_until(&b, 101 * (uint64_t)SEC);
    assert_int_equal(fired, 2);
    assert_int_equal(sum_of(&b).dirty_bytes, (64 + 128) * KIB);
    assert_int_equal(sum_of(&b).disk_written_bytes, 128 * KIB);
    /* And it is no longer in memory; what is left of the other one is. */
    assert_int_equal(look(&b, 1, 0, KIB).slowest, SIM_TIER_DISK);
    assert_int_equal(look(&b, 2, 0, KIB).slowest, SIM_TIER_DRAM);
    box_close(&b);
}

static void settling_waits_for_what_was_dirty_and_not_for_what_comes_later(void **state)
{
    (void)state;
    struct box b;
    unsigned fired = 0;
    struct order o = {.waiter = {.event = {.fire = note_order}}, .fired = &fired};
    struct sim_profile p = plain();
    p.dram =
        (struct sim_dram){.bytes = 64 * MIB, .dirty_limit_bytes = 16 * MIB, .drain_bytes_s = MIB};
    box_open(&b, p);
    assert_true(sim_store_settle(b.store, &o.waiter));
    struct writer w = {.waiter = {.event = {.fire = write_on}, .file = 3, .len = 64 * KIB},
                       .box = &b,
                       .write_bytes = 64 * KIB};
    write_on(&w.waiter.event, 0); /* and goes on for ever */
    assert_false(sim_store_settle(b.store, &o.waiter));
    run_until(&b, (uint64_t)15 * SEC);
    assert_int_equal(fired, 0);
    run_until(&b, (uint64_t)17 * SEC);
    assert_int_equal(fired, 1);
    box_close(&b);
}

/* Nobody hurries: after a second. */
static void dirty_data_is_written_when_it_has_been_that_for_a_second(void **state)
{
    (void)state;
    struct box b;
    struct sim_waiter w = {.file = 1, .len = 4 * KIB};
    struct sim_profile p = plain();
    p.dram = (struct sim_dram){.bytes = 64 * MIB, .dirty_limit_bytes = 16 * MIB};
    box_open(&b, p);
    assert_true(sim_store_write(b.store, &w));
    run_until(&b, SEC - 1);
    assert_int_equal(sum_of(&b).disk_writes, 0);
    run_until(&b, SEC + SEC / 10);
    assert_int_equal(sum_of(&b).disk_writes, 1);
    assert_int_equal(sum_of(&b).disk_written_bytes, 4 * KIB);
    assert_int_equal(sum_of(&b).dirty_bytes, 0);
    box_close(&b);
}

static void without_dirty_data_each_write_waits_for_the_disks(void **state)
{
    (void)state;
    struct box b;
    unsigned fired = 0;
    struct order o = {.waiter = {.event = {.fire = note_order}, .file = 1, .len = 128 * KIB},
                      .fired = &fired};
    struct sim_profile p = plain();
    p.dram.bytes = 64 * MIB;
    p.path = (struct sim_way){.servers = 1, .write_bytes_s = 128 * KIB * 1000}; /* 1 ms */
    box_open(&b, p);
    assert_false(sim_store_write(b.store, &o.waiter));
    run_until(&b, 2310719); /* and 1.31072 ms at a disk */
    assert_int_equal(fired, 0);
    run_until(&b, 2310720);
    assert_int_equal(fired, 1);
    assert_int_equal(sum_of(&b).dirty_waits, 0);
    assert_int_equal(look(&b, 1, 0, KIB).slowest, SIM_TIER_DRAM);
    box_close(&b);
}

/* At the disks, and let go on but not yet fired. */
static void a_write_under_way_can_be_forgotten(void **state)
{
    (void)state;
    struct box b;
    unsigned fired = 0;
    struct order o[3];
    for (unsigned i = 0; i < 3; i++)
        o[i] =
            (struct order){.waiter = {.event = {.fire = note_order}, .file = i, .len = 128 * KIB},
                           .fired = &fired};
    box_open(&b, plain());
    for (unsigned i = 0; i < 2; i++)
        assert_false(sim_store_write(b.store, &o[i].waiter));
    run_until(&b, 1);
    sim_store_forget(b.store, &o[0].waiter);
    run_until(&b, SEC);
    assert_int_equal(fired, 1);
    assert_int_equal(sum_of(&b).disk_writes, 2);
    box_close(&b);

    struct sim_profile p = two_extents_dirty();
    p.dram.drain_bytes_s = 1; /* file 0 is on its way, file 1 has time */
    fired = 0;
    box_open(&b, p);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(sim_store_write(b.store, &o[i].waiter), i < 2);
    sim_store_cut(b.store, 1, 0);
    sim_store_forget(b.store, &o[2].waiter);
    run_until(&b, SEC);
    assert_int_equal(fired, 0);
    box_close(&b);
}

/* ---- what writing costs ---- */

/* A file of `extents` written in order, a part of an extent at a time, and settled. */
static struct sim_store_sum written(struct sim_profile p, unsigned extents, unsigned step,
                                    bool backwards)
{
    struct box b;
    struct sim_store_sum sum;
    struct sim_waiter w = {.file = 5, .len = 128 * KIB / step};

    p.dram.bytes = 256 * MIB;
    p.dram.dirty_limit_bytes = 256 * MIB;
    box_open(&b, p);
    for (unsigned i = 0; i < extents * step; i++) {
        w.off = (backwards ? extents * step - 1 - i : i) * w.len;
        assert_true(sim_store_write(b.store, &w));
    }
    run_until(&b, (uint64_t)100 * SEC);
    sum = sum_of(&b);
    assert_int_equal(sum.dirty_bytes, 0);
    box_close(&b);
    return sum;
}

static void mirrored_disks_are_written_twice_whatever_the_size_of_writes(void **state)
{
    (void)state;
    struct sim_profile p = plain();
    p.disks.raid = SIM_RAID_1;
    p.disks.per_set = 2;
    for (unsigned gathers = 0; gathers < 2; gathers++) {
        p.disks.write_cache = gathers > 0;
        assert_int_equal(written(p, 400, 1, false).disk_written_bytes, 2 * 400 * 128 * KIB);
        assert_int_equal(written(p, 400, 16, false).disk_written_bytes, 2 * 400 * 128 * KIB);
    }
}

static void files_written_from_one_end_fill_the_rows_of_raid_5(void **state)
{
    (void)state;
    struct sim_profile p = plain();
    p.disks.raid = SIM_RAID_5;
    p.disks.per_set = 4;
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        struct sim_store_sum sum = written(p, 384, 4, backwards > 0);
        assert_int_equal(sum.disk_written_bytes, 384 * 4 / 3 * 128 * KIB);
        assert_int_equal(sum.disk_reads, 0);
    }
}

/* Every fourth extent: each a small write of four visits, or gathered with others. */
static void scattered_writes_cost_raid_5_four_visits_unless_they_are_gathered(void **state)
{
    (void)state;
    for (unsigned gathers = 0; gathers < 2; gathers++) {
        struct box b;
        struct sim_waiter w = {.file = 5, .len = 128 * KIB};
        struct sim_profile p = plain();
        p.disks.raid = SIM_RAID_5;
        p.disks.per_set = 4;
        p.disks.write_cache = gathers > 0;
        p.dram = (struct sim_dram){.bytes = 256 * MIB, .dirty_limit_bytes = 256 * MIB};
        box_open(&b, p);
        for (unsigned i = 0; i < 120; i++, w.off += 3 * 4 * 128 * KIB)
            assert_true(sim_store_write(b.store, &w));
        run_until(&b, (uint64_t)100 * SEC);
        struct sim_store_sum sum = sum_of(&b);
        assert_int_equal(sum.disk_reads, gathers ? 0 : 2 * 120);
        assert_int_equal(sum.disk_written_bytes, (gathers ? 160 : 240) * 128 * KIB);
        box_close(&b);
    }
}

/* A job is 256 KiB, 250 ms of this path: one is being served, one waits, and then the read of 125 ms. */
static void who_reads_waits_on_the_path_behind_two_jobs_at_most(void **state)
{
    (void)state;
    struct box b;
    struct sim_waiter w = {.file = 5, .len = 16 * MIB};
    struct sim_found found = {.file = 1, .bytes = {[SIM_TIER_DISK] = 128 * KIB}};
    struct sim_profile p = plain();
    p.path = (struct sim_way){.servers = 1, .read_bytes_s = MIB, .write_bytes_s = MIB};
    p.dram = (struct sim_dram){.bytes = 256 * MIB, .dirty_limit_bytes = 16 * MIB};
    box_open(&b, p);
    assert_true(sim_store_write(b.store, &w));
    run_until(&b, SEC + 1);
    assert_int_equal(sim_store_path(b.store, &found), SEC + 2 * SEC / 4 + SEC / 8);
    /* Nor does the path run dry. */
    run_until(&b, (uint64_t)16 * SEC + SEC / 8 + SEC / 10);
    assert_int_equal(sum_of(&b).dirty_bytes, 0);
    box_close(&b);
}

/* 64 extents of 1.31 ms on one disk: one seek of 50 ms. */
static void a_file_written_in_order_is_sought_once(void **state)
{
    (void)state;
    for (unsigned gathers = 0; gathers < 2; gathers++) {
        struct box b;
        struct sim_station_sum sum;
        struct sim_waiter w = {.file = 5, .len = 64 * 128 * KIB};
        struct sim_profile p = plain();
        p.disks.count = 1;
        p.disks.seek.mean_ns = 50000000;
        p.disks.write_cache = gathers > 0;
        p.dram = (struct sim_dram){.bytes = 256 * MIB, .dirty_limit_bytes = 256 * MIB};
        box_open(&b, p);
        assert_true(sim_store_write(b.store, &w));
        run_until(&b, (uint64_t)100 * SEC);
        assert_true(sim_net_sum(b.net, 0, &sum));
        assert_int_equal(sum.busy_ns, 50000000 + 64 * 1310720);
        box_close(&b);
    }
}

static void a_mirrored_path_is_passed_by_each_copy(void **state)
{
    (void)state;
    for (unsigned mirrored = 0; mirrored < 2; mirrored++) {
        struct box b;
        struct sim_station_sum sum;
        struct sim_waiter w = {.file = 5, .len = MIB};
        struct sim_profile p = plain();
        p.disks.raid = SIM_RAID_1;
        p.disks.per_set = 2;
        p.path = (struct sim_way){.servers = 1, .write_bytes_s = MIB, .mirrored = mirrored > 0};
        p.dram = (struct sim_dram){.bytes = 256 * MIB, .dirty_limit_bytes = 256 * MIB};
        box_open(&b, p);
        assert_true(sim_store_write(b.store, &w));
        run_until(&b, (uint64_t)100 * SEC);
        assert_true(sim_net_sum(b.net, 0, &sum));
        assert_string_equal(sum.name, "path");
        assert_int_equal(sum.busy_ns, (mirrored ? 2 : 1) * (uint64_t)SEC);
        box_close(&b);
    }
}

/* ---- log ---- */

static struct sim_profile with_log(bool on)
{
    struct sim_profile p = plain();
    p.dram = (struct sim_dram){.bytes = 64 * MIB, .dirty_limit_bytes = 16 * MIB};
    p.disks.raid = SIM_RAID_1;
    p.disks.per_set = 2;
    p.disks.seek.mean_ns = 8000000;
    p.log = (struct sim_log){.on = on, .devices = 1, .write = {.mean_ns = 100000}};
    return p;
}

static void the_log_makes_stable_what_stays_dirty(void **state)
{
    (void)state;
    struct box b;
    struct sim_waiter w = {.file = 1, .len = 4 * KIB};
    box_open(&b, with_log(true));
    assert_true(sim_store_write(b.store, &w));
    assert_int_equal(sim_store_dirty(b.store, 1), 4 * KIB);
    assert_int_equal(sim_store_sync(b.store, 1, 0, 4 * KIB), 100000);
    assert_int_equal(sim_store_dirty(b.store, 1), 0); /* nothing to be made stable again */
    assert_int_equal(sum_of(&b).dirty_bytes, 4 * KIB);
    assert_int_equal(sum_of(&b).log_writes, 1);
    assert_int_equal(sum_of(&b).log_bytes, 4 * KIB);
    assert_int_equal(sum_of(&b).disk_writes, 0);
    assert_true(sim_store_write(b.store, &w));
    assert_int_equal(sim_store_dirty(b.store, 1), 4 * KIB);
    box_close(&b);
}

/* 18 billion bytes were more than their nanoseconds had room for on the way. */
static void what_is_very_large_takes_very_long(void **state)
{
    (void)state;
    const uint64_t bytes = (uint64_t)40000 * 1000000;
    struct box b;
    struct sim_profile p = with_log(true);
    p.log.write_bytes_s = 100000000;
    p.path = (struct sim_way){.servers = 1, .read_bytes_s = 100000000};
    box_open(&b, p);
    assert_int_equal(sim_store_sync(b.store, 1, 0, bytes), (uint64_t)400 * SEC + 100000);
    struct sim_found found = {.file = 1, .bytes = {[SIM_TIER_DISK] = bytes}};
    assert_int_equal(sim_store_path(b.store, &found), (uint64_t)400 * SEC);
    box_close(&b);
}

static void without_a_log_the_disks_seek_for_it(void **state)
{
    (void)state;
    for (unsigned gathers = 0; gathers < 2; gathers++) {
        struct box b;
        struct sim_waiter w = {.file = 1, .len = 4 * KIB};
        struct sim_waiter settled = {.file = 0};
        struct sim_profile p = with_log(false);
        p.disks.count = 2;
        p.disks.write_cache = gathers > 0;
        box_open(&b, p);
        assert_true(sim_store_write(b.store, &w));
        uint64_t leaves = sim_store_sync(b.store, 1, 0, 4 * KIB);
        assert_int_equal(leaves, 8000000 + 40960);
        assert_int_equal(sum_of(&b).dirty_bytes, 0);
        assert_int_equal(sum_of(&b).disk_writes, 2);
        /* They have not got it before. */
        unsigned fired = 0;
        struct order o = {.waiter = settled, .fired = &fired};
        o.waiter.event.fire = note_order;
        assert_false(sim_store_settle(b.store, &o.waiter));
        run_until(&b, leaves - 1);
        assert_int_equal(fired, 0);
        run_until(&b, leaves);
        assert_int_equal(fired, 1);
        assert_int_equal(sim_store_sync(b.store, 1, 0, 4 * KIB), leaves); /* nothing left to do */
        assert_true(sim_store_write(b.store, &w));
        assert_int_equal(sim_store_sync(b.store, 1, 0, 4 * KIB), 2 * leaves); /* and seek again */
        box_close(&b);
    }
}

/* ---- tiers ---- */

static struct sim_profile with_flash(void)
{
    struct sim_profile p = plain();
    p.dram.bytes = 10 * 128 * KIB;
    p.flash = (struct sim_flash){
        .on = true, .bytes = 20 * 128 * KIB, .devices = 2, .read = {.mean_ns = 150000}};
    return p;
}

static void what_memory_gives_up_is_in_flash(void **state)
{
    (void)state;
    struct box b;
    box_open(&b, with_flash());
    for (unsigned i = 0; i < 25; i++)
        assert_int_equal(look(&b, 1, i * 128 * KIB, KIB).bytes[SIM_TIER_DISK], 128 * KIB);
    assert_int_equal(sum_of(&b).flash_written_bytes, 15 * 128 * KIB);
    assert_int_equal(look(&b, 1, 24 * 128 * KIB, KIB).slowest, SIM_TIER_DRAM);
    struct sim_found found = look(&b, 1, 0, KIB);
    assert_int_equal(found.slowest, SIM_TIER_FLASH);
    assert_int_equal(found.bytes[SIM_TIER_FLASH], 128 * KIB);
    assert_int_equal(look(&b, 1, 0, KIB).slowest, SIM_TIER_DRAM);
    assert_int_equal(sum_of(&b).misses, 25);
    assert_int_equal(sum_of(&b).flash_hits, 1);
    assert_int_equal(sum_of(&b).dram_hits, 2);
    box_close(&b);
}

/* Direct reads were served from the memory of the machine that asked. */
static void a_direct_read_passes_memory_by(void **state)
{
    (void)state;
    struct box b;
    struct sim_profile p = plain();
    struct sim_found found = {.file = 1, .off = 4 * KIB, .len = 128 * KIB, .direct = true};
    p.dram.bytes = 64 * MIB;
    box_open(&b, p);
    sim_store_present(b.store, 1, 32 * MIB, true, false);
    sim_store_look(b.store, &found);
    assert_int_equal(found.slowest, SIM_TIER_DISK);
    assert_int_equal(found.bytes[SIM_TIER_DISK], 128 * KIB);
    assert_int_equal(sim_store_disks(b.store, &found), 1269760); /* 124 KiB of one, beside 4 */
    found.file = 2;
    sim_store_look(b.store, &found);
    assert_int_equal(look(&b, 2, 4 * KIB, KIB).slowest, SIM_TIER_DISK); /* none of it was kept */
    assert_int_equal(look(&b, 1, 4 * KIB, KIB).slowest, SIM_TIER_DRAM);
    box_close(&b);
}

static void a_read_may_come_from_everywhere_at_once(void **state)
{
    (void)state;
    struct box b;
    box_open(&b, with_flash());
    sim_store_present(b.store, 1, 128 * KIB, true, false);
    sim_store_present(b.store, 1, 4 * 128 * KIB, false, true);
    sim_store_present(b.store, 1, 6 * 128 * KIB, false, false);
    struct sim_found found = look(&b, 1, KIB, 6 * 128 * KIB - KIB);
    assert_int_equal(found.bytes[SIM_TIER_DRAM], 127 * KIB);
    assert_int_equal(found.bytes[SIM_TIER_FLASH], 3 * 128 * KIB);
    assert_int_equal(found.bytes[SIM_TIER_DISK], 2 * 128 * KIB);
    assert_int_equal(found.slowest, SIM_TIER_DISK);
    /* Three extents, two devices; two extents, two disks, which are not those of the others. */
    struct sim_found others = {.file = 1, .bytes = {[SIM_TIER_DISK] = 4 * 128 * KIB}};
    assert_int_equal(sim_store_disks(b.store, &others), 1310720);
    assert_int_equal(sim_store_flash(b.store, &found), 300000);
    assert_int_equal(sim_store_disks(b.store, &found), 1310720);
    assert_int_equal(sum_of(&b).disk_reads, 4 + 2);
    assert_int_equal(sum_of(&b).disk_read_bytes, 6 * 128 * KIB);
    box_close(&b);
}

/* 1,000 of 16 KiB fit into room for 125 whole extents; what is there beforehand stops where it is full. */
static void small_files_take_their_own_room(void **state)
{
    (void)state;
    struct box b;
    unsigned in_dram = 0;
    struct sim_profile p = plain();
    p.dram.bytes = 125 * 128 * KIB;
    box_open(&b, p);
    for (uint32_t file = 0; file < 1500; file++)
        sim_store_present(b.store, file, 16 * KIB, true, false);
    for (uint32_t file = 0; file < 1000; file++)
        in_dram += look(&b, file, 0, 16 * KIB).slowest == SIM_TIER_DRAM;
    assert_int_equal(in_dram, 1000);
    assert_int_equal(look(&b, 1200, 0, 16 * KIB).bytes[SIM_TIER_DISK], 16 * KIB);
    box_close(&b);
}

/* ---- again ---- */

/* A bit of everything; a digest of all times. */
static uint64_t everything(uint64_t seed)
{
    struct box b;
    struct rng rng;
    uint64_t digest = 0;
    static struct order o[64];
    unsigned fired = 0;
    struct sim_profile p = with_flash();
    p.dram = (struct sim_dram){
        .bytes = 8 * MIB, .replace = SIM_REPLACE_RANDOM, .dirty_limit_bytes = MIB};
    p.disks.seek = (struct sim_time){.kind = SIM_TIME_EXP, .mean_ns = 5000000};
    p.disks.rpm = 7200;
    p.disks.raid = SIM_RAID_5;
    p.disks.per_set = 4;
    box_open(&b, p);
    rng_seed(&rng, seed);
    for (unsigned i = 0; i < 64; i++) {
        struct sim_found found =
            look(&b, (uint32_t)rng_below(&rng, 5), rng_below(&rng, 64 * MIB), 64 * KIB);
        digest = mix64_pair(digest, sim_store_disks(b.store, &found));
        o[i] = (struct order){.waiter = {.event = {.fire = note_order},
                                         .file = i % 7,
                                         .off = rng_below(&rng, 64 * MIB),
                                         .len = 100 * KIB},
                              .fired = &fired};
        digest = mix64_pair(digest, sim_store_write(b.store, &o[i].waiter));
        if (i % 9 == 0)
            digest = mix64_pair(digest, sim_store_sync(b.store, i % 7, 0, UINT64_MAX));
        if (i % 13 == 0)
            sim_store_cut(b.store, i % 7, rng_below(&rng, 64 * MIB));
        run_until(&b, sim_net_now(b.net) + rng_below(&rng, 10000000));
        digest = mix64_pair(digest, mix64_pair(fired, sum_of(&b).dirty_bytes));
    }
    run_until(&b, (uint64_t)100 * SEC);
    assert_int_equal(sum_of(&b).dirty_bytes, 0);
    digest = mix64_pair(digest, sum_of(&b).disk_written_bytes);
    box_close(&b);
    return digest;
}

static void the_same_again_is_the_same(void **state)
{
    (void)state;
    uint64_t once = everything(1);
    void *elsewhere = malloc(12345); /* the second time, at other addresses */
    assert_true(once == everything(1));
    assert_true(once != everything(2));
    free(elsewhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_lru_cache_under_uniform_access_hits_its_share_of_the_working_set),
        cmocka_unit_test(an_lru_cache_under_cyclic_access_beyond_its_size_hits_nothing),
        cmocka_unit_test(random_replacement_under_cyclic_access_hits_what_theory_says),
        cmocka_unit_test(writing_above_the_dirty_limit_goes_at_the_drain_rate),
        cmocka_unit_test(those_who_wait_go_on_in_order_and_all_of_them_do),
        cmocka_unit_test(what_is_removed_is_not_written_and_makes_room),
        cmocka_unit_test(settling_waits_for_what_was_dirty_and_not_for_what_comes_later),
        cmocka_unit_test(dirty_data_is_written_when_it_has_been_that_for_a_second),
        cmocka_unit_test(without_dirty_data_each_write_waits_for_the_disks),
        cmocka_unit_test(a_write_under_way_can_be_forgotten),
        cmocka_unit_test(a_file_written_in_order_is_sought_once),
        cmocka_unit_test(mirrored_disks_are_written_twice_whatever_the_size_of_writes),
        cmocka_unit_test(files_written_from_one_end_fill_the_rows_of_raid_5),
        cmocka_unit_test(scattered_writes_cost_raid_5_four_visits_unless_they_are_gathered),
        cmocka_unit_test(who_reads_waits_on_the_path_behind_two_jobs_at_most),
        cmocka_unit_test(a_mirrored_path_is_passed_by_each_copy),
        cmocka_unit_test(the_log_makes_stable_what_stays_dirty),
        cmocka_unit_test(what_is_very_large_takes_very_long),
        cmocka_unit_test(without_a_log_the_disks_seek_for_it),
        cmocka_unit_test(what_memory_gives_up_is_in_flash),
        cmocka_unit_test(a_direct_read_passes_memory_by),
        cmocka_unit_test(a_read_may_come_from_everywhere_at_once),
        cmocka_unit_test(small_files_take_their_own_room),
        cmocka_unit_test(the_same_again_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
