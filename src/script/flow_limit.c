/* Limits, which wait for the event generator, and ends. */
#include "script/flow_priv.h"

#include <errno.h>

int flow_emit_eventlimit(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_LIMIT);
    if (t->c->event_rate <= 0)
        return 0;
    step.whole = true;
    step.schedule = flow_schedule(t->plan);
    flow_step(t, step);
    return 0;
}

int flow_emit_limit(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_LIMIT);
    if (t->c->event_rate <= 0)
        return 0;
    step.schedule = flow_schedule(t->plan);
    step.object = n->counter;
    flow_step(t, step);
    return 0;
}

int flow_emit_finish(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step step = flow_other(n, PLAN_FINISH);
    int rc = attr_count(n->scope, &n->f->attrs, "value", 0, t->remarks, &step.value);
    if (rc < 0)
        return rc;
    step.object = n->counter;
    flow_step(t, step);
    return 0;
}

/* Once, before the run: whoever measures does not write to the terminal meanwhile. */
int flow_emit_print(struct flow_thread *t, struct flow_node *n)
{
    const char *words = NULL;
    struct text line;
    int rc = attr_word(n->scope, &n->f->attrs, "value", t->remarks, &words);
    if (rc < 0)
        return rc;
    text_init(&line);
    text_addf(&line, "Message from thread %s: %s", t->name, words ? words : "");
    rc = line.failed ? -ENOMEM : compiler_echo(t->c, n->f->at, line.s);
    text_fini(&line);
    return rc;
}

int flow_emit_testrandvar(struct flow_thread *t, struct flow_node *n)
{
    flow_warn(t, n, NULL, "it measures nothing, and is left out");
    return 0;
}
