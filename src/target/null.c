/* The target that does nothing: what is left is the cost of the tool. Asynchronous: submit queues,
 * reap pops in order. */
#include "target/catalog_priv.h"
#include "target/wake_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* It has no page cache to drop or to ask. */
#define NULL_LACKS (1u << OP_EVICT | 1u << OP_RESIDENT)

struct null_session {
    struct op *first;
    struct op **last;
    unsigned held;
    unsigned ops_max;
    uint64_t handles;
    struct wake wake;
};

static struct null_session *null_session_of(struct session *s)
{
    return (struct null_session *)s;
}

static int null_caps(const char *address, struct target_caps *caps, struct err *err)
{
    if (address[0] != '\0')
        return err_set(err, -EINVAL, "null: takes nothing behind it, but \"%.64s\" was given",
                       address);
    *caps = (struct target_caps){.op_kinds = ((1u << OP_KINDS) - 1) & ~NULL_LACKS,
                                 .keeps_nothing = true};
    return 0;
}

static int null_open(const char *address, struct target **out, struct err *err)
{
    static const char nothing; /* there is no state: any address will do */
    struct target_caps caps;
    int rc = null_caps(address, &caps, err);

    if (rc == 0)
        *out = (struct target *)(uintptr_t)&nothing;
    return rc;
}

static void null_close(struct target *t)
{
    (void)t;
}

static void null_describe(struct target *t, const struct target_sink *sink)
{
    (void)t;
    sink->put(sink->ctx, "fs_type", "none", "");
}

static int null_session_open(struct target *t, const struct session_spec *spec,
                             struct session **out, struct err *err)
{
    struct null_session *s = calloc(1, sizeof *s);

    (void)t;
    if (s == NULL)
        return err_set(err, -ENOMEM, "no memory for a session of null:");
    s->last = &s->first;
    s->ops_max = spec->ops_max > 0 ? spec->ops_max : 1;
    wake_init(&s->wake);
    *out = (struct session *)s;
    return 0;
}

static void null_session_close(struct session *s)
{
    free(null_session_of(s));
}

static int64_t null_answer(struct null_session *s, struct op *op)
{
    switch (op->kind) {
    case OP_OPEN:
    case OP_CREATE:
        op->handle = ++s->handles;
        return 0;
    case OP_STAT:
        if (op->buf != NULL)
            *(struct target_stat *)op->buf = (struct target_stat){.type = TARGET_TYPE_OTHER};
        return 0;
    case OP_EVICT:
    case OP_RESIDENT:
        return -EOPNOTSUPP;
    default:
        return op->kind < OP_KINDS ? 0 : -EOPNOTSUPP;
    }
}

static int null_submit(struct session *base, struct op *const ops[], unsigned n)
{
    struct null_session *s = null_session_of(base);
    unsigned taken = 0;

    for (; taken < n && s->held < s->ops_max; taken++, s->held++) {
        struct op *op = ops[taken];
        bool moves = op->kind == OP_READ || op->kind == OP_WRITE || op->kind == OP_APPEND;

        op->extra = 0;
        op->res = moves ? (int64_t)op->len : null_answer(s, op);
        op->next = NULL;
        *s->last = op;
        s->last = &op->next;
    }
    return (int)taken;
}

static int null_reap(struct session *base, struct op *done[], unsigned min, unsigned max,
                     uint64_t until_ns)
{
    struct null_session *s = null_session_of(base);
    unsigned taken = 0;

    for (struct op *op; taken < max && (op = s->first) != NULL; taken++, s->held--) {
        done[taken] = op;
        s->first = op->next;
    }
    if (s->first == NULL)
        s->last = &s->first;
    if (taken == 0 && min > 0)
        wake_wait(&s->wake, until_ns);
    return (int)taken;
}

static void null_wake(struct session *s)
{
    wake_set(&null_session_of(s)->wake);
}

const struct target_table null_target = {
    .scheme = "null",
    .help = "does nothing and keeps nothing: what loadline itself costs",
    .params = "",
    .caps = null_caps,
    .open = null_open,
    .close = null_close,
    .describe = null_describe,
    .session_open = null_session_open,
    .session_close = null_session_close,
    .submit = null_submit,
    .reap = null_reap,
    .wake = null_wake,
};
