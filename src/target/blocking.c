/* One op at a time by blocking calls, and the answers of those that helpers do. */
#include "target/blocking_priv.h"

void blocking_init(struct blocking *b, int64_t (*run)(struct blocking *b, struct op *op))
{
    *b = (struct blocking){.run = run};
    wake_init(&b->wake);
}

int blocking_help(struct blocking *b, unsigned detached_max, atomic_uint *threads, struct err *err)
{
    int rc = detached_max > 0 ? helpers_start(detached_max, &b->wake, &b->helpers, err) : 0;

    if (b->helpers != NULL)
        atomic_fetch_add(threads, helpers_threads(b->helpers));
    return rc;
}

void blocking_close(struct blocking *b)
{
    helpers_stop(b->helpers);
}

static void run_inline(struct blocking *b, struct op *op)
{
    op->extra = 0;
    if (op->kind == OP_READ)
        op->res = posix_pread((int)op->handle, op->buf, op->len, op->off);
    else if (op->kind == OP_WRITE && !b->read_only)
        op->res = posix_pwrite((int)op->handle, op->buf, op->len, op->off);
    else
        op->res = b->run(b, op);
    b->done = op;
}

/* A session with helpers: any number for them, and one op of its own. */
static int submit_both(struct blocking *b, struct op *const ops[], unsigned n)
{
    unsigned taken = 0;

    for (; taken < n; taken++) {
        struct op *op = ops[taken];
        bool moves = op->kind == OP_READ || (op->kind == OP_WRITE && !b->read_only);

        if ((op->flags & OP_FLAG_DETACHED) && moves) {
            if (!helpers_give(b->helpers, op))
                break;
        } else if (b->done != NULL) {
            break;
        } else {
            run_inline(b, op);
        }
    }
    return (int)taken;
}

int blocking_submit(struct session *base, struct op *const ops[], unsigned n)
{
    struct blocking *b = (struct blocking *)base;

    if (b->helpers != NULL)
        return submit_both(b, ops, n);
    if (b->done != NULL || n == 0)
        return 0;
    run_inline(b, ops[0]);
    return 1;
}

static unsigned take_own(struct blocking *b, struct op *done[], unsigned max)
{
    if (b->done == NULL || max == 0)
        return 0;
    done[0] = b->done;
    b->done = NULL;
    return 1;
}

static int reap_both(struct blocking *b, struct op *done[], unsigned min, unsigned max,
                     uint64_t until_ns)
{
    unsigned got = take_own(b, done, max);
    uint32_t why = WAKE_DONE;

    got += helpers_take(b->helpers, done + got, max - got);
    while (got < min && got < max && why == WAKE_DONE && (got == 0 || !helpers_idle(b->helpers))) {
        why = wake_wait_why(&b->wake, until_ns);
        got += helpers_take(b->helpers, done + got, max - got);
    }
    return (int)got;
}

int blocking_reap(struct session *base, struct op *done[], unsigned min, unsigned max,
                  uint64_t until_ns)
{
    struct blocking *b = (struct blocking *)base;

    if (b->helpers != NULL)
        return reap_both(b, done, min, max, until_ns);
    if (b->done == NULL) {
        if (min > 0)
            wake_wait(&b->wake, until_ns);
        return 0;
    }
    return (int)take_own(b, done, max);
}

void blocking_wake(struct session *s)
{
    wake_set(&((struct blocking *)s)->wake);
}
