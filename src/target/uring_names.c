/* Ops by name. The directory that one names is held open until it has completed. */
#include "target/uring_op_priv.h"

#include <fcntl.h>
#include <sys/param.h>
#include <sys/sysmacros.h>

#define FILE_MODE 0644u
#define DIR_MODE  0755u

struct uring_note *uring_note_take(struct uring_session *s)
{
    struct uring_note *note = s->free_note;

    if (note != NULL)
        s->free_note = note->next;
    return note;
}

void uring_note_give(struct uring_session *s, struct uring_note *note)
{
    note->next = s->free_note;
    s->free_note = note;
}

/* ---- by name ---- */

/* Holds the directory of a NAMED op, or of a node its parent with the name in `leaf`. 0, or how the op has
 * ended. */
static bool hold_dir(struct uring_session *s, struct op *op, char *leaf, int *dir,
                     enum uring_taken *how)
{
    uint32_t hold = URING_NO_HOLD;

    if (leaf != NULL)
        *dir = posix_dirs_hold_parent(&s->seat.dirs, op->node, leaf, &hold);
    else
        *dir = posix_is_name(op->leaf) ? posix_dirs_hold(&s->seat.dirs, op->node, &hold) : -EINVAL;
    if (*dir >= 0) {
        op->scratch[0] = hold;
        return true;
    }
    *how = *dir == -EAGAIN && s->held > 0 ? URING_AGAIN : uring_ready(op, *dir);
    return false;
}

static enum uring_taken open_file(struct uring_session *s, struct op *op, int more)
{
    int flags = posix_open_flags(op);
    enum uring_taken how;
    struct io_uring_sqe *sqe;
    int dir;

    if (flags < 0 && posix_is_name(op->leaf))
        return uring_ready(op, flags);
    if (s->files.registered && s->files.free_n == 0)
        return uring_ready(op, -EMFILE);
    if (!hold_dir(s, op, NULL, &dir, &how))
        return how;
    sqe = uring_next_for(s, op, IORING_OP_OPENAT);
    sqe->fd = dir;
    sqe->addr = (uintptr_t)op->leaf;
    sqe->len = FILE_MODE;
    sqe->open_flags = (uint32_t)(flags | more);
    op->scratch[1] = URING_NOT_A_FILE;
    if (s->files.registered) { /* no descriptor that a program started from here could have */
        op->scratch[1] = s->files.free[--s->files.free_n];
        sqe->open_flags &= ~(uint32_t)O_CLOEXEC;
        sqe->file_index = uring_place_of(op) + 1;
    }
    return URING_IN_RING;
}

static enum uring_taken unlink_file(struct uring_session *s, struct op *op)
{
    enum uring_taken how;
    struct io_uring_sqe *sqe;
    int dir;

    if (!hold_dir(s, op, NULL, &dir, &how))
        return how;
    sqe = uring_next_for(s, op, IORING_OP_UNLINKAT);
    sqe->fd = dir;
    sqe->addr = (uintptr_t)op->leaf;
    return URING_IN_RING;
}

static enum uring_taken rename_file(struct uring_session *s, struct op *op)
{
    enum uring_taken how;
    struct io_uring_sqe *sqe;
    int dir;

    if (!posix_is_name(op->buf))
        return uring_ready(op, -EINVAL);
    if (!hold_dir(s, op, NULL, &dir, &how))
        return how;
    sqe = uring_next_for(s, op, IORING_OP_RENAMEAT);
    sqe->fd = dir;
    sqe->addr = (uintptr_t)op->leaf;
    sqe->len = (uint32_t)dir;
    sqe->addr2 = (uintptr_t)op->buf;
    return URING_IN_RING;
}

/* MKDIR, RMDIR: a node by its name in its parent. */
static enum uring_taken on_parent(struct uring_session *s, struct op *op, unsigned opcode)
{
    struct uring_note *note = uring_note_take(s);
    enum uring_taken how;
    struct io_uring_sqe *sqe;
    int dir;

    if (note == NULL)
        return URING_AGAIN;
    if (!hold_dir(s, op, note->leaf, &dir, &how)) {
        uring_note_give(s, note);
        return how;
    }
    op->scratch[1] = (uintptr_t)note;
    sqe = uring_next_for(s, op, opcode);
    sqe->fd = dir;
    sqe->addr = (uintptr_t)note->leaf;
    if (opcode == IORING_OP_MKDIRAT)
        sqe->len = DIR_MODE;
    else
        sqe->unlink_flags = AT_REMOVEDIR;
    return URING_IN_RING;
}

/* What is there now, of whatever type: also a node by its name and not by the descriptor kept. */
static enum uring_taken stat_name(struct uring_session *s, struct op *op)
{
    struct uring_note *note = uring_note_take(s);
    enum uring_taken how;
    struct io_uring_sqe *sqe;
    const char *leaf = op->leaf;
    int dir = s->seat.root_fd;

    if (note == NULL)
        return URING_AGAIN;
    op->scratch[0] = URING_NO_HOLD;
    if (leaf != NULL || op->node != TARGET_NODE_ROOT) {
        if (!hold_dir(s, op, leaf == NULL ? note->leaf : NULL, &dir, &how)) {
            uring_note_give(s, note);
            return how;
        }
        leaf = leaf != NULL ? leaf : note->leaf;
    }
    op->scratch[1] = (uintptr_t)note;
    sqe = uring_next_for(s, op, IORING_OP_STATX);
    sqe->fd = dir;
    sqe->addr = (uintptr_t)(leaf != NULL ? leaf : "");
    sqe->statx_flags = leaf != NULL ? AT_SYMLINK_NOFOLLOW : AT_EMPTY_PATH;
    sqe->len = STATX_BASIC_STATS;
    sqe->off = (uintptr_t)&note->statx;
    return URING_IN_RING;
}

static enum uring_taken look_up(struct uring_session *s, struct op *op)
{
    uint32_t hold;
    int fd = posix_dirs_hold(&s->seat.dirs, op->node, &hold);

    if (fd == -EAGAIN && s->held > 0)
        return URING_AGAIN;
    if (fd >= 0)
        posix_dirs_release(&s->seat.dirs, hold);
    return uring_ready(op, fd < 0 ? fd : 0);
}

enum uring_taken uring_take_named(struct uring_session *s, struct op *op)
{
    switch (op->kind) {
    case OP_OPEN:
        return open_file(s, op, 0);
    case OP_CREATE:
        return open_file(s, op, O_CREAT | (op->flags & OP_FLAG_MAY_EXIST ? 0 : O_EXCL));
    case OP_LOOKUP:
        return look_up(s, op);
    case OP_STAT:
        return op->flags & OP_FLAG_HANDLE ? uring_ask(s, op) : stat_name(s, op);
    case OP_UNLINK:
        return unlink_file(s, op);
    case OP_RENAME:
        return rename_file(s, op);
    case OP_MKDIR:
        return op->node == TARGET_NODE_ROOT ? uring_ready(op, -EEXIST)
                                            : on_parent(s, op, IORING_OP_MKDIRAT);
    case OP_RMDIR:
        return op->node == TARGET_NODE_ROOT ? uring_ready(op, -EBUSY)
                                            : on_parent(s, op, IORING_OP_UNLINKAT);
    case OP_READDIR:
    case OP_SYNCFS:
        return uring_late_take(s, op);
    default:
        return uring_ready(op, -EOPNOTSUPP);
    }
}

/* ---- answers ---- */

/* Open; then what its flags ask for is told to the kernel, and undone with an error where that fails. */
static bool opened(struct uring_session *s, struct op *op, int32_t res)
{
    switch (uring_step_of(op)) {
    case URING_STEP_ONLY:
        op->res = MIN(res, 0);
        posix_dirs_release(&s->seat.dirs, uring_hold_of(op));
        if (res < 0 && s->files.registered)
            uring_give_place(s, uring_place_of(op));
        if (res < 0)
            return true;
        op->handle = s->files.registered ? uring_place_of(op) : (uint64_t)res;
        if ((op->flags & OP_FLAG_RANDOM) == 0)
            return true;
        uring_set_step(op, URING_STEP_ADVISE);
        uring_advise(s, op, POSIX_FADV_RANDOM);
        return false;
    case URING_STEP_ADVISE:
        op->res = res;
        if (res == 0)
            return true;
        uring_set_step(op, URING_STEP_UNDO);
        uring_submit_close(s, op);
        return false;
    default:
        uring_give_place(s, (uint32_t)op->handle);
        return true;
    }
}

static void fill_stat(struct target_stat *out, const struct statx *from)
{
    if (out != NULL)
        *out = (struct target_stat){.type = posix_type_of(from->stx_mode),
                                    .size_bytes = from->stx_size,
                                    .stored_bytes = from->stx_blocks * 512,
                                    .device = makedev(from->stx_dev_major, from->stx_dev_minor)};
}

static void statted(struct uring_session *s, struct op *op, int32_t res)
{
    op->res = res;
    if (res == 0)
        fill_stat(op->buf, &uring_note_of(op)->statx);
    uring_note_give(s, uring_note_of(op));
    posix_dirs_release(&s->seat.dirs, uring_hold_of(op));
}

/* Another session may have removed the one that this session has open. */
static void parent_done(struct uring_session *s, struct op *op, int32_t res)
{
    op->res = res;
    uring_note_give(s, uring_note_of(op));
    posix_dirs_release(&s->seat.dirs, uring_hold_of(op));
    if (res != 0)
        return;
    posix_dirs_forget(&s->seat.dirs, op->node);
    if (op->kind == OP_RMDIR)
        uring_late_forget(s, op->node);
}

bool uring_answer_named(struct uring_session *s, struct op *op, int32_t res)
{
    switch (op->kind) {
    case OP_OPEN:
    case OP_CREATE:
        return opened(s, op, res);
    case OP_STAT:
        statted(s, op, res);
        return true;
    case OP_MKDIR:
    case OP_RMDIR:
        parent_done(s, op, res);
        return true;
    default:
        op->res = res;
        posix_dirs_release(&s->seat.dirs, uring_hold_of(op));
        return true;
    }
}
