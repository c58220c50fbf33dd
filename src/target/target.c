#include "target/target.h"

#include <errno.h>

static const char *const op_names[OP_KINDS] = {
    [OP_NOP] = "nop",
    [OP_READ] = "read",
    [OP_WRITE] = "write",
    [OP_APPEND] = "append",
    [OP_FSYNC] = "fsync",
    [OP_TRUNCATE] = "truncate",
    [OP_FALLOCATE] = "fallocate",
    [OP_DISCARD] = "discard",
    [OP_OPEN] = "open",
    [OP_CREATE] = "create",
    [OP_CLOSE] = "close",
    [OP_LOOKUP] = "lookup",
    [OP_STAT] = "stat",
    [OP_UNLINK] = "unlink",
    [OP_RENAME] = "rename",
    [OP_MKDIR] = "mkdir",
    [OP_RMDIR] = "rmdir",
    [OP_READDIR] = "readdir",
    [OP_SYNCFS] = "syncfs",
    [OP_EVICT] = "evict",
    [OP_RESIDENT] = "resident",
};

const char *op_kind_name(enum op_kind kind)
{
    return kind < OP_KINDS ? op_names[kind] : "unknown";
}

int64_t target_do(const struct target_table *table, struct session *s, struct op *op)
{
    struct op *done = NULL;
    bool woken = false;
    int n = table->submit(s, &op, 1);

    if (n < 1) {
        op->res = n < 0 ? n : -EBUSY;
        return op->res;
    }
    while (table->reap(s, &done, 1, 1, UINT64_MAX) < 1)
        woken = true;
    /* The wake was meant for the caller's own reap: it stays to be found there. */
    if (woken)
        table->wake(s);
    return op->res;
}
