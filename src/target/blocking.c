/* One op at a time by blocking calls, and the answers of those that helpers do. */
#include "target/blocking_priv.h"

void blocking_init(struct blocking *b)
{
    *b = (struct blocking){0};
    wake_init(&b->wake);
}

int blocking_help(struct blocking *b, unsigned detached_max, atomic_uint *threads, struct err *err)
{
    int rc = detached_max > 0 ? helpers_start(detached_max, NULL, &b->wake, &b->helpers, err) : 0;

    if (b->helpers != NULL)
        atomic_fetch_add(threads, helpers_threads(b->helpers));
    return rc;
}

void blocking_close(struct blocking *b)
{
    helpers_stop(b->helpers);
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
