/* gate.h: what is accepted, what is refused with which words, and what fails. */
#include "verdict/gate.h"

#include "unit/rows_by_hand.h"

#include <errno.h>

static struct gate parsed(const char *text)
{
    struct gate gate;
    struct err err = {0};
    if (gate_parse(text, &gate, &err) < 0)
        fail_msg("%s", err.text);
    assert_ptr_equal(gate.text, text);
    return gate;
}

static void a_change_and_a_limit_are_parsed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *row; /* NULL: all */
        enum rows_metric metric;
        bool relative;
        double threshold;
    } accepted[] = {
        {"p99 +10%", NULL, ROWS_P99, true, 0.10},
        {"  p99.9   + 2.5 %  ", NULL, ROWS_P999, true, 0.025},
        {"p99.9+10%", NULL, ROWS_P999, true, 0.10},
        {"ops -5%", NULL, ROWS_OPS, true, 0.05},
        {"bytes -99.9%", NULL, ROWS_BYTES, true, 0.999},
        {"time +300%", NULL, ROWS_TIME, true, 3},
        {"row:4 KiB write.p99 > 20ms", "4 KiB write", ROWS_P99, false, 20e6},
        {"row:4 KiB write.p99.9 +10%", "4 KiB write", ROWS_P999, true, 0.10},
        {"row:1.5 MiB read.ops<5k/s", "1.5 MiB read", ROWS_OPS, false, 5000},
        {"row:a-b > c.p50 +1%", "a-b > c", ROWS_P50, true, 0.01},
        {"row: read .max > 1.5s", "read", ROWS_MAX, false, 1.5e9},
        {"row:time.time +1%", "time", ROWS_TIME, true, 0.01},
        {"ops < 300/min", NULL, ROWS_OPS, false, 5},
        {"ops < 5000", NULL, ROWS_OPS, false, 5000},
        {"bytes < 100m", NULL, ROWS_BYTES, false, 100.0 * 1048576},
        {"bytes < 100 MB/s", NULL, ROWS_BYTES, false, 1e8},
        {"p50 > 850 ns", NULL, ROWS_P50, false, 850},
    };
    for (size_t i = 0; i < HAND_COUNT(accepted); i++) {
        struct gate gate = parsed(accepted[i].text);
        assert_int_equal(gate.all_rows, accepted[i].row == NULL);
        assert_string_equal(gate.row, accepted[i].row ? accepted[i].row : "");
        assert_int_equal(gate.metric, accepted[i].metric);
        assert_int_equal(gate.relative, accepted[i].relative);
        assert_close(gate.threshold, accepted[i].threshold, 1e-9 * accepted[i].threshold);
        assert_int_equal(gate.above, !rows_metric_more_is_better(accepted[i].metric));
    }
}

static void what_makes_no_sense_is_refused_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *words;
    } refused[] = {
        {"", "neither a sign nor"},
        {"p99", "neither a sign nor"},
        {"p99 10%", "neither a sign nor"},
        {"+10%", "\"\" is not a metric"},
        {"p98 +10%", "\"p98\" is not a metric: there are ops, bytes, time, p50"},
        {"p99 x +10%", "\"p99 x\" is not a metric"},
        {"P99 +10%", "is not a metric"},
        {"row:4 KiB write +10%", "names no metric"},
        {"row:4 KiB write.p98 +10%", "\"p98\" is not a metric"},
        {"row:p99 +10%", "names no metric"},
        {"row:.p99 +10%", "names no row"},
        {"p99 +10", "is not a change: give one as +10%"},
        {"p99 +ten%", "is not a change"},
        {"p99 +%", "is not a change"},
        {"p99 +10%%", "is not a change"},
        {"p99 +1e3%", "is not a change"},
        {"p99 +1.%", "is not a change"},
        {"p99 +.5%", "is not a change"},
        {"p99 +0%", "is not a change"},
        {"p99 +nan%", "is not a change"},
        {"p99 +-10%", "\"p99 +\" is not a metric"},
        {"p99 -10%", "less p99 is better, and a gate fails what is worse: 'p99 +10%'"},
        {"ops +5%", "more ops is better, and a gate fails what is worse: 'ops -5%'"},
        {"ops -100%", "can never fail"},
        {"ops > 5000/s", "more ops is better, and a gate fails what is worse: 'ops < 5000/s'"},
        {"p99 < 20ms", "'p99 > 20ms'"},
        {"p99 > 20", "\"20\" has no unit"},
        {"p99 > 20mb", "\"20mb\" is not"},
        {"p99 >", "\"\" is not"},
        {"p99 >= 20ms", "\"= 20ms\" is not"},
        {"ops < 0/s", "must be above 0"},
        {"bytes < -1m", "\"bytes <\" is not a metric"},
        {"bytes < x/s", "is not"},
        /* It was no usage error: status 2 instead of 1. */
        {"p99 > 99999999999999999999s", "too large"},
    };
    for (size_t i = 0; i < HAND_COUNT(refused); i++) {
        struct gate gate = {.text = "untouched"};
        struct err err = {0};
        int rc = gate_parse(refused[i].text, &gate, &err);
        if (rc != -EINVAL || err.code != rc)
            fail_msg("'%s' is not refused", refused[i].text);
        if (!strstr(err.text, refused[i].words))
            fail_msg("'%s': '%s' does not say '%s'", refused[i].text, err.text, refused[i].words);
        assert_string_equal(gate.text, "untouched");
    }
}

static void a_long_text_is_refused(void **state)
{
    (void)state;
    char text[1000];
    struct gate gate;
    struct err err = {0};
    memset(text, 'x', sizeof text);
    memcpy(text, "row:", 4);
    memcpy(text + 100, ".p99 +10%", 10);
    assert_int_equal(gate_parse(text, &gate, &err), -EINVAL);
    assert_says(err.text, "no row has so long a name");
    memset(text + 100, 'x', 10);
    memcpy(text + sizeof text - 10, ".p99 +10%", 10);
    assert_int_equal(gate_parse(text, &gate, &err), -EINVAL);
    assert_says(err.text, "a gate of 999 characters");
}

/* ---- judging, over comparisons made by hand ---- */

struct one {
    struct comparison c;
    struct compare_row row[2];
};

/* One row "4 KiB write" whose p99 and ops changed so. */
static void change_is(struct one *one, double frac, double half)
{
    memset(one, 0, sizeof *one);
    one->c.rows = 1;
    one->c.row = one->row;
    snprintf(one->row[0].name, ROWS_NAME_MAX, "4 KiB write");
    one->row[0].comparable = true;
    for (unsigned m = 0; m < ROWS_METRICS; m++)
        one->row[0].cell[m] =
            (struct compare_cell){.n_a = m == ROWS_TIME ? 0 : 5,
                                  .n_b = m == ROWS_TIME ? 0 : 5,
                                  .word = m == ROWS_TIME ? COMPARE_NOT : COMPARE_NOISE,
                                  .change = {.mean_a = 20e6,
                                             .mean_b = 20e6 * (1 + frac),
                                             .frac = frac,
                                             .low = (1 + frac) / (1 + half) - 1,
                                             .high = (1 + frac) * (1 + half) - 1,
                                             .half_frac = half,
                                             .low_b = 20e6 * (1 + frac) / (1 + half),
                                             .high_b = 20e6 * (1 + frac) * (1 + half),
                                             .df = 8,
                                             .noise = CHANGE_NOISE_RUNS}};
}

static enum gate_word word_of(const char *text, const struct one *one)
{
    struct gate gate = parsed(text);
    struct gate_judgement *list = NULL;
    unsigned n = 0;
    struct err err = {0};
    if (gate_judge(&gate, &one->c, &list, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(n, 1);
    assert_ptr_equal(list[0].gate, &gate);
    assert_ptr_equal(list[0].row, &one->row[0]);
    assert_true(list[0].why[0] != '\0');
    enum gate_word word = list[0].word;
    free(list);
    return word;
}

static void a_gate_fails_what_is_worse_by_more_and_seen(void **state)
{
    (void)state;
    static const struct {
        double frac;
        double half;
        enum gate_word word; /* of 'p99 +10%' */
    } cases[] = {
        {0.15, 0.05, GATE_FAIL},   /* +9.5 … +20.7 */
        {0.15, 0.20, GATE_CANNOT}, /* worse by more, but it may be nothing */
        {0.11, 0.10, GATE_FAIL},   /* just seen */
        {0.02, 0.05, GATE_PASS},   /* −2.9 … +7.1 */
        {0.08, 0.05, GATE_PASS},   /* +2.9 … +13.4: more than 10 % would have been seen */
        {0.00, 0.30, GATE_CANNOT}, /* nothing seen, and nothing could be */
        {-0.20, 0.30, GATE_PASS},  /* the bad end is +4 % */
        {-0.50, 0.05, GATE_PASS},  /* much better */
    };
    for (size_t i = 0; i < HAND_COUNT(cases); i++) {
        struct one one;
        change_is(&one, cases[i].frac, cases[i].half);
        assert_int_equal(word_of("p99 +10%", &one), cases[i].word);
        assert_int_equal(word_of("row:4 kib WRITE.p99 +10%", &one), cases[i].word);
    }
}

static void of_ops_less_is_worse(void **state)
{
    (void)state;
    struct one one;
    change_is(&one, -0.10, 0.03);
    assert_int_equal(word_of("ops -5%", &one), GATE_FAIL);
    change_is(&one, -0.02, 0.02);
    assert_int_equal(word_of("ops -5%", &one), GATE_PASS);
    change_is(&one, -0.10, 0.30);
    assert_int_equal(word_of("ops -5%", &one), GATE_CANNOT);
    change_is(&one, 0.50, 0.03);
    assert_int_equal(word_of("ops -5%", &one), GATE_PASS);
}

/* p99 is 20 ms, ± 5 %; ops 20 million. */
static void a_limit_speaks_of_side_b(void **state)
{
    (void)state;
    struct one one;
    change_is(&one, 0, 0.05);
    assert_int_equal(word_of("p99 > 18ms", &one), GATE_FAIL);
    assert_int_equal(word_of("p99 > 22ms", &one), GATE_PASS);
    assert_int_equal(word_of("p99 > 20.5ms", &one), GATE_CANNOT);
    assert_int_equal(word_of("p99 > 19.5ms", &one), GATE_CANNOT);
    assert_int_equal(word_of("ops < 22m/s", &one), GATE_FAIL);
    assert_int_equal(word_of("ops < 18m/s", &one), GATE_PASS);
    assert_int_equal(word_of("ops < 20.5m/s", &one), GATE_CANNOT);
}

static void what_cannot_be_told_cannot_be_judged(void **state)
{
    (void)state;
    static const enum compare_word words[] = {COMPARE_CANNOT, COMPARE_NOT};
    for (size_t i = 0; i < HAND_COUNT(words); i++) {
        struct one one;
        change_is(&one, 0.5, 0.01);
        one.row[0].cell[ROWS_P99].word = words[i];
        assert_int_equal(word_of("p99 +10%", &one), GATE_CANNOT);
        assert_int_equal(word_of("p99 > 1ms", &one), GATE_CANNOT);
    }
}

static void why_says_what_was_found_and_asked(void **state)
{
    (void)state;
    struct one one;
    struct gate_judgement *list;
    unsigned n;
    change_is(&one, 0.15, 0.06);
    struct gate gate = parsed("p99 +10%");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
    assert_string_equal(list[0].why, "p99 +15.0% (95 %: +8.5 … +21.9%), more than +10.0%");
    free(list);
    /* It said "+10 %, more than +10 %". */
    change_is(&one, 0.104, 0.01);
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
    assert_says(list[0].why, "p99 +10.4%");
    free(list);
    change_is(&one, 0.15, 0.06);
    gate = parsed("p99 > 20ms");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
    assert_string_equal(list[0].why, "p99 23.0 ms (95 %: 21.7 ms … 24.4 ms), above 20.0 ms");
    free(list);
    struct compare_cell *p99 = &one.row[0].cell[ROWS_P99];
    snprintf(p99->reason, sizeof p99->reason, "n = 1: it takes 5 runs of old");
    p99->word = COMPARE_CANNOT;
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
    assert_string_equal(list[0].why, "p99: cannot tell: n = 1: it takes 5 runs of old");
    free(list);
}

static void rows_and_metrics_that_are_not_there_are_refused(void **state)
{
    (void)state;
    struct one one;
    struct gate_judgement *list = NULL;
    unsigned n = 99;
    struct err err = {0};
    change_is(&one, 0, 0.05);
    struct gate gate = parsed("row:8 KiB write.p99 +10%");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, &err), -EINVAL);
    assert_says(err.text, "there is no row \"8 KiB write\"; there are \"4 KiB write\"");
    gate = parsed("time +10%");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, &err), -EINVAL);
    assert_says(err.text, "no row has time");
    /* It was said that no row has it, where others may. */
    gate = parsed("row:4 KiB write.time +10%");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, &err), -EINVAL);
    assert_says(err.text, "that row has no time");
    assert_null(list);
    assert_int_equal(n, 99);
}

/* Without a row all speak; one that cannot have the metric is silent, one that lacks samples is
 * not. */
static void all_rows_are_judged(void **state)
{
    (void)state;
    struct one one;
    struct gate_judgement *list;
    unsigned n;
    change_is(&one, 0, 0.05);
    one.c.rows = 2;
    one.row[1] = one.row[0];
    snprintf(one.row[1].name, ROWS_NAME_MAX, "read");
    one.row[0].cell[ROWS_TIME] = one.row[0].cell[ROWS_OPS];
    one.row[1].cell[ROWS_P999] =
        (struct compare_cell){.word = COMPARE_NOT, .reason = "too few samples"};
    struct gate gate = parsed("time +10%");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
    assert_int_equal(n, 1);
    free(list);
    gate = parsed("p99.9 +10%");
    assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_int_equal(list[0].word, GATE_PASS);
    assert_int_equal(list[1].word, GATE_CANNOT);
    assert_says(list[1].why, "too few samples");
    free(list);
}

/* A short run looked like a typing mistake: a row that was named was refused where all rows were not. */
static void too_few_samples_are_no_typing_mistake(void **state)
{
    static const char *const gates[] = {"p99.9 +10%", "row:4 KiB write.p99.9 +10%"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct one one;
        struct gate_judgement *list;
        unsigned n;
        change_is(&one, 0, 0.05);
        one.row[0].cell[ROWS_P999] = (struct compare_cell){.word = COMPARE_NOT};
        struct gate gate = parsed(gates[i]);
        assert_int_equal(gate_judge(&gate, &one.c, &list, &n, NULL), 0);
        assert_int_equal(n, 1);
        assert_int_equal(list[0].word, GATE_CANNOT);
        free(list);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(too_few_samples_are_no_typing_mistake),
        cmocka_unit_test(a_change_and_a_limit_are_parsed),
        cmocka_unit_test(what_makes_no_sense_is_refused_in_words),
        cmocka_unit_test(a_long_text_is_refused),
        cmocka_unit_test(a_gate_fails_what_is_worse_by_more_and_seen),
        cmocka_unit_test(of_ops_less_is_worse),
        cmocka_unit_test(a_limit_speaks_of_side_b),
        cmocka_unit_test(what_cannot_be_told_cannot_be_judged),
        cmocka_unit_test(why_says_what_was_found_and_asked),
        cmocka_unit_test(rows_and_metrics_that_are_not_there_are_refused),
        cmocka_unit_test(all_rows_are_judged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
