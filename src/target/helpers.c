/* Detached ops: the session's thread puts them into a ring, helpers take them out and push what is
 * finished onto a stack that the session empties. Without a lock: nobody who measures waits for
 * anybody. */
#include "target/blocking_priv.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* They do nothing but one system call at a time. */
#define HELPER_STACK_BYTES (128u << 10)

struct helpers {
    struct wake *wake;
    helpers_run *run;
    unsigned threads;
    pthread_t thread[HELPERS_MAX];
    unsigned most;
    unsigned held;    /* given and not yet taken; the session's own */
    struct op *ready; /* finished, oldest first; the session's own */
    uint32_t mask;    /* of the ring */
    _Atomic(struct op *) *ring;
    /* Each on a line of its own: the first is written by the session, the others by helpers. */
    _Alignas(64) _Atomic uint32_t given; /* also what idle helpers sleep on */
    atomic_bool stop;
    _Alignas(64) _Atomic uint32_t begun;
    _Alignas(64) _Atomic(struct op *) finished; /* newest first */
};

static void sleep_while(_Atomic uint32_t *word, uint32_t value)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0);
}

/* Waits for an op; NULL: the session is being closed. */
static struct op *next_op(struct helpers *h)
{
    for (;;) {
        /* In this order: `given` is never behind a `begun` that was read before it. */
        uint32_t begun = atomic_load_explicit(&h->begun, memory_order_acquire);
        uint32_t given = atomic_load_explicit(&h->given, memory_order_acquire);
        struct op *op;

        if (atomic_load_explicit(&h->stop, memory_order_acquire))
            return NULL;
        if (begun == given) {
            sleep_while(&h->given, given);
            continue;
        }
        /* Before it is claimed: afterwards its place may be given anew. */
        op = atomic_load_explicit(&h->ring[begun & h->mask], memory_order_acquire);
        if (atomic_compare_exchange_strong_explicit(&h->begun, &begun, begun + 1,
                                                    memory_order_acq_rel, memory_order_relaxed))
            return op;
    }
}

static void push_finished(struct helpers *h, struct op *op)
{
    op->next = atomic_load_explicit(&h->finished, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&h->finished, &op->next, op, memory_order_release,
                                                  memory_order_relaxed))
        ;
    wake_set_done(h->wake);
}

static int64_t move(struct op *op)
{
    return op->kind == OP_READ ? posix_pread((int)op->handle, op->buf, op->len, op->off)
                               : posix_pwrite((int)op->handle, op->buf, op->len, op->off);
}

static void *help(void *arg)
{
    struct helpers *h = arg;

    for (struct op *op; (op = next_op(h)) != NULL;) {
        op->res = h->run(op);
        push_finished(h, op);
    }
    return NULL;
}

/* Signals are for the threads that look at what they mean. */
static int start_threads(struct helpers *h, unsigned threads)
{
    pthread_attr_t attr;
    sigset_t all;
    sigset_t before;
    int rc = pthread_attr_init(&attr);

    if (rc != 0)
        return -rc;
    sigfillset(&all);
    pthread_attr_setstacksize(&attr, HELPER_STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; rc == 0 && h->threads < threads; h->threads += rc == 0)
        rc = pthread_create(&h->thread[h->threads], &attr, help, h);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
    return -rc;
}

int helpers_start(unsigned most, helpers_run *run, struct wake *wake, struct helpers **out,
                  struct err *err)
{
    struct helpers *h = aligned_alloc(64, sizeof *h);
    unsigned threads = most < HELPERS_MAX ? most : HELPERS_MAX;
    uint32_t room = 1;
    int rc;

    while (room < most)
        room *= 2;
    if (h != NULL) {
        *h = (struct helpers){
            .wake = wake, .run = run != NULL ? run : move, .most = most, .mask = room - 1};
        h->ring = calloc(room, sizeof *h->ring);
    }
    if (h == NULL || h->ring == NULL) {
        free(h);
        return err_set(err, -ENOMEM, "no memory for %u ops of helpers", most);
    }
    rc = start_threads(h, threads);
    if (rc < 0) {
        helpers_stop(h);
        return err_sys(err, rc, "cannot start %u threads for ops of helpers", threads);
    }
    *out = h;
    return 0;
}

void helpers_stop(struct helpers *h)
{
    if (h == NULL)
        return;
    atomic_store_explicit(&h->stop, true, memory_order_release);
    /* The word they sleep on must change, or one about to sleep would miss it. */
    atomic_fetch_add_explicit(&h->given, 1, memory_order_release);
    syscall(SYS_futex, &h->given, FUTEX_WAKE_PRIVATE, HELPERS_MAX, NULL, NULL, 0);
    for (unsigned i = 0; i < h->threads; i++)
        pthread_join(h->thread[i], NULL);
    free(h->ring);
    free(h);
}

unsigned helpers_threads(const struct helpers *h)
{
    return h->threads;
}

bool helpers_give(struct helpers *h, struct op *op)
{
    uint32_t given = atomic_load_explicit(&h->given, memory_order_relaxed);

    if (h->held == h->most)
        return false;
    h->held++;
    op->extra = 0;
    atomic_store_explicit(&h->ring[given & h->mask], op, memory_order_release);
    atomic_store_explicit(&h->given, given + 1, memory_order_release);
    syscall(SYS_futex, &h->given, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    return true;
}

unsigned helpers_take(struct helpers *h, struct op *done[], unsigned max)
{
    unsigned got = 0;

    while (got < max) {
        struct op *newest;

        for (; got < max && h->ready != NULL; h->held--) {
            done[got++] = h->ready;
            h->ready = h->ready->next;
        }
        if (got == max)
            break;
        newest = atomic_exchange_explicit(&h->finished, NULL, memory_order_acquire);
        if (newest == NULL)
            break;
        while (newest != NULL) {
            struct op *older = newest->next;

            newest->next = h->ready;
            h->ready = newest;
            newest = older;
        }
    }
    return got;
}

bool helpers_idle(const struct helpers *h)
{
    return h->held == 0;
}
