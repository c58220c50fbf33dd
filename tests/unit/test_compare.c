/* compare.h: which rows may be compared, what counts once, and the word. */
#include "unit/rows_by_hand.h"

#include "stats/spread.h"

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
    assert_says(c.row[0].reason, "5 runs of old");
    assert_false(c.summary[ROWS_TIME].has_interval);
    assert_close(c.summary[ROWS_TIME].frac, 2, 1e-9);
    assert_true(isnan(c.summary[ROWS_TIME].seen_frac));
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_goes_by_the_direction_of_the_metric),
        cmocka_unit_test(one_run_each_cannot_be_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
