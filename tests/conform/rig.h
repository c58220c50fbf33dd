/* conform/rig.h — one target, open, with a session and a temporary directory where it needs one.
 * Shape    rig_open … ops … rig_close; "%s" in an address is the directory.
 *          Node n ≥ 1 is "dn" in node n / 10, so 123 lies at d1/d12/d123.
 * Threads  the session belongs to the thread that opened it. */
#ifndef LOADLINE_CONFORM_RIG_H
#define LOADLINE_CONFORM_RIG_H

#include "target/catalog.h"
#include "target/target.h"

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define RIG_NODES   100000
#define RIG_OPS_MAX 4
#define RIG_BAD_FD  UINT64_MAX

struct rig {
    const struct target_table *table;
    struct target_caps caps;
    struct target *target;
    struct session *session;
    char dir[320];
};

static inline int rig_parent(const void *ctx, uint64_t node, uint64_t *parent,
                             char leaf[TARGET_LEAF_MAX])
{
    (void)ctx;
    if (node == TARGET_NODE_ROOT || node >= RIG_NODES)
        return -EINVAL;
    *parent = node / 10;
    snprintf(leaf, TARGET_LEAF_MAX, "d%u", (unsigned)node);
    return 0;
}

static inline struct session_spec rig_spec(unsigned ops_max)
{
    return (struct session_spec){
        .names = {.parent = rig_parent}, .ops_max = ops_max, .handles_max = 16, .dirs_max = 8};
}

static inline void rig_make_dir(struct rig *r)
{
    snprintf(r->dir, sizeof r->dir, "/tmp/conform-XXXXXX");
    assert_non_null(mkdtemp(r->dir));
}

static inline void rig_open_target(struct rig *r, const char *address)
{
    struct err err = {0};
    char full[1024];
    const char *rest;
    const char *hole = strstr(address, "%s");

    if (hole != NULL)
        snprintf(full, sizeof full, "%.*s%s%s", (int)(hole - address), address, r->dir, hole + 2);
    else
        snprintf(full, sizeof full, "%s", address);
    if (target_find(full, &r->table, &rest, &err) < 0 || r->table->caps(rest, &r->caps, &err) < 0 ||
        r->table->open(rest, &r->target, &err) < 0)
        fail_msg("%s: %s", full, err.text);
}

static inline struct session *rig_session(const struct rig *r, unsigned ops_max)
{
    struct session_spec spec = rig_spec(ops_max);
    struct session *s = NULL;
    struct err err = {0};

    if (r->table->session_open(r->target, &spec, &s, &err) < 0)
        fail_msg("session: %s", err.text);
    return s;
}

static inline void rig_open(struct rig *r, const char *address, unsigned ops_max)
{
    *r = (struct rig){.target = NULL};
    if (strstr(address, "%s") != NULL)
        rig_make_dir(r);
    rig_open_target(r, address);
    r->session = rig_session(r, ops_max);
}

static inline int rig_remove_entry(const char *path, const struct stat *st, int type,
                                   struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void rig_remove_dir(const struct rig *r)
{
    if (r->dir[0] != '\0')
        assert_int_equal(nftw(r->dir, rig_remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline void rig_close(struct rig *r)
{
    if (r->session != NULL)
        r->table->session_close(r->session);
    r->table->close(r->target);
    rig_remove_dir(r);
}

static inline uint64_t rig_now(const struct rig *r)
{
    struct timespec ts;

    if (r->caps.own_clock)
        return r->table->now(r->target);
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline int64_t rig_do(const struct rig *r, struct op *op)
{
    return target_do(r->table, r->session, op);
}

/* ---- single ops, short ---- */

static inline int64_t rig_on_node(const struct rig *r, enum op_kind kind, uint64_t node)
{
    struct op op = {.kind = kind, .node = node};

    return rig_do(r, &op);
}

static inline int64_t rig_on_name(const struct rig *r, enum op_kind kind, uint64_t node,
                                  const char *leaf)
{
    struct op op = {.kind = kind, .node = node, .leaf = leaf};

    return rig_do(r, &op);
}

static inline int64_t rig_on_handle(const struct rig *r, enum op_kind kind, uint64_t handle,
                                    uint64_t off, uint64_t len)
{
    struct op op = {.kind = kind, .handle = handle, .off = off, .len = len};

    return rig_do(r, &op);
}

static inline int64_t rig_move(const struct rig *r, enum op_kind kind, uint64_t handle, void *buf,
                               uint64_t off, uint64_t len)
{
    struct op op = {.kind = kind, .handle = handle, .buf = buf, .off = off, .len = len};

    return rig_do(r, &op);
}

/* The handle of a file that opens or is made without an error. */
static inline uint64_t rig_file(const struct rig *r, enum op_kind kind, uint32_t flags,
                                uint64_t node, const char *leaf)
{
    struct op op = {.kind = kind, .flags = flags, .node = node, .leaf = leaf, .handle = RIG_BAD_FD};

    assert_int_equal(rig_do(r, &op), 0);
    assert_true(op.handle != RIG_BAD_FD);
    return op.handle;
}

static inline int64_t rig_shut(const struct rig *r, uint64_t handle)
{
    return rig_on_handle(r, OP_CLOSE, handle, 0, 0);
}

/* ---- one suite, many targets ---- */

struct rig_case {
    const char *address;
};

static inline int rig_setup(void **state)
{
    const struct rig_case *c = *state;
    struct rig *r = calloc(1, sizeof *r);

    assert_non_null(r);
    rig_open(r, c->address, RIG_OPS_MAX);
    *state = r;
    return 0;
}

static inline int rig_teardown(void **state)
{
    rig_close(*state);
    free(*state);
    return 0;
}

#define RIG_NAME_MAX 128

/* Runs every test against every case; returns the number of failures. Setup finds the case in *state. */
static inline int rig_run_with(const char *group, const struct CMUnitTest *tests, size_t n_tests,
                               struct rig_case *cases, size_t n_cases, CMFixtureFunction setup,
                               CMFixtureFunction teardown)
{
    static char name[256][RIG_NAME_MAX];
    static struct CMUnitTest all[256];
    size_t n = 0;

    for (size_t c = 0; c < n_cases; c++) {
        for (size_t t = 0; t < n_tests; t++, n++) {
            snprintf(name[n], RIG_NAME_MAX, "%s  [%s]", tests[t].name, cases[c].address);
            all[n] = tests[t];
            all[n].name = name[n];
            all[n].initial_state = &cases[c];
            all[n].setup_func = setup;
            all[n].teardown_func = teardown;
        }
    }
    return _cmocka_run_group_tests(group, all, n, NULL, NULL);
}

static inline int rig_run(const char *group, const struct CMUnitTest *tests, size_t n_tests,
                          struct rig_case *cases, size_t n_cases)
{
    return rig_run_with(group, tests, n_tests, cases, n_cases, rig_setup, rig_teardown);
}

#define RIG_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
