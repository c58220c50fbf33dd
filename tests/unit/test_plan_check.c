/* plan.h, build.h: what cannot run is refused before anything moves, in words. */
#include "truth/truth.h"

#include <math.h>

/* ---- a plan that is good, and what may be done to it ---- */

struct wish {
    struct fileset_spec set;
    bool no_set;
    struct plan_schedule schedule;
    bool rated;
    bool arrive_in_setup;
    struct plan_instrument instrument;
    uint32_t streams;
    uint32_t clients;
    struct plan_step pick;
    struct plan_step step;
    bool no_step;
    struct plan_step more; /* in the body, behind step; NOP without a line */
    bool sync;
    uint16_t sync_line;
    uint64_t measure_ns;
    const char *address;
};

static struct wish good(void)
{
    struct wish w = {.set = {.shape = FILESET_FLAT, .trees = 1, .files = 4, .size_bytes = 8192},
                     .streams = 4,
                     .clients = 1,
                     .pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0),
                     .step = t_io(OP_READ, 0, 4096),
                     .more = t_op(OP_NOP, PLAN_NO_LINE, 0),
                     .address = "null:"};
    return w;
}

static int freeze(const struct wish *w, struct plan **out, struct err *err)
{
    struct target_caps caps = truth_caps(w->address);
    struct plan_builder *b = plan_new(1);
    assert_non_null(b);
    plan_instrument(b, &w->instrument);
    plan_window(b, &(struct plan_window){.measure_ns = w->measure_ns});
    if (!w->no_set)
        plan_add_set(b, &w->set);
    plan_add_line(b, "read", OP_READ, w->rated);
    if (w->rated)
        plan_add_schedule(b, &w->schedule);
    plan_begin_group(b, "g", w->streams, w->clients);
    t_add(b, w->pick);
    if (w->arrive_in_setup)
        t_add(b, (struct plan_step){.kind = PLAN_ARRIVE});
    plan_end_section(b);
    if (w->rated)
        t_add(b, (struct plan_step){.kind = PLAN_ARRIVE});
    if (!w->no_step) {
        t_add(b, w->step);
        t_add(b, w->more);
    }
    plan_end_section(b);
    plan_end_section(b);
    if (w->sync)
        plan_sync_at_end(b, w->sync_line);
    return plan_freeze(b, &caps, out, err);
}

static void assert_refused(const struct wish *w, int code, const char *words)
{
    struct plan *plan = NULL;
    struct err err = {0};
    assert_int_equal(freeze(w, &plan, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, words);
    assert_null(plan);
}

static void assert_accepted(const struct wish *w)
{
    struct plan *plan = NULL;
    struct err err = {0};
    if (freeze(w, &plan, &err) < 0)
        fail_msg("%s", err.text);
    plan_free(plan);
}

/* ---- ops ---- */

/* Nothing below is refused for another reason than its own. */
static void the_plan_that_all_others_differ_from_is_accepted(void **state)
{
    (void)state;
    struct wish w = good();
    assert_accepted(&w);
}

/* build.h: -EOPNOTSUPP, the target cannot do an op. */
static void an_op_that_the_target_lacks(void **state)
{
    (void)state;
    struct wish w = good();
    w.more = t_op(OP_EVICT, PLAN_NO_LINE, 0);
    assert_refused(&w, -EOPNOTSUPP, "the target cannot do evict");
    w.address = "posix:/";
    assert_accepted(&w);
}

static void an_op_that_does_not_exist(void **state)
{
    (void)state;
    struct wish w = good();
    w.more.op = OP_KINDS;
    assert_refused(&w, -EINVAL, "step names op 21, which does not exist");
}

/* What was wrong: such steps were accepted and moved 0 bytes, or failed at the target only. */
static void ops_that_the_engine_has_no_arguments_for(void **state)
{
    (void)state;
    struct wish w = good();
    w.step = t_op(OP_DISCARD, 0, 0);
    assert_refused(&w, -EOPNOTSUPP, "a plan cannot hold discard");
    w.step = t_op(OP_RENAME, 0, 0);
    assert_refused(&w, -EOPNOTSUPP, "a plan cannot hold rename");
}

/* A thread that lists directories could do nothing to files in the same slot, where all flowops without a
 * slot of their own have theirs: stat and listdir were refused together. */
static void a_listing_of_a_slot_that_holds_files_at_other_times(void **state)
{
    (void)state;
    struct wish w = good();
    w.address = "posix:/";
    w.step = t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_STRIDE, 0);
    w.more = t_op(OP_READDIR, PLAN_NO_LINE, 0);
    w.more.io_bytes = 1024;
    assert_accepted(&w);
}

/* Whatever comes first of a listing has to fit, a file has none, and null: has nothing to list. */
static void listings_that_give_nothing(void **state)
{
    (void)state;
    struct wish w = good();
    w.address = "posix:/";
    w.more = t_op(OP_READDIR, PLAN_NO_LINE, 0);
    w.more.io_bytes = 1023;
    assert_refused(&w, -EINVAL, "readdir of 1023 bytes at a time: at least 1024");
    w.more.io_bytes = 1024;
    assert_refused(&w, -EINVAL, "readdir of slot 0, which holds files");
    w.address = "null:";
    assert_refused(&w, -EINVAL, "nothing to list: this target keeps no data");
}

static int freeze_walk(struct plan_step first, struct plan_step listed, bool lists, struct err *err)
{
    const struct fileset_spec tree = {
        .shape = FILESET_TREE, .trees = 1, .levels = 2, .branches = 2, .files = 3, .size_bytes = 1};
    const struct fileset_spec flat = {
        .shape = FILESET_FLAT, .trees = 1, .files = 3, .size_bytes = 1};
    const struct target_caps caps = truth_caps("posix:/");
    struct plan_builder *b = plan_new(1);
    struct plan *plan = NULL;
    struct plan_step list = t_op(lists ? OP_READDIR : OP_LOOKUP, PLAN_NO_LINE, 0);
    list.io_bytes = 4096;
    plan_add_set(b, &tree);
    plan_add_set(b, &flat);
    plan_begin_group(b, "walk", 1, 1);
    plan_end_section(b);
    t_add(b, first);
    t_add(b, list);
    t_add(b, listed);
    plan_end_section(b);
    plan_end_section(b);
    int rc = plan_freeze(b, &caps, &plan, err);
    plan_free(plan);
    return rc;
}

static void walks_that_lead_nowhere(void **state)
{
    (void)state;
    struct err err = {0};
    struct plan_step root = t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, 0);
    struct plan_step dir = t_pick(PLAN_UNIT_DIR, PLAN_ORDER_OWN, 0);
    struct plan_step listed = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_LISTED, 1);
    struct plan_step bad = listed;

    assert_int_equal(freeze_walk(root, listed, true, &err), 0);
    assert_int_equal(freeze_walk(root, listed, false, &err), -EINVAL);
    assert_string_equal(err.text, "group walk picks as listed, and lists nothing");
    err = (struct err){0};
    assert_int_equal(freeze_walk(dir, listed, true, &err), -EINVAL);
    assert_string_equal(err.text, "group walk picks directories as listed and otherwise");
    bad.set = 1;
    err = (struct err){0};
    assert_int_equal(freeze_walk(root, bad, true, &err), -EINVAL);
    assert_string_equal(err.text, "only files and directories of trees are picked as listed");
    bad = listed;
    bad.unit = PLAN_UNIT_ROOT;
    err = (struct err){0};
    assert_int_equal(freeze_walk(root, bad, true, &err), -EINVAL);
    bad = root;
    bad.set = 1;
    err = (struct err){0};
    assert_int_equal(freeze_walk(bad, listed, true, &err), -EINVAL);
    assert_string_equal(err.text, "group walk walks in one fileset and picks from another");
}

static void a_line_that_does_not_exist(void **state)
{
    (void)state;
    struct wish w = good();
    w.step.line = 1;
    assert_refused(&w, -EINVAL, "read has no line 1");
}

static void reads_and_writes_of_no_bytes(void **state)
{
    (void)state;
    struct wish w = good();
    w.step = t_io(OP_READ, 0, 0);
    assert_refused(&w, -EINVAL, "read of 0 bytes at a time");
    w.step = t_io(OP_WRITE, 0, 0);
    assert_refused(&w, -EINVAL, "write of 0 bytes at a time");
}

/* plan.h: whole is for READ and WRITE. */
static void a_whole_file_of_another_op(void **state)
{
    (void)state;
    struct wish w = good();
    w.step = t_op(OP_STAT, 0, 0);
    w.step.whole = true;
    assert_refused(&w, -EINVAL, "only read and write take a whole file, not stat");
}

/* plan.h: verify is for READ; target.h: a target that keeps nothing has nothing to verify. */
static void verification_that_cannot_be(void **state)
{
    (void)state;
    struct wish w = good();
    w.step.verify = true;
    assert_refused(&w, -EINVAL, "nothing to verify: this target keeps no data");
    w.address = "posix:/";
    assert_accepted(&w);
    w.step = t_io(OP_WRITE, 0, 4096);
    w.step.verify = true;
    assert_refused(&w, -EINVAL, "only read can be verified, not write");
}

static void direct_of_half_a_sector(void **state)
{
    (void)state;
    struct wish w = good();
    w.instrument.direct = true;
    assert_accepted(&w);
    w.step.io_bytes = 1000;
    assert_refused(&w, -EINVAL, "direct read of 1000 bytes: a multiple of 512 is needed");
}

/* plan.h: a multiple of io_bytes that fits into the file. */
static void pieces_larger_than_the_file(void **state)
{
    (void)state;
    struct wish w = good();
    w.step.io_bytes = 8192;
    assert_accepted(&w);
    w.step.io_bytes = 8193;
    assert_refused(&w, -EINVAL, "read of 8193 bytes from files that are smaller");
    w.step.whole = true;
    assert_accepted(&w);
}

/* What was wrong: the op went to file 0 of set 0, and without any set the engine crashed. */
static void an_op_on_nothing(void **state)
{
    (void)state;
    struct wish w = good();
    w.step = t_op(OP_STAT, 0, 1);
    assert_refused(&w, -EINVAL, "stat of slot 1, which nothing is picked for");
    w.step = t_op(OP_NOP, 0, 1);
    assert_accepted(&w);
}

/* ---- other steps ---- */

static void picks_from_no_fileset(void **state)
{
    (void)state;
    struct wish w = good();
    w.pick.set = 1;
    assert_refused(&w, -EINVAL, "pick from fileset 1 of 1");
    w.pick.set = 0;
    w.no_set = true;
    assert_refused(&w, -EINVAL, "pick from fileset 0 of 0");
}

static void slots_and_loops_beyond_their_number(void **state)
{
    (void)state;
    struct wish w = good();
    w.more.slot = PLAN_SLOTS_MAX;
    assert_refused(&w, -EINVAL, "slot 130: at most 129");
    w.more.slot = PLAN_SLOTS_MAX - 1;
    assert_accepted(&w);
    w.more = t_loop(0, 2, PLAN_LOOPS_MAX);
    assert_refused(&w, -EINVAL, "loops nest deeper than 64");
    w.more.loop--;
    assert_accepted(&w);
}

static void schedules_that_do_not_exist_or_have_no_rate(void **state)
{
    (void)state;
    static const double rates[] = {0, -1, INFINITY, NAN};
    struct wish w = good();
    w.more = (struct plan_step){.kind = PLAN_ARRIVE, .schedule = 1};
    assert_refused(&w, -EINVAL, "schedule 1 of 0");
    w = good();
    w.rated = true;
    w.schedule.rate_per_s = 0.001;
    assert_accepted(&w);
    for (size_t i = 0; i < TRUTH_COUNT(rates); i++) {
        w.schedule.rate_per_s = rates[i];
        assert_refused(&w, -EINVAL, "a schedule needs a rate above 0");
    }
}

/* plan.h: setup runs before the gate opens, so there is no time yet to be due at. */
static void arrivals_outside_the_body(void **state)
{
    (void)state;
    struct wish w = good();
    w.rated = true;
    w.schedule.rate_per_s = 1;
    w.arrive_in_setup = true;
    assert_refused(&w, -EINVAL, "group g: arrivals belong into the body");
}

static void unknown_steps(void **state)
{
    (void)state;
    struct wish w = good();
    w.more.kind = (enum plan_step_kind)77;
    assert_refused(&w, -EINVAL, "unknown step");
}

/* ---- groups, sets, the whole ---- */

static void groups_without_streams_or_with_too_many_clients(void **state)
{
    (void)state;
    struct wish w = good();
    w.streams = 0;
    assert_refused(&w, -EINVAL, "group g: 0 streams of 1 clients");
    w.streams = 4;
    w.clients = 0;
    assert_refused(&w, -EINVAL, "group g: 4 streams of 0 clients");
    w.clients = 5;
    assert_refused(&w, -EINVAL, "group g: 4 streams of 5 clients");
    w.clients = 4;
    assert_accepted(&w);
    w.streams = PLAN_STREAMS_MAX + 1;
    assert_refused(&w, -EINVAL, "1000001 streams: at most 1000000");
}

static void a_group_that_does_nothing(void **state)
{
    (void)state;
    struct wish w = good();
    w.no_step = true;
    assert_refused(&w, -EINVAL, "group g does nothing");
}

static void sets_that_spec_refuses(void **state)
{
    (void)state;
    struct wish w = good();
    w.set.files = 0;
    assert_refused(&w, -EINVAL, "files is 0, accepted are 1 to 4294967295");
}

static void a_closing_sync_without_a_line(void **state)
{
    (void)state;
    struct wish w = good();
    w.sync = true;
    assert_accepted(&w);
    w.sync_line = 1;
    assert_refused(&w, -EINVAL, "the closing sync has no line");
}

/* plan.h: inside the elapsed time, and that of a measured window is over when the last stream is. */
static void a_closing_sync_behind_a_window(void **state)
{
    (void)state;
    struct wish w = good();
    w.sync = true;
    w.measure_ns = SEC_NS;
    assert_refused(&w, -EINVAL, "a closing sync needs a plan that ends by itself");
    w.sync = false;
    assert_accepted(&w);
}

static void a_closing_sync_that_the_target_lacks(void **state)
{
    (void)state;
    struct target_caps caps = truth_caps("null:");
    caps.op_kinds &= ~(1u << OP_SYNCFS);
    struct plan_builder *b = plan_new(1);
    struct plan *plan = NULL;
    struct err err = {0};
    plan_sync_at_end(b, plan_add_line(b, "sync", OP_SYNCFS, false));
    plan_begin_group(b, "g", 1, 1);
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_end_section(b);
    plan_end_section(b);
    assert_int_equal(plan_freeze(b, &caps, &plan, &err), -EOPNOTSUPP);
    assert_string_equal(err.text, "the target cannot do syncfs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_that_all_others_differ_from_is_accepted),
        cmocka_unit_test(an_op_that_the_target_lacks),
        cmocka_unit_test(an_op_that_does_not_exist),
        cmocka_unit_test(ops_that_the_engine_has_no_arguments_for),
        cmocka_unit_test(listings_that_give_nothing),
        cmocka_unit_test(a_listing_of_a_slot_that_holds_files_at_other_times),
        cmocka_unit_test(walks_that_lead_nowhere),
        cmocka_unit_test(a_line_that_does_not_exist),
        cmocka_unit_test(reads_and_writes_of_no_bytes),
        cmocka_unit_test(a_whole_file_of_another_op),
        cmocka_unit_test(verification_that_cannot_be),
        cmocka_unit_test(direct_of_half_a_sector),
        cmocka_unit_test(pieces_larger_than_the_file),
        cmocka_unit_test(an_op_on_nothing),
        cmocka_unit_test(picks_from_no_fileset),
        cmocka_unit_test(slots_and_loops_beyond_their_number),
        cmocka_unit_test(schedules_that_do_not_exist_or_have_no_rate),
        cmocka_unit_test(arrivals_outside_the_body),
        cmocka_unit_test(unknown_steps),
        cmocka_unit_test(groups_without_streams_or_with_too_many_clients),
        cmocka_unit_test(a_group_that_does_nothing),
        cmocka_unit_test(sets_that_spec_refuses),
        cmocka_unit_test(a_closing_sync_without_a_line),
        cmocka_unit_test(a_closing_sync_behind_a_window),
        cmocka_unit_test(a_closing_sync_that_the_target_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
