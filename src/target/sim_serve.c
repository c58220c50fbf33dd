/* What a request does to names and files, at once and where it reaches the server: what it takes is sim_route.c's. */
#include "target/sim_cache_priv.h"
#include "target/sim_session_priv.h"

#include <errno.h>

/* ---- data ---- */

/* Of a system behind links the client keeps nothing, so that there is nothing to pass by. */
static bool is_direct(const struct sim_op *o)
{
    return (o->file->flags & OP_FLAG_DIRECT) != 0 && sim_is_local(&o->system->profile);
}

static int64_t serve_read(struct sim_op *o)
{
    struct sim_system *s = o->system;
    struct sim_file *f = o->file;
    const struct op *op = o->op;
    int64_t n = sim_names_read(s->names, f->thing, op->buf, op->off, op->len);

    if (n <= 0)
        return n;
    o->found = (struct sim_found){.file = f->thing,
                                  .off = op->off,
                                  .len = (uint64_t)n,
                                  .sequential = op->off == f->read_end,
                                  .direct = is_direct(o)};
    f->read_end = op->off + (uint64_t)n;
    sim_store_look(s->store, &o->found);
    o->served = o->found.slowest == SIM_TIER_DRAM    ? SIM_SERVED_DRAM
                : o->found.slowest == SIM_TIER_FLASH ? SIM_SERVED_FLASH
                                                     : SIM_SERVED_DISK;
    return n;
}

static int check_room(const struct sim_system *s, uint32_t file, uint64_t size)
{
    uint64_t now_bytes = sim_names_size(s->names, file);
    uint64_t all_bytes = sim_names_bytes(s->names);

    if (size > sim_file_bytes_max(s->profile.extent_bytes))
        return -EFBIG;
    return size <= now_bytes || all_bytes + (size - now_bytes) <= s->profile.disks.capacity_bytes
               ? 0
               : -ENOSPC;
}

static int64_t serve_write(struct sim_op *o)
{
    struct sim_system *s = o->system;
    const struct op *op = o->op;
    uint32_t thing = o->file->thing;
    uint64_t off = op->kind == OP_APPEND ? sim_names_size(s->names, thing) : op->off;
    bool is_sync = (o->file->flags & (OP_FLAG_DSYNC | OP_FLAG_SYNC)) != 0 || is_direct(o);

    int rc = op->len > INT64_MAX - off ? -EFBIG : check_room(s, thing, off + op->len);
    if (rc < 0)
        return rc;
    o->served = is_sync ? SIM_SERVED_SYNC : SIM_SERVED_WRITE;
    o->waiter.file = thing;
    o->waiter.off = off;
    o->waiter.len = op->len;
    return sim_names_write(s->names, thing, op->buf, off, op->len);
}

static int64_t serve_resize(struct sim_op *o)
{
    struct sim_system *s = o->system;
    const struct op *op = o->op;
    uint32_t thing = o->file->thing;
    uint64_t size = sim_names_size(s->names, thing);
    uint64_t to = op->kind == OP_TRUNCATE ? op->len : op->off + op->len;

    if (op->kind == OP_FALLOCATE && (op->len == 0 || to < op->off))
        return -EINVAL;
    if (op->kind == OP_FALLOCATE && to <= size)
        return 0;
    int rc = check_room(s, thing, to);
    if (rc < 0)
        return rc;
    sim_names_resize(s->names, thing, to);
    if (to < size)
        sim_store_cut(s->store, thing, to);
    return 0;
}

/* ---- names ---- */

static void cut_gone(struct sim_system *s, uint32_t gone)
{
    if (gone > 0)
        sim_store_cut(s->store, gone - 1, 0);
}

static int64_t open_thing(struct sim_op *o, int64_t thing)
{
    struct sim_names *names = o->system->names;
    struct target_stat st;
    int rc = thing < 0 ? (int)thing : sim_names_stat(names, (uint32_t)thing, &st);

    if (rc < 0)
        return rc;
    if (st.type == TARGET_TYPE_DIR)
        return -EISDIR;
    sim_names_hold(names, (uint32_t)thing);
    o->file->thing = (uint32_t)thing;
    o->file->is_held = true;
    o->file->read_end = UINT64_MAX; /* the first read has none before it */
    return 0;
}

static int64_t serve_open(struct sim_op *o, uint32_t dir)
{
    struct sim_names *names = o->system->names;
    const struct op *op = o->op;
    int64_t thing;

    if (op->kind == OP_OPEN)
        return open_thing(o, sim_names_look(names, dir, op->leaf));
    thing = sim_names_make(names, dir, op->leaf, TARGET_TYPE_FILE);
    if (thing == -EEXIST && (op->flags & OP_FLAG_MAY_EXIST) != 0)
        thing = sim_names_look(names, dir, op->leaf);
    return open_thing(o, thing);
}

static int64_t serve_stat(const struct sim_op *o, int64_t thing)
{
    struct target_stat st;
    int rc = thing < 0 ? (int)thing : sim_names_stat(o->system->names, (uint32_t)thing, &st);

    if (rc == 0 && o->op->buf != NULL)
        *(struct target_stat *)o->op->buf = st;
    return rc;
}

static int64_t serve_rename(struct sim_system *s, uint32_t dir, const struct op *op)
{
    uint32_t gone = 0;
    int rc;

    rc = sim_names_rename(s->names, dir, op->leaf, op->buf, &gone);
    s->dirs_changed++;
    cut_gone(s, gone);
    return rc;
}

static int64_t serve_unlink(struct sim_system *s, uint32_t dir, const struct op *op)
{
    uint32_t gone = 0;
    int rc = sim_names_unlink(s->names, dir, op->leaf, &gone);

    cut_gone(s, gone);
    return rc;
}

/* Of a name in a directory. */
static int64_t serve_named(struct sim_op *o)
{
    const struct op *op = o->op;
    int64_t dir;

    if (!sim_leaf_is_name(op->leaf) || (op->kind == OP_RENAME && !sim_leaf_is_name(op->buf)))
        return -EINVAL;
    dir = sim_node_thing(o->session, op->node);
    if (dir < 0)
        return dir;
    switch (op->kind) {
    case OP_STAT:
        return serve_stat(o, sim_names_look(o->system->names, (uint32_t)dir, op->leaf));
    case OP_UNLINK:
        return serve_unlink(o->system, (uint32_t)dir, op);
    case OP_RENAME:
        return serve_rename(o->system, (uint32_t)dir, op);
    default:
        return serve_open(o, (uint32_t)dir);
    }
}

static int64_t serve_dir_change(struct sim_op *o)
{
    struct sim_system *s = o->system;
    char leaf[TARGET_LEAF_MAX];
    uint64_t parent;
    int64_t dir;

    if (o->op->node == TARGET_NODE_ROOT)
        return o->op->kind == OP_MKDIR ? -EEXIST : -EBUSY;
    if (sim_node_leaf(o->session, o->op->node, &parent, leaf) < 0)
        return -EINVAL;
    dir = sim_node_thing(o->session, parent);
    if (dir < 0)
        return dir;
    if (o->op->kind == OP_RMDIR) {
        s->dirs_changed++;
        return sim_names_rmdir(s->names, (uint32_t)dir, leaf);
    }
    dir = sim_names_make(s->names, (uint32_t)dir, leaf, TARGET_TYPE_DIR);
    return dir < 0 ? dir : 0;
}

/* Of the directory itself. */
static int64_t serve_node(struct sim_op *o)
{
    const struct op *op = o->op;
    int64_t dir = sim_node_thing(o->session, op->node);

    if (op->kind == OP_STAT)
        return serve_stat(o, dir);
    if (dir < 0 || op->kind != OP_READDIR)
        return dir < 0 ? dir : 0;
    return sim_names_list(o->system->names, (uint32_t)dir, op->off, op->buf, op->len);
}

static int64_t serve(struct sim_op *o)
{
    const struct op *op = o->op;

    switch (op->kind) {
    case OP_READ:
        return serve_read(o);
    case OP_WRITE:
    case OP_APPEND:
        return serve_write(o);
    case OP_FSYNC:
        o->waiter.file = o->file->thing;
        return 0;
    case OP_TRUNCATE:
    case OP_FALLOCATE:
        return serve_resize(o);
    case OP_EVICT:
        sim_store_evict(o->system->store, o->file->thing);
        return 0;
    case OP_STAT:
        if ((op->flags & OP_FLAG_HANDLE) != 0)
            return serve_stat(o, o->file->thing);
        return op->leaf != NULL ? serve_named(o) : serve_node(o);
    case OP_OPEN:
    case OP_CREATE:
    case OP_UNLINK:
    case OP_RENAME:
        return serve_named(o);
    case OP_MKDIR:
    case OP_RMDIR:
        return serve_dir_change(o);
    case OP_LOOKUP:
    case OP_READDIR:
        return serve_node(o);
    default: /* NOP, CLOSE, SYNCFS: nothing here */
        return 0;
    }
}

void sim_serve(struct sim_op *o)
{
    bool stable = o->op->kind == OP_FSYNC || o->op->kind == OP_SYNCFS;

    o->served = stable ? SIM_SERVED_SYNC : SIM_SERVED_NAME;
    o->res = serve(o);
}
