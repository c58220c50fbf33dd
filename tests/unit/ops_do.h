/* unit/ops_do.h — single ops against the toy server, short.
 * Shape    begin … on_node, on_name, on_handle, move, file … ops_rig_close(s).
 * Threads  one. */
#ifndef LOADLINE_UNIT_OPS_DO_H
#define LOADLINE_UNIT_OPS_DO_H

#include "toy_server.h"

static struct session *s;

static inline struct session *begin(void)
{
    toy_reset();
    s = ops_rig_open((struct session_spec){.handles_max = 8}, NFS_SYNC_AUTO);
    return s;
}

static inline int64_t on_node(enum op_kind kind, uint64_t node)
{
    struct op op = {.kind = kind, .node = node};

    return ops_rig_do(s, &op);
}

static inline int64_t on_name(enum op_kind kind, uint64_t node, const char *leaf)
{
    struct op op = {.kind = kind, .node = node, .leaf = leaf};

    return ops_rig_do(s, &op);
}

static inline int64_t on_handle(enum op_kind kind, uint64_t handle)
{
    struct op op = {.kind = kind, .handle = handle};

    return ops_rig_do(s, &op);
}

static inline int64_t move(enum op_kind kind, uint64_t handle, void *buf, uint64_t off,
                           uint64_t len)
{
    struct op op = {.kind = kind, .handle = handle, .buf = buf, .off = off, .len = len};

    return ops_rig_do(s, &op);
}

static inline uint64_t file(enum op_kind kind, uint32_t flags, uint64_t node, const char *leaf)
{
    struct op op = {.kind = kind, .flags = flags, .node = node, .leaf = leaf};

    assert_int_equal(ops_rig_do(s, &op), 0);
    return op.handle;
}

/* What has been asked since the last time. */
static inline unsigned calls(void)
{
    static unsigned before;
    unsigned made = rig.made - (rig.made < before ? 0 : before);

    before = rig.made;
    return made;
}

static inline void forget_calls(void)
{
    (void)calls();
}

static unsigned char pattern[TOY_BYTES];

static inline void fill_pattern(unsigned char first)
{
    for (unsigned i = 0; i < sizeof pattern; i++)
        pattern[i] = (unsigned char)(first + i * 3);
}

/* The bytes that a crash now would leave of "f". */
static inline void assert_kept(const void *bytes, uint32_t len)
{
    const struct toy_thing *t = toy_named(0, "f");

    assert_non_null(t);
    assert_int_equal(t->kept_len, len);
    assert_memory_equal(t->kept, bytes, len);
}

#endif
