/* One step by itself: the numbers that it names exist, and what it asks makes sense. */
#include "base/err.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <sys/param.h>

#define LIST_BYTES_MIN 1024u /* any one entry has room */
#define HOT_PERCENT    99u

/* What the engine has no range or second name for: not ops of a plan. */
#define NOT_OF_PLANS (1u << OP_DISCARD | 1u << OP_RENAME)

bool plan_moves_data(uint16_t op)
{
    return op == OP_READ || op == OP_WRITE || op == OP_APPEND;
}

static bool has_offset(uint16_t op)
{
    return op == OP_READ || op == OP_WRITE;
}

static int check_number(unsigned number, unsigned n, const char *what, struct err *err)
{
    if (number < n)
        return 0;
    return err_set(err, -EINVAL, "%s %u of %u", what, number, n);
}

static int check_set(const struct plan *plan, uint16_t set, struct err *err)
{
    return set == PLAN_ANY_SET ? 0 : check_number(set, plan->sets, "fileset", err);
}

/* `draw` counts from 1; a draw that is not wanted is 0. */
static int check_draw(const struct plan *plan, uint16_t draw, bool needed, struct err *err)
{
    if (draw == 0 && needed)
        return err_set(err, -EINVAL, "a number is drawn from nothing");
    if (draw > plan->draws)
        return err_set(err, -EINVAL, "draw %u of %u", draw, plan->draws);
    return 0;
}

static int check_slot_number(const struct plan_group *group, uint16_t slot, struct err *err)
{
    if (slot < PLAN_SLOTS_MAX || (slot == PLAN_SLOT_TURN && group->turns) ||
        (slot == PLAN_SLOT_EACH && group->eaches))
        return 0;
    if (slot == PLAN_SLOT_TURN || slot == PLAN_SLOT_EACH)
        return err_set(err, -EINVAL, "the slot of %s, of which there is no step",
                       slot == PLAN_SLOT_TURN ? "a turn" : "each");
    return err_set(err, -EINVAL, "slot %u: at most %u", slot, PLAN_SLOTS_MAX - 1);
}

/* ---- ops ---- */

static int check_size(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    const char *name = op_kind_name((enum op_kind)step->op);
    if (step->size != PLAN_SIZE_FIXED && !plan_moves_data(step->op))
        return err_set(err, -EINVAL, "%s has no size of its own", name);
    switch (step->size) {
    case PLAN_SIZE_FIXED:
        return 0;
    case PLAN_SIZE_DRAWN:
        return check_draw(plan, step->draw, true, err);
    case PLAN_SIZE_BELOW:
        if (step->op == OP_APPEND)
            return 0;
        return err_set(err, -EINVAL, "%s of any size below another: only append", name);
    case PLAN_SIZE_FILE:
        if (step->whole && has_offset(step->op))
            return 0;
        return err_set(err, -EINVAL, "%s of a file's size: only of a whole one", name);
    }
    return err_set(err, -EINVAL, "%s has a size of unknown kind", name);
}

static int check_law(const struct plan_step *step, const char *name, struct err *err)
{
    if (step->at.where == PLAN_AT_ZIPF && !(step->at.skew > 0 && step->at.skew <= ZIPF_SKEW_MAX))
        return err_set(err, -EINVAL, "%s by Zipf's law: the exponent is above 0 and up to %d", name,
                       ZIPF_SKEW_MAX);
    if (step->at.where == PLAN_AT_HOT &&
        (step->at.hot_ops - 1 >= HOT_PERCENT || step->at.hot_blocks - 1 >= HOT_PERCENT))
        return err_set(err, -EINVAL, "%s of a hot part: both shares are 1 to %u per cent", name,
                       HOT_PERCENT);
    if (step->at.limit_bytes > 0 && (step->at.where != PLAN_AT_UNIFORM || step->whole))
        return err_set(err, -EINVAL, "only %s anywhere is bounded to a part of the file", name);
    return 0;
}

static int check_whole(const struct plan *plan, const struct plan_group *group,
                       const struct plan_step *step, const char *name, struct err *err)
{
    if (step->whole && !has_offset(step->op))
        return err_set(err, -EINVAL, "only read and write take a whole file, not %s", name);
    if (step->to_end && step->op != OP_RESIDENT && !(step->whole && step->op == OP_READ))
        return err_set(err, -EINVAL, "only reading a whole file goes to its end");
    if ((step->on || step->from_slot) && !(step->whole && step->op == OP_WRITE))
        return err_set(err, -EINVAL, "only writing a whole file goes on, or by another's size");
    if (step->from_slot && step->from >= PLAN_SLOTS_MAX)
        return err_set(err, -EINVAL, "slot %u: at most %u", step->from, PLAN_SLOTS_MAX - 1);
    if (!step->detached)
        return 0;
    if (step->whole || step->verify || !has_offset(step->op))
        return err_set(err, -EINVAL, "%s%s cannot be detached", name,
                       step->whole    ? " whole"
                       : step->verify ? " with verification"
                                      : "");
    if (group->detached == 0)
        return err_set(err, -EINVAL, "group %s has no detached ops", group->name);
    if (step->done_line != PLAN_NO_LINE && step->done_line >= plan->lines)
        return err_set(err, -EINVAL, "%s has no line %u", name, step->done_line);
    return 0;
}

unsigned plan_direct_align(const struct target_caps *caps)
{
    unsigned align = MAX(PLAN_DIRECT_ALIGN, caps->direct_align_bytes);
    return MIN(align, PLAN_DIRECT_ALIGN_MAX);
}

static int check_target(const struct plan *plan, const struct plan_step *step,
                        const struct target_caps *caps, const char *name, struct err *err)
{
    if (step->op == OP_READDIR && step->io_bytes < LIST_BYTES_MIN)
        return err_set(err, -EINVAL, "%s of %llu bytes at a time: at least %u", name,
                       (unsigned long long)step->io_bytes, LIST_BYTES_MIN);
    if (step->op == OP_READDIR && caps->keeps_nothing)
        return err_set(err, -EINVAL, "nothing to list: this target keeps no data");
    if (step->verify && step->op != OP_READ)
        return err_set(err, -EINVAL, "only read can be verified, not %s", name);
    if (step->verify && (caps->keeps_nothing || caps->keeps_no_data))
        return err_set(err, -EINVAL, "nothing to verify: this target keeps no data");
    unsigned align = plan_direct_align(caps);
    if (plan->instrument.direct && plan_moves_data(step->op) && step->io_bytes % align != 0)
        return err_set(err, -EINVAL, "direct %s of %llu bytes: a multiple of %u is needed", name,
                       (unsigned long long)step->io_bytes, align);
    return 0;
}

static int check_op(const struct plan *plan, const struct plan_group *group,
                    const struct plan_step *step, const struct target_caps *caps, struct err *err)
{
    if (step->op >= OP_KINDS)
        return err_set(err, -EINVAL, "step names op %u, which does not exist", step->op);
    const char *name = op_kind_name((enum op_kind)step->op);
    if (NOT_OF_PLANS & 1u << step->op)
        return err_set(err, -EOPNOTSUPP, "a plan cannot hold %s", name);
    if (!(caps->op_kinds & 1u << step->op))
        return err_set(err, -EOPNOTSUPP, "the target cannot do %s%s", name,
                       caps->one_file && step->op == OP_WRITE
                           ? ": a block device is written to only where its name is typed again "
                             "(--destroy DEVICE)"
                           : "");
    int rc = check_size(plan, step, err);
    if (rc == 0 && plan_moves_data(step->op) && step->io_bytes == 0 &&
        step->size != PLAN_SIZE_DRAWN && step->size != PLAN_SIZE_FILE)
        rc = err_set(err, -EINVAL, "%s of 0 bytes at a time", name);
    if (rc == 0)
        rc = check_law(step, name, err);
    if (rc == 0)
        rc = check_whole(plan, group, step, name, err);
    if (rc == 0)
        rc = check_target(plan, step, caps, name, err);
    return rc;
}

/* ---- picks ---- */

static int check_listed(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    if (plan->set[step->set].shape != FILESET_TREE || step->unit == PLAN_UNIT_ROOT)
        return err_set(err, -EINVAL, "only files and directories of trees are picked as listed");
    return 0;
}

/* What each use takes, and each order hands out. */
static bool unit_of_use(enum fileset_use use, enum plan_unit unit)
{
    switch (use) {
    case FILESET_USE_ANY:
        return true;
    case FILESET_USE_INITIAL:
        return unit == PLAN_UNIT_FILE || unit == PLAN_UNIT_LEAF;
    case FILESET_USE_LIST:
        return unit == PLAN_UNIT_DIR;
    case FILESET_USE_MKDIR:
    case FILESET_USE_RMDIR:
        return unit == PLAN_UNIT_LEAF;
    default:
        return unit == PLAN_UNIT_FILE;
    }
}

static bool order_of_use(enum fileset_use use, enum plan_order order)
{
    bool dealt = order == PLAN_ORDER_OWN || order == PLAN_ORDER_STRIDE;
    if (use == FILESET_USE_ANY)
        return dealt || order == PLAN_ORDER_LISTED;
    if (use == FILESET_USE_INITIAL)
        return dealt;
    return !dealt && order != PLAN_ORDER_LISTED;
}

static int check_pick(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    if (step->set >= plan->sets)
        return err_set(err, -EINVAL, "pick from fileset %u of %u", step->set, plan->sets);
    if (step->slot == PLAN_SLOT_EACH)
        return err_set(err, -EINVAL, "a pick into the slot that each has come to");
    if (step->unit == PLAN_UNIT_ALL && plan->set[step->set].shape != FILESET_FLAT)
        return err_set(err, -EINVAL, "only of a flat fileset all files can be picked at once");
    if (step->unit == PLAN_UNIT_LEAF && plan->set[step->set].shape != FILESET_GROWN)
        return err_set(err, -EINVAL, "only a grown fileset has leaf directories");
    if (!unit_of_use(step->use, step->unit))
        return err_set(err, -EINVAL, "a pick of what cannot be used so");
    if (!order_of_use(step->use, step->order))
        return err_set(err, -EINVAL, "a pick in an order that its use does not have");
    if (step->order == PLAN_ORDER_DRAWN)
        return check_draw(plan, step->draw, true, err);
    if (step->order == PLAN_ORDER_SLOT && step->unit != PLAN_UNIT_FILE)
        return err_set(err, -EINVAL, "only a file is picked that another slot holds");
    if (step->order == PLAN_ORDER_SLOT && step->from >= PLAN_SLOTS_MAX)
        return err_set(err, -EINVAL, "slot %u: at most %u", step->from, PLAN_SLOTS_MAX - 1);
    return step->order == PLAN_ORDER_LISTED ? check_listed(plan, step, err) : 0;
}

/* ---- the others ---- */

static int check_counters(const struct plan_group *group, const struct plan_step *step,
                          struct err *err)
{
    if (group->counters < PLAN_COUNTERS_MAX && step->counts >> group->counters != 0)
        return err_set(err, -EINVAL, "a step moves a counter that group %s does not have",
                       group->name);
    return 0;
}

static int check_join(const struct plan_step *step, struct err *err)
{
    if (step->value <= 100)
        return 0;
    return err_set(err, -EINVAL, "waiting until %llu per cent of the detached ops are left",
                   (unsigned long long)step->value);
}

static int check_loop(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    if (step->loop >= PLAN_LOOPS_MAX)
        return err_set(err, -EINVAL, "loops nest deeper than %u", PLAN_LOOPS_MAX);
    return check_draw(plan, step->draw, step->kind == PLAN_COUNT, err);
}

static int check_kind(const struct plan *plan, const struct plan_group *group,
                      const struct plan_step *step, const struct target_caps *caps, struct err *err)
{
    switch (step->kind) {
    case PLAN_OP:
        return check_op(plan, group, step, caps, err);
    case PLAN_PICK:
        return check_pick(plan, step, err);
    case PLAN_ARRIVE:
        return check_number(step->schedule, plan->schedules, "schedule", err);
    case PLAN_LOOP:
    case PLAN_COUNT:
        return check_loop(plan, step, err);
    case PLAN_EACH:
    case PLAN_IF_OPEN:
        return check_set(plan, step->set, err);
    case PLAN_JOIN:
        return check_join(step, err);
    case PLAN_BRANCH:
    case PLAN_END:
    case PLAN_TURN:
    case PLAN_IF_FILE:
        return 0;
    default:
        return err_set(err, -EINVAL, "unknown step");
    }
}

static int check_line(const struct plan *plan, const struct plan_step *step, struct err *err)
{
    bool has = step->kind == PLAN_OP || step->kind == PLAN_JOIN;
    if (!has || step->line == PLAN_NO_LINE || step->line < plan->lines)
        return 0;
    return err_set(err, -EINVAL, "%s has no line %u",
                   step->kind == PLAN_OP ? op_kind_name((enum op_kind)step->op) : "join",
                   step->line);
}

int plan_check_step(const struct plan *plan, const struct plan_group *group,
                    const struct plan_step *step, bool in_body, const struct target_caps *caps,
                    struct err *err)
{
    int rc = check_slot_number(group, step->slot, err);
    if (rc == 0)
        rc = check_counters(group, step, err);
    if (rc < 0)
        return rc;
    if (plan_step_is_between(step))
        return plan_check_between(plan, group, step, in_body, err);
    if (step->kind == PLAN_ARRIVE && !in_body)
        return err_set(err, -EINVAL, "group %s: arrivals belong into the body", group->name);
    rc = check_kind(plan, group, step, caps, err);
    return rc == 0 ? check_line(plan, step, err) : rc;
}
