#include "study/io_priv.h"

#include <errno.h>

#define LAYOUT_STREAMS_MAX 8
#define LAYOUT_BYTES       ((uint64_t)1 << 20)
#define SLOT               0

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct plan_builder *begin(const struct study *s, const struct fileset_spec *spec,
                                  bool direct)
{
    struct plan_instrument instrument = s->instrument;
    struct plan_builder *b = plan_new(s->common->seed);
    if (!b)
        return NULL;
    instrument.direct = direct;
    plan_instrument(b, &instrument);
    plan_add_set(b, spec);
    return b;
}

int io_plan_layout(const struct study *s, const struct fileset_spec *spec, struct plan **out,
                   struct err *err)
{
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, SLOT);
    struct plan_step create = study_step_op(OP_CREATE, PLAN_NO_LINE, SLOT);
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, SLOT);
    struct plan_step loop = study_step_loop(0, 0, 0);
    struct plan_builder *b = begin(s, spec, false);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    uint16_t line = plan_add_line(b, op_kind_name(OP_WRITE), OP_WRITE, false);
    struct plan_step write = study_step_op(OP_WRITE, line, SLOT);
    write.whole = true;
    write.io_bytes = least(LAYOUT_BYTES, spec->size_bytes);
    plan_begin_group(b, "layout", (uint32_t)least(spec->files, LAYOUT_STREAMS_MAX), 1);
    plan_end_section(b);
    plan_add_step(b, &pick);
    plan_add_step(b, &create);
    plan_add_step(b, &write);
    plan_add_step(b, &close);
    uint32_t last = plan_add_step(b, &loop);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
    plan_end_section(b);
    return plan_freeze(b, &s->caps, out, err);
}

/* Each stream opens its own file once, before the gate. */
static void open_file(struct plan_builder *b, const struct io_options *o, bool direct)
{
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, SLOT);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, SLOT);

    open.op_flags = (direct ? OP_FLAG_DIRECT : 0u) | (o->read_percent == 100 ? OP_FLAG_READ : 0u);
    plan_add_step(b, &pick);
    uint32_t last = plan_add_step(b, &open);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
}

static void add_io(struct plan_builder *b, const struct io_options *o, enum op_kind op)
{
    uint16_t line = plan_add_line(b, op_kind_name(op), (uint16_t)op, o->rate_per_s > 0);
    struct plan_step step = study_step_op(op, line, SLOT);
    struct plan_step loop = study_step_loop(0, 0, 0);

    step.io_bytes = o->block_bytes;
    step.where = o->sequential ? PLAN_AT_NEXT : PLAN_AT_UNIFORM;
    plan_add_step(b, &step);
    plan_add_step(b, &loop);
}

static void add_arrival(struct plan_builder *b, const struct io_options *o)
{
    const struct plan_schedule schedule = {.arrival = PLAN_ARRIVAL_CONSTANT,
                                           .rate_per_s = o->rate_per_s};
    struct plan_step arrive = {.kind = PLAN_ARRIVE};
    if (o->rate_per_s <= 0)
        return;
    arrive.schedule = plan_add_schedule(b, &schedule);
    plan_add_step(b, &arrive);
}

/* [arrive] branch → write, loop / read, loop. */
static void add_mix(struct plan_builder *b, const struct io_options *o)
{
    if (o->read_percent == 0 || o->read_percent == 100) {
        add_io(b, o, o->read_percent ? OP_READ : OP_WRITE);
        return;
    }
    struct plan_step branch = {.kind = PLAN_BRANCH,
                               .chance = (uint32_t)(((uint64_t)o->read_percent << 32) / 100)};
    /* Lines in the order of reports: read before write. */
    plan_add_line(b, op_kind_name(OP_READ), OP_READ, o->rate_per_s > 0);
    uint32_t at = plan_add_step(b, &branch);
    add_io(b, o, OP_WRITE);
    plan_step_to(b, at, at + 3);
    add_io(b, o, OP_READ);
}

int io_plan_run(const struct study *s, const struct io_options *o, const struct fileset_spec *spec,
                struct plan **out, struct err *err)
{
    const struct plan_window window = {
        .warmup_ns = o->warmup_ns,
        .measure_ns = o->time_ns,
        .interval_ns = study_interval_ns(o->time_ns),
    };
    bool direct = s->instrument.cache == PLAN_CACHE_DIRECT || o->direct;
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, SLOT);
    struct plan_builder *b = begin(s, spec, direct);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    plan_window(b, &window);
    plan_begin_group(b, "io", o->streams, 1);
    open_file(b, o, direct);
    add_arrival(b, o);
    add_mix(b, o);
    plan_end_section(b);
    plan_add_step(b, &close);
    plan_end_section(b);
    return plan_freeze(b, &s->caps, out, err);
}
