/* Ops that io_uring has not: helpers do them by plain calls, and the session goes on meanwhile. */
#include "target/uring_priv.h"

/* Runs on a helper, which may use nothing of the session's but what the op was given. */
static int64_t run(struct op *op)
{
    struct uring_note *note = (struct uring_note *)(uintptr_t)op->scratch[1];
    int fd = (int)(op->scratch[0] >> 32);

    switch (op->kind) {
    case OP_READDIR:
        return posix_list(note->listing, fd, op);
    case OP_SYNCFS:
        return posix_result(syncfs(fd));
    default:
        return posix_result(ftruncate(fd, (off_t)op->len));
    }
}

void uring_late_init(struct uring_late *late)
{
    for (unsigned i = 0; i < URING_LISTINGS; i++)
        late->listing[i].fd = -1;
}

int uring_late_open(struct uring_session *s, const struct session_spec *spec, struct err *err)
{
    struct uring_late *late = &s->late;
    uint32_t kinds = spec->op_kinds != 0 ? spec->op_kinds : UINT32_MAX;
    int rc;

    kinds &= URING_LATE_KINDS;
    if (s->target->offer.has_truncate)
        kinds &= ~(1u << OP_TRUNCATE);
    if (kinds == 0)
        return 0;
    rc = helpers_start(s->ops_max, run, &s->wake, &late->helpers, err);
    if (rc == 0) {
        atomic_fetch_add(&s->target->helpers, helpers_threads(late->helpers));
        atomic_fetch_or(&s->target->helper_kinds, kinds);
    }
    return rc;
}

void uring_late_close(struct uring_session *s)
{
    helpers_stop(s->late.helpers);
    s->late.helpers = NULL;
    for (unsigned i = 0; i < URING_LISTINGS; i++)
        posix_listing_end(&s->late.listing[i]);
}

/* The one that stands where the op goes on, else one that nobody uses, ended ones first. */
static int find_listing(const struct uring_late *late, const struct op *op)
{
    int best = -1;

    for (unsigned i = 0; i < URING_LISTINGS; i++) {
        const struct posix_listing *l = &late->listing[i];

        if (late->busy[i])
            continue;
        if (posix_listing_open(l, op->node) && l->cookie == op->off)
            return (int)i;
        if (best < 0 || l->fd < 0)
            best = (int)i;
    }
    return best;
}

static enum uring_taken give(struct uring_session *s, struct op *op, uint32_t hold, int fd)
{
    op->scratch[0] = (uint64_t)(uint32_t)fd << 32 | hold;
    return helpers_give(s->late.helpers, op) ? URING_LATE : URING_AGAIN;
}

static enum uring_taken list(struct uring_session *s, struct op *op)
{
    struct uring_note *note = uring_note_take(s);
    int i = note != NULL ? find_listing(&s->late, op) : -1;
    uint32_t hold = URING_NO_HOLD;
    int dir = i >= 0 ? posix_dirs_hold(&s->seat.dirs, op->node, &hold) : -EAGAIN;
    enum uring_taken how = URING_AGAIN;

    if (dir >= 0) {
        note->listing = &s->late.listing[i];
        op->scratch[1] = (uintptr_t)note;
        how = give(s, op, hold, dir);
    } else if (dir != -EAGAIN || s->held == 0) {
        op->res = dir;
        how = URING_READY;
    }
    if (how == URING_LATE) {
        s->late.busy[i] = true;
        return how;
    }
    posix_dirs_release(&s->seat.dirs, hold);
    if (note != NULL)
        uring_note_give(s, note);
    return how;
}

enum uring_taken uring_late_take(struct uring_session *s, struct op *op)
{
    if (s->late.helpers == NULL) { /* contrary to what the session was opened for */
        op->res = -EOPNOTSUPP;
        return URING_READY;
    }
    op->scratch[1] = 0;
    if (op->kind == OP_READDIR)
        return list(s, op);
    return give(s, op, URING_NO_HOLD, op->kind == OP_SYNCFS ? s->seat.root_fd : (int)op->handle);
}

void uring_late_done(struct uring_session *s, struct op *op)
{
    struct uring_note *note = (struct uring_note *)(uintptr_t)op->scratch[1];

    if (op->kind != OP_READDIR)
        return;
    s->late.busy[note->listing - s->late.listing] = false;
    uring_note_give(s, note);
    posix_dirs_release(&s->seat.dirs, uring_hold_of(op));
}

void uring_late_forget(struct uring_session *s, uint64_t node)
{
    for (unsigned i = 0; i < URING_LISTINGS; i++) {
        if (!s->late.busy[i] && posix_listing_open(&s->late.listing[i], node))
            posix_listing_end(&s->late.listing[i]);
    }
}
