/* report/compare_report.h: what each form of a comparison prints, to the letter. */
#include "report/compare_cells.h"
#include "report/compare_report.h"
#include "verdict/change_words.h"

#include "golden/exact.h"
#include "golden/results_by_hand.h"

#include <math.h>

#define RUNS 5

static void put_hash(struct result *r)
{
    snprintf(r->workload_hash, sizeof r->workload_hash, "%s %s", r->phase,
             result_fact_get(&r->options, "length_bytes"));
}

/* Five repeats of a row, `tree_ns` give or take two in a hundred; not in one direction. */
static void put_row(struct hand *hand, uint64_t length_bytes, uint64_t tree_ns)
{
    static const uint64_t percent[RUNS] = {100, 102, 98, 101, 99};

    for (unsigned i = 0; i < RUNS; i++) {
        struct result *r = hand_tree_write(hand, length_bytes, 1, tree_ns / 100 * percent[i]);

        assert_int_equal(0, result_fact_putf(&r->options, "repeat", "", "%u", i + 1));
        put_hash(r);
    }
}

static void name_side(struct hand *hand, const char *id, const char *target, const char *fs_type)
{
    for (unsigned i = 0; i < hand->n; i++) {
        struct result *r = hand->result[i];

        snprintf(r->study_id, sizeof r->study_id, "%s", id);
        hand_set(&r->target, target);
        assert_int_equal(0, result_fact_put(&r->target_facts, "fs_type", fs_type, ""));
        assert_int_equal(0, result_fact_put(&r->machine, "kernel", "6.1", ""));
    }
}

struct sides {
    struct hand a;
    struct hand b;
};

/* Rows that are worse, within noise, better only in b, and of another workload. */
static void make_sides(struct sides *s)
{
    *s = (struct sides){.a = {.n = 0}};
    put_row(&s->a, 2, 100000000);
    put_row(&s->a, 4096, 100000000);
    put_row(&s->a, 65536, 200000000);
    name_side(&s->a, "k7d2", "/srv/filer-with-a-name-that-is-longer-than-a-column", "ext4");
    put_row(&s->b, 2, 130000000);
    put_row(&s->b, 4096, 100500000);
    put_row(&s->b, 1048576, 900000000);
    name_side(&s->b, "m3x9", "/srv/other", "xfs");
}

static void add_other_workload(struct sides *s)
{
    struct result *a = hand_tree_write(&s->a, 8192, 1, 100000000);
    struct result *b;

    name_side(&s->a, "k7d2", "/srv/filer-with-a-name-that-is-longer-than-a-column", "ext4");
    put_hash(a);
    b = hand_tree_write(&s->b, 8192, 1, 100000000);
    name_side(&s->b, "m3x9", "/srv/other", "xfs");
    snprintf(b->workload_hash, sizeof b->workload_hash, "another");
    hand_option(b, "threads", "8");
}

static void end_sides(struct sides *s)
{
    hand_free(&s->a);
    hand_free(&s->b);
}

#define GATES 2

static void judge(struct compare_pair *pair, struct gate gate[GATES])
{
    static const char *const text[GATES] = {"ops -5%", "row:4 KiB write.ops < 10000/s"};
    struct err err = {0};

    for (unsigned i = 0; i < GATES; i++) {
        struct gate_judgement *more = NULL;
        unsigned n = 0;

        if (gate_parse(text[i], &gate[i], &err) < 0 ||
            gate_judge(&gate[i], &pair->comparison, &more, &n, &err) < 0)
            fail_msg("%s", err.text);
        pair->judgement = realloc(pair->judgement, (pair->judged + n) * sizeof *more);
        assert_non_null(pair->judgement);
        memcpy(pair->judgement + pair->judged, more, n * sizeof *more);
        pair->judged += n;
        free(more);
    }
}

static void compare(const struct sides *s, struct compare_pair *pair)
{
    const struct compare_side a = {"release", s->a.result, s->a.n};
    const struct compare_side b = {"nightly", s->b.result, s->b.n};
    struct err err = {0};

    *pair = (struct compare_pair){.judged = 0};
    if (compare_of(&a, &b, &pair->comparison, &err) < 0)
        fail_msg("%s", err.text);
}

static void end_pair(struct compare_pair *pair)
{
    compare_fini(&pair->comparison);
    free(pair->judgement);
}

static void check(const char *name, const struct compare_pair *pair, enum report_format format,
                  bool wide)
{
    const struct compare_style style = {
        .format = format, .wide = wide, .metrics = 2, .metric = {ROWS_OPS, ROWS_P99}};
    struct text out;

    text_init(&out);
    report_compare(&out, pair, 1, &style);
    assert_false(out.failed);
    exact(name, out.s);
    text_fini(&out);
}

static void test_every_form(void **state)
{
    struct sides s;
    struct compare_pair pair;
    struct gate gate[GATES];

    (void)state;
    make_sides(&s);
    add_other_workload(&s);
    compare(&s, &pair);
    judge(&pair, gate);
    check("compare", &pair, REPORT_TEXT, false);
    check("compare_wide", &pair, REPORT_TEXT, true);
    check("compare_md", &pair, REPORT_MD, false);
    check("compare_csv", &pair, REPORT_CSV, false);
    check("compare_json", &pair, REPORT_JSON, false);
    end_pair(&pair);
    end_sides(&s);
}

static void test_junit(void **state)
{
    struct sides s;
    struct compare_pair pair;
    struct gate gate[GATES];
    struct text out;

    (void)state;
    make_sides(&s);
    compare(&s, &pair);
    pair.comparison.b.name = "night & <day>\x01";
    judge(&pair, gate);
    text_init(&out);
    report_compare_junit(&out, &pair, 1, COMPARE_UNDECIDED_SAID);
    exact("compare_junit", out.s);
    text_fini(&out);
    end_pair(&pair);
    end_sides(&s);
}

/* Two of the same: nothing differs, and nothing is better. */
static void test_the_same_twice(void **state)
{
    struct sides s;
    struct compare_pair pair;

    (void)state;
    make_sides(&s);
    hand_free(&s.b);
    s.b = s.a;
    compare(&s, &pair);
    check("compare_same", &pair, REPORT_TEXT, false);
    end_pair(&pair);
    hand_free(&s.a);
}

/* Why a metric cannot be told was said below tables that do not hold it. */
static void test_only_what_is_shown_needs_a_reason(void **state)
{
    static const enum rows_metric metric[] = {ROWS_OPS, ROWS_MAX};
    struct sides s;
    struct compare_pair pair;
    struct compare_row *row;

    (void)state;
    make_sides(&s);
    compare(&s, &pair);
    row = &pair.comparison.row[0];
    snprintf(row->cell[ROWS_MAX].reason, COMPARE_REASON_MAX, "drifts: release");
    row->cell[ROWS_MAX].word = COMPARE_CANNOT;
    for (unsigned i = 0; i < 2; i++) {
        const struct compare_style style = {.metrics = 1, .metric = {metric[i]}};
        struct text out;

        text_init(&out);
        report_compare(&out, &pair, 1, &style);
        assert_int_equal(metric[i] == ROWS_MAX, strstr(out.s, "drifts: release") != NULL);
        text_fini(&out);
    }
    /* Of several it is named by its metric, unless all have it. */
    const struct compare_style both = {.metrics = 2, .metric = {ROWS_OPS, ROWS_MAX}};
    struct text out;
    text_init(&out);
    report_compare(&out, &pair, 1, &both);
    assert_non_null(strstr(out.s, "2 B write: max: drifts: release"));
    assert_non_null(strstr(out.s, "64 KiB write: not in nightly"));
    text_fini(&out);
    end_pair(&pair);
    end_sides(&s);
}

/* B was four times as fast, and nobody said that it was read from memory. */
static void test_what_speaks_against_a_side_is_said(void **state)
{
    static const struct compare_style style = {.metrics = 1, .metric = {ROWS_OPS}};
    struct sides s = {.a = {.n = 0}};
    struct compare_pair pair;
    struct text out;

    (void)state;
    for (unsigned i = 0; i < RUNS; i++) {
        struct result *a = hand_tree_read(&s.a, 4096, 1, 400000000, 0);
        struct result *b = hand_tree_read(&s.b, 4096, 1, 100000000, i == 3 ? 97 : 0);

        assert_int_equal(0, result_fact_putf(&a->options, "repeat", "", "%u", i + 1));
        assert_int_equal(0, result_fact_putf(&b->options, "repeat", "", "%u", i + 1));
    }
    name_side(&s.a, "k7d2", "/srv/one", "ext4");
    name_side(&s.b, "m3x9", "/srv/other", "ext4");
    hand_own(s.a.result[1], "series_over_total_frac", "0.9");
    compare(&s, &pair);
    text_init(&out);
    report_compare(&out, &pair, 1, &style);
    if (!strstr(out.s, " better\n"))
        fail_msg("%s", out.s);
    const char *of_a = strstr(out.s, "mind          of A:\nWRONG         run 2: ");
    const char *of_b = strstr(out.s, "mind          of B:\nRAM           run 4: 97% of what");
    assert_true(of_a && of_b && of_a < of_b);
    text_fini(&out);
    end_pair(&pair);
    end_sides(&s);
}

/* No number is printed as nan, inf or with a sign that it has not. */
static void test_changes(void **state)
{
    static const struct {
        double frac;
        const char *words;
    } known[] = {{0, "0.0%"},      {-0.0004, "0.0%"}, {0.0006, "+0.1%"}, {-0.5, "-50.0%"},
                 {1.234, "+123%"}, {NAN, "-"},        {INFINITY, "-"},   {0.9994, "+99.9%"}};
    char buf[REPORT_VALUE_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_string_equal(known[i].words, change_words(buf, known[i].frac));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_form),
        cmocka_unit_test(test_junit),
        cmocka_unit_test(test_the_same_twice),
        cmocka_unit_test(test_only_what_is_shown_needs_a_reason),
        cmocka_unit_test(test_what_speaks_against_a_side_is_said),
        cmocka_unit_test(test_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
