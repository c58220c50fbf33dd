#include "base/err.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/param.h>

/* Behind the last step of the group. */
uint32_t plan_group_stop(const struct plan *plan, const struct plan_group *group)
{
    size_t next = (size_t)(group - plan->group) + 1;
    return next < plan->groups ? plan->group[next].setup : plan->steps;
}

/* A walk goes down from a root: a directory that was not picked as listed has no place in it. */
static int check_walk(const struct plan *plan, const struct plan_group *group, struct err *err)
{
    uint32_t stop = plan_group_stop(plan, group);
    bool listed = false;
    for (uint32_t i = group->setup; i < stop; i++)
        listed |= plan->step[i].kind == PLAN_OP && plan->step[i].op == OP_READDIR;
    if (!listed)
        return err_set(err, -EINVAL, "group %s picks as listed, and lists nothing", group->name);
    for (uint32_t i = group->setup; i < stop; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind != PLAN_PICK)
            continue;
        if (step->unit == PLAN_UNIT_DIR && step->order != PLAN_ORDER_LISTED)
            return err_set(err, -EINVAL, "group %s picks directories as listed and otherwise",
                           group->name);
        if (step->set != group->list_set)
            return err_set(err, -EINVAL, "group %s walks in one fileset and picks from another",
                           group->name);
    }
    return 0;
}

/* The slots that a step needs a stream to have. */
static uint16_t slots_for(const struct plan_step *step)
{
    if (step->kind == PLAN_TURN)
        return PLAN_TURN_SLOTS;
    return step->slot < PLAN_SLOTS_MAX ? (uint16_t)(step->slot + 1) : 0;
}

static int complete_pick(const struct plan *plan, struct plan_group *group,
                         const struct plan_step *step, struct err *err)
{
    const struct fileset_spec *set = &plan->set[step->set];
    if (step->unit == PLAN_UNIT_ALL) {
        if (group->handles > 0)
            return err_set(err, -EINVAL, "group %s picks all files more than once", group->name);
        if (step->order == PLAN_ORDER_STRIDE && set->files < group->streams)
            return err_set(err, -EINVAL,
                           "group %s: %u files for %u streams of which each has its own",
                           group->name, set->files, group->streams);
        group->handles =
            step->order == PLAN_ORDER_STRIDE
                ? (uint32_t)(((uint64_t)set->files + group->streams - 1) / group->streams)
                : set->files;
    }
    if (step->order == PLAN_ORDER_LISTED) {
        group->list_room = set->branches + set->files;
        group->list_levels = set->levels + 1;
        group->list_set = step->set;
    }
    if (step->order == PLAN_ORDER_SLOT && step->from >= group->slots)
        group->slots = (uint16_t)(step->from + 1);
    return 0;
}

/* What follows from a step for all streams of its group. */
static int complete_group(const struct plan *plan, struct plan_group *group,
                          const struct plan_step *step, struct err *err)
{
    if (slots_for(step) > group->slots)
        group->slots = slots_for(step);
    if (step->from_slot && step->from >= group->slots)
        group->slots = (uint16_t)(step->from + 1);
    if ((step->kind == PLAN_LOOP || step->kind == PLAN_COUNT) && step->loop >= group->loops)
        group->loops = (uint16_t)(step->loop + 1);
    return step->kind == PLAN_PICK ? complete_pick(plan, group, step, err) : 0;
}

/* Known before the steps are looked at one by one. */
static void complete_kinds(const struct plan *plan, struct plan_group *group)
{
    uint32_t stop = plan_group_stop(plan, group);
    for (uint32_t i = group->setup; i < stop; i++) {
        group->turns |= plan->step[i].kind == PLAN_TURN;
        group->eaches |= plan->step[i].kind == PLAN_EACH;
    }
}

/* Each set that streams go through by themselves has a cursor; all steps of one share it. */
static int complete_cursors(struct plan *plan, struct plan_group *group, struct err *err)
{
    uint32_t stop = plan_group_stop(plan, group);
    uint16_t *cursor = calloc(plan->sets + 1, sizeof *cursor); /* one more than its number */
    if (!cursor)
        return err_set(err, -ENOMEM, "no memory for the plan");
    for (uint32_t i = group->setup; i < stop; i++) {
        struct plan_step *step = &plan->step[i];
        if (step->kind != PLAN_PICK || step->order != PLAN_ORDER_ROUND_OWN)
            continue;
        if (cursor[step->set] == 0)
            cursor[step->set] = ++group->cursors;
        step->cursor = (uint16_t)(cursor[step->set] - 1);
    }
    free(cursor);
    return 0;
}

/* Room for the largest op, known when the sizes are. */
static int complete_buffer(const struct plan *plan, struct plan_group *group, struct err *err)
{
    uint32_t stop = plan_group_stop(plan, group);
    for (uint32_t i = group->setup; i < stop; i++) {
        const struct plan_step *step = &plan->step[i];
        if (step->kind == PLAN_OP && (plan_moves_data(step->op) || step->op == OP_READDIR))
            group->buffer_bytes = MAX(group->buffer_bytes, step->io_bytes);
    }
    if (group->pool_bytes > 0 && group->pool_bytes < group->buffer_bytes)
        return err_set(err, -EINVAL, "group %s: memory of %" PRIu64 " bytes, an op needs %" PRIu64,
                       group->name, group->pool_bytes, group->buffer_bytes);
    return 0;
}

/* One session of a blocking target holds one stream. */
static int check_handles(const struct plan_group *group, const struct target_caps *caps,
                         struct err *err)
{
    uint64_t handles = (uint64_t)group->slots + group->handles;
    if (caps->handles_max == 0 || handles <= caps->handles_max)
        return 0;
    return err_set(err, -EMFILE,
                   "each stream has %llu files open, this process may have %u (hard limit of open "
                   "files): fewer files, or raise it (ulimit -Hn)",
                   (unsigned long long)handles, caps->handles_max);
}

/* One session of an asynchronous target holds many streams, so the sum has to fit as well. */
static int check_open_files(const struct plan *plan, struct err *err)
{
    uint64_t files = 0;
    for (unsigned i = 0; i < plan->groups; i++)
        files += ((uint64_t)plan->group[i].slots + plan->group[i].handles) * plan->group[i].streams;
    if (files <= PLAN_HANDLES_MAX)
        return 0;
    return err_set(err, -EMFILE,
                   "%" PRIu64 " files open at once by all streams: at most %d; fewer files or "
                   "streams",
                   files, PLAN_HANDLES_MAX);
}

/* A loop that is to run as often as was drawn: some step has to draw it. */
static int check_counted(const struct plan *plan, const struct plan_group *group, struct err *err)
{
    uint32_t stop = plan_group_stop(plan, group);
    uint64_t drawn = 0;
    for (uint32_t i = group->setup; i < stop; i++)
        if (plan->step[i].kind == PLAN_COUNT)
            drawn |= UINT64_C(1) << plan->step[i].loop;
    for (uint32_t i = group->setup; i < stop; i++)
        if (plan->step[i].kind == PLAN_LOOP && plan->step[i].count == PLAN_LOOP_COUNTED &&
            !(drawn >> plan->step[i].loop & 1))
            return err_set(err, -EINVAL, "loop %u runs as often as nothing has drawn",
                           plan->step[i].loop);
    return 0;
}

static int check_manners(const struct plan *plan, const struct plan_group *group, struct err *err)
{
    if (group->streams == 0 || group->clients == 0 || group->clients > group->streams)
        return err_set(err, -EINVAL, "group %s: %u streams of %u clients", group->name,
                       group->streams, group->clients);
    if (group->processes == 0 || group->processes > group->streams)
        return err_set(err, -EINVAL, "group %s: %u streams of %u processes", group->name,
                       group->streams, group->processes);
    if (group->nice < -20 || group->nice > 19)
        return err_set(err, -EINVAL, "group %s: nice is %d, accepted are -20 to 19", group->name,
                       group->nice);
    if (group->io_priority < -1 || group->io_priority > 7)
        return err_set(err, -EINVAL, "group %s: I/O priority is %d, accepted are 0 to 7",
                       group->name, group->io_priority);
    if (group->detached > PLAN_DETACHED_MAX)
        return err_set(err, -EINVAL, "group %s: %u detached ops at once, at most %u", group->name,
                       group->detached, PLAN_DETACHED_MAX);
    uint64_t streams = (uint64_t)plan->streams + group->streams;
    if (streams > PLAN_STREAMS_MAX)
        return err_set(err, -EINVAL, "%llu streams: at most %u", (unsigned long long)streams,
                       PLAN_STREAMS_MAX);
    return 0;
}

static int check_steps(struct plan *plan, struct plan_group *group, const struct target_caps *caps,
                       struct err *err)
{
    bool busy = false;
    uint32_t stop = plan_group_stop(plan, group);
    for (uint32_t i = group->setup; i < stop; i++) {
        struct plan_step *step = &plan->step[i];
        bool in_body = i >= group->body && i < group->teardown;
        int rc = plan_check_step(plan, group, step, in_body, caps, err);
        if (rc == 0)
            rc = complete_group(plan, group, step, err);
        if (rc < 0)
            return rc;
        busy |= (step->kind == PLAN_OP || plan_step_is_between(step)) && in_body;
    }
    if (!busy)
        return err_set(err, -EINVAL, "group %s does nothing", group->name);
    return 0;
}

static int check_group(struct plan *plan, struct plan_group *group, const struct target_caps *caps,
                       struct err *err)
{
    complete_kinds(plan, group);
    int rc = check_manners(plan, group, err);
    if (rc == 0)
        rc = check_steps(plan, group, caps, err);
    if (rc == 0)
        rc = check_handles(group, caps, err);
    if (rc == 0)
        rc = plan_check_slots(plan, group, caps, err);
    if (rc == 0)
        rc = complete_cursors(plan, group, err);
    if (rc == 0)
        rc = complete_buffer(plan, group, err);
    if (rc == 0 && group->list_room > 0)
        rc = check_walk(plan, group, err);
    if (rc == 0)
        rc = check_counted(plan, group, err);
    if (rc == 0)
        plan->streams += group->streams;
    return rc;
}

/* A window's edges are interval edges: the interval is shortened until it divides the measured time
 * (less some ns), and the warm-up lengthened to whole intervals. */
void plan_fit_window(struct plan_window *window)
{
    if (window->interval_ns == 0)
        window->interval_ns = 100000000;
    uint64_t interval = window->interval_ns;
    if (window->measure_ns > 0) {
        uint64_t parts = (window->measure_ns + interval - 1) / interval;
        interval = window->measure_ns / parts;
        window->measure_ns = window->measure_ns / interval * interval;
    }
    window->interval_ns = interval;
    window->warmup_ns = (window->warmup_ns + interval - 1) / interval * interval;
    window->steady_max_ns = (window->steady_max_ns + interval - 1) / interval * interval;
}

int plan_check_window(const struct plan *plan, const struct plan_window *window, struct err *err)
{
    if (plan->sync_at_end && window->measure_ns > 0)
        return err_set(err, -EINVAL, "a closing sync needs a plan that ends by itself");
    if (!(window->steady_frac >= 0 && window->steady_frac <= 1))
        return err_set(err, -EINVAL, "steady within %.4g of the mean: above 0 and at most 1",
                       window->steady_frac);
    if (window->steady_frac > 0 && window->steady_max_ns < window->warmup_ns)
        return err_set(err, -EINVAL, "the longest warm-up is shorter than the shortest");
    if (!(window->precise_frac >= 0 && window->precise_frac <= 1))
        return err_set(err, -EINVAL, "precise within %.4g of the mean: above 0 and at most 1",
                       window->precise_frac);
    if (window->precise_frac > 0 && window->measure_ns < window->precise_min_ns)
        return err_set(err, -EINVAL, "the longest window is shorter than the shortest");
    if (window->precise_frac > 0 && window->measure_ns == 0)
        return err_set(err, -EINVAL, "a window that closes when it is precise has a longest time");
    return 0;
}

static int check_objects(struct plan *plan, struct err *err)
{
    for (unsigned i = 0; i < plan->sets; i++) {
        int rc = fileset_spec_check(&plan->set[i], err);
        if (rc == 0 && plan->set[i].compress_centi != plan->set[0].compress_centi)
            rc = err_set(err, -EINVAL, "filesets of one plan compress all alike");
        if (rc < 0)
            return rc;
    }
    for (unsigned i = 0; i < plan->schedules; i++)
        if (!isfinite(plan->schedule[i].rate_per_s) || plan->schedule[i].rate_per_s <= 0)
            return err_set(err, -EINVAL, "a schedule needs a rate above 0");
    for (unsigned i = 0; i < plan->draws; i++) {
        int rc = draw_check(&plan->draw[i], err);
        if (rc < 0)
            return rc;
    }
    return 0;
}

static int check_sync(const struct plan *plan, const struct target_caps *caps, struct err *err)
{
    if (!plan->sync_at_end)
        return 0;
    if (plan->sync_line >= plan->lines)
        return err_set(err, -EINVAL, "the closing sync has no line");
    if (!(caps->op_kinds & 1u << OP_SYNCFS))
        return err_set(err, -EOPNOTSUPP, "the target cannot do %s", op_kind_name(OP_SYNCFS));
    return 0;
}

int plan_check(struct plan *plan, const struct target_caps *caps, struct err *err)
{
    if (plan->groups == 0)
        return err_set(err, -EINVAL, "the plan has no streams");
    if ((plan->touched_bytes & (plan->touched_bytes - 1)) != 0)
        return err_set(err, -EINVAL, "blocks of %" PRIu64 " bytes to be counted: no power of two",
                       plan->touched_bytes);
    int rc = check_objects(plan, err);
    for (unsigned i = 0; rc == 0 && i < plan->groups; i++)
        rc = check_group(plan, &plan->group[i], caps, err);
    if (rc == 0)
        rc = check_open_files(plan, err);
    if (rc == 0)
        rc = check_sync(plan, caps, err);
    if (rc == 0)
        rc = plan_check_window(plan, &plan->window, err);
    if (rc == 0 && plan->window.precise_frac > 0 && !caps->own_clock)
        rc = err_set(err, -EOPNOTSUPP,
                     "a window closes when it is precise only on a clock of the target's own");
    if (rc == 0)
        plan_fit_window(&plan->window);
    return rc;
}
