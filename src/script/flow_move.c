/* Data read, written, appended: how much at a time, and where. */
#include "script/flow_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/param.h>

/* ---- how much ---- */

struct size {
    uint64_t bytes; /* fixed; of a draw the most */
    double mean;
    const struct draw *draw;
    bool direct;
};

static int read_size(struct flow_thread *t, const struct flow_node *n, struct size *size)
{
    *size = (struct size){.direct = flow_slot_direct(t, n->slot)};
    int rc =
        attr_number(n->scope, &n->f->attrs, "iosize", 0, t->remarks, &size->bytes, &size->draw);
    if (rc < 0 || !size->draw)
        return rc;
    size->mean = draw_mean(size->draw);
    return 0;
}

/* No op may be larger than the thread's memory, or than any; a draw seldom is. */
static int check_memory(struct flow_thread *t, const struct flow_node *n, double bytes,
                        uint64_t most)
{
    if (most > PLAN_IO_BYTES_MAX)
        return flow_refuse(t, n, "iosize", "it moves up to %llu bytes at a time: at most %llu",
                           (unsigned long long)most, (unsigned long long)PLAN_IO_BYTES_MAX);
    if (t->memsize == 0)
        return 0;
    if (bytes > (double)t->memsize)
        return flow_refuse(t, n, "iosize",
                           "it moves %.0f bytes at a time, memsize of thread %s is %llu", bytes,
                           t->name, (unsigned long long)t->memsize);
    t->largest = MAX(t->largest, most);
    return 0;
}

static unsigned direct_align(const struct flow_thread *t)
{
    return MAX(FLOW_ALIGN, t->c->o->caps->direct_align_bytes);
}

static int check_direct(struct flow_thread *t, const struct flow_node *n, uint64_t bytes)
{
    unsigned align = direct_align(t);
    if (bytes % align == 0)
        return 0;
    return flow_refuse(t, n, "iosize", "direct I/O of %llu bytes: a multiple of %u is needed",
                       (unsigned long long)bytes, align);
}

static int set_drawn(struct flow_thread *t, const struct flow_node *n, const struct size *size,
                     struct plan_step *op)
{
    double bound = 0;
    op->size = PLAN_SIZE_DRAWN;
    op->draw = flow_draw(t, size->draw, 1, &bound);
    if (!(bound >= 1) || bound > (double)INT64_MAX)
        return flow_refuse(t, n, "iosize", "what it draws is at most %g bytes", bound);
    op->io_bytes = (uint64_t)ceil(bound);
    return check_memory(t, n, size->mean, op->io_bytes);
}

/* For flowops that move a number of bytes, which has to be there. */
static int set_size(struct flow_thread *t, const struct flow_node *n, struct plan_step *op)
{
    struct size size;
    int rc = read_size(t, n, &size);
    if (rc < 0)
        return rc;
    if (size.draw)
        return set_drawn(t, n, &size, op);
    if (size.bytes == 0)
        return flow_refuse(t, n, "iosize", "iosize is 0: how many bytes at a time?");
    op->io_bytes = size.bytes;
    rc = size.direct ? check_direct(t, n, size.bytes) : 0;
    return rc < 0 ? rc : check_memory(t, n, (double)size.bytes, size.bytes);
}

/* For flowops that move a whole file, at once when no number is given; `from` is the slot of the file
 * whose size it is. */
static int set_whole_size(struct flow_thread *t, const struct flow_node *n, uint16_t from,
                          struct plan_step *op)
{
    struct size size;
    uint64_t part = 0;
    int rc = read_size(t, n, &size);
    if (rc == 0)
        rc = attr_count(n->scope, &n->f->attrs, "workingset", 0, t->remarks, &part);
    if (rc < 0)
        return rc;
    op->whole = true;
    if (size.draw || size.bytes > 0)
        return set_size(t, n, op);
    if (part > 0 && op->op == OP_READ) {
        op->io_bytes = part;
        return check_memory(t, n, (double)part, part);
    }
    op->size = PLAN_SIZE_FILE;
    op->io_bytes = flow_slot_largest(t, from);
    if (size.direct)
        op->io_bytes = roundup(op->io_bytes, direct_align(t));
    if (op->io_bytes == 0)
        return flow_refuse(t, n, "iosize", "iosize is 0, and so is the size of the files");
    return check_memory(t, n, (double)op->io_bytes, op->io_bytes);
}

/* ---- where ---- */

static int set_random(struct flow_thread *t, const struct flow_node *n, struct plan_step *op)
{
    uint64_t part = 0;
    int rc = attr_count(n->scope, &n->f->attrs, "workingset", 0, t->remarks, &part);
    if (rc < 0)
        return rc;
    op->at.where = PLAN_AT_UNIFORM;
    op->at.limit_bytes = part;
    if (op->size == PLAN_SIZE_DRAWN)
        return 0;
    if (part > 0 && part < op->io_bytes)
        return flow_refuse(t, n, "workingset",
                           "a working set of %llu bytes is smaller than iosize=%llu",
                           (unsigned long long)part, (unsigned long long)op->io_bytes);
    uint64_t largest = flow_slot_largest(t, n->slot);
    if (part == 0 && largest < op->io_bytes)
        return flow_refuse(
            t, n, "iosize",
            "at random places of files of at most %llu bytes, which is less than iosize=%llu",
            (unsigned long long)largest, (unsigned long long)op->io_bytes);
    return 0;
}

static int set_place(struct flow_thread *t, const struct flow_node *n, bool *random,
                     struct plan_step *op)
{
    int rc = attr_flag(n->scope, &n->f->attrs, "random", false, t->remarks, random);
    if (rc < 0)
        return rc;
    op->at.where = PLAN_AT_POSITION;
    return *random ? set_random(t, n, op) : 0;
}

/* ---- the flowops ---- */

static int emit_some(struct flow_thread *t, struct flow_node *n, uint16_t op_kind)
{
    struct plan_step op = flow_op(n, op_kind, n->slot);
    bool random = false;
    int rc = set_size(t, n, &op);
    if (rc == 0)
        rc = set_place(t, n, &random, &op);
    if (rc == 0)
        rc = flow_ensure_open(t, n);
    if (rc == 0)
        flow_step(t, op);
    return rc;
}

int flow_emit_read(struct flow_thread *t, struct flow_node *n)
{
    return emit_some(t, n, OP_READ);
}

int flow_emit_write(struct flow_thread *t, struct flow_node *n)
{
    return emit_some(t, n, OP_WRITE);
}

int flow_emit_readwholefile(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step op = flow_op(n, OP_READ, n->slot);
    op.to_end = true;
    int rc = set_whole_size(t, n, n->slot, &op);
    if (rc == 0)
        rc = flow_ensure_open(t, n);
    if (rc == 0)
        flow_step(t, op);
    return rc;
}

/* Direct writes end where a sector does: a file of another size could not be written to its end. */
static int check_direct_sizes(struct flow_thread *t, const struct flow_node *n, uint16_t from)
{
    int set = flow_slot_set(t, from);
    const struct grown *grown = set < 0 ? NULL : t->c->script->set[set].grown;
    unsigned align = direct_align(t);
    if (!flow_slot_direct(t, n->slot) || !grown)
        return 0;
    if (!grown_same_size(grown))
        flow_warn(t, n, NULL, "direct I/O: files whose size is no multiple of %u end in an error",
                  align);
    else if (grown_bytes_most(grown) % align != 0)
        return flow_refuse(t, n, NULL,
                           "direct I/O of files of %llu bytes: a multiple of %u is needed",
                           (unsigned long long)grown_bytes_most(grown), align);
    return 0;
}

/* Whose size is written: that of the file in slot srcfd; with srcfd=0 of the one in slot 0 if there is
 * one, else its own. */
static void emit_source(struct flow_thread *t, const struct flow_node *n, uint16_t from,
                        struct plan_step op)
{
    struct plan_step of_source = op;
    of_source.from_slot = true;
    of_source.from = from;
    if (from == n->slot || (from == 0 && !flow_slot_opened(t, 0))) {
        flow_step(t, op);
        return;
    }
    uint32_t there = flow_step(t, (struct plan_step){.kind = PLAN_IF_FILE, .slot = from});
    if (from > 0) {
        flow_fail(t, "flowop %s: NULL src file: fd %u has none", n->name, from);
        flow_land(t, there);
        flow_step(t, of_source);
        return;
    }
    flow_step(t, op);
    uint32_t done = flow_jump(t);
    flow_land(t, there);
    flow_step(t, of_source);
    flow_land(t, done);
}

int flow_emit_writewholefile(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step op = flow_op(n, OP_WRITE, n->slot);
    uint64_t from = 0;
    int rc = attr_count(n->scope, &n->f->attrs, "srcfd", 0, t->remarks, &from);
    if (rc < 0)
        return rc;
    if (from > FLOW_FD_MAX)
        return flow_refuse(t, n, "srcfd", "srcfd=%llu: 0 to %d", (unsigned long long)from,
                           FLOW_FD_MAX);
    if (from > 0 && !flow_slot_opened(t, (uint16_t)from))
        return flow_refuse(t, n, "srcfd", "nothing in this thread opens fd %llu",
                           (unsigned long long)from);
    uint16_t source = from == 0 && !flow_slot_opened(t, 0) ? n->slot : (uint16_t)from;
    op.on = true;
    if (lang_attr_find(&n->f->attrs, "workingset"))
        flow_warn(t, n, "workingset",
                  "the nominal size of the file is written, whatever workingset is");
    rc = set_whole_size(t, n, source, &op);
    if (rc == 0)
        rc = check_direct_sizes(t, n, source);
    if (rc == 0 && source != n->slot)
        rc = check_direct_sizes(t, n, n->slot);
    if (rc == 0)
        rc = flow_ensure_open(t, n);
    if (rc == 0)
        emit_source(t, n, (uint16_t)from, op);
    return rc;
}

int flow_emit_appendfile(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step op = flow_op(n, OP_APPEND, n->slot);
    int rc = set_size(t, n, &op);
    if (rc == 0)
        rc = flow_ensure_open(t, n);
    if (rc == 0)
        flow_step(t, op);
    return rc;
}

/* Evenly from 0 to one less than iosize. */
static int set_below(struct flow_thread *t, const struct flow_node *n, struct plan_step *op)
{
    struct size size;
    int rc = read_size(t, n, &size);
    if (rc < 0)
        return rc;
    if (size.draw) {
        flow_warn(t, n, "iosize", "sizes are drawn below the mean of iosize, %.0f", size.mean);
        size.bytes = (uint64_t)ceil(size.mean);
    }
    if (size.bytes == 0)
        return flow_refuse(t, n, "iosize", "iosize is 0: how many bytes at the most?");
    op->io_bytes = size.bytes;
    op->size = PLAN_SIZE_BELOW;
    return check_memory(t, n, (double)size.bytes, size.bytes);
}

int flow_emit_appendfilerand(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step op = flow_op(n, OP_APPEND, n->slot);
    int rc = set_below(t, n, &op);
    if (rc == 0)
        rc = flow_ensure_open(t, n);
    if (rc == 0)
        flow_step(t, op);
    return rc;
}

int flow_emit_aiowrite(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step op = flow_op(n, OP_WRITE, n->slot);
    char done[PLAN_NAME_MAX];
    bool random = false;
    int rc = set_size(t, n, &op);
    if (rc == 0)
        rc = set_place(t, n, &random, &op);
    if (rc == 0 && !random)
        rc = flow_refuse(t, n, NULL, "it writes at random places only: `random` is needed");
    if (rc == 0)
        rc = flow_ensure_open(t, n);
    if (rc < 0)
        return rc;
    snprintf(done, sizeof done, "%s.done", n->name);
    op.detached = true;
    t->largest_detached = MAX(t->largest_detached, op.io_bytes);
    op.done_line = flow_line(t, n->f->at, done, FLOWOP_DONE, OP_WRITE);
    flow_step(t, op);
    return 0;
}

int flow_emit_aiowait(struct flow_thread *t, struct flow_node *n)
{
    struct plan_step join = flow_other(n, PLAN_JOIN);
    join.value = 50;
    flow_step(t, join);
    return 0;
}
