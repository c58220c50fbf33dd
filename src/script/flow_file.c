/* Files opened, created, closed, deleted, looked at, made durable. */
#include "script/flow_priv.h"

static int emit_opening(struct flow_thread *t, struct flow_node *n, enum fileset_use use,
                        uint16_t op_kind, uint32_t flags)
{
    uint32_t pick = 0;
    flow_turn(t, n);
    uint32_t open = flow_step(
        t, (struct plan_step){.kind = PLAN_IF_OPEN, .slot = n->slot, .set = PLAN_ANY_SET});
    if (n->slot == PLAN_SLOT_TURN)
        flow_wrong(t, open, "flowop %s attempted to open without closing on the fd of its turn",
                   n->name);
    else
        flow_wrong(t, open, "flowop %s attempted to open without closing on fd %u", n->name,
                   n->slot);
    int rc = flow_pick(t, n, PLAN_UNIT_FILE, use, n->slot, &pick);
    if (rc < 0)
        return rc;
    struct plan_step op = flow_op(n, op_kind, n->slot);
    op.op_flags = n->open_flags | flags;
    flow_step(t, op);
    return 0;
}

int flow_emit_openfile(struct flow_thread *t, struct flow_node *n)
{
    return emit_opening(t, n, FILESET_USE_OPEN, OP_OPEN, 0);
}

int flow_emit_createfile(struct flow_thread *t, struct flow_node *n)
{
    return emit_opening(t, n, FILESET_USE_CREATE, OP_CREATE, OP_FLAG_MAY_EXIST);
}

/* The op on what is open in the slot. */
static int emit_on_open(struct flow_thread *t, struct flow_node *n, uint16_t op_kind,
                        const char *verb)
{
    flow_turn(t, n);
    uint32_t open = flow_step(
        t, (struct plan_step){.kind = PLAN_IF_OPEN, .slot = n->slot, .set = PLAN_ANY_SET});
    if (n->slot == PLAN_SLOT_TURN)
        flow_fail(t, "flowop %s attempted to %s an already closed fd, that of its turn", n->name,
                  verb);
    else
        flow_fail(t, "flowop %s attempted to %s an already closed fd %u", n->name, verb, n->slot);
    flow_land(t, open);
    flow_step(t, flow_op(n, op_kind, n->slot));
    return 0;
}

int flow_emit_closefile(struct flow_thread *t, struct flow_node *n)
{
    return emit_on_open(t, n, OP_CLOSE, "close");
}

int flow_emit_fsync(struct flow_thread *t, struct flow_node *n)
{
    return emit_on_open(t, n, OP_FSYNC, "fsync");
}

int flow_emit_fsyncset(struct flow_thread *t, struct flow_node *n)
{
    uint32_t each =
        flow_step(t, (struct plan_step){.kind = PLAN_EACH, .set = flow_plan_set(t, n->set)});
    flow_step(t, flow_op(n, OP_FSYNC, PLAN_SLOT_EACH));
    flow_step(t, (struct plan_step){.kind = PLAN_LOOP, .to = each});
    flow_land(t, each);
    return 0;
}

/* One in use elsewhere is left alone; of two who delete the same one the second does nothing. */
int flow_emit_deletefile(struct flow_thread *t, struct flow_node *n)
{
    uint32_t pick = 0, own = 0, picked = 0;
    bool slot = flow_by_slot(t, n);
    if (slot)
        own = flow_step(t, (struct plan_step){.kind = PLAN_IF_FILE, .slot = n->slot});
    if (n->set >= 0) {
        int rc = flow_pick(t, n, PLAN_UNIT_FILE, FILESET_USE_DELETE, FLOW_SLOT_SCRATCH, &pick);
        if (rc < 0)
            return rc;
    } else {
        flow_fail(t, "flowop %s: fd %u has no file, and it names no set to delete from", n->name,
                  n->slot);
    }
    struct plan_step mine = {.kind = PLAN_PICK,
                             .unit = PLAN_UNIT_FILE,
                             .use = FILESET_USE_DELETE,
                             .order = PLAN_ORDER_SLOT,
                             .from = n->slot,
                             .slot = FLOW_SLOT_SCRATCH};
    uint32_t known = 0;
    if (slot) {
        if (n->set >= 0)
            picked = flow_jump(t);
        mine.set = flow_plan_set(t, n->set >= 0 ? n->set : flow_slot_set(t, n->slot));
        flow_land(t, own);
        known = flow_step(t, mine);
        if (n->set >= 0)
            flow_land(t, picked);
    }
    flow_step(t, flow_op(n, OP_UNLINK, FLOW_SLOT_SCRATCH));
    if (n->set >= 0)
        plan_step_skip(t->b, pick, plan_here(t->b));
    if (slot) {
        flow_land(t, known);
        plan_step_skip(t->b, known, plan_here(t->b));
    }
    return 0;
}

int flow_emit_statfile(struct flow_thread *t, struct flow_node *n)
{
    uint32_t pick = 0, open = 0, done = 0;
    bool slot = flow_by_slot(t, n);
    if (slot)
        open = flow_step(
            t, (struct plan_step){.kind = PLAN_IF_OPEN, .slot = n->slot, .set = PLAN_ANY_SET});
    if (n->set >= 0) {
        int rc = flow_pick(t, n, PLAN_UNIT_FILE, FILESET_USE_STAT, FLOW_SLOT_SCRATCH, &pick);
        if (rc < 0)
            return rc;
        flow_step(t, flow_op(n, OP_STAT, FLOW_SLOT_SCRATCH));
        if (slot)
            done = flow_jump(t);
    } else {
        flow_fail(t, "flowop %s: nothing is open on fd %u, and it names no file", n->name, n->slot);
    }
    if (!slot)
        return 0;
    struct plan_step op = flow_op(n, OP_STAT, n->slot);
    op.op_flags = OP_FLAG_HANDLE;
    flow_land(t, open);
    flow_step(t, op);
    if (n->set >= 0)
        flow_land(t, done);
    return 0;
}
