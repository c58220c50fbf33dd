/* study.h: in which order a tree study measures, how often, on which target, and how it goes on after an
 * interruption. */
#include "truth/small_tree.h"

#include <math.h>

/* Repeats of a row were measured back to back, so that what drifts met one row alone. */
static void repeats_are_blocks_of_all_rows(void **state)
{
    static const uint64_t five[] = {1, 2, 3, 4, 5};
    struct told *t = *state;
    struct tree_options o = small_tree();
    bool shuffled = false;
    o.length_bytes = five;
    o.lengths = 5;
    o.repeats = 4;
    o.write_only = true;
    o.verify = false;
    dirtest(t, &o);
    assert_int_equal(t->n, 20);
    for (unsigned i = 0; i < t->n; i++) {
        assert_int_equal(told_option(t->result[i], "repeat"), i / 5 + 1);
        shuffled |= told_option(t->result[i], "row") != i % 5 + 1;
    }
    assert_true(shuffled);
}

/* In virtual time every repeat takes the same: five are enough. */
static void what_does_not_vary_needs_five_repeats(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.verify = false;
    o.repeats = 9;
    o.until_frac = 0.001;
    t->common.target = "fault:null:?latency=fixed:1ms&clock=virtual";
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(t->n, 2 * 2 * 5);
    assert_string_equal(t->warned, "");
}

static void what_stays_wide_ends_at_the_most_repeats(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.repeats = 7;
    o.until_frac = 1e-9;
    dirtest(t, &o);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(t->n, 2 * 2 * 7);
    told_says(t->warned, "2 of 2 lengths are not within");
    assert_int_equal(t->rows, 4);
}

static double elapsed_s(const struct result *r)
{
    return (double)r->elapsed_ns / (double)r->passes / 1e9;
}

/* In virtual time: of two targets that take turns the one that is twice as slow is measured so. */
static void sides_take_turns_and_are_told_apart(void **state)
{
    static const char *const slow = "fault:null:?latency=fixed:2ms&clock=virtual";
    struct told *t = *state;
    struct tree_options o = small_tree();
    o.one_tree = true;
    o.write_only = true;
    o.verify = false;
    o.lengths = 1;
    o.repeats = 4;
    t->common.target = "fault:null:?latency=fixed:1ms&clock=virtual";
    t->common.more_target = &slow;
    t->common.more_targets = 1;
    dirtest(t, &o);
    assert_int_equal(t->n, 8);
    assert_int_equal(t->rows, 1);
    assert_int_equal(t->row_n[0], 8);
    for (unsigned i = 0; i < t->n; i++) {
        const struct result *r = t->result[i], *other = t->result[i ^ 1];
        bool is_slow = strcmp(r->target, slow) == 0;
        assert_int_equal(told_option(r, "side"), is_slow ? 2 : 1);
        assert_int_equal(told_option(r, "repeat"), i / 2 + 1);
        assert_int_equal(r->run, i + 1);
        assert_string_not_equal(r->target, other->target);
        if (is_slow)
            assert_true(fabs(elapsed_s(r) - 2 * elapsed_s(other)) < 1e-6);
        if (i >= 2)
            assert_int_equal(told_option(t->result[i - 2], "side"), is_slow ? 1 : 2);
    }
}

/* ---- the end ---- */

struct removal {
    unsigned told;
    unsigned long long gone, of;
    uint64_t left_ns;
};
static struct removal removal[2]; /* of each side */

static void note_removal(void *ctx, const struct study_progress *p)
{
    unsigned long long gone, of;
    char side;
    (void)ctx;
    if (sscanf(p->what, "%c: removing, %llu of %llu files", &side, &gone, &of) != 3)
        return;
    struct removal *r = &removal[side - 'A'];
    assert_true(gone > r->gone && gone <= of);
    *r = (struct removal){r->told + 1, gone, of, p->left_ns};
}

/* It told over minutes how many files were gone, not of how many, nor on which side. */
static void removing_says_of_how_many_and_where(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct study_sink sink = told_sink(t);
    struct truth_dir other;
    struct err err = {0};
    truth_dir_make(&other);
    const char *more = other.path;
    sink.progress = note_removal;
    memset(removal, 0, sizeof removal);
    o.one_tree = true;
    o.files = 100;
    t->common.more_target = &more;
    t->common.more_targets = 1;
    if (study_dirtest(&t->common, &o, &sink, &err) < 0)
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < 2; i++) {
        assert_true(removal[i].told > 1);
        assert_int_equal(removal[i].of, told_option(t->result[0], "files") * 2 * 2);
        assert_true(removal[i].left_ns > 0);
    }
    truth_dir_remove(&other);
}

/* ---- going on ---- */

/* What is measured after an interruption is what was measured before it. */
static void go_on(struct told *t, const struct tree_options *o, unsigned keep, struct err *err,
                  int want)
{
    const struct study_sink sink = told_sink(t);
    struct result *before[TOLD_MAX];
    struct study_past past = {.result = before, .n = keep, .last_run = t->n};
    char id[RESULT_ID_MAX];
    memcpy(id, t->result[0]->study_id, sizeof id);
    memcpy(before, t->result, sizeof before);
    unsigned n = t->n;
    t->n = 0;
    told_forget(t);
    past.id = id;
    t->common.past = &past;
    assert_int_equal(study_dirtest(&t->common, o, &sink, err), want);
    for (unsigned i = 0; i < t->n; i++)
        assert_true(t->result[i]->run > n);
    t->common.past = NULL;
    for (unsigned i = 0; i < n; i++)
        result_free(before[i]);
}

static void only_what_is_missing_is_measured(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    char id[RESULT_ID_MAX];
    t->stop_after = 5;
    dirtest(t, &o);
    memcpy(id, t->result[0]->study_id, sizeof id);
    t->stop_after = 0;
    go_on(t, &o, 5, &err, 0);
    /* The fifth was a writing without its reading. */
    assert_int_equal(t->n, 4);
    assert_int_equal(t->rows, 4);
    for (unsigned i = 0; i < t->rows; i++)
        assert_int_equal(t->row_n[i], 2);
    for (unsigned i = 0; i < t->n; i++)
        assert_string_equal(t->result[i]->study_id, id);
    assert_int_equal(t->end, STUDY_COMPLETE);
    assert_int_equal(told_entries(t), 0);
}

static void another_instrument_is_refused(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    t->stop_after = 4;
    dirtest(t, &o);
    t->stop_after = 0;
    o.cache = STUDY_CACHE_KEEP;
    go_on(t, &o, 4, &err, -ESTALE);
    told_says(err.text, "now \"keep\"");
    assert_int_equal(t->begun, 0);
    assert_int_equal(told_entries(t), 0);
}

static void another_workload_is_refused(void **state)
{
    struct told *t = *state;
    struct tree_options o = small_tree();
    struct err err = {0};
    t->stop_after = 4;
    dirtest(t, &o);
    t->stop_after = 0;
    o.files++;
    go_on(t, &o, 4, &err, -ESTALE);
    told_says(err.text, "not the same workload");
    assert_int_equal(told_entries(t), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        told_test(repeats_are_blocks_of_all_rows),
        told_test(what_does_not_vary_needs_five_repeats),
        told_test(what_stays_wide_ends_at_the_most_repeats),
        told_test(sides_take_turns_and_are_told_apart),
        told_test(removing_says_of_how_many_and_where),
        told_test(only_what_is_missing_is_measured),
        told_test(another_instrument_is_refused),
        told_test(another_workload_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
