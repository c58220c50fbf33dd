#include "study/study_priv.h"

#include <errno.h>

/* A flat set's files are shared out among this many streams at the most. */
#define SWEEP_STREAMS_MAX 16

struct plan_step study_step_pick(enum plan_unit unit, enum plan_order order, uint16_t slot)
{
    return (struct plan_step){.kind = PLAN_PICK, .unit = unit, .order = order, .slot = slot};
}

struct plan_step study_step_op(enum op_kind op, uint16_t line, uint16_t slot)
{
    return (struct plan_step){
        .kind = PLAN_OP, .op = (uint16_t)op, .line = line, .slot = slot, .at.where = PLAN_AT_NEXT};
}

struct plan_step study_step_loop(uint32_t to, uint32_t count, uint16_t loop)
{
    return (struct plan_step){.kind = PLAN_LOOP, .to = to, .count = count, .loop = loop};
}

/* A tree is walked by one stream, so that its directories are opened once; as many as wrote it. */
static uint32_t sweep_streams(const struct fileset_spec *spec)
{
    if (spec->shape == FILESET_TREE)
        return spec->trees;
    return spec->files < SWEEP_STREAMS_MAX ? spec->files : SWEEP_STREAMS_MAX;
}

static void sweep_body(struct plan_builder *b, enum op_kind op, uint16_t line)
{
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, 0);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, 0);
    struct plan_step act = study_step_op(op, line, 0);
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, 0);
    struct plan_step loop = study_step_loop(0, 0, 0);

    open.op_flags = OP_FLAG_READ;
    plan_add_step(b, &pick);
    plan_add_step(b, &open);
    plan_add_step(b, &act);
    plan_add_step(b, &close);
    uint32_t last = plan_add_step(b, &loop);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
}

int study_plan_sweep(const struct study *s, const struct fileset_spec *spec, enum study_sweep sweep,
                     struct plan **out, struct err *err)
{
    struct plan_builder *b = plan_new(s->common->seed);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");
    enum op_kind op = sweep == STUDY_SWEEP_EVICT ? OP_EVICT : OP_RESIDENT;
    struct plan_instrument instrument = s->instrument;

    instrument.direct = false;
    plan_instrument(b, &instrument);
    plan_add_set(b, spec);
    uint16_t line =
        plan_add_line(b, sweep == STUDY_SWEEP_EVICT ? "evict" : "resident", (uint16_t)op, false);
    plan_begin_group(b, "sweep", sweep_streams(spec), 1);
    plan_end_section(b);
    sweep_body(b, op, line);
    plan_end_section(b);
    return plan_freeze(b, &s->caps, out, err);
}
