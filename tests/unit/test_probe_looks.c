/* probe_priv.h: what looks at counters and levels say of a window: rates, gaps, counters begun anew, and what
 * goes when there are too many. */
#include "probe/probe_priv.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MS UINT64_C(1000000)
#define S  (1000 * MS)

struct rig {
    struct looks looks;
    struct sights sights;
    struct tracks tracks;
};

static int open_rig(void **state)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    looks_init(&rig->looks, S);
    *state = rig;
    return 0;
}

static int close_rig(void **state)
{
    struct rig *rig = *state;
    looks_fini(&rig->looks);
    sights_fini(&rig->sights);
    tracks_fini(&rig->tracks);
    free(rig);
    return 0;
}

static void see(struct rig *rig, uint64_t at_ns, enum sight_form form, double value, double per)
{
    sights_clear(&rig->sights);
    rig->sights.at_ns = at_ns;
    struct sight *one = sights_put(&rig->sights, TRACK_SERVER, TRACK_NIC_OUT, form, "eth0");
    one->capacity = 200;
    one->value = value;
    one->per = per;
}

static void look(struct rig *rig, uint64_t at_ns, enum sight_form form, double value, double per)
{
    see(rig, at_ns, form, value, per);
    assert_int_equal(looks_keep(&rig->looks, &rig->sights, false), 0);
}

static void blind(struct rig *rig, uint64_t at_ns)
{
    sights_clear(&rig->sights);
    rig->sights.at_ns = at_ns;
    assert_int_equal(looks_keep(&rig->looks, &rig->sights, false), 0);
}

static const struct track *window(struct rig *rig, uint64_t from_ns, uint64_t to_ns,
                                  unsigned values)
{
    const struct look_window w = {
        .from_ns = from_ns, .to_ns = to_ns, .zero_ns = 10 * S, .values = values};
    tracks_fini(&rig->tracks);
    assert_int_equal(looks_between(&rig->looks, &w, &rig->tracks), 0);
    const struct track *one = tracks_find(&rig->tracks, TRACK_SERVER, TRACK_NIC_OUT, "eth0");
    assert_non_null(one);
    return one;
}

static void assert_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
        fail_msg("%.9g is not %.9g", got, wanted);
}

static void a_counter_grows_evenly_between_looks(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_COUNTED, 1000, 0);
    look(rig, 11 * S, SIGHT_COUNTED, 1100, 0);
    look(rig, 12 * S, SIGHT_COUNTED, 1300, 0);
    look(rig, 13 * S, SIGHT_COUNTED, 1400, 0);
    const struct track *one = window(rig, 10 * S + 500 * MS, 12 * S + 500 * MS, 2);
    assert_int_equal(rig->tracks.first_ns, 500 * MS);
    assert_int_equal(rig->tracks.period_ns, S);
    assert_int_equal(one->n, 2);
    assert_near(one->value[0], 150);
    assert_near(one->value[1], 150);
    one = window(rig, 10 * S, 13 * S, 3);
    assert_near(one->mean, 400.0 / 3);
    assert_near(one->peak, 200);
    assert_near(one->full_frac, 1.0 / 3);
    assert_near(one->capacity, 200);
}

/* As at the edges of a short window: the second look comes a little late. */
static void two_looks_at_the_edges_are_enough(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_COUNTED, 0, 0);
    look(rig, 10 * S + 210 * MS, SIGHT_COUNTED, 21, 0);
    const struct track *one = window(rig, 10 * S, 10 * S + 200 * MS, 1);
    assert_near(one->mean, 100);
    assert_near(one->value[0], 100);
}

static void a_window_between_two_looks_is_not_spoken_for(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_COUNTED, 0, 0);
    look(rig, 11 * S, SIGHT_COUNTED, 1000, 0);
    const struct track *one = window(rig, 10 * S + 300 * MS, 10 * S + 700 * MS, 1);
    assert_true(isnan(one->mean) && isnan(one->peak) && one->n == 0);
    one = window(rig, 20 * S, 30 * S, 10);
    assert_true(isnan(one->mean) && one->n == 0);
}

static void a_counter_that_went_back_is_a_gap(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_COUNTED, 500, 0);
    look(rig, 11 * S, SIGHT_COUNTED, 600, 0);
    look(rig, 12 * S, SIGHT_COUNTED, 50, 0);
    look(rig, 13 * S, SIGHT_COUNTED, 150, 0);
    const struct track *one = window(rig, 10 * S, 13 * S, 3);
    assert_near(one->mean, 100);
    assert_near(one->value[0], 100);
    assert_true(isnan(one->value[1]));
    assert_near(one->value[2], 100);
}

/* What a counter grew by while nobody looked is known, only not when. */
static void a_long_silence_is_in_the_mean_and_in_no_value(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_COUNTED, 0, 0);
    look(rig, 11 * S, SIGHT_COUNTED, 100, 0);
    blind(rig, 12 * S);
    blind(rig, 13 * S);
    look(rig, 14 * S, SIGHT_COUNTED, 1000, 0);
    look(rig, 15 * S, SIGHT_COUNTED, 1100, 0);
    const struct track *one = window(rig, 10 * S, 15 * S, 5);
    assert_near(one->mean, 220);
    assert_near(one->peak, 100);
    assert_int_equal(one->n, 5);
    assert_true(isnan(one->value[1]) && isnan(one->value[2]) && isnan(one->value[3]));
    assert_near(one->value[4], 100);
}

static void a_level_is_a_mean_over_time(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_LEVEL, 100, 0);
    look(rig, 11 * S, SIGHT_LEVEL, 200, 0);
    look(rig, 12 * S, SIGHT_LEVEL, 0, 0);
    const struct track *one = window(rig, 10 * S, 12 * S, 2);
    assert_near(one->value[0], 150);
    assert_near(one->value[1], 100);
    assert_near(one->mean, 125);
}

/* Round trips: 10 calls of 2 ms, then 30 of 4 ms. */
static void a_ratio_weighs_by_what_it_is_a_ratio_of(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_RATIO, 1000, 5);
    look(rig, 11 * S, SIGHT_RATIO, 1020, 15);
    look(rig, 12 * S, SIGHT_RATIO, 1140, 45);
    look(rig, 13 * S, SIGHT_RATIO, 1140, 45);
    const struct track *one = window(rig, 10 * S, 13 * S, 3);
    assert_near(one->value[0], 2);
    assert_near(one->value[1], 4);
    assert_int_equal(one->n, 2);
    assert_near(one->mean, 3.5);
}

static void two_sources_are_brought_to_one_period(void **state)
{
    struct rig *rig = *state;
    struct looks other;
    look(rig, 10 * S, SIGHT_COUNTED, 0, 0);
    look(rig, 12 * S, SIGHT_COUNTED, 200, 0);
    looks_init(&other, S);
    for (unsigned i = 0; i < 3; i++) {
        sights_clear(&rig->sights);
        rig->sights.at_ns = (10 + i) * S;
        sights_put(&rig->sights, TRACK_CLIENT, TRACK_CPU, SIGHT_COUNTED, "0")->value = i * i;
        assert_int_equal(looks_keep(&other, &rig->sights, true), 0);
    }
    const struct look_window w = {
        .from_ns = 10 * S, .to_ns = 12 * S, .zero_ns = 10 * S, .values = 2};
    assert_int_equal(looks_between(&rig->looks, &w, &rig->tracks), 0);
    assert_int_equal(looks_between(&other, &w, &rig->tracks), 0);
    assert_int_equal(rig->tracks.n, 2);
    assert_near(rig->tracks.track[0].value[1], 100);
    assert_near(rig->tracks.track[1].value[0], 1);
    assert_near(rig->tracks.track[1].value[1], 3);
    looks_fini(&other);
}

static void a_look_must_be_later_than_the_last_one(void **state)
{
    struct rig *rig = *state;
    look(rig, 10 * S, SIGHT_COUNTED, 0, 0);
    see(rig, 10 * S, SIGHT_COUNTED, 1, 0);
    assert_int_equal(looks_keep(&rig->looks, &rig->sights, false), -EINVAL);
    assert_int_equal(rig->looks.n, 1);
}

static void when_full_every_second_one_goes_but_none_of_an_edge(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i <= PROBE_LOOKS_MAX; i++) {
        see(rig, (10 + i) * S, SIGHT_COUNTED, 100 * i, 0);
        assert_int_equal(looks_keep(&rig->looks, &rig->sights, i == 501 || i == 503), 0);
    }
    assert_int_equal(looks_period_ns(&rig->looks), 2 * S);
    assert_int_equal(rig->looks.n, PROBE_LOOKS_MAX / 2 + 3);
    const struct track *one = window(rig, 511 * S, 513 * S, 2);
    assert_near(one->value[0], 100);
    one = window(rig, 10 * S, (10 + PROBE_LOOKS_MAX) * S, 8);
    assert_near(one->mean, 100);
    assert_int_equal(one->n, 8);
}

static void what_has_been_told_is_forgotten_first(void **state)
{
    struct rig *rig = *state;
    rig->looks.told_ns = 1000 * S + 1;
    for (unsigned i = 0; i <= PROBE_LOOKS_MAX; i++)
        look(rig, (10 + i) * S, SIGHT_COUNTED, 100 * i, 0);
    assert_int_equal(looks_period_ns(&rig->looks), S);
    assert_int_equal(rig->looks.look[0].at_ns, 1000 * S);
    const struct track *one = window(rig, 1000 * S, 1010 * S, 10);
    assert_near(one->mean, 100);
    assert_int_equal(one->n, 10);
}

/* A window asked for again and again, each with two looks: there is always room. */
static void edges_alone_cannot_fill_it(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 3 * PROBE_LOOKS_MAX; i++) {
        see(rig, (10 + i) * S, SIGHT_COUNTED, 100 * i, 0);
        assert_int_equal(looks_keep(&rig->looks, &rig->sights, true), 0);
        assert_in_range(rig->looks.n, 1, PROBE_LOOKS_MAX);
    }
    unsigned last = 9 + 3 * PROBE_LOOKS_MAX;
    assert_near(window(rig, (last - 1) * S, last * S, 1)->mean, 100);
}

static void things_come_and_go(void **state)
{
    struct rig *rig = *state;
    char name[8];
    for (unsigned i = 0; i < 4; i++) {
        sights_clear(&rig->sights);
        rig->sights.at_ns = (10 + i) * S;
        for (unsigned disk = i; disk < i + 3; disk++) {
            snprintf(name, sizeof name, "sd%u", disk);
            sights_put(&rig->sights, TRACK_CLIENT, TRACK_DISK_READ, SIGHT_COUNTED, name)->value =
                (disk + 1) * i;
        }
        assert_int_equal(looks_keep(&rig->looks, &rig->sights, false), 0);
    }
    const struct look_window w = {
        .from_ns = 10 * S, .to_ns = 13 * S, .zero_ns = 10 * S, .values = 3};
    assert_int_equal(looks_between(&rig->looks, &w, &rig->tracks), 0);
    assert_int_equal(rig->tracks.n, 6);
    for (unsigned disk = 0; disk < 6; disk++) {
        snprintf(name, sizeof name, "sd%u", disk);
        const struct track *one = tracks_find(&rig->tracks, TRACK_CLIENT, TRACK_DISK_READ, name);
        if (disk == 0 || disk == 5)
            assert_true(isnan(one->mean));
        else
            assert_near(one->mean, disk + 1);
    }
}

/* From its first deed on it has one, over the looks from before as well. */
static void what_has_done_nothing_yet_has_no_track(void **state)
{
    struct rig *rig = *state;
    const struct look_window w = {
        .from_ns = 10 * S, .to_ns = 12 * S, .zero_ns = 10 * S, .values = 2};
    for (unsigned i = 0; i < 3; i++) {
        see(rig, (10 + i) * S, SIGHT_COUNTED, i < 2 ? 5 : 105, 0);
        rig->sights.sight[0].idle = i < 2;
        assert_int_equal(looks_between(&rig->looks, &w, &rig->tracks), 0);
        assert_int_equal(rig->tracks.n, 0);
        assert_int_equal(looks_keep(&rig->looks, &rig->sights, false), 0);
    }
    const struct track *one = window(rig, 10 * S, 12 * S, 2);
    assert_near(one->value[0], 0);
    assert_near(one->value[1], 100);
}

static void sights_of_one_thing_are_added_up(void **state)
{
    struct rig *rig = *state;
    for (unsigned i = 0; i < 3; i++) {
        sights_get(&rig->sights, TRACK_SERVER, TRACK_CPU, SIGHT_COUNTED, "0")->value += 1;
        sights_get(&rig->sights, TRACK_SERVER, TRACK_CPU, SIGHT_COUNTED, "1")->value += 2;
    }
    assert_int_equal(rig->sights.n, 2);
    assert_near(rig->sights.sight[0].value, 3);
    assert_near(rig->sights.sight[1].value, 6);
}

/* What was wrong: a server with more things than that was "no memory", and nothing was seen of it at all. */
static void what_is_more_than_there_may_be_is_left_out_and_said(void **state)
{
    struct rig *rig = *state;
    for (unsigned at = 1; at <= 2; at++) {
        sights_clear(&rig->sights);
        rig->sights.at_ns = at * S;
        for (unsigned i = 0; i < TRACKS_MAX + 5; i++) {
            char name[16];
            snprintf(name, sizeof name, "%u", i);
            sights_put(&rig->sights, TRACK_SERVER, TRACK_DISK_READ, SIGHT_COUNTED, name)->value =
                at * i;
        }
        assert_int_equal(looks_keep(&rig->looks, &rig->sights, true), -ENOSPC);
    }
    const struct look_window w = {.from_ns = S, .to_ns = 2 * S, .values = 1};
    assert_int_equal(looks_between(&rig->looks, &w, &rig->tracks), -ENOSPC);
    assert_int_equal(rig->tracks.n, TRACKS_MAX);
    assert_true(rig->tracks.track[7].mean == 7);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_rig, close_rig)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_counter_grows_evenly_between_looks),
        TEST(two_looks_at_the_edges_are_enough),
        TEST(a_window_between_two_looks_is_not_spoken_for),
        TEST(a_counter_that_went_back_is_a_gap),
        TEST(a_long_silence_is_in_the_mean_and_in_no_value),
        TEST(a_level_is_a_mean_over_time),
        TEST(a_ratio_weighs_by_what_it_is_a_ratio_of),
        TEST(two_sources_are_brought_to_one_period),
        TEST(a_look_must_be_later_than_the_last_one),
        TEST(when_full_every_second_one_goes_but_none_of_an_edge),
        TEST(what_has_been_told_is_forgotten_first),
        TEST(edges_alone_cannot_fill_it),
        TEST(things_come_and_go),
        TEST(what_has_done_nothing_yet_has_no_track),
        TEST(sights_of_one_thing_are_added_up),
        TEST(what_is_more_than_there_may_be_is_left_out_and_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
