/* compare.h: what is said of all rows together. */
#include "unit/rows_by_hand.h"

/* Forty rows of six repeats; in each repeat all rows are slow or fast together. */
static void sweep(struct side *s, const char *id, double factor, double common)
{
    static const double hour[] = {1, -1, 0.5, -0.5, 0.2, -0.2};
    for (unsigned row = 0; row < 40; row++) {
        for (unsigned i = 0; i < 6; i++) {
            double ms = (100 + row) * factor * (1 + common * hour[i]);
            struct result *r = side_add(s, hand_tree(id, i + 1, "write", 1024 * (row + 1), ms));
            hand_option(r, "repeat", i + 1);
        }
    }
}

/* Rows that share their hours are no forty witnesses: taken for independent, the interval of the
 * mean would be √40 times narrower than that of one row. */
static void rows_of_one_study_are_no_sample(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    sweep(&a, "A", 1, 0.05);
    sweep(&b, "B", 1.02, 0.05);
    hand_compare(&a, &b, &c);
    const struct compare_summary *sum = &c.summary[ROWS_TIME];
    assert_int_equal(c.rows, 40);
    assert_int_equal(sum->rows, 40);
    assert_int_equal(sum->word[COMPARE_NOISE], 40);
    assert_close(sum->frac, 0.02, 1e-6);
    assert_true(sum->has_interval);
    assert_close(sum->low, c.row[7].cell[ROWS_TIME].change.low, 1e-6);
    assert_close(sum->high, c.row[7].cell[ROWS_TIME].change.high, 1e-6);
    assert_close(sum->seen_frac, c.row[7].cell[ROWS_TIME].change.half_frac, 1e-6);
    assert_close(sum->by_chance, 2, 1e-9);
    compare_fini(&c);
    /* One run of one row is missing, of the last or the first: no interval, but still the mean. */
    struct side late = {0}, early = {0};
    memcpy(late.result, a.result, sizeof a.result);
    memcpy(early.result, a.result + 1, sizeof a.result - sizeof a.result[0]);
    late.n = early.n = a.n - 1;
    hand_compare(&late, &b, &c);
    assert_false(c.summary[ROWS_TIME].has_interval);
    assert_close(c.summary[ROWS_TIME].frac, 0.02, 0.001);
    compare_fini(&c);
    hand_compare(&early, &b, &c);
    assert_false(c.summary[ROWS_TIME].has_interval);
    compare_fini(&c);
    /* As many runs in each row, but one of another repeat. */
    hand_option(a.result[a.n - 1], "repeat", 7);
    hand_compare(&a, &b, &c);
    assert_int_equal(c.row[39].cell[ROWS_TIME].n_a, 6);
    assert_false(c.summary[ROWS_TIME].has_interval);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

/* "all" of io counted beside the lines that it adds up. */
static void a_total_is_not_counted_again(void **state)
{
    (void)state;
    static const char *const names[] = {"read", "write"};
    struct side side[2] = {{.n = 0}};
    struct comparison c;
    for (unsigned s = 0; s < 2; s++) {
        for (unsigned i = 0; i < 5; i++) {
            struct result *r = side_add(&side[s], hand_io(s ? "B" : "A", i + 1, 0));
            free(r->line);
            hand_lines(r, 2, names);
            hand_ops(&r->line[0], 90000 + 10 * (i % 2), 500);
            hand_ops(&r->line[1], s ? 8000 : 10000, 500);
        }
    }
    hand_compare(&side[0], &side[1], &c);
    const struct compare_summary *ops = &c.summary[ROWS_OPS];
    assert_int_equal(c.rows, 3);
    assert_string_equal(c.row[2].name, "all");
    assert_int_equal(c.row[2].cell[ROWS_OPS].word, COMPARE_WORSE);
    assert_int_equal(ops->rows, 2);
    assert_int_equal(ops->word[COMPARE_WORSE] + ops->word[COMPARE_NOISE], 2);
    assert_close(ops->frac, sqrt(0.8) - 1, 1e-9);
    assert_true(ops->has_interval);
    compare_fini(&c);
    side_free(&side[0]);
    side_free(&side[1]);
}

/* Rows that drift were counted with those that can be called different. */
static void what_cannot_be_told_is_in_no_chance(void **state)
{
    (void)state;
    struct side a = {0}, b = {0};
    struct comparison c;
    sweep(&a, "A", 1, 0.05);
    sweep(&b, "B", 1, 0.05);
    for (unsigned i = 0; i < 6; i++)
        a.result[i]->elapsed_ns = 100000000 + i * 1000000;
    hand_compare(&a, &b, &c);
    assert_int_equal(c.summary[ROWS_TIME].word[COMPARE_CANNOT], 1);
    assert_close(c.summary[ROWS_TIME].by_chance, 0.05 * 39, 1e-9);
    compare_fini(&c);
    side_free(&a);
    side_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_one_study_are_no_sample),
        cmocka_unit_test(a_total_is_not_counted_again),
        cmocka_unit_test(what_cannot_be_told_is_in_no_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
