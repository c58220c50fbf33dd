/* compare.h: which rows may be compared, what counts once, and the word. */
#include "unit/rows_by_hand.h"

#include <errno.h>

static const double steady[] = {1000, 1010, 990, 1005, 995, 1002};

/* Runs of one study and one row, numbered as its repeats. */
static void repeats(struct side *s, const char *study_id, unsigned n, double factor)
{
    for (unsigned i = 0; i < n; i++) {
        double ms = steady[i % HAND_COUNT(steady)] * factor;
        struct result *r = side_add(s, hand_tree(study_id, i + 1, "write", 4096, ms));
        hand_option(r, "repeat", i + 1);
    }
}

static const struct compare_cell *time_of(const struct comparison *c)
{
    assert_true(c->rows > 0);
    return &c->row[0].cell[ROWS_TIME];
}

static void a_word_goes_by_the_direction_of_the_metric(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 5, 1);
    repeats(&b, "B", 5, 1.2);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.rows, 1);
    assert_string_equal(c.row[0].name, "4 KiB write");
    assert_true(c.row[0].comparable);
    assert_int_equal(time_of(&c)->word, COMPARE_WORSE);
    assert_close(time_of(&c)->change.frac, 0.2, 1e-6);
    assert_int_equal(c.row[0].cell[ROWS_OPS].word, COMPARE_WORSE);
    assert_close(c.row[0].cell[ROWS_OPS].change.frac, 1 / 1.2 - 1, 1e-6);
    assert_int_equal(c.row[0].cell[ROWS_P99].word, COMPARE_NOISE);
    assert_int_equal(c.noise, COMPARE_FROM_REPEATS);
    compare_fini(&c);
    hand_compare(&b, &a, &c);
    assert_int_equal(time_of(&c)->word, COMPARE_BETTER);
    assert_int_equal(c.row[0].cell[ROWS_BYTES].word, COMPARE_BETTER);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void one_run_each_cannot_be_told(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 1, 1);
    repeats(&b, "B", 1, 3);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.noise, COMPARE_FROM_NOTHING);
    assert_int_equal(time_of(&c)->word, COMPARE_CANNOT);
    assert_close(time_of(&c)->change.frac, 2, 1e-9);
    assert_true(isnan(time_of(&c)->change.low));
    assert_says(time_of(&c)->reason, "5 runs of old");
    assert_false(c.summary[ROWS_TIME].has_interval);
    assert_close(c.summary[ROWS_TIME].frac, 2, 1e-9);
    assert_true(isnan(c.summary[ROWS_TIME].seen_frac));
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* Neighbouring buckets, the same in each run: what a histogram cannot tell is no difference. */
static void a_bucket_is_no_difference(void **state)
{
    (void)state;
    static const struct {
        uint64_t ns;
        enum compare_word word;
    } cases[] = {{2015, COMPARE_NOISE}, {2100, COMPARE_WORSE}};
    for (size_t i = 0; i < HAND_COUNT(cases); i++) {
        struct side a = {0}, b = {0};
        struct comparison c;
        repeats(&a, "A", 5, 1);
        repeats(&b, "B", 5, 1);
        for (unsigned run = 0; run < 5; run++) {
            struct samples_line *sum = &b.result[run]->line[1].sum;
            hist_clear(&sum->service);
            hist_record_n(&sum->service, cases[i].ns, 1000);
        }
        hand_compare(&a, &b, &c);
        assert_true(c.row[0].cell[ROWS_P99].change.frac > 0.004);
        assert_int_equal(c.row[0].cell[ROWS_P99].word, cases[i].word);
        compare_fini(&c);
        side_free(&a);
        side_free(&b);
    }
}

/* ---- what counts once ---- */

/* Five nights that differ by 5 %, five repeats in each that differ by nearly nothing. */
static void nights(struct side *s, const char *prefix, unsigned n, unsigned each, double factor)
{
    static const double night[] = {1000, 1050, 950, 1020, 980, 1040, 960};
    for (unsigned i = 0; i < n; i++) {
        for (unsigned j = 0; j < each; j++) {
            char id[RESULT_ID_MAX];
            snprintf(id, sizeof id, "%s%u", prefix, i);
            double ms = night[i % HAND_COUNT(night)] * factor * (1 + 0.0001 * j);
            struct result *r = side_add(s, hand_tree(id, j + 1, "write", 4096, ms));
            r->begun_wall_ns = 1000 * (i + 1) + j;
            hand_option(r, "repeat", j + 1);
        }
    }
}

/* 25 repeats say less than five nights: those of one night share it. Taken as 25 runs, a new night
 * 6 % slower would be called worse. */
static void a_study_counts_once_where_there_are_five(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    nights(&a, "A", 5, 5, 1);
    nights(&b, "B", 1, 5, 1.06);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.noise, COMPARE_FROM_STUDIES);
    assert_int_equal(time_of(&c)->n_a, 5);
    assert_int_equal(time_of(&c)->n_b, 1);
    assert_true(time_of(&c)->change.df == 4);
    assert_int_equal(time_of(&c)->word, COMPARE_NOISE);
    assert_true(time_of(&c)->change.half_frac > 0.09);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* Runs of two targets of one study with the same number of repeat were one run, their mean: half as
 * many as were measured, and none of them of either target. */
static void targets_of_one_study_count_each(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 5, 1);
    repeats(&a, "A", 5, 2);
    repeats(&b, "B", 5, 1);
    for (unsigned i = 0; i < a.n; i++) {
        a.result[i]->run = i + 1;
        hand_option(a.result[i], "side", i < 5 ? 1 : 2);
    }
    hand_compare(&a, &b, &c);
    assert_int_equal(time_of(&c)->n_a, 10);
    assert_int_equal(time_of(&c)->n_b, 5);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* A new study of one repeat is less certain than nights of five: repeats of one study differ by
 * 10 %, nights hardly do. */
static void a_study_of_fewer_repeats_is_less_certain(void **state)
{
    (void)state;
    static const double repeat[] = {1000, 1100, 900, 1080, 920};
    struct side a = {0}, one = {0}, five = {0};
    struct comparison c;
    for (unsigned i = 0; i < 30; i++) {
        char id[RESULT_ID_MAX];
        snprintf(id, sizeof id, "%c%u", i < 25 ? 'A' : 'B', i < 25 ? i / 5 : 0);
        struct result *r = hand_tree(id, i % 5 + 1, "write", 4096, repeat[i % 5] + i / 5);
        r->begun_wall_ns = 1000 + i;
        side_add(i < 25 ? &a : &five, r);
    }
    one = five;
    one.n = 1;
    hand_compare(&a, &five, &c);
    assert_true(time_of(&c)->change.half_frac < 0.01);
    compare_fini(&c);
    hand_compare(&a, &one, &c);
    assert_int_equal(time_of(&c)->n_b, 1);
    assert_true(time_of(&c)->change.half_frac > 0.15);
    compare_fini(&c);
    side_free(&a);
    side_free(&five);
}

static void with_fewer_studies_runs_count(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    nights(&a, "A", 4, 2, 1);
    nights(&b, "B", 1, 1, 1);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.noise, COMPARE_FROM_REPEATS);
    assert_int_equal(time_of(&c)->n_a, 8);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* Repeats 1 … n of both targets of one study; each repeat has its own hour. */
static void turns(struct side *a, struct side *b, unsigned n, double factor)
{
    for (unsigned i = 0; i < n; i++) {
        double hour = 1000 * (1 + 0.3 * (i % 3));
        struct result *r = side_add(a, hand_tree("T", 2 * i + 1, "write", 4096, hour));
        hand_option(r, "repeat", i + 1);
        hand_option(r, "side", 1);
        r = side_add(b, hand_tree("T", 2 * i + 2, "write", 4096, hour * factor * (1 + 0.001 * i)));
        hand_option(r, "repeat", i + 1);
        hand_option(r, "side", 2);
    }
}

static void runs_that_took_turns_are_compared_in_pairs(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    turns(&a, &b, 4, 1.05);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.noise, COMPARE_FROM_TURNS);
    assert_int_equal(time_of(&c)->change.noise, CHANGE_NOISE_PAIRS);
    assert_int_equal(time_of(&c)->word, COMPARE_WORSE);
    assert_true(time_of(&c)->change.df == 3);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void what_has_no_partner_is_in_no_pair(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    turns(&a, &b, 4, 1.05);
    result_free(b.result[1]);
    b.result[1] = b.result[3];
    b.n = 3; /* repeats 1, 4, 3 */
    hand_compare(&a, &b, &c);
    assert_int_equal(time_of(&c)->n_a, 3);
    assert_int_equal(time_of(&c)->n_b, 3);
    assert_int_equal(time_of(&c)->word, COMPARE_WORSE);
    assert_close(time_of(&c)->change.mean_a, 1e9 * cbrt(1.0 * 1.0 * 1.6), 1);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void one_pair_cannot_be_told(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    turns(&a, &b, 1, 1.5);
    hand_compare(&a, &b, &c);
    assert_int_equal(time_of(&c)->word, COMPARE_CANNOT);
    assert_says(time_of(&c)->reason, "one pair");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* Two halves of one target's runs did not take turns with themselves. */
static void one_target_took_no_turns(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    turns(&a, &b, 4, 1);
    for (unsigned i = 0; i < b.n; i++)
        hand_option(b.result[i], "side", 1);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.noise, COMPARE_FROM_NOTHING);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* ---- drift ---- */

static void falling(struct side *s, const char *id, unsigned n, double from, double step)
{
    for (unsigned i = 0; i < n; i++) {
        struct result *r = side_add(s, hand_tree(id, i + 1, "write", 4096, from * pow(step, i)));
        hand_option(r, "repeat", i + 1);
    }
}

/* b goes on where a stopped. */
static void a_drift_that_explains_it_cannot_be_told(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    falling(&a, "A", 5, 1000, 1.05);
    falling(&b, "B", 5, 1000 * pow(1.05, 5), 1.05);
    hand_compare(&a, &b, &c);
    assert_true(change_is_seen(&time_of(&c)->change));
    assert_int_equal(time_of(&c)->word, COMPARE_CANNOT);
    assert_true(time_of(&c)->drifts_a && time_of(&c)->drifts_b);
    assert_says(time_of(&c)->reason, "drifts: old, new");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* It was said of each side that it drifts, and of neither alone could that be seen. */
static void a_drift_of_both_together_is_said_so(void **state)
{
    (void)state;
    static const double rising[] = {1000, 1030, 1010, 1040, 1050};
    struct side a = {0}, b = {0};
    struct comparison c;
    for (unsigned i = 0; i < 5; i++) {
        side_add(&a, hand_tree("A", i + 1, "write", 4096, rising[i]));
        side_add(&b, hand_tree("B", i + 1, "write", 4096, rising[i] * 1.05));
    }
    hand_compare(&a, &b, &c);
    assert_int_equal(time_of(&c)->word, COMPARE_CANNOT);
    assert_true(time_of(&c)->drifts_a && time_of(&c)->drifts_b);
    assert_string_equal(time_of(&c)->reason, "both together drift, neither alone");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void a_difference_beyond_the_drift_is_told(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    falling(&a, "A", 5, 1000, 1.01);
    repeats(&b, "B", 5, 1.5);
    hand_compare(&a, &b, &c);
    assert_true(time_of(&c)->drifts_a);
    assert_false(time_of(&c)->drifts_b);
    assert_int_equal(time_of(&c)->word, COMPARE_WORSE);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void turns_whose_difference_drifts_cannot_be_told(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    turns(&a, &b, 6, 1); /* b falls behind by 0.1 % each turn */
    hand_compare(&a, &b, &c);
    assert_int_equal(time_of(&c)->word, COMPARE_CANNOT);
    assert_says(time_of(&c)->reason, "from turn to turn");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* One metric's reason was told as that of another: the row had one for all. */
static void each_metric_has_its_own_reason(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 5, 1);
    falling(&b, "B", 5, 1000, 1.01);
    for (unsigned i = 0; i < 5; i++)
        for (unsigned l = 0; l < 3; l++)
            hist_record_n(&a.result[i]->line[l].sum.service, 1 << (20 - i), 1);
    hand_compare(&a, &b, &c);
    assert_int_equal(time_of(&c)->word, COMPARE_CANNOT);
    assert_string_equal(time_of(&c)->reason, "drifts: new");
    assert_int_equal(c.row[0].cell[ROWS_P99].word, COMPARE_NOISE);
    assert_string_equal(c.row[0].cell[ROWS_P99].reason, "");
    assert_says(c.row[0].cell[ROWS_MAX].reason, "drifts: old");
    assert_string_equal(c.row[0].reason, "");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* ---- not comparable ---- */

static void assert_not(const struct side *a, const struct side *b, const char *reason)
{
    struct comparison c;
    hand_compare(a, b, &c);
    assert_int_equal(c.rows, 1);
    assert_false(c.row[0].comparable);
    assert_says(c.row[0].reason, reason);
    for (unsigned m = 0; m < ROWS_METRICS; m++) {
        assert_int_equal(c.row[0].cell[m].word, COMPARE_NOT);
        assert_says(c.row[0].cell[m].reason, reason);
    }
    assert_int_equal(c.summary[ROWS_TIME].rows, 0);
    assert_true(isnan(c.summary[ROWS_TIME].frac));
    compare_fini(&c);
}

static void another_workload_is_named_by_its_options(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    repeats(&a, "A", 5, 1);
    repeats(&b, "B", 5, 1);
    for (unsigned i = 0; i < 5; i++) {
        b.result[i]->workload_hash[0] = 'b';
        hand_option(a.result[i], "min_time_ns", 5);
        hand_option(b.result[i], "min_time_ns", 6);
    }
    assert_not(&a, &b, "another workload: hash aaaaaaaa against baaaaaaa");
    for (unsigned i = 0; i < 5; i++) {
        hand_option(a.result[i], "threads", 16);
        hand_option(b.result[i], "threads", 8);
    }
    assert_not(&a, &b, "another workload: threads 16 against 8");
    for (unsigned i = 0; i < 5; i++)
        b.result[i]->seed = 2;
    assert_not(&a, &b, "threads 16 against 8, another seed: 1 against 2");
    for (unsigned i = 0; i < 5; i++)
        hand_option(b.result[i], "threads", 16);
    assert_not(&a, &b, "another seed: 1 against 2");
    b.result[2]->workload_hash[0] = 'c';
    assert_not(&a, &b, "new has runs of several workloads");
    side_free(&a);
    side_free(&b);
}

/* What was wrong: "better", and a gate that passed, when a model was held against a system. */
static void a_model_is_held_against_models_alone(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 5, 1);
    repeats(&b, "B", 5, 2);
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(result_fact_put(&b.result[i]->target_facts, "modelled", "filer", ""), 0);
    assert_not(&a, &b, "new has runs of a model and of a system");
    assert_not(&b, &a, "old has runs of a model and of a system");
    assert_int_equal(result_fact_put(&b.result[4]->target_facts, "modelled", "filer", ""), 0);
    assert_not(&a, &b, "new is a model, old is not");
    assert_not(&b, &a, "old is a model, new is not");
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(result_fact_put(&a.result[i]->target_facts, "modelled", "other", ""), 0);
    hand_compare(&a, &b, &c);
    assert_true(c.row[0].comparable);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void a_row_of_one_side_is_named(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    side_add(&a, hand_tree("A", 1, "write", 2, 10));
    side_add(&a, hand_tree("A", 2, "write", 4, 10));
    side_add(&b, hand_tree("B", 1, "write", 4, 10));
    side_add(&b, hand_tree("B", 2, "write", 8, 10));
    hand_compare(&a, &b, &c);
    assert_int_equal(c.rows, 3);
    assert_string_equal(c.row[0].reason, "not in new");
    assert_true(c.row[1].comparable);
    assert_string_equal(c.row[2].name, "8 B write");
    assert_string_equal(c.row[2].reason, "not in old");
    assert_int_equal(c.summary[ROWS_OPS].rows, 1);
    assert_int_equal(c.summary[ROWS_OPS].word[COMPARE_NOT], 2);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* A name was cut within a character, which is no UTF-8. */
static void a_long_name_is_cut_between_characters(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    struct err err = {0};
    char name[200] = "a";
    for (unsigned i = 0; i < 50; i++)
        snprintf(name + 1 + 3 * i, sizeof name - 1 - 3 * i, "日");
    repeats(&a, "A", 1, 1);
    repeats(&b, "B", 1, 1);
    side_add(&b, hand_tree("B", 9, "write", 8192, 100));
    const struct compare_side long_a = {name, a.result, a.n}, new_b = {"new", b.result, b.n};
    assert_int_equal(compare_of(&long_a, &new_b, &c, &err), 0);
    assert_string_equal(time_of(&c)->reason,
                        "n = 1: it takes 5 runs of a日日日日日日日日日日日日日日日…, or turns");
    assert_string_equal(c.row[1].reason, "not in a日日日日日日日日日日日日日日日…");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void put_error(struct result *r)
{
    r->errors = 1;
    r->error = calloc(1, sizeof *r->error);
    assert_non_null(r->error);
    r->error[0] = (struct result_error){.op = "write", .code = "EIO", .count = 3};
}

static void bad_runs_are_named(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    repeats(&a, "A", 5, 1);
    repeats(&b, "B", 5, 1);
    put_error(b.result[1]);
    assert_not(&a, &b, "new: 1 of 5 runs bad; B.2 has 3 errors (write EIO)");
    b.result[1]->errors = 0;
    b.result[3]->state = RESULT_INCOMPLETE;
    free(b.result[3]->reason);
    b.result[3]->reason = strdup("stopped");
    assert_not(&a, &b, "new: 1 of 5 runs bad; B.4 is incomplete: stopped");
    b.result[3]->state = RESULT_VOID;
    assert_not(&a, &b, "B.4 is void");
    assert_not(&b, &a, "old: 1 of 5 runs bad; B.4 is void");
    b.result[1]->errors = 1;
    side_free(&a);
    side_free(&b);
}

static void a_baseline_spares_a_bad_run(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 6, 1);
    repeats(&b, "B", 5, 1);
    put_error(a.result[2]);
    hand_compare(&a, &b, &c);
    assert_true(c.row[0].comparable);
    assert_int_equal(c.row[0].left_out, 1);
    assert_int_equal(time_of(&c)->n_a, 5);
    assert_int_equal(time_of(&c)->word, COMPARE_NOISE);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* Both means were told as 0 and the change as 0.0 %. */
static void a_value_of_zero_is_not_comparable(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    side_add(&a, hand_io("A", 1, 100));
    side_add(&b, hand_io("B", 1, 0));
    hand_compare(&a, &b, &c);
    const struct compare_cell *ops = &c.row[0].cell[ROWS_OPS];
    assert_int_equal(ops->word, COMPARE_NOT);
    assert_int_equal(ops->n_b, 1);
    assert_close(ops->change.mean_a, 100, 1e-9);
    assert_true(ops->change.mean_b == 0);
    assert_string_equal(ops->reason, "a value of 0");
    assert_int_equal(c.row[0].cell[ROWS_P50].n_b, 0);
    assert_string_equal(c.row[0].cell[ROWS_P50].reason, "too few samples in new");
    assert_int_equal(c.row[0].cell[ROWS_TIME].n_a, 0);
    compare_fini(&c);
    /* Several zeros of one repeat are one zero. */
    side_add(&b, hand_io("B", 2, 0));
    side_add(&b, hand_io("B", 3, 50));
    for (unsigned i = 0; i < 3; i++)
        hand_option(b.result[i], "repeat", 1);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.row[0].cell[ROWS_OPS].n_b, 1);
    assert_true(c.row[0].cell[ROWS_OPS].change.mean_b == 0);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* "nightly-*" held the night that was compared with it: a tenth slower, it widened its own noise and
 * was within it. */
static void what_both_sides_name_is_new(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    for (unsigned i = 0; i < 6; i++) {
        char id[RESULT_ID_MAX];
        snprintf(id, sizeof id, "N%u", i);
        side_add(&a, hand_tree(id, 1, "write", 4096, i < 5 ? steady[i] : 1100));
        a.result[i]->begun_wall_ns = 1000 + i;
    }
    b.result[b.n++] = a.result[5];
    hand_compare(&a, &b, &c);
    assert_int_equal(c.shared, 1);
    assert_int_equal(c.a.n, 5);
    assert_int_equal(time_of(&c)->n_a, 5);
    assert_int_equal(time_of(&c)->word, COMPARE_WORSE);
    compare_fini(&c);
    /* What a has none besides is taken out of b. */
    hand_compare(&b, &a, &c);
    assert_int_equal(c.shared, 1);
    assert_int_equal(c.a.n, 1);
    assert_int_equal(c.b.n, 5);
    compare_fini(&c);
    hand_compare(&a, &a, &c);
    assert_int_equal(c.shared, 0);
    assert_int_equal(time_of(&c)->n_a, 6);
    assert_int_equal(time_of(&c)->word, COMPARE_NOISE);
    compare_fini(&c);
    side_free(&a);
}

static void a_side_without_results_is_refused(void **state)
{
    (void)state;
    struct side a = {0};
    struct comparison c;
    struct err err = {0};
    side_add(&a, hand_io("A", 1, 100));
    const struct compare_side full = {"old", a.result, 1}, empty = {"new", NULL, 0};
    assert_int_equal(compare_of(&full, &empty, &c, &err), -EINVAL);
    assert_says(err.text, "new has no results");
    assert_int_equal(compare_of(&empty, &full, &c, &err), -EINVAL);
    side_free(&a);
}

/* ---- set-ups ---- */

static const struct compare_setup *setup(const struct comparison *c, const char *what)
{
    for (unsigned i = 0; i < c->setups; i++)
        if (strcmp(c->setup[i].what, what) == 0)
            return &c->setup[i];
    return NULL;
}

static void assert_setup(const struct comparison *c, const char *group, const char *what,
                         const char *a, const char *b)
{
    const struct compare_setup *s = setup(c, what);
    if (!s)
        fail_msg("no set-up '%s'", what);
    assert_string_equal(s->group, group);
    assert_string_equal(s->a, a);
    assert_string_equal(s->b, b);
    assert_int_equal(s->differs, strcmp(a, b) != 0);
}

static void put(struct result_facts *facts, const char *key, const char *value, const char *unit)
{
    assert_int_equal(result_fact_put(facts, key, value, unit), 0);
}

static void what_differs_between_the_set_ups_comes_first(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    repeats(&a, "A", 2, 1);
    repeats(&b, "B", 2, 1);
    for (unsigned i = 0; i < 4; i++) {
        struct result *r = i < 2 ? a.result[i] : b.result[i - 2];
        put(&r->target_facts, "mount_options", i < 2 ? "rw,vers=4.2" : "rw,vers=3", "");
        put(&r->target_facts, "fs_free_bytes", i % 2 ? "1" : "2", "bytes");
        put(&r->machine, "memory_bytes", "8589934592", "bytes");
        put(&r->machine, "kernel", i < 2 ? "6.1.0" : "6.1.1", "");
        put(&r->machine, "load_1m_before", i < 2 ? "0.1" : "7", "");
        put(&r->machine, "compiler", "12", "");
        r->plan_text =
            strdup(i < 2 ? "seed 1\ninstrument scheme=psync direct=no cache=drop\nx\n"
                         : "seed 1\ninstrument scheme=psync direct=yes cache=direct\nx\n");
    }
    free(b.result[1]->target);
    b.result[1]->target = strdup("/srv/b");
    b.result[1]->software = strdup("ONTAP 9");
    hand_compare(&a, &b, &c);
    assert_true(c.row[0].comparable);
    assert_setup(&c, "target", "address", "/srv/a", "/srv/a, /srv/b");
    assert_setup(&c, "protocol", "mount_options", "rw,vers=4.2", "rw,vers=3");
    assert_setup(&c, "software", "kernel", "6.1.0", "6.1.1");
    assert_setup(&c, "software", "software", "", "ONTAP 9");
    assert_setup(&c, "machine", "memory_bytes", "8 GiB", "8 GiB");
    assert_setup(&c, "tool", "compiler", "12", "12");
    assert_setup(&c, "instrument", "direct", "no", "yes");
    assert_setup(&c, "instrument", "cache", "drop", "direct");
    assert_setup(&c, "instrument", "scheme", "psync", "psync");
    assert_setup(&c, "options", "length_bytes", "4 KiB", "4 KiB");
    assert_null(setup(&c, "fs_free_bytes"));
    assert_null(setup(&c, "load_1m_before"));
    assert_null(setup(&c, "repeat"));
    for (unsigned i = 1; i < c.setups; i++)
        assert_true(c.setup[i - 1].differs || !c.setup[i].differs);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* Facts and reasons come from files of others. */
static void what_others_wrote_does_nothing_to_a_terminal(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    side_add(&a, hand_io("A", 1, 10));
    side_add(&b, hand_io("B", 1, 10));
    put(&b.result[0]->machine, "cpu_model", "\x1b[2J", "");
    b.result[0]->state = RESULT_INCOMPLETE;
    b.result[0]->reason = strdup("\x1b[31m");
    hand_compare(&a, &b, &c);
    assert_string_equal(setup(&c, "cpu_model")->b, "\\x1b[2J");
    assert_says(c.row[0].reason, "is incomplete: \\x1b[31m");
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

static void many_values_are_counted(void **state)
{
    (void)state;
    struct side a = {0};
    struct comparison c;
    for (unsigned i = 0; i < 9; i++)
        side_add(&a, hand_tree("A", i + 1, "write", 1 + i, 10));
    hand_compare(&a, &a, &c);
    assert_string_equal(setup(&c, "length_bytes")->a, "1 B, 2 B, 3 B, 4 B, … (9 in all)");
    assert_false(setup(&c, "length_bytes")->differs);
    compare_fini(&c);
    side_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_goes_by_the_direction_of_the_metric),
        cmocka_unit_test(one_run_each_cannot_be_told),
        cmocka_unit_test(a_bucket_is_no_difference),
        cmocka_unit_test(a_study_counts_once_where_there_are_five),
        cmocka_unit_test(targets_of_one_study_count_each),
        cmocka_unit_test(a_study_of_fewer_repeats_is_less_certain),
        cmocka_unit_test(with_fewer_studies_runs_count),
        cmocka_unit_test(runs_that_took_turns_are_compared_in_pairs),
        cmocka_unit_test(what_has_no_partner_is_in_no_pair),
        cmocka_unit_test(one_pair_cannot_be_told),
        cmocka_unit_test(one_target_took_no_turns),
        cmocka_unit_test(a_drift_that_explains_it_cannot_be_told),
        cmocka_unit_test(a_drift_of_both_together_is_said_so),
        cmocka_unit_test(a_difference_beyond_the_drift_is_told),
        cmocka_unit_test(turns_whose_difference_drifts_cannot_be_told),
        cmocka_unit_test(each_metric_has_its_own_reason),
        cmocka_unit_test(another_workload_is_named_by_its_options),
        cmocka_unit_test(a_model_is_held_against_models_alone),
        cmocka_unit_test(a_row_of_one_side_is_named),
        cmocka_unit_test(a_long_name_is_cut_between_characters),
        cmocka_unit_test(bad_runs_are_named),
        cmocka_unit_test(a_baseline_spares_a_bad_run),
        cmocka_unit_test(a_value_of_zero_is_not_comparable),
        cmocka_unit_test(what_both_sides_name_is_new),
        cmocka_unit_test(a_side_without_results_is_refused),
        cmocka_unit_test(what_differs_between_the_set_ups_comes_first),
        cmocka_unit_test(what_others_wrote_does_nothing_to_a_terminal),
        cmocka_unit_test(many_values_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
