/* Making and going through a set that was grown: plans of the engine, no part of any result. */
#include "study/script_study_priv.h"

#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <sys/param.h>

#define SLOT          0
#define CHUNK_BYTES   ((uint64_t)1 << 20)
#define SWEEP_STREAMS 16u

static struct plan_step pick(enum plan_unit unit, uint16_t slot)
{
    bool has_state = unit == PLAN_UNIT_FILE || unit == PLAN_UNIT_LEAF;
    struct plan_step step =
        study_step_pick(unit, has_state ? PLAN_ORDER_STRIDE : PLAN_ORDER_OWN, slot);
    step.use = has_state ? FILESET_USE_INITIAL : FILESET_USE_ANY;
    return step;
}

/* Of what is there already nothing has to be made again. */
static struct plan_step make_dir(uint16_t line, uint16_t slot)
{
    struct plan_step step = study_step_op(OP_MKDIR, line, slot);
    step.absent_ok = true;
    return step;
}

/* Picks one after the other and does that to each, until there are no more. A slot knows how far it has
 * come, so it is for one unit alone. */
static void each(struct plan_builder *b, enum plan_unit unit, const struct plan_step *op,
                 unsigned n)
{
    struct plan_step first = pick(unit, op[0].slot);
    uint32_t begin = plan_add_step(b, &first);
    for (unsigned i = 0; i < n; i++)
        plan_add_step(b, &op[i]);
    struct plan_step loop = study_step_loop(begin, 0, 0);
    uint32_t last = plan_add_step(b, &loop);
    plan_step_to(b, begin, last + 1);
}

/* Parents stand before their children: one stream, in rising order. */
static void dirs(struct plan_builder *b)
{
    uint16_t line = plan_add_line(b, op_kind_name(OP_MKDIR), OP_MKDIR, false);
    const struct plan_step root = make_dir(line, SLOT), below = make_dir(line, SLOT + 1);
    each(b, PLAN_UNIT_ROOT, &root, 1);
    each(b, PLAN_UNIT_DIR, &below, 1);
}

static void leafs(struct plan_builder *b)
{
    uint16_t line = plan_add_line(b, op_kind_name(OP_MKDIR), OP_MKDIR, false);
    const struct plan_step make = make_dir(line, SLOT);
    each(b, PLAN_UNIT_LEAF, &make, 1);
}

static void files(struct plan_builder *b, uint64_t most_bytes)
{
    struct plan_step op[3];
    unsigned n = 0;
    uint16_t line = plan_add_line(b, op_kind_name(OP_WRITE), OP_WRITE, false);
    uint16_t made = plan_add_line(b, op_kind_name(OP_CREATE), OP_CREATE, false);
    op[n] = study_step_op(OP_CREATE, made, SLOT);
    op[n++].op_flags = OP_FLAG_MAY_EXIST;
    if (most_bytes > 0) {
        op[n] = study_step_op(OP_WRITE, line, SLOT);
        op[n].whole = true;
        op[n++].io_bytes = MIN(CHUNK_BYTES, most_bytes);
    }
    op[n++] = study_step_op(OP_CLOSE, PLAN_NO_LINE, SLOT);
    each(b, PLAN_UNIT_FILE, op, n);
}

static void sweep(struct plan_builder *b, enum op_kind kind, bool to_end)
{
    uint16_t line = plan_add_line(b, op_kind_name(kind), (uint16_t)kind, false);
    struct plan_step op[] = {
        study_step_op(OP_OPEN, PLAN_NO_LINE, SLOT),
        study_step_op(kind, line, SLOT),
        study_step_op(OP_CLOSE, PLAN_NO_LINE, SLOT),
    };
    op[1].to_end = to_end;
    op[0].op_flags = OP_FLAG_READ;
    each(b, PLAN_UNIT_FILE, op, 3);
}

static uint32_t streams_of(const struct script_study *x, unsigned set, enum script_part part)
{
    uint64_t files_all = grown_files(script_grown(x, set));
    uint32_t makers = MAX(x->script->set[set].makers, 1u);
    if (part == SCRIPT_FILES)
        return (uint32_t)MIN((uint64_t)makers, MAX(files_all, 1));
    return part == SCRIPT_DIRS || part == SCRIPT_LEAFS
               ? 1
               : (uint32_t)MIN((uint64_t)SWEEP_STREAMS, MAX(files_all, 1));
}

int script_plan(const struct script_study *x, unsigned set, enum script_part part,
                struct plan **out, struct err *err)
{
    static const char *const name[] = {"directories", "files",    "leafs",
                                       "evict",       "resident", "dirty"};
    const struct fileset_spec spec = script_spec(x, set);
    struct plan_instrument instrument = x->s.instrument;
    struct plan_builder *b = plan_new(x->s.common->seed);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");
    instrument.direct = false;
    plan_instrument(b, &instrument);
    plan_add_set(b, &spec);
    plan_begin_group(b, name[part], streams_of(x, set, part), 1);
    plan_end_section(b);
    if (part == SCRIPT_DIRS)
        dirs(b);
    else if (part == SCRIPT_LEAFS)
        leafs(b);
    else if (part == SCRIPT_FILES)
        files(b, grown_bytes_most(script_grown(x, set)));
    else
        sweep(b, part == SCRIPT_EVICT ? OP_EVICT : OP_RESIDENT, part == SCRIPT_DIRTY);
    plan_end_section(b);
    plan_end_section(b);
    return plan_freeze(b, &x->s.caps, out, err);
}

static int judge(struct script_study *x, unsigned set, const struct plan *plan,
                 const struct engine_outcome *out, struct err *err)
{
    char text[ERR_TEXT_MAX];
    if (out->end != ENGINE_DONE)
        study_judge(&x->s, plan, out, false);
    if (out->end != ENGINE_DONE || out->errors == 0)
        return 0;
    study_error_text(&x->s, plan, &out->error[0], text, sizeof text);
    return err_set(err, out->error[0].code ? out->error[0].code : -EIO, "%s: %s",
                   x->script->set[set].name, text);
}

int script_do(struct script_study *x, unsigned set, enum script_part part, struct samples_line *sum,
              struct err *err)
{
    struct fileset_state *const state[] = {x->live[set].state};
    struct engine_outcome out = {0};
    struct plan *plan = NULL;
    int rc = script_plan(x, set, part, &plan, err);
    if (rc == 0)
        rc = study_engine_on(&x->s, plan, x->place, state, &out, err);
    if (rc == 0)
        rc = judge(x, set, plan, &out, err);
    if (rc == 0 && sum)
        *sum = out.total->line[0];
    engine_outcome_fini(&out);
    study_drop_plan(&x->s, plan);
    return rc;
}
