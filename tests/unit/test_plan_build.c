/* build.h: groups, sections and jumps; plan.h: counts are bounded, edges are interval edges. */
#include "truth/truth.h"

static void assert_freeze_fails(struct plan_builder *b, const char *words)
{
    struct target_caps caps = truth_caps("null:");
    struct plan *plan = NULL;
    struct err err = {0};
    assert_int_equal(plan_freeze(b, &caps, &plan, &err), -EINVAL);
    assert_string_equal(err.text, words);
    assert_null(plan);
}

static void add_nop_group(struct plan_builder *b, const char *name)
{
    plan_begin_group(b, name, 1, 1);
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_end_section(b);
    plan_end_section(b);
}

/* ---- refusals ---- */

static void a_plan_without_groups(void **state)
{
    (void)state;
    assert_freeze_fails(plan_new(1), "the plan has no streams");
}

static void a_group_that_is_not_complete(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    plan_begin_group(b, "g", 1, 1);
    plan_end_section(b);
    assert_freeze_fails(b, "the last group of the plan is not complete");
}

static void a_group_inside_a_group(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    plan_begin_group(b, "g", 1, 1);
    plan_begin_group(b, "h", 1, 1);
    assert_freeze_fails(b, "a group began before the last one was complete");
}

static void a_step_outside_of_groups(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    assert_freeze_fails(b, "a step stands outside a group");
}

/* The section's END is the last step that a jump may reach. */
static void a_jump_out_of_its_section(void **state)
{
    (void)state;
    for (uint32_t to = 2; to <= 3; to++) {
        struct plan_builder *b = plan_new(1);
        plan_begin_group(b, "g", 1, 1);
        plan_end_section(b);
        t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
        t_add(b, t_loop(to, 2, 0));
        plan_end_section(b);
        plan_end_section(b);
        if (to == 2)
            plan_free(truth_freeze(b, "null:"));
        else
            assert_freeze_fails(b, "a jump leaves its section");
    }
}

static void a_jump_set_on_no_step(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    plan_begin_group(b, "g", 1, 1);
    plan_step_to(b, 0, 0);
    assert_freeze_fails(b, "a jump is set on a step that does not exist");
}

/* build.h: the add functions remember the first failure. */
static void the_first_failure_is_told(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_begin_group(b, "g", 1, 1);
    plan_begin_group(b, "h", 1, 1);
    assert_freeze_fails(b, "a step stands outside a group");
}

/* ---- counts are bounded by PLAN_*_MAX ---- */

static void more_sets_than_a_plan_holds(void **state)
{
    (void)state;
    const struct fileset_spec spec = {.shape = FILESET_FLAT, .trees = 1, .files = 1};
    struct plan_builder *b = plan_new(1);
    for (unsigned i = 0; i < PLAN_SETS_MAX; i++)
        assert_int_equal(plan_add_set(b, &spec), i);
    plan_add_set(b, &spec);
    assert_freeze_fails(b, "a plan holds at most 1024 filesets");
}

static void more_lines_than_a_plan_holds(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    char name[16];
    for (unsigned i = 0; i <= PLAN_LINES_MAX; i++) {
        snprintf(name, sizeof name, "line%u", i);
        plan_add_line(b, name, OP_READ, false);
    }
    assert_freeze_fails(b, "a plan holds at most 1024 lines");
}

static void more_schedules_than_a_plan_holds(void **state)
{
    (void)state;
    const struct plan_schedule schedule = {.rate_per_s = 1};
    struct plan_builder *b = plan_new(1);
    for (unsigned i = 0; i <= PLAN_GROUPS_MAX; i++)
        plan_add_schedule(b, &schedule);
    assert_freeze_fails(b, "a plan holds at most 4096 schedules");
}

static void more_groups_than_a_plan_holds(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    for (unsigned i = 0; i <= PLAN_GROUPS_MAX; i++)
        add_nop_group(b, "g");
    assert_freeze_fails(b, "a plan holds at most 4096 groups");
}

static void more_steps_than_a_plan_holds(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    plan_begin_group(b, "g", 1, 1);
    for (unsigned i = 0; i <= PLAN_STEPS_MAX; i++)
        t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    assert_freeze_fails(b, "a plan holds at most 1048576 steps");
}

/* What was wrong: the sum of two groups wrapped round and was accepted. */
static void more_streams_than_fit_32_bits(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    add_nop_group(b, "g");
    plan_begin_group(b, "h", UINT32_MAX, 1);
    plan_end_section(b);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_end_section(b);
    plan_end_section(b);
    assert_freeze_fails(b, "4294967296 streams: at most 1000000");
}

/* ---- what is built ---- */

/* build.h: two lines of one name are one line; also where the name is longer than what is kept. */
static void lines_of_one_name_are_one(void **state)
{
    (void)state;
    char name[PLAN_NAME_MAX + 10];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    struct plan_builder *b = plan_new(1);
    assert_int_equal(plan_add_line(b, "read", OP_READ, false), 0);
    assert_int_equal(plan_add_line(b, name, OP_READ, false), 1);
    assert_int_equal(plan_add_line(b, "read", OP_READ, false), 0);
    assert_int_equal(plan_add_line(b, name, OP_READ, false), 1);
    assert_int_equal(plan_add_line(b, "rea", OP_READ, false), 2);
    plan_drop(b);
}

/* plan.h: steps lie as setup, body, teardown, each closed by PLAN_END; jumps count from the start of
 * their section. What follows from the steps is completed. */
/* Thousands of flowops that say the same of the same name were more texts than a plan holds. */
static void equal_texts_are_one(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    assert_int_equal(plan_add_text(b, "one"), 0);
    assert_int_equal(plan_add_text(b, "two"), 1);
    for (unsigned i = 0; i <= PLAN_OBJECTS_MAX; i++)
        assert_int_equal(plan_add_text(b, "one"), 0);
    plan_drop(b);
}

static void sections_slots_loops_and_buffers(void **state)
{
    (void)state;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 1 << 20};
    struct plan_builder *b = plan_new(1);
    plan_add_set(b, &spec);
    add_nop_group(b, "first");
    plan_begin_group(b, "second", 3, 2);
    assert_int_equal(t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 5)), 0);
    plan_end_section(b);
    struct plan_step read = t_io(OP_READ, PLAN_NO_LINE, 12345);
    read.slot = 5;
    assert_int_equal(t_add(b, read), 0);
    assert_int_equal(t_add(b, t_loop(0, 7, 3)), 1);
    plan_end_section(b);
    plan_end_section(b);
    struct plan *plan = truth_freeze(b, "null:");
    const struct plan_group *g = &plan->group[1];
    assert_int_equal(plan->streams, 4);
    assert_int_equal(g->setup, 4);
    assert_int_equal(g->body, 6);
    assert_int_equal(g->teardown, 9);
    assert_int_equal(plan->steps, 10);
    assert_int_equal(plan->step[5].kind, PLAN_END);
    assert_int_equal(plan->step[8].kind, PLAN_END);
    assert_int_equal(plan->step[9].kind, PLAN_END);
    assert_int_equal(plan->step[7].to, 6);
    assert_int_equal(g->slots, 6);
    assert_int_equal(g->loops, 4);
    assert_int_equal(g->buffer_bytes, 12345);
    assert_int_equal(plan->group[0].slots, 1);
    assert_int_equal(plan->group[0].loops, 0);
    assert_int_equal(plan->group[0].buffer_bytes, 0);
    plan_free(plan);
}

/* build.h: the builder is freed in every case, and plan_drop takes NULL. */
static void a_builder_can_be_dropped(void **state)
{
    (void)state;
    struct plan_builder *b = plan_new(1);
    add_nop_group(b, "g");
    plan_drop(b);
    plan_drop(NULL);
    plan_free(NULL);
}

/* ---- the window: its edges are interval edges ---- */

static struct plan_window fit(uint64_t warmup_ns, uint64_t measure_ns, uint64_t interval_ns)
{
    const struct plan_window wish = {
        .warmup_ns = warmup_ns, .measure_ns = measure_ns, .interval_ns = interval_ns};
    struct plan_builder *b = plan_new(1);
    plan_window(b, &wish);
    add_nop_group(b, "g");
    struct plan *plan = truth_freeze(b, "null:");
    struct plan_window window = plan->window;
    plan_free(plan);
    return window;
}

static void assert_window(struct plan_window got, uint64_t warmup_ns, uint64_t measure_ns,
                          uint64_t interval_ns)
{
    assert_int_equal(got.warmup_ns, warmup_ns);
    assert_int_equal(got.measure_ns, measure_ns);
    assert_int_equal(got.interval_ns, interval_ns);
}

static void a_window_that_fits_is_left_alone(void **state)
{
    (void)state;
    assert_window(fit(2 * (uint64_t)SEC_NS, 10 * (uint64_t)SEC_NS, SEC_NS), 2 * (uint64_t)SEC_NS,
                  10 * (uint64_t)SEC_NS, SEC_NS);
}

static void the_interval_is_100_ms_when_none_is_given(void **state)
{
    (void)state;
    assert_window(fit(0, SEC_NS, 0), 0, SEC_NS, 100 * MS_NS);
    assert_window(fit(0, 0, 0), 0, 0, 100 * MS_NS);
}

static void the_interval_shrinks_until_it_divides_the_window(void **state)
{
    (void)state;
    assert_window(fit(0, SEC_NS, 300 * MS_NS), 0, SEC_NS, 250 * MS_NS);
    assert_window(fit(0, 50 * MS_NS, 100 * MS_NS), 0, 50 * MS_NS, 50 * MS_NS);
    assert_window(fit(0, 1, 100), 0, 1, 1);
}

static void the_warmup_grows_to_whole_intervals(void **state)
{
    (void)state;
    assert_window(fit(1, SEC_NS, 250 * MS_NS), 250 * MS_NS, SEC_NS, 250 * MS_NS);
    assert_window(fit(600 * MS_NS, SEC_NS, 250 * MS_NS), 750 * MS_NS, SEC_NS, 250 * MS_NS);
}

/* What was wrong: without a measured time the warm-up ended inside an interval. */
static void the_warmup_of_a_finite_plan_too(void **state)
{
    (void)state;
    assert_window(fit(150 * MS_NS, 0, 100 * MS_NS), 200 * MS_NS, 0, 100 * MS_NS);
}

/* Whatever is asked for: edges are edges, and less than one interval count of ns is lost. */
static void any_window_has_edges_on_intervals(void **state)
{
    (void)state;
    uint64_t x = 1;
    for (unsigned i = 0; i < 2000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        uint64_t measure_ns = 1 + (x >> 33);
        uint64_t interval_ns = 1 + (x >> 20) % (2 * measure_ns);
        uint64_t warmup_ns = (x >> 7) % measure_ns;
        struct plan_window w = fit(warmup_ns, measure_ns, interval_ns);
        assert_true(w.interval_ns > 0 && w.interval_ns <= interval_ns);
        assert_int_equal(w.measure_ns % w.interval_ns, 0);
        assert_int_equal(w.warmup_ns % w.interval_ns, 0);
        assert_true(w.measure_ns <= measure_ns);
        assert_true(measure_ns - w.measure_ns < measure_ns / interval_ns + 1);
        assert_true(w.warmup_ns >= warmup_ns && w.warmup_ns - warmup_ns < w.interval_ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_without_groups),
        cmocka_unit_test(a_group_that_is_not_complete),
        cmocka_unit_test(a_group_inside_a_group),
        cmocka_unit_test(a_step_outside_of_groups),
        cmocka_unit_test(a_jump_out_of_its_section),
        cmocka_unit_test(a_jump_set_on_no_step),
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(more_sets_than_a_plan_holds),
        cmocka_unit_test(more_lines_than_a_plan_holds),
        cmocka_unit_test(more_schedules_than_a_plan_holds),
        cmocka_unit_test(more_groups_than_a_plan_holds),
        cmocka_unit_test(more_steps_than_a_plan_holds),
        cmocka_unit_test(more_streams_than_fit_32_bits),
        cmocka_unit_test(lines_of_one_name_are_one),
        cmocka_unit_test(equal_texts_are_one),
        cmocka_unit_test(sections_slots_loops_and_buffers),
        cmocka_unit_test(a_builder_can_be_dropped),
        cmocka_unit_test(a_window_that_fits_is_left_alone),
        cmocka_unit_test(the_interval_is_100_ms_when_none_is_given),
        cmocka_unit_test(the_interval_shrinks_until_it_divides_the_window),
        cmocka_unit_test(the_warmup_grows_to_whole_intervals),
        cmocka_unit_test(the_warmup_of_a_finite_plan_too),
        cmocka_unit_test(any_window_has_edges_on_intervals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
