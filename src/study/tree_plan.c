#include "study/tree_priv.h"

#include <errno.h>

#define INTERVAL_NS 250000000u
/* A slot counts what was picked into it, so what is counted apart has a slot of its own. */
#define DIR_SLOT  0
#define FILE_SLOT 1
#define ROOT_SLOT 2
/* What the C library asks for at a time. */
#define LIST_BYTES 32768u

struct fileset_spec tree_spec(const struct tree_side *t, const struct tree_name *name)
{
    struct fileset_spec spec = t->s.shape.spec;
    spec.size_bytes = name->length_bytes;
    spec.content_key = study_content_key(name->length_bytes, name->repeat, name->tree);
    return spec;
}

static struct plan_builder *begin(const struct tree_side *t, const struct fileset_spec *spec,
                                  bool direct)
{
    const struct plan_window window = {.interval_ns = INTERVAL_NS};
    struct plan_instrument instrument = t->s.instrument;
    struct plan_builder *b = plan_new(t->s.shape.seed);

    if (!b)
        return NULL;
    instrument.direct = direct;
    plan_instrument(b, &instrument);
    plan_window(b, &window);
    plan_add_set(b, spec);
    return b;
}

static uint64_t piece_bytes(const struct tree_side *t, const struct fileset_spec *spec)
{
    return spec->size_bytes < t->options.chunk_bytes ? spec->size_bytes : t->options.chunk_bytes;
}

/* The threads' own roots: made before the gate opens, not counted. */
static void make_roots(struct plan_builder *b)
{
    struct plan_step pick = study_step_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, ROOT_SLOT);
    struct plan_step make = study_step_op(OP_MKDIR, PLAN_NO_LINE, ROOT_SLOT);

    plan_add_step(b, &pick);
    uint32_t last = plan_add_step(b, &make);
    plan_step_to(b, 0, last + 1);
    plan_end_section(b);
}

static uint32_t add_op(struct plan_builder *b, enum op_kind op, uint16_t slot)
{
    uint16_t line = plan_add_line(b, op_kind_name(op), (uint16_t)op, false);
    struct plan_step step = study_step_op(op, line, slot);
    return plan_add_step(b, &step);
}

static uint32_t add_pick(struct plan_builder *b, enum plan_unit unit, uint16_t slot)
{
    struct plan_step step = study_step_pick(unit, PLAN_ORDER_OWN, slot);
    return plan_add_step(b, &step);
}

static void add_whole(struct plan_builder *b, enum op_kind op, uint64_t io_bytes, bool verify)
{
    uint16_t line = plan_add_line(b, op_kind_name(op), (uint16_t)op, false);
    struct plan_step step = study_step_op(op, line, FILE_SLOT);

    step.whole = true;
    step.io_bytes = io_bytes;
    step.verify = verify;
    plan_add_step(b, &step);
}

/* From picking a file on: the same again for each file of the directory, then the next directory;
 * the section ends when there is no directory left. */
static void close_loops(struct plan_builder *b, uint32_t pick_dir, uint32_t pick_file,
                        uint32_t files)
{
    struct plan_step next_file = study_step_loop(pick_file, files, 0);
    struct plan_step next_dir = study_step_loop(pick_dir, 0, 1);

    plan_add_step(b, &next_file);
    uint32_t last = plan_add_step(b, &next_dir);
    plan_step_to(b, pick_dir, last + 1);
    plan_step_to(b, pick_file, last + 1);
    plan_end_section(b);
}

int tree_plan_write(const struct tree_side *t, const struct fileset_spec *spec, struct plan **out,
                    struct err *err)
{
    struct plan_builder *b = begin(t, spec, false);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    plan_begin_group(b, "write", spec->trees, 1);
    make_roots(b);
    uint32_t pick_dir = add_pick(b, PLAN_UNIT_DIR, DIR_SLOT);
    add_op(b, OP_MKDIR, DIR_SLOT);
    add_op(b, OP_LOOKUP, DIR_SLOT);
    uint32_t pick_file = add_pick(b, PLAN_UNIT_FILE, FILE_SLOT);
    add_op(b, OP_CREATE, FILE_SLOT);
    add_whole(b, OP_WRITE, piece_bytes(t, spec), false);
    if (t->options.fsync == STUDY_FSYNC_FILE)
        add_op(b, OP_FSYNC, FILE_SLOT);
    add_op(b, OP_CLOSE, FILE_SLOT);
    close_loops(b, pick_dir, pick_file, spec->files);
    plan_end_section(b);
    if (t->options.fsync == STUDY_FSYNC_END)
        plan_sync_at_end(b, plan_add_line(b, "sync", OP_SYNCFS, false));
    return plan_freeze(b, &t->s.caps, out, err);
}

int tree_plan_roots(const struct tree_side *t, const struct fileset_spec *spec, struct plan **out,
                    struct err *err)
{
    struct plan_builder *b = begin(t, spec, false);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    plan_begin_group(b, "look", spec->trees, 1);
    plan_end_section(b);
    uint32_t pick_root = add_pick(b, PLAN_UNIT_ROOT, ROOT_SLOT);
    uint32_t last = add_op(b, OP_LOOKUP, ROOT_SLOT);
    plan_step_to(b, pick_root, last + 1);
    plan_end_section(b);
    plan_end_section(b);
    return plan_freeze(b, &t->s.caps, out, err);
}

static void add_open(struct plan_builder *b, bool direct)
{
    uint16_t line = plan_add_line(b, op_kind_name(OP_OPEN), OP_OPEN, false);
    struct plan_step step = study_step_op(OP_OPEN, line, FILE_SLOT);

    step.op_flags = OP_FLAG_READ | (direct ? OP_FLAG_DIRECT : 0u);
    plan_add_step(b, &step);
}

/* The files of the trees by their numbers: every name is known beforehand. */
static void read_by_name(struct plan_builder *b, const struct tree_side *t,
                         const struct fileset_spec *spec, uint64_t io_bytes, bool direct)
{
    uint32_t pick_dir = add_pick(b, PLAN_UNIT_DIR, DIR_SLOT);
    add_op(b, OP_LOOKUP, DIR_SLOT);
    uint32_t pick_file = add_pick(b, PLAN_UNIT_FILE, FILE_SLOT);
    add_open(b, direct);
    add_whole(b, OP_READ, io_bytes, t->options.verify);
    add_op(b, OP_CLOSE, FILE_SLOT);
    close_loops(b, pick_dir, pick_file, spec->files);
}

static uint32_t add_listed(struct plan_builder *b, enum plan_unit unit, uint16_t slot)
{
    struct plan_step step = study_step_pick(unit, PLAN_ORDER_LISTED, slot);
    return plan_add_step(b, &step);
}

static void add_listing(struct plan_builder *b)
{
    uint16_t line = plan_add_line(b, op_kind_name(OP_READDIR), OP_READDIR, false);
    struct plan_step step = study_step_op(OP_READDIR, line, DIR_SLOT);

    step.io_bytes = LIST_BYTES;
    plan_add_step(b, &step);
}

/* Each directory is listed whole; then its entries in the order listed, a directory with all below it
 * where it stands. */
static void read_as_listed(struct plan_builder *b, const struct tree_side *t, uint64_t io_bytes,
                           bool direct)
{
    uint32_t pick_root = add_pick(b, PLAN_UNIT_ROOT, DIR_SLOT);
    uint32_t look = add_op(b, OP_LOOKUP, DIR_SLOT);
    add_listing(b);
    uint32_t pick_dir = add_listed(b, PLAN_UNIT_DIR, DIR_SLOT);
    const struct plan_step down = study_step_loop(look, 0, 0);
    plan_add_step(b, &down);
    uint32_t pick_file = add_listed(b, PLAN_UNIT_FILE, FILE_SLOT);
    add_open(b, direct);
    add_whole(b, OP_READ, io_bytes, t->options.verify);
    add_op(b, OP_CLOSE, FILE_SLOT);
    const struct plan_step on = study_step_loop(pick_dir, 0, 0);
    uint32_t last = plan_add_step(b, &on);
    plan_step_to(b, pick_dir, pick_file);
    plan_step_to(b, pick_file, pick_root);
    plan_step_to(b, pick_root, last + 1);
    plan_end_section(b);
}

int tree_plan_read(const struct tree_side *t, const struct fileset_spec *spec, struct plan **out,
                   struct err *err)
{
    bool direct = t->s.instrument.cache == PLAN_CACHE_DIRECT;
    uint64_t io_bytes = piece_bytes(t, spec);
    struct plan_builder *b = begin(t, spec, direct);
    if (!b)
        return err_set(err, -ENOMEM, "no memory for a plan");

    if (direct)
        io_bytes = study_round_up(io_bytes, STUDY_DIRECT_BYTES);
    plan_begin_group(b, "read", spec->trees, 1);
    plan_end_section(b);
    if (t->options.walk)
        read_as_listed(b, t, io_bytes, direct);
    else
        read_by_name(b, t, spec, io_bytes, direct);
    plan_end_section(b);
    return plan_freeze(b, &t->s.caps, out, err);
}
