#include "study/io_priv.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

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

/* Before the gate each stream opens its own file, or all that are shared. */
static void open_files(struct plan_builder *b, const struct io_options *o, bool direct)
{
    struct plan_step pick = o->files ? study_step_pick(PLAN_UNIT_ALL, PLAN_ORDER_OWN, SLOT)
                                     : study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, SLOT);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, SLOT);

    open.op_flags = (direct ? OP_FLAG_DIRECT : 0u) | (o->read_percent == 100 ? OP_FLAG_READ : 0u);
    if (o->sync != IO_SYNC_NONE)
        open.op_flags |= o->sync == IO_SYNC_DATA ? OP_FLAG_DSYNC : OP_FLAG_SYNC;
    plan_add_step(b, &pick);
    uint32_t last = plan_add_step(b, &open);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
}

static struct plan_place place_of(const struct io_dist *d)
{
    static const enum plan_where where[] = {
        [IO_UNIFORM] = PLAN_AT_UNIFORM,
        [IO_SEQ] = PLAN_AT_NEXT,
        [IO_ZIPF] = PLAN_AT_ZIPF,
        [IO_HOT] = PLAN_AT_HOT,
    };
    return (struct plan_place){.where = where[d->where],
                               .skew = d->skew,
                               .hot_ops = d->hot_ops,
                               .hot_blocks = d->hot_blocks};
}

static void add_arrival(struct plan_builder *b, const struct io_options *o)
{
    const struct plan_schedule schedule = {
        .arrival = o->arrival == IO_POISSON ? PLAN_ARRIVAL_POISSON : PLAN_ARRIVAL_CONSTANT,
        .rate_per_s = o->rate_per_s};
    struct plan_step arrive = {.kind = PLAN_ARRIVE};
    if (o->rate_per_s <= 0)
        return;
    arrive.schedule = plan_add_schedule(b, &schedule);
    plan_add_step(b, &arrive);
}

/* One of the things that an operation can be, and in how many of ten thousand cases. */
struct choice {
    enum op_kind op;
    const struct io_block *block;
    unsigned share;
};

#define CHOICES_MAX (2 * IO_BLOCKS_MAX)

static unsigned choices_of(const struct io_options *o, struct choice *choice)
{
    const unsigned share[] = {100 - o->read_percent, o->read_percent};
    const enum op_kind op[] = {OP_WRITE, OP_READ};
    unsigned n = 0;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned i = 0; share[k] > 0 && i < o->blocks; i++)
            choice[n++] = (struct choice){op[k], &o->block[i], share[k] * o->block[i].percent};
    return n;
}

static uint16_t line_of(struct plan_builder *b, const struct io_options *o, enum op_kind op,
                        const struct io_block *block)
{
    char name[IO_WORDS_MAX + 16], size[IO_WORDS_MAX];
    if (o->blocks == 1)
        snprintf(name, sizeof name, "%s", op_kind_name(op));
    else
        snprintf(name, sizeof name, "%s %s", op_kind_name(op), io_size_text(size, block->bytes));
    return plan_add_line(b, name, (uint16_t)op, o->rate_per_s > 0);
}

/* In the order of reports: read before write. */
static void add_lines(struct plan_builder *b, const struct io_options *o)
{
    for (unsigned i = 0; o->read_percent > 0 && i < o->blocks; i++)
        line_of(b, o, OP_READ, &o->block[i]);
    for (unsigned i = 0; o->read_percent < 100 && i < o->blocks; i++)
        line_of(b, o, OP_WRITE, &o->block[i]);
}

/* [arrive], then per choice but the last: branch past it; the op; back to the beginning. */
static void add_mix(struct plan_builder *b, const struct io_options *o)
{
    struct choice choice[CHOICES_MAX];
    struct plan_step loop = study_step_loop(0, 0, 0);
    unsigned n = choices_of(o, choice);
    unsigned rest = 0;
    for (unsigned i = 0; i < n; i++)
        rest += choice[i].share;
    add_lines(b, o);
    for (unsigned i = 0; i < n; i++) {
        const struct choice *c = &choice[i];
        struct plan_step op = study_step_op(c->op, line_of(b, o, c->op, c->block), SLOT);
        op.io_bytes = c->block->bytes;
        op.at = place_of(&o->dist);
        if (i + 1 < n) {
            struct plan_step branch = {.kind = PLAN_BRANCH};
            branch.chance = (uint32_t)(((uint64_t)(rest - c->share) << 32) / rest);
            uint32_t at = plan_add_step(b, &branch);
            plan_step_to(b, at, at + 3);
        }
        rest -= c->share;
        plan_add_step(b, &op);
        plan_add_step(b, &loop);
    }
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
    plan_begin_group(b, "io", o->streams, o->clients ? o->clients : 1);
    open_files(b, o, direct);
    add_arrival(b, o);
    add_mix(b, o);
    plan_end_section(b);
    plan_add_step(b, &close);
    plan_end_section(b);
    return plan_freeze(b, &s->caps, out, err);
}
