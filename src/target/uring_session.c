/* A session: its ring, and how ops go in and come out. */
#include "target/uring_op_priv.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/param.h>

/* What a submission is of; ops are known by their addresses. */
#define TAG_WAKE   1u
#define TAG_CANCEL 2u

/* A ring holds no completion back as long as it has no more ops than this. */
#define RING_OPS_MOST 65536u

/* The ring, the wake's descriptor, listings and what helpers open on the way. */
#define RING_FDS (2u + 2u * URING_LISTINGS)

/* Ops that need a note. */
#define NOTED_KINDS (1u << OP_STAT | 1u << OP_MKDIR | 1u << OP_RMDIR | 1u << OP_READDIR)

/* Pieces of memory that the kernel registers as one. */
#define PIECE_BYTES (1ull << 30)
#define PIECES_MOST 1024u

static struct uring_session *uring_session_of(struct session *s)
{
    return (struct uring_session *)s;
}

/* ---- opening ---- */

/* Some ops take no registered file but by an op of a young kernel. */
static bool files_suit(const struct uring_target *t, const struct session_spec *spec)
{
    uint32_t kinds = spec->op_kinds != 0 ? spec->op_kinds : UINT32_MAX;

    if (t->files_why_not != NULL)
        return false;
    if (!t->offer.has_install && (kinds & (1u << OP_STAT | 1u << OP_RESIDENT)))
        return false;
    return t->offer.has_truncate || !(kinds & 1u << OP_TRUNCATE);
}

static int register_files(struct uring_session *s, const struct session_spec *spec, struct err *err)
{
    struct uring_files *f = &s->files;
    bool suit = files_suit(s->target, spec);
    int rc;

    if (spec->handles_max == 0)
        return 0;
    rc = suit ? io_uring_register_files_sparse(&s->ring.io, spec->handles_max) : 0;
    if (!suit || rc < 0) {
        atomic_fetch_add(&s->target->files_plain, 1);
        atomic_store(&s->target->files_code, rc);
        return 0;
    }
    f->free = malloc(spec->handles_max * sizeof *f->free);
    if (f->free == NULL)
        return err_set(err, -ENOMEM, "no memory for %u open files", spec->handles_max);
    f->registered = true;
    f->places = f->free_n = spec->handles_max;
    for (unsigned i = 0; i < f->places; i++)
        f->free[i] = f->places - 1 - i;
    s->file_flags = IOSQE_FIXED_FILE;
    atomic_fetch_add(&s->target->files_registered, 1);
    return 0;
}

/* Ops under way are as many as there are streams, of whatever kind. */
static int make_notes(struct uring_session *s, const struct session_spec *spec, struct err *err)
{
    unsigned n = spec->op_kinds != 0 && (spec->op_kinds & NOTED_KINDS) == 0 ? 1 : s->ops_max;

    s->notes = calloc(n, sizeof *s->notes);
    if (s->notes == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of uring:");
    for (unsigned i = 0; i < n; i++)
        uring_note_give(s, &s->notes[i]);
    return 0;
}

static void await_wake(struct uring_session *s)
{
    struct io_uring_sqe *sqe = uring_next(&s->ring);

    sqe->opcode = IORING_OP_READ;
    sqe->fd = s->wake.event_fd;
    sqe->addr = (uintptr_t)&s->wake_count;
    sqe->len = sizeof s->wake_count;
    sqe->user_data = TAG_WAKE;
}

static int start(struct uring_session *s, const struct session_spec *spec, struct err *err)
{
    int rc = uring_ring_open(&s->ring, &s->target->offer, s->ops_max + 2, err);

    if (rc == 0)
        rc = register_files(s, spec, err);
    if (rc == 0)
        rc = make_notes(s, spec, err);
    if (rc == 0) {
        rc = wake_init_event(&s->wake);
        if (rc < 0)
            err_sys(err, rc, "cannot make an eventfd");
    }
    if (rc == 0)
        rc = uring_late_open(s, spec, err);
    if (rc == 0)
        await_wake(s);
    return rc;
}

int uring_session_open(struct target *t, const struct session_spec *spec, struct session **out,
                       struct err *err)
{
    struct uring_session *s = calloc(1, sizeof *s);
    int rc;

    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of uring:");
    s->target = (struct uring_target *)t;
    s->wake.event_fd = -1;
    s->ready_last = &s->ready;
    uring_late_init(&s->late);
    s->ops_max = MIN(MAX(spec->ops_max, 1u), RING_OPS_MOST);
    rc = posix_seat_open(&s->seat, &s->target->posix, spec, RING_FDS, err);
    if (rc == 0)
        rc = start(s, spec, err);
    if (rc < 0)
        uring_session_close((struct session *)s);
    else
        *out = (struct session *)s;
    return rc;
}

/* ---- closing ---- */

static void cancel_all(struct uring_session *s)
{
    struct io_uring_sqe *sqe = uring_next(&s->ring);

    sqe->opcode = IORING_OP_ASYNC_CANCEL;
    sqe->fd = -1;
    sqe->cancel_flags = IORING_ASYNC_CANCEL_ALL | IORING_ASYNC_CANCEL_ANY;
    sqe->user_data = TAG_CANCEL;
}

/* The kernel may still write into the buffers of what it has: so it is waited for. */
static void drain(struct uring_session *s)
{
    if (!s->ring.open)
        return;
    cancel_all(s);
    while (s->in_ring > 0 || uring_unsubmitted(&s->ring) > 0) {
        const struct io_uring_cqe *cqe = uring_first(&s->ring);

        if (cqe == NULL) {
            (void)uring_enter(&s->ring, s->in_ring > 0, UINT64_MAX);
            continue;
        }
        s->in_ring -= cqe->user_data > TAG_CANCEL;
        uring_seen(&s->ring);
    }
}

void uring_session_close(struct session *base)
{
    struct uring_session *s = uring_session_of(base);

    if (s == NULL)
        return;
    uring_late_close(s);
    drain(s);
    uring_ring_close(&s->ring);
    wake_fini_event(&s->wake);
    posix_seat_close(&s->seat);
    free(s->files.free);
    free(s->notes);
    free(s);
}

/* ---- what ops lie in ---- */

static unsigned pieces_of(void *memory, uint64_t bytes, struct iovec piece[PIECES_MOST])
{
    unsigned n = 0;

    for (uint64_t at = 0; at < bytes && n < PIECES_MOST; at += PIECE_BYTES)
        piece[n++] = (struct iovec){.iov_base = (char *)memory + at,
                                    .iov_len = MIN(PIECE_BYTES, bytes - at)};
    return n;
}

void uring_use_buffers(struct session *base, void *memory, uint64_t bytes)
{
    struct uring_session *s = uring_session_of(base);
    struct iovec piece[PIECES_MOST];
    unsigned n = pieces_of(memory, bytes, piece);
    int rc;

    if (n == 0 || s->buffers.bytes > 0)
        return;
    rc = io_uring_register_buffers(&s->ring.io, piece, n);
    if (rc < 0) {
        atomic_store(&s->target->buffers_code, rc);
        return;
    }
    atomic_fetch_add(&s->target->buffers_registered, 1);
    s->buffers.base = (uintptr_t)memory;
    s->buffers.bytes = MIN(bytes, n * PIECE_BYTES);
}

/* ---- submit and reap ---- */

static void push_ready(struct uring_session *s, struct op *op)
{
    op->next = NULL;
    *s->ready_last = op;
    s->ready_last = &op->next;
}

int uring_submit(struct session *base, struct op *const ops[], unsigned n)
{
    struct uring_session *s = uring_session_of(base);
    unsigned taken = 0;

    for (; taken < n && s->held < s->ops_max; taken++, s->held++) {
        enum uring_taken how = uring_take(s, ops[taken]);

        if (how == URING_AGAIN)
            break;
        if (how == URING_IN_RING)
            s->in_ring++;
        else if (how == URING_READY)
            push_ready(s, ops[taken]);
    }
    return (int)taken;
}

static unsigned take_ready(struct uring_session *s, struct op *done[], unsigned max)
{
    unsigned n = 0;

    for (; n < max && s->ready != NULL; n++) {
        done[n] = s->ready;
        s->ready = s->ready->next;
    }
    if (s->ready == NULL)
        s->ready_last = &s->ready;
    return n;
}

static unsigned take_late(struct uring_session *s, struct op *done[], unsigned max)
{
    unsigned n = s->late.helpers != NULL ? helpers_take(s->late.helpers, done, max) : 0;

    for (unsigned i = 0; i < n; i++)
        uring_late_done(s, done[i]);
    return n;
}

static unsigned take_completions(struct uring_session *s, struct op *done[], unsigned max)
{
    const struct io_uring_cqe *cqe;
    unsigned n = 0;

    while (n < max && (cqe = uring_first(&s->ring)) != NULL) {
        uint64_t tag = cqe->user_data;
        int32_t res = cqe->res;

        uring_seen(&s->ring);
        if (tag == TAG_WAKE) {
            await_wake(s);
        } else if (tag > TAG_CANCEL) {
            struct op *op = (struct op *)(uintptr_t)tag;

            if (uring_answer(s, op, res)) {
                s->in_ring--;
                done[n++] = op;
            }
        }
    }
    return n;
}

static unsigned take_all(struct uring_session *s, struct op *done[], unsigned max)
{
    unsigned n = take_ready(s, done, max);

    n += take_late(s, done + n, max - n);
    n += take_completions(s, done + n, max - n);
    s->held -= n;
    return n;
}

/* One call tells the kernel what is new and waits; what came with it is taken afterwards. A wake is used up
 * only by a reap that returns less than was asked for. */
int uring_reap(struct session *base, struct op *done[], unsigned min, unsigned max,
               uint64_t until_ns)
{
    struct uring_session *s = uring_session_of(base);
    unsigned with_ring = s->in_ring;
    unsigned got = take_all(s, done, max);
    unsigned want = MIN(min, max);
    bool over = until_ns == 0;
    /* Ops that were ready at once must not keep those of the ring from being looked for. */
    bool ask = max > 0 && with_ring > 0 && s->in_ring == with_ring;

    for (;; ask = false) {
        bool enough = over || got >= want || (got > 0 && s->held == 0);
        uint32_t why = enough ? 0 : wake_take_why(&s->wake);
        int rc;

        if (enough && !ask && uring_unsubmitted(&s->ring) == 0)
            return (int)got;
        rc = uring_enter(&s->ring, !enough && why == 0, until_ns);
        got += take_all(s, done + got, max - got);
        if ((why & WAKE_ASKED) && got >= want)
            wake_put_back(&s->wake);
        over = over || (why & WAKE_ASKED) != 0 ||
               (rc < 0 && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY);
    }
}

void uring_wake(struct session *s)
{
    wake_set(&uring_session_of(s)->wake);
}

/* A descriptor of an open file, for what only a descriptor can; -errno. No op may be under way. */
static int descriptor_of(struct uring_session *s, uint64_t handle)
{
    struct op op = {.kind = OP_NOP, .handle = handle};

    if (!s->files.registered)
        return uring_fd_of(&op);
    (void)uring_on_file(s, &op, URING_OP_INSTALL);
    for (;;) {
        const struct io_uring_cqe *cqe = uring_first(&s->ring);
        uint64_t tag = cqe != NULL ? cqe->user_data : 0;
        int fd = cqe != NULL ? cqe->res : 0;

        if (cqe != NULL)
            uring_seen(&s->ring);
        else
            (void)uring_enter(&s->ring, 1, UINT64_MAX);
        if (tag == TAG_WAKE)
            await_wake(s);
        if (tag == (uintptr_t)&op)
            return fd;
    }
}

int uring_lock(struct session *base, uint64_t handle)
{
    struct uring_session *s = uring_session_of(base);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = descriptor_of(s, handle);
    int rc = 0;

    if (fd < 0)
        return fd;
    if (fcntl(fd, F_OFD_SETLK, &lock) < 0)
        rc = errno == EACCES || errno == EAGAIN ? -EWOULDBLOCK : -errno;
    if (s->files.registered)
        posix_shut(fd);
    return rc;
}
