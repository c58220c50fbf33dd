/* The steps between streams, about time and about the end: their checks and their canonical text. */
#include "base/err.h"
#include "base/text.h"
#include "plan/plan_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#define DELAY_MAX_NS UINT64_C(315360000000000000) /* ten years: sums with the time of day hold */

/* In the order of the kinds, from PLAN_HOG on. */
static const char *const name_of[] = {
    [PLAN_HOG] = "hog",     [PLAN_DELAY] = "delay",       [PLAN_BLOCK] = "block",
    [PLAN_WAKE] = "wake",   [PLAN_SEM_WAIT] = "sem-wait", [PLAN_SEM_POST] = "sem-post",
    [PLAN_LIMIT] = "limit", [PLAN_FINISH] = "finish",     [PLAN_OUT] = "out",
    [PLAN_FAIL] = "fail",
};

bool plan_step_is_between(const struct plan_step *step)
{
    return (unsigned)step->kind < sizeof name_of / sizeof name_of[0] && name_of[step->kind] != NULL;
}

static int check_number(const char *name, const char *what, unsigned n, unsigned of,
                        struct err *err)
{
    if (n < of)
        return 0;
    return err_set(err, -EINVAL, "%s of %s %u, and there are %u", name, what, n, of);
}

static int check_limit(const struct plan *plan, const struct plan_group *group,
                       const struct plan_step *step, struct err *err)
{
    int rc = check_number("limit", "schedule", step->schedule, plan->schedules, err);
    if (rc == 0 && !step->whole)
        rc = check_number("limit", "counter", step->object, group->counters, err);
    return rc;
}

static int check_value(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    const char *name = name_of[step->kind];
    if (step->draw > plan->draws)
        return err_set(err, -EINVAL, "%s of draw %u, and there are %u", name, step->draw,
                       plan->draws);
    if (step->kind == PLAN_DELAY && step->value > DELAY_MAX_NS)
        return err_set(err, -EINVAL, "%s of more than ten years", name);
    return 0;
}

int plan_check_between(const struct plan *plan, const struct plan_group *group,
                       const struct plan_step *step, bool in_body, struct err *err)
{
    const char *name = name_of[step->kind];
    bool ends = step->kind == PLAN_OUT || step->kind == PLAN_FAIL;
    if (step->kind != PLAN_FAIL && step->line != PLAN_NO_LINE && step->line >= plan->lines)
        return err_set(err, -EINVAL, "%s has no line %u", name, step->line);
    if (!ends && !in_body)
        return err_set(err, -EINVAL, "group %s: %s belongs into the body", group->name, name);
    switch (step->kind) {
    case PLAN_HOG:
    case PLAN_DELAY:
        return check_value(plan, step, err);
    case PLAN_BLOCK:
    case PLAN_WAKE:
        return check_number(name, "event", step->object, plan->events, err);
    case PLAN_SEM_WAIT:
    case PLAN_SEM_POST:
        return check_number(name, "semaphore", step->object, plan->semaphores, err);
    case PLAN_LIMIT:
        return check_limit(plan, group, step, err);
    case PLAN_FINISH:
        return check_number(name, "counter", step->object, group->counters, err);
    case PLAN_FAIL:
        if (step->value >= plan->texts)
            return err_set(err, -EINVAL, "%s of text %" PRIu64 ", and there are %u", name,
                           step->value, plan->texts);
        return 0;
    case PLAN_OUT:
        return step->set == PLAN_ANY_SET
                   ? 0
                   : check_number(name, "fileset", step->set, plan->sets, err);
    default:
        return 0;
    }
}

static void text_value(struct text *out, const struct plan_step *step)
{
    if (step->draw)
        text_addf(out, " draw=%u", step->draw - 1u);
    else
        text_addf(out, " value=%" PRIu64, step->value);
}

static void text_limit(struct text *out, const struct plan_step *step)
{
    text_addf(out, " schedule=%u", step->schedule);
    if (step->whole)
        text_add(out, " whole");
    else
        text_addf(out, " counter=%u", step->object);
}

static void text_of_kind(struct text *out, const struct plan *plan, const struct plan_step *step)
{
    switch (step->kind) {
    case PLAN_HOG:
    case PLAN_DELAY:
        text_value(out, step);
        break;
    case PLAN_BLOCK:
    case PLAN_WAKE:
        text_addf(out, " event=%u", step->object);
        break;
    case PLAN_SEM_WAIT:
    case PLAN_SEM_POST:
        text_addf(out, " semaphore=%u value=%" PRIu64 "%s", step->object, step->value,
                  step->blocking ? " blocking" : "");
        break;
    case PLAN_LIMIT:
        text_limit(out, step);
        break;
    case PLAN_FINISH:
        text_addf(out, " counter=%u value=%" PRIu64, step->object, step->value);
        break;
    case PLAN_OUT:
        if (step->set != PLAN_ANY_SET)
            text_addf(out, " set=%u", step->set);
        break;
    default: /* FAIL */
        text_add(out, " ");
        plan_text_quoted(out, plan->text[step->value]);
    }
}

void plan_text_between(const struct plan *plan, const struct plan_step *step, struct text *out)
{
    text_add(out, name_of[step->kind]);
    text_of_kind(out, plan, step);
    if (step->counts)
        text_addf(out, " counts=%#" PRIx64, step->counts);
    if (step->kind != PLAN_FAIL && step->line != PLAN_NO_LINE)
        text_addf(out, " line=%s", plan->line[step->line].name);
}
