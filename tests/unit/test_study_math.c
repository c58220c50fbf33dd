/* study/study_math_priv.h: what a study reckons before and between its runs. */
#include "study/study_math_priv.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define MS  1000000ull
#define SEC (1000 * MS)
#define KIB 1024ull
#define GIB (KIB * KIB * KIB)

static const struct fileset_spec shape_2001 = {
    .shape = FILESET_TREE, .trees = 16, .levels = 3, .branches = 4, .files = 4};

static void as_many_trees_as_make_the_time(void **state)
{
    (void)state;
    assert_int_equal(study_trees_for(SEC, 2 * SEC), 1);
    assert_int_equal(study_trees_for(SEC, SEC), 1);
    assert_int_equal(study_trees_for(SEC, SEC - 1), 2);
    assert_int_equal(study_trees_for(SEC, 300 * MS), 4);
    assert_int_equal(study_trees_for(SEC, MS), STUDY_TREES_MAX);
    assert_int_equal(study_trees_for(0, SEC), 1);
    assert_int_equal(study_trees_for(SEC, 0), STUDY_TREES_MAX);
}

/* Reading stopped at 16 passes too, though a pass costs no space: a row of 5 ms trees lasted 80 ms. */
static void reading_goes_on_where_writing_has_no_space(void **state)
{
    (void)state;
    assert_int_equal(study_passes_for(SEC, 5 * MS, 0), 200);
    assert_int_equal(study_passes_for(SEC, 2 * SEC, 0), 1);
    assert_int_equal(study_passes_for(SEC, MS, MS), 256);
    assert_int_equal(study_passes_for(SEC, 0, 0), 256);
}

/* The first pass over a tree is slower than all that follow, and k was reckoned from it alone. */
static void a_slow_first_pass_does_not_settle_k(void **state)
{
    (void)state;
    assert_int_equal(study_passes_for(SEC, 800 * MS, 20 * MS), 50);
}

static void lengths_are_those_of_2001(void **state)
{
    (void)state;
    uint64_t length[40];
    assert_int_equal(tree_lengths_2001(length, 40), 40);
    const uint64_t first[] = {2, 3, 4, 6, 8, 12, 16, 24};
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(length[i], first[i]);
    assert_int_equal(length[38], 1048576);
    assert_int_equal(length[39], 1572864);
    for (unsigned i = 1; i < 40; i++)
        assert_true(length[i] > length[i - 1]);
}

static void no_more_lengths_than_room(void **state)
{
    (void)state;
    uint64_t length[3] = {0, 0, 77};
    assert_int_equal(tree_lengths_2001(length, 2), 40);
    assert_int_equal(length[1], 3);
    assert_int_equal(length[2], 77);
}

/* 5376 files, 1344 directories and 16 roots, each in blocks of 4 KiB. */
static void a_tree_takes_whole_blocks(void **state)
{
    (void)state;
    struct fileset_spec spec = shape_2001;
    spec.size_bytes = 2;
    assert_int_equal(study_set_bytes(&spec), (5376 + 1344 + 16) * 4096ull);
    spec.size_bytes = 4097;
    assert_int_equal(study_set_bytes(&spec), (2 * 5376 + 1344 + 16) * 4096ull);
    assert_int_equal(study_set_files(&spec), 5376 + 1344 + 16 + 1);
}

static void space_beyond_all_numbers_saturates(void **state)
{
    (void)state;
    struct fileset_spec spec = shape_2001;
    spec.size_bytes = UINT64_MAX - 1;
    assert_true(study_set_bytes(&spec) == UINT64_MAX);
    assert_true(study_round_up(UINT64_MAX - 1, 4096) == UINT64_MAX);
    assert_int_equal(study_round_up(4097, 4096), 8192);
    assert_int_equal(study_round_up(8192, 4096), 8192);
}

static void five_per_cent_stay_free(void **state)
{
    (void)state;
    struct target_space space = {.total_bytes = 1000, .free_bytes = 300};
    assert_int_equal(study_room_bytes(&space), 250);
    space.free_bytes = 50;
    assert_int_equal(study_room_bytes(&space), 0);
    space.free_bytes = 10;
    assert_int_equal(study_room_bytes(&space), 0);
}

/* Nothing of a quota is kept back: it is ours alone. */
static void a_quota_leaves_what_it_says(void **state)
{
    (void)state;
    struct target_space space = {.total_bytes = 1000, .free_bytes = 300, .free_files = 50};
    assert_int_equal(study_room_files(&space), 50);
    space.quota_bytes = space.quota_files = (struct target_quota){.of = "user 1", .left = 7};
    assert_int_equal(study_room_bytes(&space), 7);
    assert_int_equal(study_room_files(&space), 7);
    space.quota_bytes.left = space.quota_files.left = 251;
    assert_int_equal(study_room_bytes(&space), 250);
    assert_int_equal(study_room_files(&space), 50);
}

static void trees_fit_into_the_room(void **state)
{
    (void)state;
    assert_int_equal(study_trees_fit(5, 1000, 100), 5);
    assert_int_equal(study_trees_fit(5, 399, 100), 3);
    assert_int_equal(study_trees_fit(5, 99, 100), 1);
    assert_int_equal(study_trees_fit(5, 0, 0), 5);
}

/* Two trees of one sweep with equal content would flatter a target that stores equal blocks once. */
static void no_two_trees_have_the_same_content(void **state)
{
    (void)state;
    uint64_t key[2 * 3 * 4];
    unsigned n = 0;
    for (uint64_t length = 4096; length <= 8192; length += 4096)
        for (unsigned repeat = 1; repeat <= 3; repeat++)
            for (unsigned tree = 0; tree < 4; tree++)
                key[n++] = study_content_key(length, repeat, tree);
    for (unsigned i = 0; i < n; i++)
        for (unsigned j = 0; j < i; j++)
            assert_true(key[i] != key[j]);
    assert_true(key[5] == study_content_key(4096, 2, 1));
}

static void intervals_are_a_twentieth(void **state)
{
    (void)state;
    assert_int_equal(study_interval_ns(SEC), 100 * MS);
    assert_int_equal(study_interval_ns(10 * SEC), 500 * MS);
    assert_int_equal(study_interval_ns(3600 * SEC), SEC);
}

static void pace_learns_files_from_small_ones_and_bytes_from_large_ones(void **state)
{
    (void)state;
    struct tree_pace pace = {.file_ns = 1, .byte_ns = 1};
    tree_pace_learn(&pace, 100, 100 * 2, 100 * 5000);
    assert_true(pace.file_ns == 5000);
    assert_true(pace.byte_ns == 1);
    tree_pace_learn(&pace, 100, 100 * 100000, 100 * (5000 + 200000));
    assert_true(pace.file_ns == 5000);
    assert_true(pace.byte_ns == 2);
    assert_true(tree_pace_ns(&pace, 10, 1000) == 52000);
    /* Large files faster than the files alone should be: the cost of a file was too high. */
    tree_pace_learn(&pace, 100, 100 * 100000, 100 * 1000);
    assert_true(pace.file_ns == 1000);
    tree_pace_learn(&pace, 0, 0, 1);
    assert_true(pace.file_ns == 1000);
}

static struct tree_options three_lengths(void)
{
    static const uint64_t length[] = {2, 64 * KIB, GIB / 1024};
    return (struct tree_options){.threads = 16,
                                 .levels = 3,
                                 .branches = 4,
                                 .files = 4,
                                 .length_bytes = length,
                                 .lengths = 3,
                                 .repeats = 3,
                                 .min_time_ns = SEC,
                                 .one_tree = true};
}

static void a_row_is_a_pilot_and_k_trees_a_repeat(void **state)
{
    (void)state;
    struct tree_options o = three_lengths();
    const struct tree_pace pace = {.file_ns = 30000, .byte_ns = 0};
    /* 10,000 files: 300 ms from writing to reading, of which writing is a third. */
    assert_int_equal(tree_pace_trees(&pace, &o, 10000, 2), 1);
    assert_int_equal(tree_pace_row_ns(&pace, &o, 10000, 2), 3 * 300 * MS);
    o.one_tree = false;
    assert_int_equal(tree_pace_trees(&pace, &o, 10000, 2), 10);
    assert_int_equal(tree_pace_row_ns(&pace, &o, 10000, 2), (5 + 3 * 3 * 16) * 100 * MS);
    /* Of short trees there are no more than 16, and reading goes over them again and again. */
    assert_int_equal(tree_pace_row_ns(&pace, &o, 1000, 2), (5 + 3 * (3 * 16 + 2 * 84)) * 10 * MS);
    o.write_only = true;
    assert_int_equal(tree_pace_row_ns(&pace, &o, 1000, 2), (5 + 3 * 3 * 16) * 10 * MS);
}

static void kept_trees_need_space_for_all_of_them(void **state)
{
    (void)state;
    struct tree_options o = three_lengths();
    struct fileset_spec spec = shape_2001;
    struct tree_need need;
    uint64_t each[3], all = 0;
    for (unsigned i = 0; i < 3; i++) {
        spec.size_bytes = o.length_bytes[i];
        each[i] = study_set_bytes(&spec);
        all += each[i];
    }
    tree_need_of(&o, &shape_2001, false, &need);
    assert_int_equal(need.least_bytes, each[2]);
    assert_int_equal(need.least_files, study_set_files(&spec));
    assert_int_equal(need.all_bytes, 3 * all);
    assert_int_equal(need.all_objects, 9 * 5376);
    assert_int_equal(need.write_bytes, 3 * 5376 * (2 + 64 * KIB + GIB / 1024));
    tree_need_of(&o, &shape_2001, true, &need);
    assert_int_equal(need.least_bytes, 3 * all);
    assert_int_equal(need.least_files, 9 * study_set_files(&spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_trees_as_make_the_time),
        cmocka_unit_test(reading_goes_on_where_writing_has_no_space),
        cmocka_unit_test(a_slow_first_pass_does_not_settle_k),
        cmocka_unit_test(lengths_are_those_of_2001),
        cmocka_unit_test(no_more_lengths_than_room),
        cmocka_unit_test(a_tree_takes_whole_blocks),
        cmocka_unit_test(space_beyond_all_numbers_saturates),
        cmocka_unit_test(five_per_cent_stay_free),
        cmocka_unit_test(a_quota_leaves_what_it_says),
        cmocka_unit_test(trees_fit_into_the_room),
        cmocka_unit_test(no_two_trees_have_the_same_content),
        cmocka_unit_test(intervals_are_a_twentieth),
        cmocka_unit_test(pace_learns_files_from_small_ones_and_bytes_from_large_ones),
        cmocka_unit_test(a_row_is_a_pilot_and_k_trees_a_repeat),
        cmocka_unit_test(kept_trees_need_space_for_all_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
