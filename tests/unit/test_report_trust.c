/* report/trust.c: what speaks against a number is said, at its limit and not before. */
#include "report/report.h"

#include "golden/io_by_hand.h"
#include "golden/results_by_hand.h"

static const struct report_style table = {.format = REPORT_TEXT};
static const struct report_style wide = {.format = REPORT_TEXT, .wide = true};

static void tree(struct hand *hand)
{
    hand_tree_write(hand, 4096, 4, 9000000);
    hand_tree_read(hand, 4096, 4, 9000000, 0);
    hand_tree_read(hand, 4096, 4, 9000000, 0);
}

static void io(struct hand *hand)
{
    hand_line(hand_io(hand, "0"), "read", 100, 100 * 8192, 1000, 2000);
}

/* Words may be wrapped: looks for them with each blank as any white space. */
static bool says(const struct hand *hand, const struct report_style *style, const char *words)
{
    struct text out, flat;
    bool found;

    hand_print(&out, hand, style);
    text_init(&flat);
    for (const char *s = out.s; *s; s++)
        if ((*s != ' ' && *s != '\n') || (flat.len > 0 && flat.s[flat.len - 1] != ' '))
            text_addf(&flat, "%c", *s == '\n' ? ' ' : *s);
    found = strstr(flat.s, words) != NULL;
    text_fini(&flat);
    text_fini(&out);
    return found;
}

struct limit {
    const char *key;
    const char *fine[2];
    const char *bad[2];
    const char *words;
};

static const struct limit limits[] = {
    {"series_over_total_frac", {"0.981", "1.019"}, {"0.979", "1.021"}, "the rate over time adds"},
    {"at_target_frac", {"1.049", "0.96"}, {"1.06", "1.2"}, "ops took 1"},
    {"of_null_rate_frac", {"0.0004", "0.099"}, {"0.101", "0.9"}, "loadline itself may be part"},
};

static void check_limit(void (*make)(struct hand *hand), const struct limit *limit)
{
    for (unsigned i = 0; i < 2; i++) {
        struct hand hand = {0};

        make(&hand);
        assert_false(says(&hand, &table, limit->words));
        hand_own(hand.result[hand.n - 1], limit->key, limit->fine[i]);
        assert_false(says(&hand, &table, limit->words));
        hand_own(hand.result[hand.n - 1], limit->key, limit->bad[i]);
        assert_true(says(&hand, &table, limit->words));
        assert_true(says(&hand, &wide, limit->words));
        hand_free(&hand);
    }
}

static void each_limit_is_said_where_it_is_passed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        check_limit(tree, &limits[i]);
        check_limit(io, &limits[i]);
    }
}

static void the_worst_run_is_named(void **state)
{
    struct hand hand = {0};

    (void)state;
    tree(&hand);
    hand_own(hand.result[1], "of_null_rate_frac", "0.2");
    assert_true(says(&hand, &table, "own limit run 2: 20% of"));
    hand_own(hand.result[2], "of_null_rate_frac", "0.4");
    assert_true(says(&hand, &table, "own limit 2 of 3 runs, worst run 3: 40% of"));
    hand_free(&hand);
}

static void put(struct result_facts *facts, const char *key, const char *value)
{
    assert_int_equal(0, result_fact_put(facts, key, value, "bytes"));
}

/* Of 101 % the rest was said to be loadline's own work. */
static void more_than_all_time_has_no_rest(void **state)
{
    struct hand mix = {0};

    (void)state;
    io(&mix);
    hand_own(mix.result[0], "at_target_frac", "1.012");
    assert_true(
        says(&mix, &table, "101% of the time of 32 streams; above 100% because an op that"));
    assert_false(says(&mix, &table, "own work"));
    for (unsigned i = 0; i < 2; i++) {
        hand_own(mix.result[0], "at_target_frac", i ? "1.003" : "0.9991");
        assert_true(says(&mix, &table, "100% of the time of 32 streams"));
        assert_false(says(&mix, &table, "own work"));
        assert_false(says(&mix, &table, "above 100%"));
    }
    hand_free(&mix);
}

/* A mix says it in any case; a tree only where most of the time went elsewhere. */
static void time_not_at_the_target_is_said(void **state)
{
    struct hand mix = {0}, rows = {0};

    (void)state;
    io(&mix);
    assert_false(says(&mix, &table, "at target"));
    hand_own(mix.result[0], "at_target_frac", "0.951");
    assert_true(says(&mix, &table, "at target 95% of the time of 32 streams; the rest"));
    hand_own(mix.result[0], "at_target_frac", "0.5");
    assert_true(says(&mix, &table, "LOW: only 16.0 ops were under way on average"));
    assert_true(says(&mix, &table, "average; the rest is loadline's own work"));
    hand_own(mix.result[0], "at_target_frac", "1.000");
    hand_own(mix.result[0], "failed_time_frac", "0.25");
    assert_true(says(&mix, &table,
                     "100% of the time of 32 streams (25% in ops that failed, and in no latency)"));
    hand_own(mix.result[0], "failed_time_frac", "0.001");
    assert_false(says(&mix, &table, "that failed"));

    tree(&rows);
    hand_own(rows.result[2], "at_target_frac", "0.81");
    assert_false(says(&rows, &table, "at target"));
    hand_own(rows.result[2], "at_target_frac", "0.79");
    assert_true(says(&rows, &table,
                     "at target run 3: on average only 12.6 of 16 threads were in "
                     "an op; the others were done before the last"));
    put(&rows.result[2]->machine, "cpus", "16");
    assert_false(says(&rows, &table, "processors"));
    put(&rows.result[2]->machine, "cpus", "2");
    assert_true(says(&rows, &table, "the others waited for one of 2 processors, were done"));
    hand_free(&mix);
    hand_free(&rows);
}

static void cheap_files_are_named(void **state)
{
    struct hand hand = {0};

    (void)state;
    tree(&hand);
    put(&hand.result[1]->target_facts, "sample_size_bytes", "1000");
    put(&hand.result[1]->target_facts, "sample_stored_bytes", "991");
    assert_false(says(&hand, &table, "sparse"));
    put(&hand.result[1]->target_facts, "sample_stored_bytes", "250");
    assert_true(says(&hand, &table,
                     "CHEAP run 2: a sample of the files occupies 25% of its size: sparse or"));
    hand_free(&hand);
}

/* Many times over a small set: pages are held against the set, not against all that was read. */
static void pages_are_a_share_of_what_could_be_there(void **state)
{
    struct hand hand = {0};

    (void)state;
    io(&hand);
    hand.result[0]->bytes = 1000000000;
    put(&hand.result[0]->counters, "direct_cached_bytes", "190000");
    put(&hand.result[0]->counters, "direct_set_bytes", "10000000");
    assert_false(says(&hand, &table, "NOT DIRECT"));
    put(&hand.result[0]->counters, "direct_set_bytes", "9000000");
    assert_true(says(&hand, &table, "NOT DIRECT"));
    hand_free(&hand);
}

/* The row, too, must not pass for one that was read from a device. */
static void direct_reads_that_left_pages_mark_row_and_foot(void **state)
{
    struct hand hand = {0};

    (void)state;
    tree(&hand);
    for (unsigned i = 0; i < hand.n; i++)
        snprintf(hand.result[i]->cache.mode, sizeof hand.result[i]->cache.mode, "direct");
    put(&hand.result[1]->counters, "direct_cached_bytes", "0");
    put(&hand.result[1]->counters, "direct_set_bytes", "1000000000");
    assert_false(says(&hand, &table, " 4 RAM "));
    put(&hand.result[1]->counters, "direct_cached_bytes", "44040192");
    assert_true(says(&hand, &table, "NOT DIRECT run 2: 42 MiB came into this machine's cache"));
    assert_true(says(&hand, &table, " 4 RAM "));
    hand_free(&hand);
}

static uint64_t none(unsigned interval)
{
    (void)interval;
    return 0;
}

/* Where the maximum lies: in an interval of the window, not in one of the warm-up. */
static void the_slowest_op_is_placed_in_the_window(void **state)
{
    struct hand hand = {0};

    (void)state;
    io(&hand);
    hand_series(hand.result[0], 65, none);
    assert_false(says(&hand, &table, "slowest"));
    hand_slowest(hand.result[0], 0, 4, 2000); /* warm-up: 5 s */
    assert_false(says(&hand, &table, "slowest"));
    hand_slowest(hand.result[0], 0, 47, 2000);
    assert_true(
        says(&hand, &table, "slowest 2.00 us, read: done 42.0 s to 43.0 s into the window"));
    hand_free(&hand);
}

/* What was wrong: a closed loop whose target stopped answering showed the max of what it answered. */
static void what_is_under_way_is_the_slowest(void **state)
{
    struct hand hand = {0};

    (void)state;
    io(&hand);
    hand_own(hand.result[0], "in_flight_ops", "4");
    hand_own(hand.result[0], "in_flight_oldest_ns", "1999");
    hand_own(hand.result[0], "in_flight_oldest_line", "read");
    assert_true(
        says(&hand, &table, "under way 4 ops under way at the end, the oldest for 2.00 us"));
    assert_false(says(&hand, &table, "LONGER"));
    assert_false(says(&hand, &table, ">2.00"));
    hand_free(&hand);

    hand = (struct hand){0};
    io(&hand);
    hand_own(hand.result[0], "in_flight_ops", "4");
    hand_own(hand.result[0], "in_flight_oldest_ns", "2000000000");
    hand_own(hand.result[0], "in_flight_oldest_line", "read");
    assert_true(says(&hand, &table, "the oldest for 2.00 s; LONGER than any that was done"));
    assert_true(says(&hand, &table, " >2.00 s "));
    assert_true(says(&hand, &table, "slowest 2.00 s, read: not done when the window closed"));
    hand_free(&hand);
}

/* What was wrong: where the collector came late, what was done in one interval was drawn in another
 * without a word. */
static void smeared_intervals_are_not_drawn(void **state)
{
    struct hand hand = {0};

    (void)state;
    io(&hand);
    hand_series(hand.result[0], 65, none);
    hand_slowest(hand.result[0], 0, 47, 2000);
    hand_own(hand.result[0], "blocks_kept", "3");
    assert_true(says(&hand, &table, "intervals smeared: 3 times the collector came late"));
    assert_false(says(&hand, &table, "IOPS in"));
    assert_false(says(&hand, &table, "into the window"));
    hand_free(&hand);
}

static void lateness(struct hand *hand, unsigned tail, uint64_t tail_ns)
{
    struct result *r = hand_io(hand, "100");
    struct result_line *line = hand_line(r, "read", 1000, 1000 * 8192, 1000, 2000);

    line->open_loop = true;
    hist_record_n(&line->sum.response, 1000000, 1000);
    hist_record_n(&r->lateness, 1000, 1000 - tail);
    hist_record_n(&r->lateness, tail_ns, tail);
}

/* What was wrong: only the medians were compared, and a tail of ours passed for the target's. */
static void lateness_is_said_in_the_tail_too(void **state)
{
    static const struct {
        unsigned tail;
        uint64_t tail_ns;
        const char *words;
    } cases[] = {{600, 200000, "LATE: its p50 is"},
                 {20, 200000, "LATE: its p99 is"},
                 {2, 200000, "LATE: its p99.9 is"},
                 {20, 90000, NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hand hand = {0};

        lateness(&hand, cases[i].tail, cases[i].tail_ns);
        if (cases[i].words)
            assert_true(says(&hand, &table, cases[i].words));
        else
            assert_false(says(&hand, &table, "LATE"));
        hand_free(&hand);
    }
}

static void a_backlog_is_told(void **state)
{
    struct hand hand = {0};

    (void)state;
    lateness(&hand, 1, 1000);
    assert_false(says(&hand, &table, "BACKLOG"));
    hand_own(hand.result[0], "backlog_at_open", "1000");
    assert_true(says(&hand, &table, "BACKLOG: 1000 more fell due before the window"));
    hand_free(&hand);
}

/* What was never done is in no interval, and said so. */
static void the_slowest_op_may_not_be_done(void **state)
{
    struct hand hand = {0};
    struct result_line *line;

    (void)state;
    io(&hand);
    hand_series(hand.result[0], 65, none);
    line = &hand.result[0]->line[0];
    line->open_loop = true;
    hand_samples(&line->sum.response, 1, 3000000000u, 3000000000u);
    assert_false(says(&hand, &table, "slowest"));
    hand.result[0]->unfinished = 1;
    assert_true(says(&hand, &table, "slowest 3.00 s, read: not done when the window closed"));
    assert_true(says(&hand, &wide, "p99.99 read response 3.00 s; read service 2.00 us"));
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_limit_is_said_where_it_is_passed),
        cmocka_unit_test(the_worst_run_is_named),
        cmocka_unit_test(more_than_all_time_has_no_rest),
        cmocka_unit_test(time_not_at_the_target_is_said),
        cmocka_unit_test(cheap_files_are_named),
        cmocka_unit_test(pages_are_a_share_of_what_could_be_there),
        cmocka_unit_test(direct_reads_that_left_pages_mark_row_and_foot),
        cmocka_unit_test(the_slowest_op_is_placed_in_the_window),
        cmocka_unit_test(what_is_under_way_is_the_slowest),
        cmocka_unit_test(smeared_intervals_are_not_drawn),
        cmocka_unit_test(lateness_is_said_in_the_tail_too),
        cmocka_unit_test(a_backlog_is_told),
        cmocka_unit_test(the_slowest_op_may_not_be_done),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
