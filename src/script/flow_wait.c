/* Think time, and waiting for one another. */
#include "script/flow_priv.h"

#include <errno.h>

#define SECOND_NS 1000000000u

/* `value`, a number or a draw, times `factor`. */
static int set_value(struct flow_thread *t, const struct flow_node *n, uint64_t factor,
                     struct plan_step *step)
{
    const struct draw *draw = NULL;
    double bound = 0;
    int rc = attr_number(n->scope, &n->f->attrs, "value", 0, t->remarks, &step->value, &draw);
    if (rc < 0)
        return rc;
    if (draw)
        step->draw = flow_draw(t, draw, (double)factor, &bound);
    else if (step->value > (uint64_t)INT64_MAX / factor)
        return flow_refuse(t, n, "value", "value=%llu is too large",
                           (unsigned long long)step->value);
    step->value *= factor;
    return 0;
}

int flow_emit_hog(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_HOG);
    int rc = set_value(t, n, 1, &step);
    if (rc == 0)
        flow_step(t, step);
    return rc;
}

int flow_emit_delay(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_DELAY);
    int rc = set_value(t, n, SECOND_NS, &step);
    if (rc == 0)
        flow_step(t, step);
    return rc;
}

int flow_emit_block(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_BLOCK);
    step.object = flow_object_number(t->plan, flow_object_own(t->plan, FLOW_EVENT, n->name, 0, 0));
    flow_step(t, step);
    if (!flow_object_awaited(t->plan, FLOW_EVENT, n->name))
        flow_warn(t, n, NULL, "no wakeup names it: its thread waits until the end of the run");
    return 0;
}

int flow_emit_semblock(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_SEM_WAIT);
    uint64_t credits = 1;
    int rc = attr_count(n->scope, &n->f->attrs, "highwater", 1, t->remarks, &credits);
    if (rc == 0)
        rc = attr_count(n->scope, &n->f->attrs, "value", 0, t->remarks, &step.value);
    if (rc < 0)
        return rc;
    step.object =
        flow_object_number(t->plan, flow_object_own(t->plan, FLOW_SEMAPHORE, n->name, credits,
                                                    flow_ordinal(t, n, credits)));
    flow_step(t, step);
    if (!flow_object_awaited(t->plan, FLOW_SEMAPHORE, n->name))
        flow_warn(t, n, NULL, "no sempost names it: its thread waits until the end of the run");
    return 0;
}

/* The step once for each that is meant; the flowop's line has the first one. */
static int emit_for_all(struct flow_thread *t, const struct flow_node *n, enum flow_object kind,
                        struct plan_step step)
{
    static const char *const what[] = {"block", "semblock"};
    const char *target = NULL;
    int rc = attr_word(n->scope, &n->f->attrs, "target", t->remarks, &target);
    if (rc < 0 || !target) /* which was said when it was declared */
        return rc < 0 ? rc : -EINVAL;
    int found = flow_object_next(t->plan, kind, target, 0);
    const char *near = flow_object_nearest(t->plan, kind, target);
    if (found < 0 && near)
        return flow_refuse(t, n, "target", "no %s is called '%s'; did you mean %s?", what[kind],
                           target, near);
    if (found < 0)
        return flow_refuse(t, n, "target", "no %s is called '%s'", what[kind], target);
    for (; found >= 0; found = flow_object_next(t->plan, kind, target, found + 1)) {
        step.object = flow_object_number(t->plan, found);
        flow_step(t, step);
        step.line = PLAN_NO_LINE;
        step.counts = 0;
    }
    return 0;
}

int flow_emit_wakeup(struct flow_thread *t, struct flow_node *n)
{
    return emit_for_all(t, n, FLOW_EVENT, flow_other(n, PLAN_WAKE));
}

int flow_emit_sempost(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_SEM_POST);
    int rc = attr_count(n->scope, &n->f->attrs, "value", 0, t->remarks, &step.value);
    if (rc == 0)
        rc = attr_flag(n->scope, &n->f->attrs, "blocking", false, t->remarks, &step.blocking);
    return rc < 0 ? rc : emit_for_all(t, n, FLOW_SEMAPHORE, step);
}
