/* plan/step.h: the steps between streams, about time and about the end: what of them a plan refuses,
 * and how they are written down. */
#include "truth/truth.h"

static struct err err;

/* A body of one NOP and the step; 0 or what plan_freeze says. */
static int freeze(struct plan_step step, bool in_body, struct plan **out)
{
    struct target_caps caps = truth_caps("null:");
    const struct fileset_spec set = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 1};
    const struct plan_schedule schedule = {.rate_per_s = 1};
    const struct draw draw = {.kind = DRAW_FIXED, .a = 1};
    struct plan_builder *b = plan_new(1);
    plan_add_set(b, &set);
    plan_add_line(b, "the-line", OP_NOP, false);
    plan_add_schedule(b, &schedule);
    plan_add_draw(b, &draw);
    plan_add_event(b);
    plan_add_semaphore(b, 1);
    plan_add_text(b, "what cannot be");
    plan_begin_group(b, "g", 1, 1);
    plan_add_counter(b, false, false);
    if (!in_body)
        t_add(b, step);
    plan_end_section(b);
    if (in_body)
        t_add(b, step);
    t_add(b, t_op(OP_NOP, PLAN_NO_LINE, 0));
    plan_end_section(b);
    plan_end_section(b);
    memset(&err, 0, sizeof err);
    *out = NULL;
    return plan_freeze(b, &caps, out, &err);
}

static void assert_refused(struct plan_step step, const char *words)
{
    struct plan *plan;
    assert_int_equal(freeze(step, true, &plan), -EINVAL);
    assert_string_equal(err.text, words);
}

static void assert_written(struct plan_step step, const char *words)
{
    struct plan *plan;
    struct text text;
    if (freeze(step, true, &plan) < 0)
        fail_msg("%s: %s", words, err.text);
    text_init(&text);
    plan_text(plan, PLAN_FORM_WHOLE, &text);
    if (!strstr(text.s, words))
        fail_msg("\"%s\" is not in\n%s", words, text.s);
    text_fini(&text);
    plan_free(plan);
}

static void what_does_not_exist_is_refused(void **state)
{
    (void)state;
    assert_refused((struct plan_step){.kind = PLAN_BLOCK, .object = 1},
                   "block of event 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_WAKE, .object = 1},
                   "wake of event 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_SEM_WAIT, .object = 1},
                   "sem-wait of semaphore 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_SEM_POST, .object = 9},
                   "sem-post of semaphore 9, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_LIMIT, .schedule = 1},
                   "limit of schedule 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_LIMIT, .object = 1},
                   "limit of counter 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_FINISH, .object = 1},
                   "finish of counter 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_FAIL, .value = 1},
                   "fail of text 1, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_HOG, .draw = 2},
                   "hog of draw 2, and there are 1");
    assert_refused((struct plan_step){.kind = PLAN_DELAY, .line = 1}, "delay has no line 1");
    assert_refused((struct plan_step){.kind = PLAN_DELAY, .value = UINT64_MAX},
                   "delay of more than ten years");
}

static void nothing_waits_outside_the_body(void **state)
{
    (void)state;
    struct plan *plan;
    assert_int_equal(freeze((struct plan_step){.kind = PLAN_BLOCK}, false, &plan), -EINVAL);
    assert_string_equal(err.text, "group g: block belongs into the body");
    assert_int_equal(freeze((struct plan_step){.kind = PLAN_FAIL}, false, &plan), 0);
    plan_free(plan);
}

static void each_is_written_down(void **state)
{
    (void)state;
    assert_written((struct plan_step){.kind = PLAN_HOG, .value = 10000, .counts = 1},
                   "0 hog value=10000 counts=0x1 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_HOG, .draw = 1, .line = PLAN_NO_LINE},
                   "0 hog draw=0\n");
    assert_written((struct plan_step){.kind = PLAN_DELAY, .value = SEC_NS},
                   "0 delay value=1000000000 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_BLOCK}, "0 block event=0 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_WAKE}, "0 wake event=0 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_SEM_WAIT, .value = 3200},
                   "0 sem-wait semaphore=0 value=3200 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_SEM_POST, .value = 1, .blocking = true},
                   "0 sem-post semaphore=0 value=1 blocking line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_LIMIT}, "0 limit schedule=0 counter=0");
    assert_written((struct plan_step){.kind = PLAN_LIMIT, .whole = true},
                   "0 limit schedule=0 whole line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_FINISH, .value = 100},
                   "0 finish counter=0 value=100 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_OUT}, "0 out set=0 line=the-line\n");
    assert_written((struct plan_step){.kind = PLAN_FAIL}, "0 fail \"what cannot be\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_exist_is_refused),
        cmocka_unit_test(nothing_waits_outside_the_body),
        cmocka_unit_test(each_is_written_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
