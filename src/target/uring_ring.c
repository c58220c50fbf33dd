/* What this kernel has of io_uring, and setting a ring up. */
#include "target/uring_ring_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SUBMISSIONS_MOST 256u    /* of one call; a batch of the engine is 64 */
#define COMPLETIONS_MOST 131072u /* of the kernel: further ones wait there */
#define SIGNALS_BYTES    8u

/* From the best down; the first that the kernel takes is it. */
static const unsigned setups[] = {
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN,
    IORING_SETUP_SUBMIT_ALL | IORING_SETUP_COOP_TASKRUN,
    IORING_SETUP_SUBMIT_ALL,
    0,
};

/* Without one of these it would be another instrument under the same name. */
static const struct {
    int op;
    const char *name;
} needed[] = {
    {IORING_OP_READ_FIXED, "read with registered buffers"},
    {IORING_OP_FSYNC, "fsync"},
    {IORING_OP_ASYNC_CANCEL, "cancel"},
    {IORING_OP_FALLOCATE, "fallocate"},
    {IORING_OP_OPENAT, "open"},
    {IORING_OP_CLOSE, "close"},
    {IORING_OP_STATX, "statx"},
    {IORING_OP_READ, "read"},
    {IORING_OP_WRITE, "write"},
    {IORING_OP_FADVISE, "fadvise"},
    {IORING_OP_RENAMEAT, "rename"},
    {IORING_OP_UNLINKAT, "unlink"},
    {IORING_OP_MKDIRAT, "mkdir"},
};

static int disabled_by_sysctl(void)
{
    int fd = open("/proc/sys/kernel/io_uring_disabled", O_RDONLY | O_CLOEXEC);
    char digit = '\0';
    ssize_t n = fd >= 0 ? read(fd, &digit, 1) : 0;

    if (fd >= 0)
        close(fd);
    return n == 1 && digit >= '0' && digit <= '9' ? digit - '0' : -1;
}

int uring_refused(const char *address, int code, int disabled, struct err *err)
{
    const char *why = "the kernel refuses it";

    if (code == -EPERM && disabled == 2)
        why = "it is switched off on this machine (kernel.io_uring_disabled = 2)";
    else if (code == -EPERM && disabled == 1)
        why = "only members of the group kernel.io_uring_group may use it here "
              "(kernel.io_uring_disabled = 1)";
    else if (code == -EPERM || code == -EACCES)
        why = "a container's seccomp profile or a security module forbids it";
    else if (code == -ENOSYS)
        why = "this kernel has none, or a container's seccomp profile hides it";
    else if (code == -ENOMEM)
        why = "no memory may be locked for it; raise ulimit -l";
    else if (code == -EMFILE || code == -ENFILE)
        why = "no more files may be opened; raise ulimit -n";
    return err_set(err, code,
                   "no io_uring for uring:%s: %s (%s); to measure with plain system calls instead, "
                   "the same command with %s for the target",
                   address, why, err_name(code), address);
}

static int setup(struct io_uring *io, unsigned entries, unsigned completions, unsigned flags)
{
    struct io_uring_params params = {.flags = flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP,
                                     .cq_entries = completions};

    return io_uring_queue_init_params(entries, io, &params);
}

static int setup_best(struct io_uring *io, unsigned *flags)
{
    int rc = -EINVAL;

    for (unsigned i = 0; rc == -EINVAL && i < sizeof setups / sizeof setups[0]; i++) {
        *flags = setups[i];
        rc = setup(io, 4, 8, setups[i]);
    }
    return rc;
}

static bool has_op(const struct io_uring_probe *probe, unsigned op)
{
    return op <= probe->last_op && op < probe->ops_len &&
           (probe->ops[op].flags & IO_URING_OP_SUPPORTED) != 0;
}

/* A flag that the kernel does not know is refused before anything else. */
static bool has_abs_timer(const struct io_uring *io)
{
    struct io_uring_getevents_arg arg = {.sigmask_sz = SIGNALS_BYTES};

    return call6(SYS_io_uring_enter, io->ring_fd, 0, 0,
                 IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG | URING_ENTER_ABS_TIMER, (long)&arg,
                 sizeof arg) >= 0;
}

static int look_at(struct io_uring *io, const char *address, struct uring_offer *out,
                   struct err *err)
{
    struct io_uring_probe *probe = io_uring_get_probe_ring(io);
    const char *lacks = probe == NULL                               ? "a list of what it does"
                        : (io->features & IORING_FEAT_EXT_ARG) == 0 ? "waiting with a limit"
                                                                    : NULL;

    for (unsigned i = 0; lacks == NULL && i < sizeof needed / sizeof needed[0]; i++) {
        if (!has_op(probe, (unsigned)needed[i].op))
            lacks = needed[i].name;
    }
    if (lacks == NULL) {
        out->has_install = has_op(probe, URING_OP_INSTALL);
        out->has_truncate = has_op(probe, URING_OP_TRUNCATE);
        out->abs_timer = has_abs_timer(io);
    }
    io_uring_free_probe(probe);
    if (lacks == NULL)
        return 0;
    return err_set(err, -EOPNOTSUPP,
                   "the io_uring of this kernel lacks %s (Linux 5.15 has all that is needed); to "
                   "measure with plain system calls instead, the same command with %s for the "
                   "target",
                   lacks, address);
}

int uring_offer(const char *address, struct uring_offer *out, struct err *err)
{
    struct uring_offer offer = {.setup = 0};
    struct io_uring io;
    int rc = setup_best(&io, &offer.setup);

    if (rc < 0)
        return uring_refused(address, rc, disabled_by_sysctl(), err);
    rc = look_at(&io, address, &offer, err);
    io_uring_queue_exit(&io);
    if (rc == 0)
        *out = offer;
    return rc;
}

static unsigned power_of_two(unsigned least, unsigned most)
{
    unsigned n = 8;

    while (n < least && n < most)
        n *= 2;
    return n;
}

/* The kernel takes submissions by way of a table of their places, which never changes here. */
static void take_over(struct uring_ring *r, const struct uring_offer *offer)
{
    struct io_uring *io = &r->io;

    r->sq_head = io->sq.khead;
    r->sq_tail = io->sq.ktail;
    r->sq_mask = *io->sq.kring_mask;
    r->sqe = io->sq.sqes;
    for (unsigned i = 0; io->sq.array != NULL && i <= r->sq_mask; i++)
        io->sq.array[i] = i;
    r->tail = r->submitted = *r->sq_tail;
    r->cq_head = io->cq.khead;
    r->cq_tail = io->cq.ktail;
    r->cq_mask = *io->cq.kring_mask;
    r->cqe = io->cq.cqes;
    r->head = *r->cq_head;
    r->abs_timer = offer->abs_timer;
    r->enter_fd = io->ring_fd;
    r->enter_flags = 0;
    /* Spares a look-up of the descriptor at each call. */
    if (io_uring_register_ring_fd(io) == 1) {
        r->enter_fd = io->enter_ring_fd;
        r->enter_flags = IORING_ENTER_REGISTERED_RING;
    }
}

int uring_ring_open(struct uring_ring *r, const struct uring_offer *offer, unsigned most,
                    struct err *err)
{
    unsigned completions =
        power_of_two(most < COMPLETIONS_MOST / 2 ? 2 * most : COMPLETIONS_MOST, COMPLETIONS_MOST);
    int rc;

    *r = (struct uring_ring){.open = false};
    rc = setup(&r->io, power_of_two(most, SUBMISSIONS_MOST), completions, offer->setup);
    if (rc == -ENOMEM)
        return err_set(
            err, rc,
            "no memory may be locked for an io_uring of %u ops (ENOMEM); raise ulimit -l "
            "or use fewer streams",
            most);
    if (rc < 0)
        return err_sys(err, rc, "cannot set up an io_uring for %u ops", most);
    r->open = true;
    take_over(r, offer);
    return 0;
}

void uring_ring_close(struct uring_ring *r)
{
    if (r->open)
        io_uring_queue_exit(&r->io);
    r->open = false;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Older kernels count from now. */
static void fill_limit(const struct uring_ring *r, uint64_t until_ns, struct __kernel_timespec *out)
{
    uint64_t now = r->abs_timer ? 0 : now_ns();
    uint64_t ns = until_ns > now ? until_ns - now : 0;

    out->tv_sec = (int64_t)(ns / 1000000000u);
    out->tv_nsec = (long long)(ns % 1000000000u);
}

static int64_t enter_once(struct uring_ring *r, unsigned wait, uint64_t until_ns)
{
    struct __kernel_timespec limit;
    struct io_uring_getevents_arg arg = {.sigmask_sz = SIGNALS_BYTES, .ts = (uintptr_t)&limit};
    unsigned flags = r->enter_flags | IORING_ENTER_GETEVENTS;

    if (wait == 0 || until_ns == UINT64_MAX)
        return call6(SYS_io_uring_enter, r->enter_fd, uring_unsubmitted(r), wait, flags, 0,
                     SIGNALS_BYTES);
    fill_limit(r, until_ns, &limit);
    flags |= IORING_ENTER_EXT_ARG | (r->abs_timer ? URING_ENTER_ABS_TIMER : 0);
    return call6(SYS_io_uring_enter, r->enter_fd, uring_unsubmitted(r), wait, flags, (long)&arg,
                 sizeof arg);
}

int uring_enter(struct uring_ring *r, unsigned wait, uint64_t until_ns)
{
    int64_t rc;

    __atomic_store_n(r->sq_tail, r->tail, __ATOMIC_RELEASE);
    rc = enter_once(r, wait, until_ns);
    if (rc >= 0) {
        r->submitted += (unsigned)rc;
        return 0;
    }
    return (int)rc;
}
