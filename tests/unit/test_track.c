/* track.h: places of values, halving, and what is said of a window. */
#include "stats/track.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct track *disk(struct tracks *t, const char *name)
{
    struct track *one = tracks_get(t, TRACK_CLIENT, TRACK_DISK_READ, name);
    assert_non_null(one);
    return one;
}

static void put(struct tracks *t, struct track *one, unsigned i, double value)
{
    assert_int_equal(track_put(t, one, i, value), 0);
}

static void a_track_is_found_again_by_end_kind_and_name(void **state)
{
    (void)state;
    struct tracks t = {0};
    disk(&t, "sda")->capacity = 5;
    assert_null(tracks_find(&t, TRACK_SERVER, TRACK_DISK_READ, "sda"));
    assert_null(tracks_find(&t, TRACK_CLIENT, TRACK_DISK_WRITE, "sda"));
    assert_null(tracks_find(&t, TRACK_CLIENT, TRACK_DISK_READ, "sdb"));
    assert_true(disk(&t, "sda")->capacity == 5);
    assert_true(tracks_get(&t, TRACK_CLIENT, TRACK_CPU, "0")->capacity == 1);
    assert_int_equal(t.n, 2);
    tracks_fini(&t);
}

static void a_longer_name_keeps_its_end(void **state)
{
    (void)state;
    struct tracks t = {0};
    const char *mount = "/srv/exports/department/project-with-a-long-name/scratch";
    struct track *one = disk(&t, mount);
    assert_string_equal(one->name, mount + strlen(mount) - (TRACK_NAME_MAX - 1));
    assert_ptr_equal(disk(&t, mount), one);
    tracks_fini(&t);
}

static void there_are_so_many_and_no_more(void **state)
{
    (void)state;
    struct tracks t = {0};
    char name[16];
    for (unsigned i = 0; i < TRACKS_MAX; i++) {
        snprintf(name, sizeof name, "%u", i);
        disk(&t, name);
    }
    assert_null(tracks_get(&t, TRACK_CLIENT, TRACK_DISK_READ, "one more"));
    assert_non_null(tracks_get(&t, TRACK_CLIENT, TRACK_DISK_READ, "0"));
    tracks_fini(&t);
}

static void places_left_out_were_not_seen(void **state)
{
    (void)state;
    struct tracks t = {.first_ns = -500, .period_ns = 1000};
    struct track *one = disk(&t, "sda");
    put(&t, one, 3, 8);
    put(&t, one, 1, 4);
    assert_int_equal(one->n, 4);
    assert_true(isnan(one->value[0]) && isnan(one->value[2]));
    assert_true(one->value[1] == 4 && one->value[3] == 8);
    assert_true(isnan(one->mean) && isnan(one->peak) && isnan(one->full_frac));
    tracks_fini(&t);
}

static void when_full_neighbours_are_averaged_and_the_period_doubles(void **state)
{
    (void)state;
    struct tracks t = {.period_ns = 1000};
    disk(&t, "sda");
    struct track *other = disk(&t, "sdb"), *one = disk(&t, "sda");
    put(&t, other, 0, 7);
    put(&t, other, 2, 9);
    for (unsigned i = 0; i < TRACK_VALUES_MAX; i++)
        put(&t, one, i, i);
    put(&t, one, TRACK_VALUES_MAX, 1000);
    assert_int_equal(t.period_ns, 2000);
    assert_int_equal(one->n, TRACK_VALUES_MAX / 2 + 1);
    assert_true(one->value[0] == 0.5f && one->value[TRACK_VALUES_MAX / 2] == 1000);
    assert_int_equal(other->n, 2);
    assert_true(other->value[0] == 7 && other->value[1] == 9);
    tracks_fini(&t);
}

static void the_busiest_is_by_use_where_that_is_known(void **state)
{
    (void)state;
    struct tracks t = {0};
    assert_null(tracks_busiest(&t, TRACK_CLIENT, TRACK_DISK_READ));
    assert_true(isnan(tracks_sum(&t, TRACK_CLIENT, TRACK_DISK_READ)));
    disk(&t, "unseen");
    disk(&t, "fast")->mean = 900;
    disk(&t, "faster")->mean = 950;
    assert_string_equal(tracks_busiest(&t, TRACK_CLIENT, TRACK_DISK_READ)->name, "faster");
    struct track *one = disk(&t, "slow");
    one->mean = 8;
    one->capacity = 10;
    one = disk(&t, "half");
    one->mean = 100;
    one->capacity = 200;
    assert_string_equal(tracks_busiest(&t, TRACK_CLIENT, TRACK_DISK_READ)->name, "slow");
    assert_true(tracks_sum(&t, TRACK_CLIENT, TRACK_DISK_READ) == 1958);
    tracks_fini(&t);
}

static void every_kind_has_a_name_that_is_its_own(void **state)
{
    (void)state;
    enum track_kind kind;
    for (unsigned i = 0; i < TRACK_KINDS; i++) {
        assert_non_null(track_kind_unit((enum track_kind)i));
        assert_int_equal(track_kind_of(track_kind_name((enum track_kind)i), &kind), 0);
        assert_int_equal(kind, i);
    }
    assert_int_equal(track_kind_of("disc-busy", &kind), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_track_is_found_again_by_end_kind_and_name),
        cmocka_unit_test(a_longer_name_keeps_its_end),
        cmocka_unit_test(there_are_so_many_and_no_more),
        cmocka_unit_test(places_left_out_were_not_seen),
        cmocka_unit_test(when_full_neighbours_are_averaged_and_the_period_doubles),
        cmocka_unit_test(the_busiest_is_by_use_where_that_is_known),
        cmocka_unit_test(every_kind_has_a_name_that_is_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
