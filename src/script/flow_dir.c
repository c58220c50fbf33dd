/* Directories listed, made, removed. */
#include "script/flow_priv.h"

#define LIST_BYTES 32768 /* room for a piece of a listing, as the C library has it */

static int emit_dir(struct flow_thread *t, struct flow_node *n, enum plan_unit unit,
                    enum fileset_use use, uint16_t op_kind)
{
    uint32_t pick = 0;
    int rc = flow_pick(t, n, unit, use, FLOW_SLOT_SCRATCH, &pick);
    if (rc < 0)
        return rc;
    struct plan_step op = flow_op(n, op_kind, FLOW_SLOT_SCRATCH);
    op.io_bytes = op_kind == OP_READDIR ? LIST_BYTES : 0;
    flow_step(t, op);
    return 0;
}

int flow_emit_listdir(struct flow_thread *t, struct flow_node *n)
{
    return emit_dir(t, n, PLAN_UNIT_DIR, FILESET_USE_LIST, OP_READDIR);
}

int flow_emit_makedir(struct flow_thread *t, struct flow_node *n)
{
    return emit_dir(t, n, PLAN_UNIT_LEAF, FILESET_USE_MKDIR, OP_MKDIR);
}

int flow_emit_removedir(struct flow_thread *t, struct flow_node *n)
{
    return emit_dir(t, n, PLAN_UNIT_LEAF, FILESET_USE_RMDIR, OP_RMDIR);
}
