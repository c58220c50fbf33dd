/* target/uring_priv.h — the parts of the uring target: a directory, driven through one io_uring a session.
 * Shape    uring.c is the table; uring_session.c opens a session, submits and reaps; uring_ops.c and
 *          uring_names.c turn ops into submissions and completions into answers; uring_late.c has what
 *          io_uring has not, which helpers do; uring_facts.c what is said of it all; uring_ring.c the
 *          ring itself. The rest is the posix target's: the directory, open parents, facts.
 * Limits   an op is accepted into the queue of submissions; the kernel has it when the next reap begins,
 *          one call for all that were accepted since the last one.
 *          Directories that no op has named for long are opened by plain calls when one does.
 * Errors   negative errno.                       Threads  a session's parts belong to its thread. */
#ifndef LOADLINE_TARGET_URING_PRIV_H
#define LOADLINE_TARGET_URING_PRIV_H

#include "target/posix_priv.h"
#include "target/uring_ring_priv.h"

#define URING_NO_HOLD UINT32_MAX

struct uring_target {
    struct posix_target posix; /* first */
    struct uring_offer offer;
    const char *files_why_not; /* NULL: files are registered where a session allows it */
    atomic_uint files_registered;
    atomic_uint files_plain;        /* sessions */
    atomic_int files_code;          /* < 0: why the kernel would not register them */
    atomic_uint buffers_registered; /* sessions */
    atomic_int buffers_code;        /* why another had none of them registered, < 0; else 0 */
    atomic_uint helpers;            /* threads of all sessions opened so far */
    atomic_uint helper_kinds;
};

/* What some ops need besides themselves, as long as they are under way. */
struct uring_note {
    struct uring_note *next; /* free ones */
    union {
        struct statx statx;
        struct posix_listing *listing;
    };
    char leaf[TARGET_LEAF_MAX];
};

/* Registered files are known by their places in a table of the ring. */
struct uring_files {
    bool registered;
    unsigned places;
    unsigned free_n;
    uint32_t *free;
};

struct uring_buffers {
    uintptr_t base;
    uint64_t bytes; /* 0: none are registered */
};

#define URING_LISTINGS HELPERS_MAX

struct uring_late {
    struct helpers *helpers; /* NULL: no op will come that they do */
    struct posix_listing listing[URING_LISTINGS];
    bool busy[URING_LISTINGS];
};

struct uring_session {
    struct uring_target *target;
    struct uring_ring ring;
    struct uring_files files;
    struct uring_buffers buffers;
    uint8_t file_flags; /* of a submission on an open file */
    struct wake wake;
    uint64_t wake_count; /* what the kernel reads of the wake's descriptor */
    unsigned ops_max;
    unsigned held;    /* accepted, not yet handed out */
    unsigned in_ring; /* of them: with the ring */
    struct op *ready; /* of them: answered, oldest first */
    struct op **ready_last;
    struct uring_note *notes;
    struct uring_note *free_note;
    struct posix_seat seat;
    struct uring_late late;
};

/* ---- uring_ops.c ---- */

enum uring_taken {
    URING_IN_RING,
    URING_READY, /* its res is there */
    URING_AGAIN, /* not now: what it needs is held by ops under way */
    URING_LATE,  /* the helpers have it */
};
enum uring_taken uring_take(struct uring_session *s, struct op *op);
/* A submission of the op has completed; false: there is a further one. */
bool uring_answer(struct uring_session *s, struct op *op, int32_t res);

/* Of an op by name, in scratch: what it holds, and its note or its place. */
static inline uint32_t uring_hold_of(const struct op *op)
{
    return (uint32_t)op->scratch[0];
}

struct uring_note *uring_note_take(struct uring_session *s); /* NULL: all are under way */
void uring_note_give(struct uring_session *s, struct uring_note *note);

/* ---- uring_late.c ---- */

#define URING_LATE_KINDS (1u << OP_READDIR | 1u << OP_SYNCFS | 1u << OP_TRUNCATE)

/* Before anything that can fail: uring_late_close is for whatever there is. */
void uring_late_init(struct uring_late *late);
int uring_late_open(struct uring_session *s, const struct session_spec *spec, struct err *err);
void uring_late_close(struct uring_session *s);
enum uring_taken uring_late_take(struct uring_session *s, struct op *op);
/* A helper has done it. */
void uring_late_done(struct uring_session *s, struct op *op);
/* The directory is gone: so is what was kept of its listing. */
void uring_late_forget(struct uring_session *s, uint64_t node);

/* ---- uring_session.c ---- */

int uring_session_open(struct target *t, const struct session_spec *spec, struct session **out,
                       struct err *err);
void uring_session_close(struct session *s);
int uring_submit(struct session *s, struct op *const ops[], unsigned n);
int uring_reap(struct session *s, struct op *done[], unsigned min, unsigned max, uint64_t until_ns);
void uring_wake(struct session *s);
void uring_use_buffers(struct session *s, void *memory, uint64_t bytes);
int uring_lock(struct session *s, uint64_t handle);

/* ---- uring_facts.c ---- */

/* Why files are not registered on what lies at the root; NULL: they are. */
const char *uring_files_why_not(int root_fd);
void uring_describe(struct target *t, const struct target_sink *sink);

#endif
