/* plan.h: places by a law and slots that hold all files: what is refused, and what plan_freeze completes. */
#include "truth/truth.h"

#include <math.h>

struct wish {
    struct fileset_spec set;
    struct fileset_spec other; /* files > 0: a second set, picked into the same slot */
    enum plan_unit unit;
    enum plan_order order; /* OWN unless it is said */
    struct plan_step step;
    unsigned handles_max;
};

static struct wish good(void)
{
    return (struct wish){
        .set = {.shape = FILESET_FLAT, .trees = 1, .files = 4, .size_bytes = 10 * 4096 + 5},
        .unit = PLAN_UNIT_ALL,
        .step = t_io(OP_READ, 0, 4096)};
}

static int freeze(const struct wish *w, struct plan **out, struct err *err)
{
    struct target_caps caps = truth_caps("null:");
    struct plan_builder *b = plan_new(1);
    assert_non_null(b);
    caps.handles_max = w->handles_max;
    plan_add_set(b, &w->set);
    plan_add_line(b, "read", OP_READ, false);
    plan_begin_group(b, "g", 2, 1);
    t_add(b, t_pick(w->unit, w->order, 0));
    if (w->other.files > 0) {
        struct plan_step pick = t_pick(w->unit, PLAN_ORDER_OWN, 0);
        pick.set = plan_add_set(b, &w->other);
        t_add(b, pick);
    }
    plan_end_section(b);
    t_add(b, w->step);
    plan_end_section(b);
    plan_end_section(b);
    return plan_freeze(b, &caps, out, err);
}

static void refused(const struct wish *w, int code, const char *words)
{
    struct plan *plan = NULL;
    struct err err = {0};
    assert_int_equal(freeze(w, &plan, &err), code);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in '%s'", words, err.text);
}

static struct plan *accepted(const struct wish *w)
{
    struct plan *plan = NULL;
    struct err err = {0};
    if (freeze(w, &plan, &err) < 0)
        fail_msg("%s", err.text);
    return plan;
}

static void blocks_are_those_of_all_files(void **state)
{
    struct wish w = good();
    (void)state;
    w.step.at = (struct plan_place){.where = PLAN_AT_HOT, .hot_ops = 90, .hot_blocks = 10};
    struct plan *plan = accepted(&w);
    const struct plan_place *at = &plan->step[plan->group[0].body].at;
    assert_int_equal(at->per_file, 10);
    assert_int_equal(at->blocks, 40);
    assert_int_equal(at->hot, 4);
    assert_int_equal(plan->group[0].handles, 4);
    plan_free(plan);
    w.unit = PLAN_UNIT_FILE;
    plan = accepted(&w);
    at = &plan->step[plan->group[0].body].at;
    assert_int_equal(at->blocks, 10);
    assert_int_equal(at->hot, 1);
    assert_int_equal(plan->group[0].handles, 0);
    plan_free(plan);
}

static void laws_that_are_none(void **state)
{
    static const double skew[] = {0, -1, 20.5, (double)NAN, (double)INFINITY};
    static const unsigned hot[][2] = {{0, 10}, {100, 10}, {10, 0}, {10, 100}};
    struct wish w = good();
    (void)state;
    w.step.at.where = PLAN_AT_ZIPF;
    for (unsigned i = 0; i < TRUTH_COUNT(skew); i++) {
        w.step.at.skew = skew[i];
        refused(&w, -EINVAL, "the exponent is above 0 and up to 20");
    }
    w.step.at.where = PLAN_AT_HOT;
    for (unsigned i = 0; i < TRUTH_COUNT(hot); i++) {
        w.step.at.hot_ops = hot[i][0];
        w.step.at.hot_blocks = hot[i][1];
        refused(&w, -EINVAL, "both shares are 1 to 99 per cent");
    }
}

static void files_that_do_not_fit_the_law(void **state)
{
    struct wish w = good();
    (void)state;
    w.unit = PLAN_UNIT_FILE;
    w.step.at.where = PLAN_AT_UNIFORM;
    w.other = w.set;
    plan_free(accepted(&w));
    w.other.size_bytes++;
    refused(&w, -EINVAL, "read anywhere in files of several sizes");
    w = good();
    w.step.at = (struct plan_place){.where = PLAN_AT_HOT, .hot_ops = 90, .hot_blocks = 10};
    w.set.files = 1;
    w.set.size_bytes = 4096;
    refused(&w, -EINVAL, "there is only one block");
    w.step.at.where = PLAN_AT_UNIFORM;
    w.set.size_bytes = UINT64_C(1) << 51;
    w.step.io_bytes = 1;
    refused(&w, -EINVAL, "more than 2^50 blocks");
}

static void all_files_of_what_has_no_all(void **state)
{
    struct wish w = good();
    (void)state;
    w.set = (struct fileset_spec){.shape = FILESET_TREE,
                                  .trees = 1,
                                  .levels = 1,
                                  .branches = 1,
                                  .files = 1,
                                  .size_bytes = 1 << 20};
    refused(&w, -EINVAL, "only of a flat fileset");
    w = good();
    w.step.whole = true;
    refused(&w, -EINVAL, "read whole of all files at once");
    w.step = t_op(OP_STAT, PLAN_NO_LINE, 0);
    refused(&w, -EINVAL, "stat of all files at once");
    w = good();
    w.other = w.set;
    refused(&w, -EINVAL, "picks all files more than once");
}

/* A stream without a file would do nothing and say nothing; and a law's ranks are those of all files. */
static void files_dealt_out_to_streams(void **state)
{
    struct wish w = good();
    (void)state;
    w.order = PLAN_ORDER_STRIDE;
    w.set.files = 5;
    struct plan *plan = accepted(&w);
    assert_int_equal(plan->group[0].handles, 3);
    plan_free(plan);
    w.step.at.where = PLAN_AT_UNIFORM;
    plan_free(accepted(&w));
    w.step.at = (struct plan_place){.where = PLAN_AT_HOT, .hot_ops = 90, .hot_blocks = 10};
    refused(&w, -EINVAL, "read of a stream's own files of many: only evenly or in order");
    w.step.at = (struct plan_place){.where = PLAN_AT_ZIPF, .skew = 1};
    refused(&w, -EINVAL, "read of a stream's own files of many: only evenly or in order");
    w = good();
    w.order = PLAN_ORDER_STRIDE;
    w.set.files = 1;
    refused(&w, -EINVAL, "group g: 1 files for 2 streams of which each has its own");
}

static void more_files_than_may_be_open(void **state)
{
    struct wish w = good();
    (void)state;
    w.handles_max = 5;
    plan_free(accepted(&w));
    w.handles_max = 4;
    refused(&w, -EMFILE, "each stream has 5 files open, this process may have 4");
}

/* The sum was taken in 32 bits, and a session asked for a few files where billions were meant. */
static void more_files_than_can_be_counted(void **state)
{
    struct wish w = good();
    (void)state;
    w.set.files = PLAN_HANDLES_MAX / 2 - 1;
    w.set.size_bytes = 4096;
    plan_free(accepted(&w));
    w.set.files++;
    refused(&w, -EMFILE, "2147483648 files open at once by all streams: at most 2147483647");
    w.set.files = UINT32_MAX / 2 + 1;
    refused(&w, -EMFILE, "4294967298 files open at once by all streams");
}

static void content_of_two_kinds(void **state)
{
    struct wish w = good();
    (void)state;
    w.unit = PLAN_UNIT_FILE;
    w.other = w.set;
    w.other.compress_centi = 200;
    refused(&w, -EINVAL, "compress all alike");
    w.set.compress_centi = w.other.compress_centi = 100;
    refused(&w, -EINVAL, "compress is 1.00, accepted are 1.1 to 10");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_are_those_of_all_files),
        cmocka_unit_test(laws_that_are_none),
        cmocka_unit_test(files_that_do_not_fit_the_law),
        cmocka_unit_test(all_files_of_what_has_no_all),
        cmocka_unit_test(files_dealt_out_to_streams),
        cmocka_unit_test(more_files_than_may_be_open),
        cmocka_unit_test(more_files_than_can_be_counted),
        cmocka_unit_test(content_of_two_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
