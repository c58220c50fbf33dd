/* The plans of `limits`: a point of a curve, a pass over a working set, a pass over names. */
#include "study/limits_study_priv.h"

#include <errno.h>
#include <sys/param.h>

#define TOUCHED_LEAST_BYTES 4096
#define SLOT                0
#define PASS_BYTES          ((uint64_t)1 << 20)
#define FILL_STREAMS        64u
#define NAMES_FLAT_SIZE     0

struct fileset_spec limits_spec(const struct limits_site *site, const struct limits_set *set)
{
    struct fileset_spec spec = site->spec;
    spec.files = set->files;
    spec.size_bytes = set->bytes / set->files;
    return spec;
}

/* How this machine's cache is kept out of it, or in. */
static enum plan_cache cache_of(const struct limits_job *job)
{
    enum plan_cache settled = job->site->settled;
    bool none = settled == PLAN_CACHE_NONE || settled == PLAN_CACHE_RAM;
    if (none || (!job->site->where.local && !job->site->mount))
        return settled;
    if (job->set.direct || job->site->mount)
        return PLAN_CACHE_DIRECT;
    return PLAN_CACHE_KEEP;
}

bool limits_is_direct(const struct limits_job *job)
{
    return job->set.direct || (job->site->mount && job->row->place != LIMITS_NAMES);
}

void limits_instrument(const struct limits_job *job)
{
    struct plan_instrument *instrument = &job->site->s.instrument;
    instrument->direct = limits_is_direct(job);
    instrument->cache = job->row->place == LIMITS_NAMES ? job->site->settled : cache_of(job);
}

static struct plan_builder *begin(const struct limits_site *site, const struct fileset_spec *spec,
                                  uint64_t seed, struct err *err)
{
    struct plan_builder *b = plan_new(seed);
    if (!b) {
        err_set(err, -ENOMEM, "no memory for a plan");
        return NULL;
    }
    plan_instrument(b, &site->s.instrument);
    plan_add_set(b, spec);
    return b;
}

/* All files before the gate: those of the stream, or of a device its only one, which all share. */
static void open_files(struct plan_builder *b, const struct limits_job *job)
{
    bool shared = job->site->s.caps.one_file || job->site->shared;
    struct plan_step pick =
        study_step_pick(PLAN_UNIT_ALL, shared ? PLAN_ORDER_OWN : PLAN_ORDER_STRIDE, SLOT);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, SLOT);
    open.op_flags = limits_is_direct(job) ? OP_FLAG_DIRECT : 0;
    open.op_flags |= job->row->op == OP_READ ? OP_FLAG_READ : 0;
    open.op_flags |= job->row->synchronous ? OP_FLAG_DSYNC : 0;
    open.op_flags |= job->row->sequential ? 0 : OP_FLAG_RANDOM;
    plan_add_step(b, &pick);
    uint32_t last = plan_add_step(b, &open);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
}

/* Each point draws its own places: those of the one before are in caches now. */
static struct plan_builder *begin_point(const struct limits_job *job, struct err *err)
{
    const struct fileset_spec spec = limits_spec(job->site, &job->set);
    return begin(job->site, &spec, job->site->s.common->seed + job->site->plans++, err);
}

static void add_op(struct plan_builder *b, const struct limits_job *job, uint64_t io_bytes)
{
    uint16_t line = plan_add_line(b, op_kind_name(job->row->op), (uint16_t)job->row->op, false);
    struct plan_step op = study_step_op(job->row->op, line, SLOT);
    op.io_bytes = io_bytes;
    op.at.where = job->row->sequential ? PLAN_AT_NEXT : PLAN_AT_UNIFORM;
    plan_add_step(b, &op);
}

static void end_point(struct plan_builder *b, uint32_t count)
{
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, SLOT);
    struct plan_step loop = study_step_loop(0, count, 0);
    plan_add_step(b, &loop);
    plan_end_section(b);
    plan_add_step(b, &close);
    plan_end_section(b);
}

int limits_plan_fill(const struct limits_job *job, uint64_t io_bytes, uint64_t bytes,
                     struct plan **out, struct err *err)
{
    bool shared = job->site->shared || job->site->s.caps.one_file;
    uint32_t streams = shared ? FILL_STREAMS : MIN(FILL_STREAMS, job->set.files);
    uint64_t count = MIN(bytes / (io_bytes * streams) + 1, UINT32_MAX - 1);
    struct plan_builder *b = begin_point(job, err);
    if (!b)
        return -ENOMEM;
    plan_begin_group(b, "fill", streams, 1);
    open_files(b, job);
    add_op(b, job, io_bytes);
    end_point(b, (uint32_t)count);
    return plan_freeze(b, &job->site->s.caps, out, err);
}

/* Of one byte the page around it; else what an op comes to, or so. */
static uint64_t touched_block(uint64_t io_bytes)
{
    uint64_t block = TOUCHED_LEAST_BYTES;
    while (block < io_bytes)
        block *= 2;
    return block;
}

int limits_plan_point(const struct limits_job *job, const struct limits_load *load,
                      struct plan **out, struct err *err)
{
    struct plan_builder *b = begin_point(job, err);
    if (!b)
        return -ENOMEM;
    plan_window(b, &load->window);
    plan_touched(b, touched_block(load->io_bytes));
    plan_begin_group(b, "limits", load->streams, load->clients);
    open_files(b, job);
    add_op(b, job, load->io_bytes);
    end_point(b, 0);
    return plan_freeze(b, &job->site->s.caps, out, err);
}

int limits_plan_pass(const struct limits_job *job, enum op_kind op, struct plan **out,
                     struct err *err)
{
    const struct limits_site *site = job->site;
    const struct fileset_spec spec = limits_spec(site, &job->set);
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_OWN, SLOT);
    struct plan_step open = study_step_op(OP_OPEN, PLAN_NO_LINE, SLOT);
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, SLOT);
    struct plan_step loop = study_step_loop(0, 0, 0);
    struct plan_builder *b = begin(site, &spec, site->s.common->seed, err);
    if (!b)
        return -ENOMEM;

    struct plan_step move =
        study_step_op(op, plan_add_line(b, op_kind_name(op), (uint16_t)op, false), SLOT);
    move.whole = true;
    move.io_bytes = MIN(PASS_BYTES, spec.size_bytes);
    open.op_flags =
        (limits_is_direct(job) ? OP_FLAG_DIRECT : 0u) | (op == OP_READ ? OP_FLAG_READ : 0u);
    plan_begin_group(b, "pass", MIN(spec.files, LIMITS_FILE_STREAMS), 1);
    plan_end_section(b);
    plan_add_step(b, &pick);
    plan_add_step(b, &open);
    plan_add_step(b, &move);
    plan_add_step(b, &close);
    uint32_t last = plan_add_step(b, &loop);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
    plan_end_section(b);
    return plan_freeze(b, &site->s.caps, out, err);
}

/* Pick, op, and of a file that was made its end; round and round until the share is done. */
static void add_round(struct plan_builder *b, enum op_kind op, uint16_t line, uint16_t slot)
{
    struct plan_step pick = study_step_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, slot);
    struct plan_step act = study_step_op(op, line, slot);
    struct plan_step close = study_step_op(OP_CLOSE, PLAN_NO_LINE, slot);
    uint32_t first = plan_add_step(b, &pick);
    struct plan_step loop = study_step_loop(first, 0, 0);
    plan_add_step(b, &act);
    if (op == OP_CREATE)
        plan_add_step(b, &close);
    uint32_t last = plan_add_step(b, &loop);
    plan_step_to(b, first, last + 1);
}

int limits_plan_names(const struct limits_site *site, enum op_kind op, uint32_t files,
                      const struct limits_load *load, struct plan **out, struct err *err)
{
    struct fileset_spec spec = site->spec;
    spec.files = files;
    spec.size_bytes = NAMES_FLAT_SIZE;
    struct plan_builder *b = begin(site, &spec, site->s.common->seed, err);
    if (!b)
        return -ENOMEM;
    plan_begin_group(b, "names", load->streams, load->clients);
    plan_end_section(b);
    uint16_t line = plan_add_line(b, op_kind_name(op), (uint16_t)op, false);
    for (uint16_t slot = 0; slot < (op == OP_STAT ? LIMITS_STAT_ROUNDS : 1); slot++)
        add_round(b, op, line, slot);
    plan_end_section(b);
    plan_end_section(b);
    return plan_freeze(b, &site->s.caps, out, err);
}
