#include "base/err.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sys/param.h>

#define DIRECT_ALIGN   512u
#define LIST_BYTES_MIN 1024u /* any one entry has room */
#define HOT_PERCENT    99u

/* What the engine has no bytes, range or second name for: not ops of a plan. */
#define NOT_OF_PLANS (1u << OP_APPEND | 1u << OP_DISCARD | 1u << OP_RENAME)

/* What can be done to a slot that holds all files of a set. */
#define OF_ALL_FILES (1u << OP_OPEN | 1u << OP_CLOSE | 1u << OP_READ | 1u << OP_WRITE)

static bool moves_data(uint16_t op)
{
    return op == OP_READ || op == OP_WRITE;
}

static int check_op(const struct plan *plan, const struct plan_step *step,
                    const struct target_caps *caps, struct err *err)
{
    if (step->op >= OP_KINDS)
        return err_set(err, -EINVAL, "step names op %u, which does not exist", step->op);
    const char *name = op_kind_name((enum op_kind)step->op);
    if (NOT_OF_PLANS & 1u << step->op)
        return err_set(err, -EOPNOTSUPP, "a plan cannot hold %s", name);
    if (!(caps->op_kinds & 1u << step->op))
        return err_set(err, -EOPNOTSUPP, "the target cannot do %s", name);
    if (step->line != PLAN_NO_LINE && step->line >= plan->lines)
        return err_set(err, -EINVAL, "%s has no line %u", name, step->line);
    if (moves_data(step->op) && step->io_bytes == 0)
        return err_set(err, -EINVAL, "%s of 0 bytes at a time", name);
    if (step->at.where == PLAN_AT_ZIPF && !(step->at.skew > 0 && step->at.skew <= ZIPF_SKEW_MAX))
        return err_set(err, -EINVAL, "%s by Zipf's law: the exponent is above 0 and up to %d", name,
                       ZIPF_SKEW_MAX);
    if (step->at.where == PLAN_AT_HOT &&
        (step->at.hot_ops - 1 >= HOT_PERCENT || step->at.hot_blocks - 1 >= HOT_PERCENT))
        return err_set(err, -EINVAL, "%s of a hot part: both shares are 1 to %u per cent", name,
                       HOT_PERCENT);
    if (step->whole && !moves_data(step->op))
        return err_set(err, -EINVAL, "only read and write take a whole file, not %s", name);
    if (step->op == OP_READDIR && step->io_bytes < LIST_BYTES_MIN)
        return err_set(err, -EINVAL, "%s of %llu bytes at a time: at least %u", name,
                       (unsigned long long)step->io_bytes, LIST_BYTES_MIN);
    if (step->op == OP_READDIR && caps->keeps_nothing)
        return err_set(err, -EINVAL, "nothing to list: this target keeps no data");
    if (step->verify && step->op != OP_READ)
        return err_set(err, -EINVAL, "only read can be verified, not %s", name);
    if (step->verify && caps->keeps_nothing)
        return err_set(err, -EINVAL, "nothing to verify: this target keeps no data");
    if (plan->instrument.direct && moves_data(step->op) && step->io_bytes % DIRECT_ALIGN != 0)
        return err_set(err, -EINVAL, "direct %s of %llu bytes: a multiple of %u is needed", name,
                       (unsigned long long)step->io_bytes, DIRECT_ALIGN);
    return 0;
}

static int check_listed(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    if (plan->set[step->set].shape != FILESET_TREE || step->unit == PLAN_UNIT_ROOT)
        return err_set(err, -EINVAL, "only files and directories of trees are picked as listed");
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
        if (step->unit == PLAN_UNIT_ALL && plan->set[step->set].shape != FILESET_FLAT)
            return err_set(err, -EINVAL, "only of a flat fileset all files can be picked at once");
        return step->order == PLAN_ORDER_LISTED ? check_listed(plan, step, err) : 0;
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
    default:
        break;
    }
    return err_set(err, -EINVAL, "unknown step");
}

/* Behind the last step of the group. */
static uint32_t group_stop(const struct plan *plan, const struct plan_group *group)
{
    size_t next = (size_t)(group - plan->group) + 1;
    return next < plan->groups ? plan->group[next].setup : plan->steps;
}

/* What the PICKs of a group can put into a slot. */
struct picked {
    bool any;
    bool all;          /* PLAN_UNIT_ALL */
    uint64_t smallest; /* file */
    uint64_t largest;
    uint64_t files; /* at once */
};

static struct picked picked_for(const struct plan *plan, const struct plan_group *group,
                                uint16_t slot)
{
    uint32_t stop = group_stop(plan, group);
    struct picked p = {.smallest = UINT64_MAX, .files = 1};
    for (uint32_t i = group->setup; i < stop; i++) {
        const struct plan_step *step = &plan->step[i];
        const struct fileset_spec *set = &plan->set[step->set];
        if (step->kind != PLAN_PICK || step->slot != slot)
            continue;
        p.any = true;
        if (step->unit == PLAN_UNIT_ALL) {
            p.all = true;
            p.files = set->files;
        } else if (step->unit != PLAN_UNIT_FILE) {
            continue;
        }
        p.smallest = MIN(p.smallest, set->size_bytes);
        p.largest = MAX(p.largest, set->size_bytes);
    }
    return p;
}

/* A walk goes down from a root: a directory that was not picked as listed has no place in it. */
static int check_walk(const struct plan *plan, const struct plan_group *group, struct err *err)
{
    uint32_t stop = group_stop(plan, group);
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

/* What a random place is drawn from, once and for all: nothing in the loop would take longer. */
static void complete_place(struct plan_step *step, const struct picked *p, uint64_t seed)
{
    struct plan_place *at = &step->at;
    at->per_file = p->smallest / step->io_bytes;
    at->blocks = at->per_file * p->files;
    at->hot = MAX(at->blocks * at->hot_blocks / 100, 1);
    if (at->where == PLAN_AT_ZIPF)
        zipf_init(&at->zipf, at->blocks, at->skew);
    scatter_init(&at->scatter, at->blocks, seed);
}

static int check_place(const struct plan *plan, struct plan_step *step, const struct picked *p,
                       struct err *err)
{
    const char *name = op_kind_name((enum op_kind)step->op);
    if (p->smallest < step->io_bytes)
        return err_set(err, -EINVAL, "%s of %llu bytes from files that are smaller", name,
                       (unsigned long long)step->io_bytes);
    if (step->at.where == PLAN_AT_NEXT)
        return 0;
    if (p->smallest != p->largest)
        return err_set(err, -EINVAL, "%s anywhere in files of several sizes", name);
    if (p->smallest / step->io_bytes > ZIPF_N_MAX / p->files)
        return err_set(err, -EINVAL, "%s anywhere in more than 2^50 blocks", name);
    complete_place(step, p, plan->seed);
    if (step->at.where == PLAN_AT_HOT && step->at.blocks < 2)
        return err_set(err, -EINVAL, "%s of a hot part: there is only one block", name);
    return 0;
}

static int check_slot(const struct plan *plan, const struct plan_group *group,
                      struct plan_step *step, struct err *err)
{
    const char *name = op_kind_name((enum op_kind)step->op);
    if (step->kind != PLAN_OP || step->op == OP_NOP)
        return 0;
    struct picked p = picked_for(plan, group, step->slot);
    if (!p.any)
        return err_set(err, -EINVAL, "%s of slot %u, which nothing is picked for", name,
                       step->slot);
    if (step->op == OP_READDIR && p.smallest != UINT64_MAX)
        return err_set(err, -EINVAL, "%s of slot %u, which holds files", name, step->slot);
    if (p.all && (step->whole || !(OF_ALL_FILES & 1u << step->op)))
        return err_set(err, -EINVAL, "%s%s of all files at once", name,
                       step->whole ? " whole" : "");
    return moves_data(step->op) && !step->whole ? check_place(plan, step, &p, err) : 0;
}

/* What follows from a step for all streams of its group. */
static int complete_group(const struct plan *plan, struct plan_group *group,
                          const struct plan_step *step, struct err *err)
{
    if (step->kind == PLAN_PICK && step->unit == PLAN_UNIT_ALL) {
        if (group->handles > 0)
            return err_set(err, -EINVAL, "group %s picks all files more than once", group->name);
        group->handles = plan->set[step->set].files;
    }
    if (step->kind == PLAN_PICK && step->order == PLAN_ORDER_LISTED) {
        const struct fileset_spec *set = &plan->set[step->set];
        group->list_room = set->branches + set->files;
        group->list_levels = set->levels + 1;
        group->list_set = step->set;
    }
    if (step->slot >= group->slots)
        group->slots = (uint16_t)(step->slot + 1);
    if (step->kind == PLAN_LOOP && step->loop >= group->loops)
        group->loops = (uint16_t)(step->loop + 1);
    if (step->kind == PLAN_OP && (moves_data(step->op) || step->op == OP_READDIR) &&
        step->io_bytes > group->buffer_bytes)
        group->buffer_bytes = step->io_bytes;
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

static int check_group(struct plan *plan, struct plan_group *group, const struct target_caps *caps,
                       struct err *err)
{
    if (group->streams == 0 || group->clients == 0 || group->clients > group->streams)
        return err_set(err, -EINVAL, "group %s: %u streams of %u clients", group->name,
                       group->streams, group->clients);
    bool busy = false; /* the body reaches the target at all */
    uint32_t stop = group_stop(plan, group);
    for (uint32_t i = group->setup; i < stop; i++) {
        const struct plan_step *step = &plan->step[i];
        bool in_body = i >= group->body && i < group->teardown;
        int rc = plan_step_is_between(step) ? plan_check_between(plan, group, step, in_body, err)
                                            : check_step(plan, step, caps, err);
        if (rc == 0 && step->kind == PLAN_ARRIVE && !in_body)
            rc = err_set(err, -EINVAL, "group %s: arrivals belong into the body", group->name);
        if (rc == 0)
            rc = complete_group(plan, group, step, err);
        if (rc < 0)
            return rc;
        busy |= (step->kind == PLAN_OP || plan_step_is_between(step)) && in_body;
    }
    int rc = check_handles(group, caps, err);
    for (uint32_t i = group->setup; rc == 0 && i < stop; i++)
        rc = check_slot(plan, group, &plan->step[i], err);
    if (rc == 0 && group->list_room > 0)
        rc = check_walk(plan, group, err);
    if (rc < 0)
        return rc;
    if (!busy)
        return err_set(err, -EINVAL, "group %s does nothing", group->name);
    uint64_t streams = (uint64_t)plan->streams + group->streams;
    if (streams > PLAN_STREAMS_MAX)
        return err_set(err, -EINVAL, "%llu streams: at most %u", (unsigned long long)streams,
                       PLAN_STREAMS_MAX);
    plan->streams = (uint32_t)streams;
    return 0;
}

/* A window's edges are interval edges: the interval is shortened until it divides the measured time
 * (less some ns), and the warm-up lengthened to whole intervals. */
static void fit_window(struct plan_window *window)
{
    if (window->interval_ns == 0)
        window->interval_ns = 100000000;
    if (window->measure_ns > 0) {
        uint64_t parts = (window->measure_ns + window->interval_ns - 1) / window->interval_ns;
        window->interval_ns = window->measure_ns / parts;
        window->measure_ns = window->measure_ns / window->interval_ns * window->interval_ns;
    }
    window->warmup_ns =
        (window->warmup_ns + window->interval_ns - 1) / window->interval_ns * window->interval_ns;
}

int plan_check(struct plan *plan, const struct target_caps *caps, struct err *err)
{
    if (plan->groups == 0)
        return err_set(err, -EINVAL, "the plan has no streams");
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
    for (unsigned i = 0; i < plan->groups; i++) {
        int rc = check_group(plan, &plan->group[i], caps, err);
        if (rc < 0)
            return rc;
    }
    int rc = check_open_files(plan, err);
    if (rc < 0)
        return rc;
    if (plan->sync_at_end && plan->sync_line >= plan->lines)
        return err_set(err, -EINVAL, "the closing sync has no line");
    if (plan->sync_at_end && plan->window.measure_ns > 0)
        return err_set(err, -EINVAL, "a closing sync needs a plan that ends by itself");
    if (plan->sync_at_end && !(caps->op_kinds & 1u << OP_SYNCFS))
        return err_set(err, -EOPNOTSUPP, "the target cannot do %s", op_kind_name(OP_SYNCFS));
    fit_window(&plan->window);
    return 0;
}
