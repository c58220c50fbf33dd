#include "base/err.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <math.h>

#define DIRECT_ALIGN 512u

/* What a step of one kind of op needs to make sense. */
static bool moves_data(uint16_t op)
{
    return op == OP_READ || op == OP_WRITE || op == OP_APPEND;
}

static int check_op(const struct plan *plan, const struct plan_step *step,
                    const struct target_caps *caps, struct err *err)
{
    if (step->op >= OP_KINDS)
        return err_set(err, -EINVAL, "step names op %u, which does not exist", step->op);
    const char *name = op_kind_name((enum op_kind)step->op);
    if (!(caps->op_kinds & 1u << step->op))
        return err_set(err, -EOPNOTSUPP, "the target cannot do %s", name);
    if (step->line != PLAN_NO_LINE && step->line >= plan->lines)
        return err_set(err, -EINVAL, "%s has no line %u", name, step->line);
    if (moves_data(step->op) && step->io_bytes == 0)
        return err_set(err, -EINVAL, "%s of 0 bytes at a time", name);
    if (step->whole && step->op != OP_READ && step->op != OP_WRITE)
        return err_set(err, -EINVAL, "only read and write take a whole file, not %s", name);
    if (step->verify && step->op != OP_READ)
        return err_set(err, -EINVAL, "only read can be verified, not %s", name);
    if (step->verify && caps->keeps_nothing)
        return err_set(err, -EINVAL, "nothing to verify: this target keeps no data");
    if (plan->instrument.direct && moves_data(step->op) && step->io_bytes % DIRECT_ALIGN != 0)
        return err_set(err, -EINVAL, "direct %s of %llu bytes: a multiple of %u is needed", name,
                       (unsigned long long)step->io_bytes, DIRECT_ALIGN);
    return 0;
}

static int check_step(const struct plan *plan, const struct plan_step *step,
                      const struct target_caps *caps, struct err *err)
{
    if (step->slot >= PLAN_SLOTS_MAX)
        return err_set(err, -EINVAL, "slot %u: at most %u", step->slot, PLAN_SLOTS_MAX - 1);
    switch (step->kind) {
    case PLAN_OP:
        return check_op(plan, step, caps, err);
    case PLAN_PICK:
        if (step->set >= plan->sets)
            return err_set(err, -EINVAL, "pick from fileset %u of %u", step->set, plan->sets);
        return 0;
    case PLAN_ARRIVE:
        if (step->schedule >= plan->schedules)
            return err_set(err, -EINVAL, "schedule %u of %u", step->schedule, plan->schedules);
        return 0;
    case PLAN_LOOP:
        if (step->loop >= PLAN_LOOPS_MAX)
            return err_set(err, -EINVAL, "loops nest deeper than %u", PLAN_LOOPS_MAX);
        return 0;
    case PLAN_BRANCH:
    case PLAN_END:
        return 0;
    }
    return err_set(err, -EINVAL, "unknown step");
}

/* The smallest file that any PICK of the group can put into the slot. */
static uint64_t smallest_file(const struct plan *plan, const struct plan_group *group,
                              uint16_t slot)
{
    uint64_t smallest = UINT64_MAX;
    for (uint32_t i = group->setup; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        if (i >= group->teardown && step->kind == PLAN_END)
            break;
        if (step->kind == PLAN_PICK && step->slot == slot && step->unit == PLAN_UNIT_FILE &&
            plan->set[step->set].size_bytes < smallest)
            smallest = plan->set[step->set].size_bytes;
    }
    return smallest;
}

static int check_group(struct plan *plan, struct plan_group *group, const struct target_caps *caps,
                       struct err *err)
{
    if (group->streams == 0 || group->clients == 0 || group->clients > group->streams)
        return err_set(err, -EINVAL, "group %s: %u streams of %u clients", group->name,
                       group->streams, group->clients);
    bool busy = false; /* the body reaches the target at all */
    for (uint32_t i = group->setup; i < plan->steps; i++) {
        const struct plan_step *step = &plan->step[i];
        int rc = check_step(plan, step, caps, err);
        if (rc < 0)
            return rc;
        if (step->slot >= group->slots)
            group->slots = (uint16_t)(step->slot + 1);
        if (step->kind == PLAN_LOOP && step->loop >= group->loops)
            group->loops = (uint16_t)(step->loop + 1);
        if (step->kind == PLAN_OP && moves_data(step->op)) {
            if (step->io_bytes > group->buffer_bytes)
                group->buffer_bytes = step->io_bytes;
            if (!step->whole && step->op != OP_APPEND &&
                smallest_file(plan, group, step->slot) < step->io_bytes)
                return err_set(err, -EINVAL, "%s of %llu bytes from files that are smaller",
                               op_kind_name((enum op_kind)step->op),
                               (unsigned long long)step->io_bytes);
        }
        busy |= step->kind == PLAN_OP && i >= group->body && i < group->teardown;
        if (i >= group->teardown && step->kind == PLAN_END)
            break;
    }
    if (!busy)
        return err_set(err, -EINVAL, "group %s does nothing at the target", group->name);
    plan->streams += group->streams;
    if (plan->streams > PLAN_STREAMS_MAX)
        return err_set(err, -EINVAL, "%u streams: at most %u", plan->streams, PLAN_STREAMS_MAX);
    return 0;
}

/* A window's edges are interval edges: shorten the interval until it divides the measured time. */
static void fit_window(struct plan_window *window)
{
    if (window->interval_ns == 0)
        window->interval_ns = 100000000;
    if (window->measure_ns == 0)
        return;
    uint64_t parts = (window->measure_ns + window->interval_ns - 1) / window->interval_ns;
    window->interval_ns = window->measure_ns / parts > 0 ? window->measure_ns / parts : 1;
    window->measure_ns = window->measure_ns / window->interval_ns * window->interval_ns;
    window->warmup_ns =
        (window->warmup_ns + window->interval_ns - 1) / window->interval_ns * window->interval_ns;
}

int plan_check(struct plan *plan, const struct target_caps *caps, struct err *err)
{
    if (plan->groups == 0)
        return err_set(err, -EINVAL, "the plan has no streams");
    for (unsigned i = 0; i < plan->sets; i++) {
        int rc = fileset_spec_check(&plan->set[i], err);
        if (rc < 0)
            return rc;
    }
    for (unsigned i = 0; i < plan->schedules; i++)
        if (!isfinite(plan->schedule[i].rate_per_s) || plan->schedule[i].rate_per_s <= 0)
            return err_set(err, -EINVAL, "a schedule needs a rate above 0");
    for (unsigned i = 0; i < plan->groups; i++) {
        int rc = check_group(plan, &plan->group[i], caps, err);
        if (rc < 0)
            return rc;
    }
    if (plan->sync_at_end && plan->sync_line >= plan->lines)
        return err_set(err, -EINVAL, "the closing sync has no line");
    fit_window(&plan->window);
    return 0;
}
