/* report.h: what a row of a tree table says of all its repeats, and how it is marked. */
#include "report/report.h"
#include "verdict/compare.h"

#include "golden/results_by_hand.h"
#include "report/report_priv.h"

#include <math.h>

static const struct report_style table = {.format = REPORT_TEXT};
static const struct report_style wide = {.format = REPORT_TEXT, .wide = true};
static const struct report_style classic = {.format = REPORT_TEXT, .classic = true};

/* The line of `s` that begins with `words`; fails when there is none. */
static void line_with(const char *s, const char *words, char *buf, size_t room)
{
    const char *at = strstr(s, words);

    if (!at)
        fail_msg("no line with \"%s\" in\n%s", words, s);
    snprintf(buf, room, "%.*s", (int)strcspn(at, "\n"), at);
}

static void expect_end(const char *s, const char *words, const char *end)
{
    char line[256];

    line_with(s, words, line, sizeof line);
    if (strlen(line) < strlen(end) || strcmp(line + strlen(line) - strlen(end), end) != 0)
        fail_msg("\"%s\" does not end in \"%s\"", line, end);
}

/* "cannot tell" went one column over the edge of a terminal. */
static void expect_fits(const char *s)
{
    for (const char *end; *s; s = *end ? end + 1 : end) {
        char line[512];

        end = s + strcspn(s, "\n");
        snprintf(line, sizeof line, "%.*s", (int)(end - s), s);
        if (report_columns_width(line) > REPORT_WIDTH)
            fail_msg("\"%s\" is wider than %u columns", line, (unsigned)REPORT_WIDTH);
    }
}

/* More than 2 % from memory ends in RAM, 2 % does not; tmpfs does. */
static void a_row_from_memory_ends_in_ram(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_read(&hand, 4096, 4, 9000000, 3);
    hand_tree_read(&hand, 8192, 4, 9000000, 2);
    hand_tree_read(&hand, 16384, 4, 9000000, 0);
    snprintf(hand.result[2]->cache.mode, sizeof hand.result[2]->cache.mode, "ram");
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " RAM");
    expect_end(out.s, "8 KiB read", " 4");
    expect_end(out.s, "16 KiB read", " RAM");
    text_fini(&out);
    hand_free(&hand);
}

/* One repeat of three from memory is not averaged away. */
static void the_worst_repeat_marks_the_row(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        hand_tree_read(&hand, 4096, 4, 9000000, i == 1 ? 3 : 0);
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", "3.0%   4 RAM");
    text_fini(&out);
    hand_free(&hand);
}

/* Bytes that were not read were not compared: a row with errors does not claim "verified". */
static void verified_is_said_only_of_clean_rows(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_read(&hand, 4096, 4, 9000000, 0)->verified = true;
    hand_tree_read(&hand, 8192, 4, 9000000, 0)->verified = true;
    hand_error(hand.result[1], "read", "EIO", 1, "f");
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " verified");
    expect_end(out.s, "8 KiB read", " 4 ERR");
    text_fini(&out);
    hand_free(&hand);
}

/* "SHORT verified" did not fit, and stood on a line of its own, in every row of a study with
 * --verify, which says so in its head. */
static void verified_is_not_said_of_each_row_of_a_study_that_asked_for_it(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct result *r = hand_tree_read(&hand, 4096u << i, 1, 9000000, 0);
        r->verified = true;
        hand_option(r, "verify", "yes");
        hand_option(r, "min_time_ns", "1000000000");
    }
    hand_error(hand.result[1], "read", "EIO", 1, "f");
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " 1 SHORT");
    expect_end(out.s, "8 KiB read", " 1 ERR SHORT");
    assert_non_null(strstr(out.s, "every byte read is verified"));
    assert_non_null(strstr(out.s, "; not so in"));
    text_fini(&out);
    hand_free(&hand);
}

/* A stopped repeat is not averaged with complete ones. */
static void means_are_of_complete_repeats(void **state)
{
    struct hand hand = {0};
    struct text out;
    char line[256];

    (void)state;
    hand_tree_read(&hand, 4096, 1, 900000000, 0)->state = RESULT_INCOMPLETE;
    hand_tree_read(&hand, 4096, 1, 100000000, 0);
    hand_tree_read(&hand, 4096, 1, 100000000, 0);
    hand_print(&out, &hand, &table);
    line_with(out.s, "4 KiB read", line, sizeof line);
    assert_non_null(strstr(line, " 100 "));
    expect_end(out.s, "4 KiB read", " 1 INC");
    text_fini(&out);
    hand_free(&hand);
}

/* KiB/s was the mean of the repeats' rates beside the mean of their times: with repeats of 100 and
 * 900 ms it said 29867 where 500 ms mean 10752. */
static void rates_are_those_of_the_time_beside_them(void **state)
{
    struct hand hand = {0};
    struct text out;
    char line[256];

    (void)state;
    hand_tree_read(&hand, 1024, 2, 100000000, 0);
    hand_tree_read(&hand, 1024, 2, 900000000, 0);
    hand_print(&out, &hand, &table);
    line_with(out.s, "1 KiB read", line, sizeof line);
    /* 5376 files of 1 KiB in 500 ms. */
    if (!strstr(line, "500 >100%    10752   10752 "))
        fail_msg("%s", line);
    text_fini(&out);
    hand_free(&hand);
}

/* It was that of KiB/s. Student's t for three repeats is 4.303: 4.303 · 2 / sqrt(3) of 102 ms. */
static void the_interval_is_that_of_the_time(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (uint64_t ms = 100; ms <= 104; ms += 2)
        hand_tree_read(&hand, 1024, 2, ms * 1000000, 0);
    hand_print(&out, &hand, &table);
    assert_non_null(strstr(out.s, " 102  4.9% "));
    text_fini(&out);
    hand_print(&out, &hand, &wide);
    assert_non_null(strstr(out.s, "102 ms a tree ± 4.9% (95 % interval, 3 of 3 runs), "));
    text_fini(&out);
    hand_free(&hand);
}

/* It said "± - (mean of 1 of 1 runs, 95 % interval)". */
static void one_run_claims_no_interval(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_read(&hand, 1024, 2, 100000000, 0);
    hand_print(&out, &hand, &wide);
    assert_non_null(strstr(out.s, "100 ms a tree (one run, no interval), "));
    text_fini(&out);
    hand_tree_read(&hand, 1024, 2, 100000000, 0)->state = RESULT_VOID;
    hand_print(&out, &hand, &wide);
    assert_non_null(strstr(out.s, "100 ms a tree (1 of 2 runs, no interval), "));
    text_fini(&out);
    hand_free(&hand);
}

/* A row of 16 trees of 3 ms stood there like one that was measured for a second. */
static void a_row_that_was_over_too_soon_is_marked_short(void **state)
{
    static const uint64_t tree_ns[] = {899999999, 900000000, 900000000};
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        hand_tree_read(&hand, 1024u << i, 1, tree_ns[i], 0);
        hand_option(hand.result[i], "min_time_ns", "1000000000");
    }
    hand.result[2]->state = RESULT_INCOMPLETE;
    hand.result[2]->elapsed_ns = 1000000;
    hand_print(&out, &hand, &table);
    expect_end(out.s, "1 KiB read", " 1 SHORT");
    expect_end(out.s, "2 KiB read", " 1");
    expect_end(out.s, "4 KiB read", " 1 INC");
    assert_non_null(strstr(out.s, "SHORT         a repeat was over before 90 % of --min-time"));
    text_fini(&out);
    hand_free(&hand);
}

static void marks_that_do_not_fit_stand_below(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_read(&hand, 1024, 1, 1000, 50)->verified = true;
    hand_option(hand.result[0], "min_time_ns", "1000000000");
    hand_print(&out, &hand, &table);
    expect_end(out.s, "1 KiB read", "50%   1");
    expect_end(out.s, "SHORT", "SHORT verified RAM");
    text_fini(&out);
    hand_free(&hand);
}

/* "RAM 98%" of a written row was taken for a cache hit. */
static void what_is_dirty_is_not_called_cached(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    hand_tree_write(&hand, 4096, 4, 9000000);
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB write", " 98% d   4");
    assert_non_null(strstr(out.s, "in RAM, d     dirty: share of the bytes written that was not"));
    text_fini(&out);
    hand_free(&hand);
}

/* Of several repeats the classic form prints the median one, not a mean. */
static void classic_prints_the_median_repeat(void **state)
{
    static const uint64_t tree_ns[] = {900999999, 100000000, 104999999};
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 3; i++)
        hand_tree_write(&hand, 1024, 3, tree_ns[i]);
    text_init(&out);
    report_tree_row(&out, hand.result, 3, &classic);
    assert_string_equal("       1024         5376              104                   51692\n",
                        out.s);
    text_fini(&out);
    hand_free(&hand);
}

/* Five repeats that rise are no sample of one mean: it was printed with an interval. */
static void a_row_that_drifts_has_no_interval(void **state)
{
    static const uint64_t order[] = {0, 3, 1, 4, 2};
    struct hand drifts = {0}, not = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        hand_tree_read(&drifts, 4096, 4, 300000000 + 1000000 * (uint64_t)i, 0);
        hand_tree_read(&not, 4096, 4, 300000000 + 1000000 * order[i], 0);
    }
    hand_print(&out, &drifts, &table);
    expect_end(out.s, "4 KiB read", " 4 drifting");
    assert_non_null(strstr(out.s, "302     -"));
    assert_non_null(strstr(out.s, "\ndrifting "));
    text_fini(&out);
    hand_print(&out, &not, &table);
    expect_end(out.s, "4 KiB read", " 4");
    assert_non_null(strstr(out.s, "302  0.7%"));
    assert_null(strstr(out.s, "drifting"));
    text_fini(&out);
    hand_free(&drifts);
    hand_free(&not );
}

/* The first of four that rise is too few to call it a trend. */
static void four_repeats_have_no_trend(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        hand_tree_read(&hand, 4096, 4, 300000000 + 1000000 * (uint64_t)i, 0);
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " 4");
    text_fini(&out);
    hand_free(&hand);
}

static void a_row_wider_than_asked_for_is_marked(void **state)
{
    static const uint64_t order[] = {0, 3, 1, 4, 2};
    struct hand hand = {0};
    struct text out;

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        hand_option(hand_tree_read(&hand, 4096, 4, 300000000 + 1000000 * order[i], 0),
                    "until_ci_frac", "0.006");
        hand_option(hand_tree_read(&hand, 8192, 4, 300000000 + 1000000 * order[i], 0),
                    "until_ci_frac", "0.007");
    }
    hand_print(&out, &hand, &table);
    expect_end(out.s, "4 KiB read", " 4 WIDE");
    expect_end(out.s, "8 KiB read", " 4");
    text_fini(&out);
    hand_free(&hand);
}

#define TURNS 6

/* Side B takes `ns` in each turn, `growing` more from turn to turn. */
static void take_turns(struct hand *hand, double ns, double growing)
{
    for (unsigned i = 0; i < 2 * TURNS; i++) {
        uint64_t hour_ns = 100000000 + i / 2 * 7000000 % 20000000;
        double factor = i % 2 ? ns / 1e8 * pow(1 + growing, i / 2) : 1;
        struct result *r = hand_tree_write(hand, 4096, 1, (uint64_t)((double)hour_ns * factor));

        assert_int_equal(0, result_fact_putf(&r->options, "side", "", "%u", i % 2 + 1));
        assert_int_equal(0, result_fact_putf(&r->options, "repeat", "", "%u", i / 2 + 1));
    }
}

static enum compare_word compared(const struct hand *hand)
{
    struct result *of[2][TURNS];
    const struct compare_side a = {"a", of[0], TURNS}, b = {"b", of[1], TURNS};
    struct comparison c;

    for (unsigned i = 0; i < 2 * TURNS; i++)
        of[i % 2][i / 2] = hand->result[i];
    assert_int_equal(0, compare_of(&a, &b, &c, NULL));
    enum compare_word word = c.row[0].cell[ROWS_OPS].word;
    compare_fini(&c);
    return word;
}

/* The table had a rule of its own: a difference that drifts, or lacks a run that was stopped, had a
 * faster side there and no word in compare. */
static void turns_say_what_compare_says(void **state)
{
    static const struct {
        double ns;
        double growing;
        bool stopped;
        enum compare_word word;
        const char *end;
    } cases[] = {
        {90e6, 0, false, COMPARE_BETTER, " B"},
        {110e6, 0, false, COMPARE_WORSE, " A"},
        {100e6, 0, false, COMPARE_NOISE, " noise"},
        {101e6, 0.01, false, COMPARE_CANNOT, " cannot tell"},
        {90e6, 0, true, COMPARE_NOT, "     -     - - INC"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hand hand = {0};
        struct text out;

        take_turns(&hand, cases[i].ns, cases[i].growing);
        if (cases[i].stopped)
            hand.result[3]->state = RESULT_INCOMPLETE;
        assert_int_equal(cases[i].word, compared(&hand));
        hand_print(&out, &hand, &table);
        expect_end(out.s, "               B ", cases[i].end);
        expect_fits(out.s);
        text_fini(&out);
        hand_free(&hand);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_from_memory_ends_in_ram),
        cmocka_unit_test(the_worst_repeat_marks_the_row),
        cmocka_unit_test(verified_is_said_only_of_clean_rows),
        cmocka_unit_test(verified_is_not_said_of_each_row_of_a_study_that_asked_for_it),
        cmocka_unit_test(means_are_of_complete_repeats),
        cmocka_unit_test(rates_are_those_of_the_time_beside_them),
        cmocka_unit_test(the_interval_is_that_of_the_time),
        cmocka_unit_test(one_run_claims_no_interval),
        cmocka_unit_test(a_row_that_was_over_too_soon_is_marked_short),
        cmocka_unit_test(marks_that_do_not_fit_stand_below),
        cmocka_unit_test(what_is_dirty_is_not_called_cached),
        cmocka_unit_test(a_row_that_drifts_has_no_interval),
        cmocka_unit_test(four_repeats_have_no_trend),
        cmocka_unit_test(a_row_wider_than_asked_for_is_marked),
        cmocka_unit_test(classic_prints_the_median_repeat),
        cmocka_unit_test(turns_say_what_compare_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
