/* rows.h: names, order, values and who counts in a row. */
#include "unit/rows_by_hand.h"

#include "verdict/rows.h"

#include <errno.h>

static void rows(const struct side *s, struct rows *out)
{
    assert_int_equal(rows_of(s->result, s->n, out), 0);
}

static void a_tree_is_named_by_length_and_phase(void **state)
{
    (void)state;
    static const struct {
        double length;
        const char *name;
    } named[] = {{2, "2 B write"},
                 {1023, "1023 B write"},
                 {1024, "1 KiB write"},
                 {1025, "1025 B write"},
                 {1572864, "1.5 MiB write"},
                 {2098176, "2049 KiB write"}, /* "2.00 MiB" would also be the next one */
                 {2099200, "2050 KiB write"}};
    for (size_t i = 0; i < HAND_COUNT(named); i++) {
        struct side s = {0};
        struct rows r;
        side_add(&s, hand_tree("A", 1, "write", named[i].length, 10));
        rows(&s, &r);
        assert_int_equal(r.n, 1);
        assert_string_equal(r.row[0].name, named[i].name);
        rows_fini(&r);
        side_free(&s);
    }
}

/* A name from a file of somebody else went to the terminal as it was. */
static void names_do_nothing_to_a_terminal(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_tree("A", 1, "\x1b[31m", 4096, 10));
    struct result *io = side_add(&s, hand_io("B", 1, 10));
    memset(io->line[0].name, '\n', sizeof io->line[0].name - 1);
    rows(&s, &r);
    assert_int_equal(r.n, 2);
    assert_string_equal(r.row[0].name, "4 KiB \\x1b[31m");
    assert_int_equal(strlen(r.row[1].name), (ROWS_NAME_MAX - 1) / 4 * 4);
    assert_null(strchr(r.row[1].name, '\n'));
    rows_fini(&r);
    side_free(&s);
}

static void lengths_rise_within_a_phase(void **state)
{
    (void)state;
    static const char *const order[] = {"2 B write", "1 KiB write", "2 B read", "1 KiB read"};
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_tree("A", 1, "write", 1024, 10));
    side_add(&s, hand_tree("A", 2, "read", 1024, 10));
    side_add(&s, hand_tree("A", 3, "write", 2, 10));
    side_add(&s, hand_tree("A", 4, "read", 2, 10));
    rows(&s, &r);
    assert_int_equal(r.n, HAND_COUNT(order));
    for (unsigned i = 0; i < r.n; i++)
        assert_string_equal(r.row[i].name, order[i]);
    rows_fini(&r);
    side_free(&s);
}

static void runs_stand_in_the_order_of_their_beginning(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    for (unsigned i = 0; i < 3; i++) {
        struct result *at = side_add(&s, hand_tree("A", 3 - i, "write", 2, 10));
        hand_option(at, "repeat", 7 - i);
    }
    rows(&s, &r);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.row[0].n, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(r.row[0].run[i].result->run, i + 1);
        assert_int_equal(r.row[0].run[i].repeat, i + 5);
    }
    rows_fini(&r);
    side_free(&s);
}

static void values_of_a_tree_are_those_of_its_table(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    struct result *tree = side_add(&s, hand_tree("A", 1, "write", 4096, 500));
    tree->passes = 4;
    rows(&s, &r);
    const double *value = r.row[0].run[0].value;
    assert_close(value[ROWS_OPS], 2000, 1e-9);
    assert_close(value[ROWS_BYTES], 2000 * 4096, 1e-6);
    assert_close(value[ROWS_TIME], 125e6, 1e-6);
    /* create takes 1 us, write 2, close 3: the row is named by write. */
    assert_close(value[ROWS_P50], 2000, 0.004 * 2000);
    assert_close(value[ROWS_MAX], 2000, 1e-9);
    assert_true(isnan(r.row[0].run[0].within_frac));
    rows_fini(&r);
    side_free(&s);
}

/* Published rows know files, bytes and elapsed time only. */
static void a_tree_without_lines_has_no_quantiles(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    struct result *tree = side_add(&s, hand_tree("A", 1, "read", 2, 500));
    tree->lines = 0;
    rows(&s, &r);
    assert_true(r.row[0].run[0].value[ROWS_TIME] > 0);
    for (unsigned m = ROWS_P50; m < ROWS_METRICS; m++)
        assert_true(isnan(r.row[0].run[0].value[m]));
    rows_fini(&r);
    tree->lines = 3;
    side_free(&s);
}

static struct result *mix(uint64_t reads, uint64_t writes)
{
    static const char *const names[] = {"read", "write"};
    struct result *r = hand_io("A", 1, 0);
    free(r->line);
    hand_lines(r, 2, names);
    hand_ops(&r->line[0], reads, 500);
    hand_ops(&r->line[1], writes, 900);
    return r;
}

static void a_mix_is_a_row_per_line_and_all(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    side_add(&s, mix(3000, 1000));
    rows(&s, &r);
    assert_int_equal(r.n, 3);
    assert_string_equal(r.row[0].name, "read");
    assert_string_equal(r.row[1].name, "write");
    assert_string_equal(r.row[2].name, "all");
    assert_close(r.row[0].run[0].value[ROWS_OPS], 3000, 1e-9);
    assert_close(r.row[1].run[0].value[ROWS_OPS], 1000, 1e-9);
    assert_close(r.row[2].run[0].value[ROWS_OPS], 4000, 1e-9);
    assert_close(r.row[2].run[0].value[ROWS_P50], 500, 2);
    assert_close(r.row[2].run[0].value[ROWS_P95], 900, 4);
    assert_true(isnan(r.row[2].run[0].value[ROWS_TIME]));
    rows_fini(&r);
    side_free(&s);
}

static void one_line_alone_is_one_row(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_io("A", 1, 10));
    rows(&s, &r);
    assert_int_equal(r.n, 1);
    assert_string_equal(r.row[0].name, "read");
    rows_fini(&r);
    side_free(&s);
}

static void at_a_rate_quantiles_are_of_response(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    struct result *io = side_add(&s, hand_io("A", 1, 1000));
    io->line[0].open_loop = true;
    hist_record_n(&io->line[0].sum.response, 70000, 1000);
    rows(&s, &r);
    assert_close(r.row[0].run[0].value[ROWS_P99], 70000, 0.004 * 70000);
    rows_fini(&r);
    side_free(&s);
}

static void a_quantile_needs_samples_above_it(void **state)
{
    (void)state;
    static const struct {
        enum rows_metric metric;
        uint64_t samples;
    } needs[] = {{ROWS_P50, 2}, {ROWS_P95, 20}, {ROWS_P99, 100}, {ROWS_P999, 1000}, {ROWS_MAX, 1}};
    for (size_t i = 0; i < HAND_COUNT(needs); i++) {
        for (unsigned enough = 0; enough < 2; enough++) {
            struct side s = {0};
            struct rows r;
            side_add(&s, hand_io("A", 1, needs[i].samples - 1 + enough));
            rows(&s, &r);
            assert_int_equal(!isnan(r.row[0].run[0].value[needs[i].metric]), enough);
            rows_fini(&r);
            side_free(&s);
        }
    }
}

/* ---- the error within a run ---- */

/* `n` intervals of 10 ms; interval i has as many ops as `of` says. */
static struct result *over_time(unsigned n, uint64_t (*of)(unsigned i))
{
    struct result *r = hand_io("A", 1, 1000);
    struct samples_block *block = samples_block_new(1);
    assert_non_null(block);
    series_init(&r->series, 1, 10000000);
    for (unsigned i = 0; i < n; i++) {
        samples_block_clear(block);
        block->interval = i;
        block->line[0].ops = of(i);
        block->line[0].samples = of(i);
        hist_record_n(&block->line[0].service, 500, of(i));
        assert_int_equal(series_add(&r->series, block), 0);
    }
    samples_block_free(block);
    r->window_open_ns = 0;
    r->window_close_ns = n * 10000000ull;
    return r;
}

static double within(struct result *io)
{
    struct side s = {0};
    struct rows r;
    side_add(&s, io);
    rows(&s, &r);
    double frac = r.row[0].run[0].within_frac;
    rows_fini(&r);
    side_free(&s);
    return frac;
}

static uint64_t flat(unsigned i)
{
    (void)i;
    return 100;
}

static uint64_t fast_and_slow_by_turns(unsigned i)
{
    return i % 2 ? 110 : 90;
}

static uint64_t fast_then_slow(unsigned i)
{
    return i < 50 ? 110 : 90;
}

/* Of intervals taken for independent both would have 10 %/√100 = 1 %. Batches see that the one
 * evens out, and that the other is two long stretches: s = 10.54 %, over √10. */
static void batches_are_not_fooled_by_neighbours(void **state)
{
    (void)state;
    assert_true(within(over_time(100, flat)) == 0);
    assert_true(within(over_time(100, fast_and_slow_by_turns)) == 0);
    assert_close(within(over_time(100, fast_then_slow)), sqrt(0.01 * 10 / 9 / 10), 1e-9);
}

static void a_short_run_has_no_error_within(void **state)
{
    (void)state;
    assert_true(isnan(within(over_time(19, flat))));
    assert_false(isnan(within(over_time(20, flat))));
}

/* A target that stopped answering is in no interval; that it did is in the error all the same. */
static void quiet_intervals_at_the_end_count(void **state)
{
    (void)state;
    struct result *r = over_time(90, flat);
    r->window_close_ns = 1000000000;
    assert_close(within(r), sqrt(0.9 * 0.1 * 10 / 9 / 10) / 0.9, 1e-9);
}

static uint64_t wild_warmup(unsigned i)
{
    return i < 30 ? 10 + 7 * i : 100;
}

static void the_warmup_does_not_count(void **state)
{
    (void)state;
    struct result *r = over_time(100, wild_warmup);
    r->window_open_ns = 295000000;
    assert_true(within(r) == 0);
}

/* ---- who counts in a row ---- */

static void a_row_knows_whether_it_is_one_workload(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_io("A", 1, 10));
    side_add(&s, hand_io("B", 1, 10));
    rows(&s, &r);
    assert_true(r.row[0].one_workload);
    rows_fini(&r);
    s.result[1]->workload_hash[3] = 'f';
    rows(&s, &r);
    assert_int_equal(r.n, 1);
    assert_int_equal(r.row[0].n, 2);
    assert_false(r.row[0].one_workload);
    assert_string_equal(r.row[0].workload_hash, s.result[0]->workload_hash);
    rows_fini(&r);
    side_free(&s);
}

static void a_result_that_is_given_twice_counts_once(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_io("A", 1, 10));
    side_add(&s, s.result[0]);
    side_add(&s, hand_io("A", 2, 10));
    rows(&s, &r);
    assert_int_equal(r.row[0].n, 2);
    rows_fini(&r);
    s.result[1] = NULL;
    side_free(&s);
}

static void names_are_found_without_regard_to_case_and_blanks(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_tree("A", 1, "write", 4096, 10));
    rows(&s, &r);
    assert_ptr_equal(rows_find(&r, "4 KiB write"), &r.row[0]);
    assert_ptr_equal(rows_find(&r, "  4  kib\tWRITE "), &r.row[0]);
    assert_null(rows_find(&r, "4KiB write"));
    assert_null(rows_find(&r, "4 KiB writes"));
    assert_null(rows_find(&r, "4 KiB"));
    assert_null(rows_find(&r, ""));
    rows_fini(&r);
    side_free(&s);
}

static void metrics_are_found_by_their_whole_name(void **state)
{
    (void)state;
    enum rows_metric m = ROWS_METRICS;
    struct err err = {0};
    for (unsigned i = 0; i < ROWS_METRICS; i++) {
        const char *name = rows_metric_name((enum rows_metric)i);
        assert_int_equal(rows_metric_find(name, strlen(name), &m, NULL), 0);
        assert_int_equal(m, i);
    }
    assert_int_equal(rows_metric_find("p99.99", 6, &m, &err), -EINVAL);
    assert_says(err.text, "\"p99.99\" is not a metric");
    assert_says(err.text, "p99.9 and max");
    assert_int_equal(rows_metric_find("", 0, &m, &err), -EINVAL);
    assert_true(rows_metric_more_is_better(ROWS_BYTES));
    assert_false(rows_metric_more_is_better(ROWS_TIME));
}

static void no_results_are_no_rows(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    rows(&s, &r);
    assert_int_equal(r.n, 0);
    rows_fini(&r);
}

/* A pass of varmail: what waits is not in it, and of asynchronous writes not the times. */
static struct result *hand_workload(const char *study_id, unsigned run)
{
    static const char *const names[] = {"readwholefile", "aiowrite", "delay"};
    struct result *r = hand_new("run", study_id, run);
    r->elapsed_ns = 2000000000;
    r->window_close_ns = r->elapsed_ns;
    assert_int_equal(result_fact_put(&r->options, "workload", "varmail", ""), 0);
    hand_lines(r, HAND_COUNT(names), names);
    snprintf(r->line[0].name, sizeof r->line[0].name, "readfile1");
    for (unsigned i = 0; i < r->lines; i++)
        hand_ops(&r->line[i], 100, 1000);
    r->line[0].sum.ops *= 7; /* at the target */
    hist_record(&r->line[1].sum.service, 9000000);
    return r;
}

static void a_workload_is_a_row_per_flowop_and_its_name(void **state)
{
    (void)state;
    static const char *const named[] = {"varmail readfile1", "varmail aiowrite", "varmail"};
    struct side s = {0};
    struct rows r;
    side_add(&s, hand_workload("A", 1));
    rows(&s, &r);
    assert_int_equal(r.n, HAND_COUNT(named));
    for (unsigned i = 0; i < r.n; i++) {
        assert_string_equal(r.row[i].name, named[i]);
        assert_int_equal(r.row[i].told, i < 2);
        assert_true(isnan(r.row[i].run[0].value[ROWS_TIME]));
    }
    assert_close(r.row[0].run[0].value[ROWS_OPS], 50, 0);
    assert_close(r.row[2].run[0].value[ROWS_OPS], 100, 0);
    assert_close(r.row[2].run[0].value[ROWS_BYTES], 200 * 4096 / 2, 0);
    assert_close(r.row[2].run[0].value[ROWS_MAX], 1000, 0);
    rows_fini(&r);
    side_free(&s);
}

static void runs_of_one_file_are_told_apart(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    for (unsigned i = 1; i <= 2; i++) {
        struct result *at = side_add(&s, hand_workload("A", i));
        hand_option(at, "script_run", i);
    }
    rows(&s, &r);
    assert_int_equal(r.n, 6);
    assert_non_null(rows_find(&r, "varmail readfile1"));
    assert_non_null(rows_find(&r, "varmail run 2"));
    rows_fini(&r);
    side_free(&s);
}

static void a_workload_that_ended_by_itself_has_a_time(void **state)
{
    (void)state;
    struct side s = {0};
    struct rows r;
    struct result *at = side_add(&s, hand_workload("A", 1));
    assert_int_equal(result_fact_put(&at->options, "ended", "done", ""), 0);
    rows(&s, &r);
    assert_close(rows_find(&r, "varmail")->run[0].value[ROWS_TIME], 2e9, 0);
    assert_true(isnan(rows_find(&r, "varmail readfile1")->run[0].value[ROWS_TIME]));
    rows_fini(&r);
    side_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_is_named_by_length_and_phase),
        cmocka_unit_test(names_do_nothing_to_a_terminal),
        cmocka_unit_test(lengths_rise_within_a_phase),
        cmocka_unit_test(runs_stand_in_the_order_of_their_beginning),
        cmocka_unit_test(values_of_a_tree_are_those_of_its_table),
        cmocka_unit_test(a_tree_without_lines_has_no_quantiles),
        cmocka_unit_test(a_mix_is_a_row_per_line_and_all),
        cmocka_unit_test(one_line_alone_is_one_row),
        cmocka_unit_test(at_a_rate_quantiles_are_of_response),
        cmocka_unit_test(a_quantile_needs_samples_above_it),
        cmocka_unit_test(batches_are_not_fooled_by_neighbours),
        cmocka_unit_test(a_short_run_has_no_error_within),
        cmocka_unit_test(quiet_intervals_at_the_end_count),
        cmocka_unit_test(the_warmup_does_not_count),
        cmocka_unit_test(a_row_knows_whether_it_is_one_workload),
        cmocka_unit_test(a_result_that_is_given_twice_counts_once),
        cmocka_unit_test(names_are_found_without_regard_to_case_and_blanks),
        cmocka_unit_test(metrics_are_found_by_their_whole_name),
        cmocka_unit_test(no_results_are_no_rows),
        cmocka_unit_test(a_workload_is_a_row_per_flowop_and_its_name),
        cmocka_unit_test(runs_of_one_file_are_told_apart),
        cmocka_unit_test(a_workload_that_ended_by_itself_has_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
