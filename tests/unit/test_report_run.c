/* report.h: runs of workload files, to the letter; and what filebench's programs would read of them. */
#include "report/report.h"

#include "golden/exact.h"
#include "golden/run_by_hand.h"
#include "result/flowops.h"

#include <errno.h>
#include <math.h>

static const struct report_style table = {.format = REPORT_TEXT};
static const struct report_style wide = {.format = REPORT_TEXT, .wide = true};
static const struct report_style md = {.format = REPORT_MD};
static const struct report_style filebench = {.format = REPORT_TEXT, .filebench = true};

static void varmail(struct hand *hand)
{
    hand_varmail(hand, "run", "varmail", "1.5");
}

static void oltp(struct hand *hand)
{
    hand_oltp(hand, "run", "oltp");
}

/* Two runs of one script, the first three times; one of them ran out. */
static void two_runs(struct hand *hand)
{
    for (unsigned i = 0; i < 3; i++)
        varmail(hand);
    hand_oltp(hand, "run", "varmail");
    hand_option(hand->result[3], "script_run", "2");
    hand_option(hand->result[3], "ended", "ran out");
    hand->result[3]->state = RESULT_INCOMPLETE;
    hand_set(&hand->result[3]->reason, "bigfileset has run out of files for createfile2");
    hand_flowop_error(hand->result[3], "appendfilerand3", "append", "ENOSPC", 2,
                      "bigfileset/00000001/00000002");
    hand_flowop_error(hand->result[3], "appendfilerand2", "append", "ENOSPC", 1,
                      "bigfileset/00000001/00000003");
}

static void array_test(struct hand *hand)
{
    struct result *r;

    for (unsigned i = 0; i < 3; i++) {
        r = hand_run(hand, "array-test", "multistreamread", "sun");
        hand_flowop(r, "seqread1", "read", 1000, 1000ull << 20, 9000000, 11000000 + i * 1000000);
        r = hand_run(hand, "array-test", "multistreamwrite", "sun");
        hand_option(r, "script", "2");
        hand_flowop(r, "seqwrite1", "write", 500, 500ull << 20, 19000000, 21000000);
        hand_varmail(hand, "array-test", "varmail-2008", "sun");
        hand_option(hand->result[hand->n - 1], "script", "3");
        hand_oltp(hand, "array-test", "oltp-2008");
        hand_option(hand->result[hand->n - 1], "script", "4");
    }
}

static void lathist(struct hand *hand)
{
    struct result *r = hand_run(hand, "run", "tiny", "1.5");

    hand_flowop(r, "listdir1", "listdir", 4, 0, 1000, 1000)->sum.extra = 3 << 20;
    hand_option(r, "latency_histogram", "yes");
}

static void old_varmail(struct hand *hand)
{
    hand_varmail(hand, "run", "varmail", "sun");
}

static void print_exact(const char *name, void (*make)(struct hand *hand),
                        const struct report_style *style)
{
    struct hand hand = {0};
    struct text out;

    make(&hand);
    hand_print(&out, &hand, style);
    exact(name, out.s);
    text_fini(&out);
    hand_free(&hand);
}

static void every_form_to_the_letter(void **state)
{
    (void)state;
    print_exact("run_varmail", varmail, &table);
    print_exact("run_varmail_md", varmail, &md);
    print_exact("run_oltp", oltp, &table);
    print_exact("run_oltp_wide", oltp, &wide);
    print_exact("run_two", two_runs, &table);
    print_exact("run_array", array_test, &table);
    print_exact("run_filebench", varmail, &filebench);
    print_exact("run_filebench_14", old_varmail, &filebench);
    print_exact("run_filebench_lathist", lathist, &filebench);
}

static uint64_t five(unsigned interval)
{
    (void)interval;
    return 50;
}

/* A whole file is read by two ops or more: what is drawn is what the table counts. */
static void what_is_drawn_is_what_is_counted(void **state)
{
    struct hand hand = {0};
    struct result *r;
    struct text out;

    (void)state;
    r = hand_run(&hand, "run", "reads", "1.5");
    hand_flowop(r, "readfile", "readwholefile", 100, 100, 1000, 2000)->sum.ops = 500;
    hand_flowop(r, "think", "hog", 100, 0, 1000, 2000);
    hand_series(r, 12, five);
    for (unsigned i = 0; i < 24; i++)
        r->series.line[i].samples = 10;
    hand_print(&out, &hand, &table);
    assert_non_null(
        strstr(out.s, "ops/s in 10 intervals of 1.00 s: min 10.0, mean 10.0, max 10.0"));
    text_fini(&out);
    hand_free(&hand);
}

/* A run that had errors did not do what the figure is of. */
static void runs_with_errors_are_in_no_figure(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    array_test(&hand);
    hand_error(hand.result[0], "read", "EIO", 1, "f1");
    hand_print(&out, &hand, &table);
    assert_non_null(strstr(
        out.s, "1 read bandwidth                100 MiB/s      0.0%       100       100    2"));
    text_fini(&out);
    hand_free(&hand);
}

/* Thirteen ops a loop over four that read or write: the latency of 2008 is 3.25 times the true mean. */
static void latency_of_2008_is_longer_than_any_op(void **state)
{
    struct hand hand = {0};
    struct result_flowops f;

    (void)state;
    varmail(&hand);
    result_flowops_of(hand.result[0], &f);
    assert_int_equal(1300, f.ops);
    assert_int_equal(200, f.reads);
    assert_int_equal(200, f.writes);
    assert_true(fabs(result_flowops_fb2008_ns(&f) / result_flowops_mean_ns(&f) - 3.25) < 1e-9);
    hand_free(&hand);
}

/* What is handed over counts as an op, its time in no latency of 2008; waiting counts as neither. */
static void asynchronous_ops_have_no_latency_of_2008(void **state)
{
    struct hand hand = {0};
    struct result_flowops f;

    (void)state;
    oltp(&hand);
    result_flowops_of(hand.result[0], &f);
    assert_int_equal(40 + 40 + 1000, f.ops);
    assert_int_equal(1000, f.sync_moves);
    assert_int_equal(40, f.writes);
    assert_true(fabs(hist_mean(&hand.result[0]->line[4].sum.service) -
                     result_flowops_fb2008_ns(&f)) < 1e-6);
    assert_int_equal(160, result_flowop_count(&hand.result[0]->line[6]));
    hand_free(&hand);
}

static void repeats_pool_and_unknown_stays_unknown(void **state)
{
    struct hand hand = {0};
    struct result_flowops sum, one;

    (void)state;
    varmail(&hand);
    result_flowops_of(hand.result[0], &sum);
    one = sum;
    one.machine_cpu_ns = -1;
    result_flowops_add(&sum, &one);
    assert_int_equal(2600, sum.ops);
    assert_int_equal(20000000000u, sum.window_ns);
    assert_true(sum.machine_cpu_ns < 0);
    assert_true(fabs(result_flowops_per_s(&sum, (double)sum.ops) - 130) < 1e-9);
    hand_free(&hand);
}

static void only_runs_have_lines_of_filebench(void **state)
{
    struct hand hand = {0};
    struct text out;
    struct err err = {0};

    (void)state;
    hand_io(&hand, "0");
    text_init(&out);
    assert_int_equal(-EINVAL, report_study(&out, hand.result, 1, &filebench, &err));
    assert_non_null(strstr(err.text, "workload files"));
    text_fini(&out);
    hand_free(&hand);
}

static void a_period_is_the_table_so_far(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    varmail(&hand);
    text_init(&out);
    report_period(&out, hand.result[0], &table);
    assert_non_null(strstr(out.s, "from 2.00 s to 12.0 s"));
    assert_non_null(strstr(out.s, "all I/O"));
    text_fini(&out);
    text_init(&out);
    report_period(&out, hand.result[0], &filebench);
    assert_non_null(strstr(out.s, "IO Summary:  1300 ops"));
    text_fini(&out);
    hand_free(&hand);
}

/* A name with a line end made two lines of one, and its control characters reached the terminal. */
static void a_line_of_filebench_is_a_line(void **state)
{
    struct hand hand = {0};
    struct text out;

    (void)state;
    varmail(&hand);
    snprintf(hand.result[0]->line[0].name, sizeof hand.result[0]->line[0].name, "a\nb\x1b[31m");
    hand_print(&out, &hand, &filebench);
    assert_non_null(strstr(out.s, "\na\\x0ab\\x1b[31m       100ops "));
    text_fini(&out);
    hand_free(&hand);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_to_the_letter),
        cmocka_unit_test(what_is_drawn_is_what_is_counted),
        cmocka_unit_test(runs_with_errors_are_in_no_figure),
        cmocka_unit_test(latency_of_2008_is_longer_than_any_op),
        cmocka_unit_test(asynchronous_ops_have_no_latency_of_2008),
        cmocka_unit_test(repeats_pool_and_unknown_stays_unknown),
        cmocka_unit_test(a_line_of_filebench_is_a_line),
        cmocka_unit_test(only_runs_have_lines_of_filebench),
        cmocka_unit_test(a_period_is_the_table_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
