/* target/sim_disks_priv.h: which disks a read or write visits, how often, and for how long. */
#include "target/sim_disks_priv.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#define STRIPE    65536u
#define MS        1000000u
#define STRIPE_NS 1000000u /* at 65.536 MB/s */

struct rig {
    struct sim_profile profile;
    struct sim_net *net;
    struct sim_disk_array a;
};

/* Disks that turn once in 8 ms and take 3 ms to seek, where `moving`; a stripe takes 1 ms. */
static void rig_open(struct rig *r, unsigned count, enum sim_raid raid, unsigned per_set,
                     bool moving)
{
    r->profile = (struct sim_profile){
        .extent_bytes = STRIPE,
        .disks = {.count = count,
                  .raid = raid,
                  .per_set = per_set,
                  .seek = {.mean_ns = moving ? 3 * MS : 0},
                  .rpm = moving ? 7500 : 0,
                  .bytes_s = 65536000,
                  .stripe_bytes = STRIPE},
    };
    assert_int_equal(sim_net_new(1, &r->net), 0);
    assert_int_equal(sim_disks_init(&r->a, &r->profile, r->net), 0);
}

static void rig_close(struct rig *r)
{
    sim_disks_fini(&r->a);
    sim_net_free(r->net);
}

/* Everything is over. */
static void rest(struct rig *r)
{
    while (sim_net_step(r->net, sim_net_now(r->net) + (uint64_t)3600 * 1000 * MS))
        ;
}

static void assert_sum(const struct rig *r, uint64_t reads, uint64_t read_stripes, uint64_t writes,
                       uint64_t written_stripes)
{
    assert_int_equal(r->a.sum.reads, reads);
    assert_int_equal(r->a.sum.read_bytes, read_stripes * STRIPE);
    assert_int_equal(r->a.sum.writes, writes);
    assert_int_equal(r->a.sum.written_bytes, written_stripes * STRIPE);
}

static void write_place(struct rig *r, uint64_t off, uint64_t len)
{
    sim_disks_add(&r->a, 1, off, len);
    (void)sim_disks_write(&r->a, SIM_DISK_SEEKS);
}

static void a_read_of_many_stripes_is_shared_by_the_disks(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 4, SIM_RAID_0, 0, false);
    assert_int_equal(sim_disks_read(&r.a, 1, 0, 4 * STRIPE, SIM_DISK_SEEKS), STRIPE_NS);
    assert_sum(&r, 4, 4, 0, 0);
    /* Behind it, two stripes of one disk in one visit. */
    assert_int_equal(sim_disks_read(&r.a, 1, 0, 5 * STRIPE, SIM_DISK_SEEKS), 3 * STRIPE_NS);
    assert_sum(&r, 8, 9, 0, 0);
    assert_int_equal(sim_disks_read(&r.a, 1, 0, 0, SIM_DISK_SEEKS), sim_net_now(r.net));
    rig_close(&r);
}

static void a_mirror_is_written_to_both_and_read_from_the_one_that_is_free(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 2, SIM_RAID_1, 2, false);
    for (unsigned i = 0; i < 3; i++) /* 1, 1 and 2 stripes long */
        assert_int_equal(sim_disks_read(&r.a, 1, 0, STRIPE, SIM_DISK_SEEKS),
                         i < 2 ? STRIPE_NS : 2 * STRIPE_NS);
    assert_sum(&r, 3, 3, 0, 0);
    rest(&r);
    write_place(&r, 0, STRIPE / 2);
    assert_int_equal(r.a.sum.writes, 2);
    assert_int_equal(r.a.sum.written_bytes, STRIPE);
    rig_close(&r);
}

static void a_whole_row_of_raid_5_is_written_with_its_parity(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 5, SIM_RAID_5, 5, false);
    write_place(&r, 0, 4 * STRIPE);
    assert_sum(&r, 0, 0, 5, 5);
    assert_int_equal(sim_disks_physical(&r.a, 4 * STRIPE), 5 * STRIPE);
    /* Two rows: one visit of each disk. */
    write_place(&r, 0, 8 * STRIPE);
    assert_sum(&r, 0, 0, 10, 15);
    rig_close(&r);
}

static void a_small_write_of_raid_5_is_four_visits(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 5, SIM_RAID_5, 5, false);
    write_place(&r, STRIPE, STRIPE);
    assert_sum(&r, 2, 2, 2, 2);
    /* Two of four data disks: those and parity, read and written. */
    write_place(&r, STRIPE, 2 * STRIPE);
    assert_sum(&r, 5, 5, 5, 5);
    rig_close(&r);
}

/* What has been read has to come round again: one turn from the end of reading to the end of writing. */
static void a_small_write_waits_for_the_disk_to_come_round(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 3, SIM_RAID_5, 3, true);
    for (unsigned i = 0; i < 100; i++) {
        uint64_t now = sim_net_now(r.net);
        sim_disks_add(&r.a, 1, 0, STRIPE / 16);
        uint64_t took = sim_disks_write(&r.a, SIM_DISK_SEEKS) - now;
        assert_in_range(took, 3 * MS + 8 * MS + STRIPE_NS / 16,
                        3 * MS + 8 * MS + 8 * MS + STRIPE_NS / 16);
        rest(&r);
    }
    rig_close(&r);
}

static void parity_and_stripes_are_spread_over_all_disks(void **state)
{
    (void)state;
    struct rig r;
    struct sim_station_sum sum;
    rig_open(&r, 6, SIM_RAID_5, 3, false);
    write_place(&r, 0, 6 * 2 * STRIPE); /* three rows in each set */
    rest(&r);
    assert_true(sim_net_sum(r.net, 0, &sum));
    assert_int_equal(sum.visits, 6);
    assert_int_equal(sum.worst_busy_ns, 3 * STRIPE_NS);
    assert_int_equal(sum.busy_ns, 18 * STRIPE_NS);
    rest(&r);
    /* Each data disk a third of the rows' parity: twelve stripes, two each; a read-ahead hides a read's own. */
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(sim_disks_read(&r.a, 1, 0, 12 * STRIPE, SIM_DISK_FOLLOWS),
                         sim_net_now(r.net) + i * 2 * STRIPE_NS);
    rig_close(&r);
}

static void assert_near(double got, double wanted, double frac)
{
    if (fabs(got - wanted) > frac * wanted)
        fail_msg("%.9g is not within %g of %.9g", got, frac, wanted);
}

/* Sixteen stripes each, three rows of five and a part: whatever their number, no disk has more of it than others. */
static void short_files_load_all_disks_alike(void **state)
{
    (void)state;
    const uint32_t files = 4096;
    const uint64_t stripes = 16;
    struct rig r;
    struct sim_station_sum sum;
    rig_open(&r, 6, SIM_RAID_5, 6, false);
    for (uint32_t file = 0; file < files; file++)
        for (uint64_t i = 0; i < stripes; i++)
            (void)sim_disks_read(&r.a, file, i * STRIPE, STRIPE, SIM_DISK_FOLLOWS);
    rest(&r);
    assert_true(sim_net_sum(r.net, 0, &sum));
    assert_near((double)sum.worst_busy_ns * 6, (double)sum.busy_ns, 0.01);
    rig_close(&r);
}

/* Mean of many visits, each finding `others` at the disk. */
static double mean_read_ns(struct rig *r, unsigned others, enum sim_disk_start start)
{
    const unsigned n = 20000;
    double sum = 0;

    for (unsigned i = 0; i < n; i++) {
        rest(r);
        uint64_t free_at = sim_net_now(r->net);
        for (unsigned k = 0; k < others; k++)
            free_at = sim_disks_read(&r->a, 1, 0, STRIPE, start);
        sum += (double)(sim_disks_read(&r->a, 1, 0, STRIPE, start) - free_at);
    }
    return sum / n;
}

/* 3 ms and half a turn of 8 ms, then a stripe; a quarter less where four wait, half where eight or more. */
static void positioning_is_less_the_more_there_are_to_choose_from(void **state)
{
    (void)state;
    static const struct {
        unsigned others;
        double mean_ms;
    } cases[] = {{0, 8}, {4, 1 + 7 * 0.75}, {8, 1 + 7 * 0.5}, {20, 1 + 7 * 0.5}};
    struct rig r;
    rig_open(&r, 1, SIM_RAID_0, 0, true);
    r.profile.disks.queue_gain_ppm = 500000;
    for (unsigned i = 0; i < 4; i++)
        assert_near(mean_read_ns(&r, cases[i].others, SIM_DISK_SEEKS), cases[i].mean_ms * MS, 0.01);
    /* What follows has been read ahead: it waits for the queue alone. */
    assert_true(mean_read_ns(&r, 0, SIM_DISK_FOLLOWS) == 0);
    assert_true(mean_read_ns(&r, 4, SIM_DISK_FOLLOWS) == STRIPE_NS);
    rig_close(&r);
}

/* Gathered writes go on where the last one ended, until a read takes the head away. */
static void gathered_writes_seek_only_where_the_head_was_moved(void **state)
{
    (void)state;
    struct rig r;
    rig_open(&r, 3, SIM_RAID_5, 3, true);
    assert_true(sim_disks_gather(&r.a, 2 * STRIPE, SIM_DISK_CONTINUES) > STRIPE_NS);
    for (unsigned i = 0; i < 3; i++) {
        rest(&r);
        uint64_t now = sim_net_now(r.net);
        assert_int_equal(sim_disks_gather(&r.a, 2 * STRIPE, SIM_DISK_CONTINUES), now + STRIPE_NS);
    }
    assert_sum(&r, 0, 0, 12, 12);
    rest(&r);
    (void)sim_disks_read(&r.a, 1, 0, 2 * STRIPE, SIM_DISK_SEEKS);
    rest(&r);
    uint64_t now = sim_net_now(r.net);
    assert_true(sim_disks_gather(&r.a, 2 * STRIPE, SIM_DISK_CONTINUES) > now + 3 * MS);
    /* A part of a row: as many disks as it needs, and parity. */
    assert_int_equal(r.a.sum.writes, 15);
    (void)sim_disks_gather(&r.a, 100, SIM_DISK_CONTINUES);
    assert_int_equal(r.a.sum.writes, 17);
    rig_close(&r);
}

static void a_slow_disk_is_slower(void **state)
{
    (void)state;
    struct sim_net *net;
    struct sim_disk_array a;
    struct rig r;
    rig_open(&r, 2, SIM_RAID_0, 0, false);
    r.profile.faults.slow_disks = 1;
    r.profile.faults.slow_disk[0].disk = 1;
    r.profile.faults.slow_disk[0].by = 10;
    assert_int_equal(sim_net_new(1, &net), 0);
    assert_int_equal(sim_disks_init(&a, &r.profile, net), 0);
    assert_int_equal(sim_disks_read(&a, 1, 0, 2 * STRIPE, SIM_DISK_SEEKS), 10 * STRIPE_NS);
    sim_disks_fini(&a);
    sim_net_free(net);
    rig_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_read_of_many_stripes_is_shared_by_the_disks),
        cmocka_unit_test(a_mirror_is_written_to_both_and_read_from_the_one_that_is_free),
        cmocka_unit_test(a_whole_row_of_raid_5_is_written_with_its_parity),
        cmocka_unit_test(a_small_write_of_raid_5_is_four_visits),
        cmocka_unit_test(a_small_write_waits_for_the_disk_to_come_round),
        cmocka_unit_test(parity_and_stripes_are_spread_over_all_disks),
        cmocka_unit_test(short_files_load_all_disks_alike),
        cmocka_unit_test(positioning_is_less_the_more_there_are_to_choose_from),
        cmocka_unit_test(gathered_writes_seek_only_where_the_head_was_moved),
        cmocka_unit_test(a_slow_disk_is_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
