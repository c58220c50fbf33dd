/* Ops on an open file into submissions, and completions into answers. */
#include "target/uring_op_priv.h"

#include <fcntl.h>
#include <sys/param.h>

/* The most that the kernel moves at once; more comes back short. */
#define MOVE_MOST_BYTES 0x7ffff000u

#define PIECE_SHIFT 30u /* registered memory is in pieces of 1 GiB */

/* ---- moving data ---- */

/* Whether all of it lies in one piece of registered memory. */
static bool in_buffers(const struct uring_session *s, const void *buf, uint32_t len)
{
    uint64_t at = (uintptr_t)buf - s->buffers.base;

    return at < s->buffers.bytes && len > 0 && len <= s->buffers.bytes - at &&
           at >> PIECE_SHIFT == (at + len - 1) >> PIECE_SHIFT;
}

static enum uring_taken move(struct uring_session *s, struct op *op, bool out, int rw_flags)
{
    struct io_uring_sqe *sqe = uring_on_file(s, op, out ? IORING_OP_WRITE : IORING_OP_READ);

    sqe->off = rw_flags == 0 ? op->off : 0;
    sqe->addr = (uintptr_t)op->buf;
    sqe->len = (uint32_t)MIN(op->len, MOVE_MOST_BYTES);
    sqe->rw_flags = rw_flags;
    if (in_buffers(s, op->buf, sqe->len)) {
        sqe->opcode = out ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
        sqe->buf_index = (uint16_t)(((uintptr_t)op->buf - s->buffers.base) >> PIECE_SHIFT);
    }
    return URING_IN_RING;
}

/* ---- other ops on an open file ---- */

static enum uring_taken allocate(struct uring_session *s, struct op *op, int mode)
{
    struct io_uring_sqe *sqe = uring_on_file(s, op, IORING_OP_FALLOCATE);

    sqe->off = op->off;
    sqe->addr = op->len;
    sqe->len = (uint32_t)mode;
    return URING_IN_RING;
}

void uring_advise(struct uring_session *s, struct op *op, uint32_t advice)
{
    uring_on_file(s, op, IORING_OP_FADVISE)->fadvise_advice = advice;
}

static enum uring_taken truncate_to(struct uring_session *s, struct op *op)
{
    if (!s->target->offer.has_truncate)
        return uring_late_take(s, op);
    uring_on_file(s, op, URING_OP_TRUNCATE)->off = op->len;
    return URING_IN_RING;
}

void uring_submit_close(struct uring_session *s, struct op *op)
{
    struct io_uring_sqe *sqe = uring_next_for(s, op, IORING_OP_CLOSE);

    if (s->files.registered)
        sqe->file_index = (uint32_t)op->handle + 1;
    else
        sqe->fd = uring_fd_of(op);
}

static enum uring_taken close_file(struct uring_session *s, struct op *op)
{
    if (s->files.registered && op->handle >= s->files.places)
        return uring_ready(op, -EBADF);
    uring_submit_close(s, op);
    return URING_IN_RING;
}

/* Asks what only a descriptor can be asked for; a registered file gets one first. */
static int64_t ask_descriptor(struct op *op, int fd)
{
    return op->kind == OP_STAT ? posix_stat_at(fd, "", op->buf)
                               : posix_resident(fd, op->len, &op->extra);
}

enum uring_taken uring_ask(struct uring_session *s, struct op *op)
{
    if (!s->files.registered)
        return uring_ready(op, ask_descriptor(op, uring_fd_of(op)));
    (void)uring_on_file(s, op, URING_OP_INSTALL);
    return URING_IN_RING;
}

enum uring_taken uring_take(struct uring_session *s, struct op *op)
{
    op->extra = 0;
    switch (op->kind) {
    case OP_READ:
        return move(s, op, false, 0);
    case OP_WRITE:
        return move(s, op, true, 0);
    case OP_APPEND:
        return move(s, op, true, RWF_APPEND);
    case OP_NOP:
        (void)uring_next_for(s, op, IORING_OP_NOP);
        return URING_IN_RING;
    case OP_FSYNC:
        (void)uring_on_file(s, op, IORING_OP_FSYNC);
        return URING_IN_RING;
    case OP_TRUNCATE:
        return truncate_to(s, op);
    case OP_FALLOCATE:
        return allocate(s, op, 0);
    case OP_DISCARD:
        return allocate(s, op, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE);
    case OP_CLOSE:
        return close_file(s, op);
    case OP_EVICT:
        uring_advise(s, op, POSIX_FADV_DONTNEED);
        return URING_IN_RING;
    case OP_RESIDENT:
        return uring_ask(s, op);
    default:
        return uring_take_named(s, op);
    }
}

/* ---- answers ---- */

void uring_give_place(struct uring_session *s, uint32_t place)
{
    if (s->files.registered)
        s->files.free[s->files.free_n++] = place;
}

/* res: of the op that gave a registered file a descriptor. */
static void asked(struct op *op, int32_t res)
{
    op->res = res < 0 ? res : ask_descriptor(op, res);
    if (res >= 0)
        posix_shut(res);
}

bool uring_answer(struct uring_session *s, struct op *op, int32_t res)
{
    op->res = res;
    switch (op->kind) {
    case OP_OPEN:
    case OP_CREATE:
    case OP_UNLINK:
    case OP_RENAME:
    case OP_MKDIR:
    case OP_RMDIR:
        return uring_answer_named(s, op, res);
    case OP_STAT:
        if ((op->flags & OP_FLAG_HANDLE) == 0)
            return uring_answer_named(s, op, res);
        asked(op, res);
        return true;
    case OP_RESIDENT:
        asked(op, res);
        return true;
    case OP_CLOSE:
        if (res != -EBADF)
            uring_give_place(s, (uint32_t)op->handle);
        return true;
    default:
        return true;
    }
}
