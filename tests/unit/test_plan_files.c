/* plan/step.h, build.h: picks by state, sizes, places and detached ops of workload files: what a plan
 * refuses of them, what it completes, and how they are written down. */
#include "fileset/grown.h"
#include "golden/exact.h"
#include "truth/truth.h"

static struct err err;

/* 40 files of 1 KiB to 9 KiB, or all of one size; made once, since every plan needs them. */
static const struct grown *grow(bool varied)
{
    static struct grown *made[2];
    struct grown **grown = &made[varied];
    if (*grown)
        return *grown;
    struct grown_spec spec = {.name = "set \"1\"",
                              .entries = 40,
                              .leafdirs = 8,
                              .size = {.kind = DRAW_FIXED, .a = 8192},
                              .width = {.kind = DRAW_FIXED, .a = 4},
                              .seed = 7};
    if (varied)
        spec.size = (struct draw){.kind = DRAW_UNIFORM, .a = 1024, .b = 9216};
    if (grown_new(&spec, grown, &err) < 0)
        fail_msg("%s", err.text);
    return *grown;
}

/* Set 0 is flat, with 8 files of 64 KiB; set 1 grown. */
static struct plan_builder *begin(const struct grown *grown)
{
    const struct fileset_spec flat = {
        .shape = FILESET_FLAT, .trees = 1, .files = 8, .size_bytes = 65536};
    const struct fileset_spec set = {.shape = FILESET_GROWN, .trees = 1, .grown = grown};
    const struct draw size = {.kind = DRAW_UNIFORM, .a = 0, .b = 5000.5};
    struct plan_builder *b = plan_new(1);
    plan_add_set(b, &flat);
    plan_add_set(b, &set);
    plan_add_line(b, "the-line", OP_NOP, false);
    plan_add_draw(b, &size);
    plan_begin_group(b, "g", 2, 1);
    plan_add_counter(b, true, false);
    plan_end_section(b);
    return b;
}

static int finish(struct plan_builder *b, struct plan **out)
{
    struct target_caps caps = truth_caps("posix:/");
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_end_section(b);
    plan_end_section(b);
    memset(&err, 0, sizeof err);
    *out = NULL;
    return plan_freeze(b, &caps, out, &err);
}

struct wish {
    struct plan_step pick; /* slot 0, set 1 */
    struct plan_step step;
    uint32_t detached;
    uint64_t pool;
    bool one_size;
    bool both;   /* of set 0 as well, whose files are larger */
    bool direct; /* opened so */
};

static struct wish good(enum op_kind op)
{
    return (struct wish){
        .pick = {.kind = PLAN_PICK, .set = 1, .use = FILESET_USE_OPEN, .order = PLAN_ORDER_ROUND},
        .step = t_io(op, 0, 1024)};
}

/* The frozen plan, or NULL and `err`. */
static struct plan *freeze(struct wish w)
{
    const struct grown *grown = grow(!w.one_size);
    struct plan_builder *b = begin(grown);
    struct plan_step open = t_op(OP_OPEN, PLAN_NO_LINE, 0);
    struct plan *plan;
    open.op_flags = w.direct ? OP_FLAG_DIRECT : 0;
    plan_group_detached(b, w.detached);
    plan_group_pool(b, w.pool);
    t_add(b, w.pick);
    w.pick.set = 0;
    t_add(b, w.both ? w.pick : t_op(OP_NOP, PLAN_NO_LINE, 0));
    t_add(b, open);
    t_add(b, w.step);
    int rc = finish(b, &plan);
    assert_int_equal(rc, err.code);
    return plan;
}

static void assert_refused(struct wish w, const char *words)
{
    assert_null(freeze(w));
    assert_int_equal(err.code, -EINVAL);
    assert_string_equal(err.text, words);
}

/* The step as it was completed. */
static struct plan_step accepted(struct wish w)
{
    struct plan *plan = freeze(w);
    if (!plan)
        fail_msg("%s", err.text);
    struct plan_step step = plan->step[plan->group[0].body + 3];
    plan_free(plan);
    return step;
}

/* ---- picks ---- */

static void a_use_takes_its_own_kind(void **state)
{
    (void)state;
    struct wish w = good(OP_NOP);
    w.pick.unit = PLAN_UNIT_DIR;
    assert_refused(w, "a pick of what cannot be used so");
    w.pick.use = FILESET_USE_LIST;
    accepted(w);
    w.pick.use = FILESET_USE_MKDIR;
    assert_refused(w, "a pick of what cannot be used so");
    w.pick.unit = PLAN_UNIT_LEAF;
    accepted(w);
    w.pick.set = 0;
    assert_refused(w, "only a grown fileset has leaf directories");
}

static void an_order_belongs_to_its_use(void **state)
{
    (void)state;
    struct wish w = good(OP_NOP);
    w.pick.order = PLAN_ORDER_STRIDE;
    assert_refused(w, "a pick in an order that its use does not have");
    w.pick.use = FILESET_USE_INITIAL;
    accepted(w);
    w.pick.order = PLAN_ORDER_ROUND;
    assert_refused(w, "a pick in an order that its use does not have");
    w.pick.use = FILESET_USE_ANY;
    assert_refused(w, "a pick in an order that its use does not have");
}

static void what_a_pick_names_exists(void **state)
{
    (void)state;
    struct wish w = good(OP_NOP);
    w.pick.order = PLAN_ORDER_DRAWN;
    assert_refused(w, "a number is drawn from nothing");
    w.pick.draw = 2;
    assert_refused(w, "draw 2 of 1");
    w.pick.draw = 1;
    accepted(w);
    w.pick.order = PLAN_ORDER_SLOT;
    w.pick.from = PLAN_SLOTS_MAX;
    assert_refused(w, "slot 130: at most 129");
    w.pick.from = 3;
    w.pick.use = FILESET_USE_DELETE;
    accepted(w);
    w.pick.use = FILESET_USE_LIST;
    w.pick.unit = PLAN_UNIT_DIR;
    assert_refused(w, "only a file is picked that another slot holds");
}

/* ---- sizes ---- */

static void a_drawn_size_has_a_bound(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    w.step.at.where = PLAN_AT_POSITION;
    w.step.size = PLAN_SIZE_DRAWN;
    assert_refused(w, "a number is drawn from nothing");
    w.step.draw = 1;
    assert_int_equal(accepted(w).io_bytes, 5001);
    assert_int_equal(accepted(w).align, 1);
    w.direct = true;
    assert_int_equal(accepted(w).io_bytes, 5120);
    assert_int_equal(accepted(w).align, 512);
}

static void sizes_belong_to_what_they_are_of(void **state)
{
    (void)state;
    struct wish w = good(OP_WRITE);
    w.step.size = PLAN_SIZE_BELOW;
    assert_refused(w, "write of any size below another: only append");
    w.step.op = OP_APPEND;
    assert_int_equal(accepted(w).io_bytes, 1024);
    w.step.size = PLAN_SIZE_FILE;
    assert_refused(w, "append of a file's size: only of a whole one");
    w.step.op = OP_READ;
    w.step.whole = true;
    uint64_t bytes = accepted(w).io_bytes;
    assert_in_range(bytes, 8192, 9216); /* the largest of 40 */
    w.step.op = OP_STAT;
    w.step.whole = false;
    assert_refused(w, "stat has no size of its own");
}

/* ---- places ---- */

/* Of files of one size the blocks are counted beforehand; of several each has its own. */
static void blocks_are_counted_where_all_files_have_as_many(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    w.step.at.where = PLAN_AT_UNIFORM;
    w.one_size = true;
    assert_int_equal(accepted(w).at.blocks, 8);
    assert_true(accepted(w).plain);
    w.one_size = false;
    assert_int_equal(accepted(w).at.blocks, 0);
    assert_false(accepted(w).plain);
    w.step.at.limit_bytes = 1 << 20;
    assert_int_equal(accepted(w).at.blocks, 1024);
    w.step.at.limit_bytes = 1000;
    assert_refused(w, "read of 1024 bytes in a part of 1000 bytes");
}

static void laws_need_one_size(void **state)
{
    (void)state;
    static const char words[] =
        "read of several sizes, or in files of several sizes: only evenly or "
        "from where the last one ended";
    struct wish w = good(OP_READ);
    assert_refused(w, words);
    w.step.at = (struct plan_place){.where = PLAN_AT_ZIPF, .skew = 1};
    assert_refused(w, words);
    w.one_size = true;
    accepted(w);
    w.step.size = PLAN_SIZE_DRAWN;
    w.step.draw = 1;
    assert_refused(w, words);
    w.step.at = (struct plan_place){.where = PLAN_AT_POSITION, .limit_bytes = 512};
    assert_refused(w, "only read anywhere is bounded to a part of the file");
}

/* What was wrong: a slot that files of two sets come to, each of one size, was refused. */
static void sets_of_one_size_each_are_several_sizes(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    w.step.at.where = PLAN_AT_UNIFORM;
    w.one_size = true;
    w.both = true;
    assert_int_equal(accepted(w).at.blocks, 0);
    assert_false(accepted(w).plain);
    w.step.at.limit_bytes = 4096;
    assert_int_equal(accepted(w).at.blocks, 4);
}

/* Whoever reads on, or reads what may not be as long as it was to be, takes what there is. */
static void fewer_bytes_may_come(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    w.step.at.where = PLAN_AT_POSITION;
    assert_true(accepted(w).partial);
    w.step.op = OP_WRITE;
    assert_false(accepted(w).partial);
}

/* ---- whole files, detached ops ---- */

static void whole_files(void **state)
{
    (void)state;
    struct wish w = good(OP_WRITE);
    w.step.at.where = PLAN_AT_POSITION;
    w.step.to_end = true;
    assert_refused(w, "only reading a whole file goes to its end");
    w.step.to_end = false;
    w.step.on = true;
    assert_refused(w, "only writing a whole file goes on, or by another's size");
    w.step.whole = true;
    accepted(w);
    w.step.from_slot = true;
    w.step.from = PLAN_SLOTS_MAX;
    assert_refused(w, "slot 130: at most 129");
}

static void detached_ops(void **state)
{
    (void)state;
    struct wish w = good(OP_WRITE);
    w.step.at.where = PLAN_AT_UNIFORM;
    w.step.detached = true;
    w.step.done_line = PLAN_NO_LINE;
    assert_refused(w, "group g has no detached ops");
    w.detached = PLAN_DETACHED_MAX + 1;
    assert_refused(w, "group g: 4097 detached ops at once, at most 4096");
    w.detached = 8;
    assert_false(accepted(w).plain);
    w.step.done_line = 1;
    assert_refused(w, "write has no line 1");
    w.step.done_line = 0;
    w.step.whole = true;
    assert_refused(w, "write whole cannot be detached");
    w.step = (struct plan_step){.kind = PLAN_JOIN, .value = 101};
    assert_refused(w, "waiting until 101 per cent of the detached ops are left");
}

static void memory_that_an_op_does_not_fit_into(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    w.step.at.where = PLAN_AT_POSITION;
    w.pool = 1023;
    assert_refused(w, "group g: memory of 1023 bytes, an op needs 1024");
    w.pool = 1024;
    assert_false(accepted(w).plain);
}

/* ---- slots and loops ---- */

static void slots_of_no_step(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    w.step.at.where = PLAN_AT_POSITION;
    w.step.slot = PLAN_SLOT_TURN;
    assert_refused(w, "the slot of a turn, of which there is no step");
    w.step.slot = PLAN_SLOT_EACH;
    assert_refused(w, "the slot of each, of which there is no step");
    w.step = (struct plan_step){.kind = PLAN_EACH, .set = 2};
    assert_refused(w, "fileset 2 of 2");
    w.step = (struct plan_step){.kind = PLAN_IF_OPEN, .set = PLAN_ANY_SET, .slot = 5};
    accepted(w);
}

static void loops_that_nothing_counts(void **state)
{
    (void)state;
    struct wish w = good(OP_NOP);
    w.step = t_loop(0, PLAN_LOOP_COUNTED, 1);
    assert_refused(w, "loop 1 runs as often as nothing has drawn");
    w.step = (struct plan_step){.kind = PLAN_COUNT, .loop = 1};
    assert_refused(w, "a number is drawn from nothing");
    w.step = t_op(OP_NOP, 0, 0);
    w.step.counts = 2;
    assert_refused(w, "a step moves a counter that group g does not have");
    w.step.counts = 1;
    accepted(w);
}

/* A turn comes by 128 slots, each of which may hold what is picked in any of them. */
static void turns_need_their_slots(void **state)
{
    (void)state;
    const struct grown *grown = grow(true);
    struct plan_builder *b = begin(grown);
    struct plan_step pick = good(OP_READ).pick;
    struct plan_step read = t_io(OP_READ, 0, 1024);
    struct plan *plan;
    read.at.where = PLAN_AT_POSITION;
    read.slot = 77;
    pick.slot = PLAN_SLOT_TURN;
    pick.order = PLAN_ORDER_ROUND_OWN;
    t_add(b, (struct plan_step){.kind = PLAN_TURN});
    t_add(b, pick);
    t_add(b, pick);
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, PLAN_SLOT_TURN));
    t_add(b, read);
    if (finish(b, &plan) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(plan->group[0].slots, 128);
    assert_int_equal(plan->group[0].cursors, 1);
    plan_free(plan);
}

/* ---- another window ---- */

static void another_window_is_another_plan(void **state)
{
    (void)state;
    struct plan *plan = freeze(good(OP_NOP));
    char before[sizeof plan->plan_hash];
    assert_non_null(plan);
    snprintf(before, sizeof before, "%s", plan->plan_hash);
    struct plan_window window = {
        .warmup_ns = 150 * MS_NS, .measure_ns = 1000 * MS_NS, .steady_frac = 2};
    assert_int_equal(plan_rewindow(plan, &window, &err), -EINVAL);
    assert_string_equal(err.text, "steady within 2 of the mean: above 0 and at most 1");
    assert_string_equal(plan->plan_hash, before);
    window.steady_frac = 0.05;
    assert_int_equal(plan_rewindow(plan, &window, &err), -EINVAL);
    assert_string_equal(err.text, "the longest warm-up is shorter than the shortest");
    window.steady_max_ns = 910 * MS_NS;
    assert_int_equal(plan_rewindow(plan, &window, &err), 0);
    assert_int_equal(plan->window.warmup_ns, 200 * MS_NS); /* whole intervals */
    assert_int_equal(plan->window.steady_max_ns, 1000 * MS_NS);
    assert_string_not_equal(plan->plan_hash, before);
    plan_free(plan);
}

static void another_instrument_is_the_same_workload(void **state)
{
    (void)state;
    struct wish w = good(OP_READ);
    struct plan_instrument instrument = {.scheme = "posix", .direct = true};
    w.step.at.where = PLAN_AT_POSITION;
    w.step.io_bytes = 1000;
    w.one_size = true;
    struct plan *plan = freeze(w);
    char workload[sizeof plan->workload_hash];
    char before[sizeof plan->plan_hash];
    assert_non_null(plan);
    snprintf(workload, sizeof workload, "%s", plan->workload_hash);
    snprintf(before, sizeof before, "%s", plan->plan_hash);
    assert_int_equal(plan_reinstrument(plan, &instrument, &err), -EINVAL);
    assert_string_equal(err.text, "direct read of 1000 bytes: a multiple of 512 is needed");
    assert_false(plan->instrument.direct);
    instrument.direct = false;
    assert_int_equal(plan_reinstrument(plan, &instrument, &err), 0);
    assert_string_equal(plan->workload_hash, workload);
    assert_string_not_equal(plan->plan_hash, before);
    plan_free(plan);
}

/* ---- golden ---- */

static void add_picks(struct plan_builder *b)
{
    struct plan_step pick = good(OP_NOP).pick;
    pick.to = pick.skip = 3;
    t_add(b, pick);
    pick.order = PLAN_ORDER_DRAWN;
    pick.draw = 1;
    t_add(b, pick);
    pick.use = FILESET_USE_DELETE;
    pick.order = PLAN_ORDER_SLOT;
    pick.from = 4;
    pick.slot = 129;
    t_add(b, pick);
    t_add(b, t_op(OP_UNLINK, 0, 129));
    t_add(b, (struct plan_step){.kind = PLAN_PICK,
                                .set = 1,
                                .use = FILESET_USE_LIST,
                                .order = PLAN_ORDER_ROUND,
                                .unit = PLAN_UNIT_DIR,
                                .slot = 128});
}

static void add_moves(struct plan_builder *b)
{
    struct plan_step step = t_io(OP_READ, 0, 4096);
    step.whole = step.to_end = true;
    t_add(b, step);
    step = t_io(OP_WRITE, 0, 4096);
    step.whole = step.on = step.from_slot = true;
    step.from = 4;
    step.counts = 1;
    t_add(b, step);
    step.size = PLAN_SIZE_FILE;
    t_add(b, step);
    step = t_io(OP_WRITE, 0, 4096);
    step.at = (struct plan_place){.where = PLAN_AT_UNIFORM, .limit_bytes = 65536};
    step.detached = true;
    step.done_line = plan_add_line(b, "the-line.done", OP_WRITE, false);
    t_add(b, step);
    step = t_io(OP_APPEND, 0, 4096);
    step.size = PLAN_SIZE_BELOW;
    t_add(b, step);
    step = t_io(OP_READ, 0, 0);
    step.at.where = PLAN_AT_POSITION;
    step.size = PLAN_SIZE_DRAWN;
    step.draw = 1;
    t_add(b, step);
}

static void add_slots(struct plan_builder *b)
{
    struct plan_step open = t_op(OP_OPEN, 0, 0);
    open.op_flags = OP_FLAG_MAY_EXIST | OP_FLAG_RANDOM | OP_FLAG_WRITE | OP_FLAG_DSYNC;
    t_add(b, (struct plan_step){.kind = PLAN_TURN});
    t_add(b, (struct plan_step){.kind = PLAN_IF_OPEN, .slot = PLAN_SLOT_TURN, .set = 1});
    t_add(b, (struct plan_step){.kind = PLAN_IF_FILE, .slot = 4});
    t_add(b, open);
    t_add(b, (struct plan_step){.kind = PLAN_EACH, .set = PLAN_ANY_SET});
    t_add(b, t_op(OP_FSYNC, 0, PLAN_SLOT_EACH));
    t_add(b, (struct plan_step){.kind = PLAN_COUNT, .draw = 1, .loop = 2});
    t_add(b, t_loop(3, PLAN_LOOP_COUNTED, 2));
    t_add(b, (struct plan_step){.kind = PLAN_JOIN, .value = 50});
}

static void all_that_workload_files_do_to_files(void **state)
{
    (void)state;
    const struct grown *grown = grow(true);
    struct plan_builder *b = begin(grown);
    struct plan *plan;
    struct text text;
    plan_quit(b, PLAN_QUIT_ALLDONE);
    plan_window(b, &(struct plan_window){
                       .measure_ns = SEC_NS, .steady_frac = 0.125, .steady_max_ns = SEC_NS});
    plan_line_type(b, 0, "read");
    plan_group_processes(b, 3, 2);
    plan_group_manners(b, 10, 7);
    plan_group_pool(b, 1 << 20);
    plan_group_detached(b, 16);
    plan_add_counter(b, false, true);
    plan_add_semaphore(b, 9);
    plan_add_event(b);
    add_picks(b);
    add_moves(b);
    add_slots(b);
    if (finish(b, &plan) < 0)
        fail_msg("%s", err.text);
    text_init(&text);
    plan_text(plan, PLAN_FORM_WHOLE, &text);
    exact("../plan/set_files", text.s);
    text_fini(&text);
    plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_use_takes_its_own_kind),
        cmocka_unit_test(an_order_belongs_to_its_use),
        cmocka_unit_test(what_a_pick_names_exists),
        cmocka_unit_test(a_drawn_size_has_a_bound),
        cmocka_unit_test(sizes_belong_to_what_they_are_of),
        cmocka_unit_test(blocks_are_counted_where_all_files_have_as_many),
        cmocka_unit_test(laws_need_one_size),
        cmocka_unit_test(sets_of_one_size_each_are_several_sizes),
        cmocka_unit_test(fewer_bytes_may_come),
        cmocka_unit_test(whole_files),
        cmocka_unit_test(detached_ops),
        cmocka_unit_test(memory_that_an_op_does_not_fit_into),
        cmocka_unit_test(slots_of_no_step),
        cmocka_unit_test(loops_that_nothing_counts),
        cmocka_unit_test(turns_need_their_slots),
        cmocka_unit_test(another_window_is_another_plan),
        cmocka_unit_test(another_instrument_is_the_same_workload),
        cmocka_unit_test(all_that_workload_files_do_to_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
