/* target/uring_op_priv.h — what the two halves of the uring target's ops share: uring_ops.c has those on an
 *          open file, uring_names.c those by name.
 * Shape    an op that is taken fills a submission (uring_next_for); scratch[0] holds the directory that it
 *          keeps open and at which step it is, scratch[1] its note or the place of its file.
 * Errors   an op's own, in its res.              Threads  the session's. */
#ifndef LOADLINE_TARGET_URING_OP_PRIV_H
#define LOADLINE_TARGET_URING_OP_PRIV_H

#include "target/uring_priv.h"

#include <limits.h>

#define URING_NOT_A_FILE UINT32_MAX

/* Where an op of several submissions is; above what it holds, in scratch. */
enum uring_step { URING_STEP_ONLY, URING_STEP_ADVISE, URING_STEP_UNDO };

static inline enum uring_step uring_step_of(const struct op *op)
{
    return (enum uring_step)(op->scratch[0] >> 32);
}

static inline void uring_set_step(struct op *op, enum uring_step step)
{
    op->scratch[0] = (uint64_t)step << 32 | uring_hold_of(op);
}

static inline struct uring_note *uring_note_of(const struct op *op)
{
    return (struct uring_note *)(uintptr_t)op->scratch[1];
}

static inline uint32_t uring_place_of(const struct op *op)
{
    return (uint32_t)op->scratch[1];
}

static inline enum uring_taken uring_ready(struct op *op, int64_t res)
{
    op->res = res;
    return URING_READY;
}

/* -1 for what can be no handle. */
static inline int uring_fd_of(const struct op *op)
{
    return op->handle <= INT_MAX ? (int)op->handle : -1;
}

static inline struct io_uring_sqe *uring_next_for(struct uring_session *s, struct op *op,
                                                  unsigned opcode)
{
    struct io_uring_sqe *sqe = uring_next(&s->ring);

    sqe->opcode = (uint8_t)opcode;
    sqe->user_data = (uintptr_t)op;
    return sqe;
}

static inline struct io_uring_sqe *uring_on_file(struct uring_session *s, struct op *op,
                                                 unsigned opcode)
{
    struct io_uring_sqe *sqe = uring_next_for(s, op, opcode);

    sqe->flags = s->file_flags;
    sqe->fd = uring_fd_of(op);
    return sqe;
}

/* uring_names.c */
enum uring_taken uring_take_named(struct uring_session *s, struct op *op);
bool uring_answer_named(struct uring_session *s, struct op *op, int32_t res);

/* uring_ops.c */
void uring_advise(struct uring_session *s, struct op *op, uint32_t advice);
void uring_submit_close(struct uring_session *s, struct op *op);
enum uring_taken uring_ask(struct uring_session *s, struct op *op);
void uring_give_place(struct uring_session *s, uint32_t place);

#endif
