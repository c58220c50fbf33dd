#include "fileset/site.h"

#include "fileset/site_priv.h"
#include "target/catalog.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Another loadline that looks whether we live holds our lock for microseconds: ask again before
 * believing that it is taken. */
#define LOCK_TRIES    4
#define LOCK_PAUSE_NS 2000000

static const struct session_spec session_want = {
    .ops_max = 1, .handles_max = 8, .dirs_max = SITE_DEPTH_MAX + 8};

/* ---- the way down ---- */

static int step_parent(const void *ctx, uint64_t node, uint64_t *parent, char leaf[TARGET_LEAF_MAX])
{
    const struct site *site = ctx;

    for (unsigned i = site->depth; i-- > 0;) {
        if (site->at[i].node == node) {
            *parent = i > 0 ? site->at[i - 1].node : TARGET_NODE_ROOT;
            memcpy(leaf, site->at[i].leaf, sizeof site->at[i].leaf);
            return 0;
        }
    }
    return -EINVAL;
}

uint64_t site_node(const struct site *site)
{
    return site->depth > 0 ? site->at[site->depth - 1].node : TARGET_NODE_ROOT;
}

uint64_t site_enter(struct site *site, const char *leaf)
{
    struct site_step *step = &site->at[site->depth];

    assert(site->depth < SITE_DEPTH_MAX && strlen(leaf) < sizeof step->leaf);
    site->depth++;
    step->node = ++site->last_node;
    snprintf(step->leaf, sizeof step->leaf, "%s", leaf);
    return step->node;
}

uint64_t site_enter_id(struct site *site, const char *id)
{
    char leaf[FILESET_LEAF_MAX];

    snprintf(leaf, sizeof leaf, SITE_PREFIX "%s", id);
    return site_enter(site, leaf);
}

void site_leave(struct site *site)
{
    assert(site->depth > 0);
    site->depth--;
}

const char *site_where(const struct site *site, const char *leaf, char buf[SITE_PATH_MAX])
{
    size_t n = (size_t)snprintf(buf, SITE_PATH_MAX, "%s", site->address);

    for (unsigned i = 0; i < site->depth && n < SITE_PATH_MAX; i++)
        n += (size_t)snprintf(buf + n, SITE_PATH_MAX - n, "/%s", site->at[i].leaf);
    if (leaf != NULL && n < SITE_PATH_MAX)
        snprintf(buf + n, SITE_PATH_MAX - n, "/%s", leaf);
    return buf;
}

/* ---- ops ---- */

/* what NULL: the wait is over. */
static void wait_for(struct site *site, const char *what)
{
    if (site->watch == NULL)
        return;
    if (what != NULL) {
        atomic_store(&site->watch->where, site->address);
        atomic_fetch_add(&site->watch->begun, 1);
    }
    atomic_store(&site->watch->what, what);
}

int64_t site_do_op(struct site *site, struct op *op)
{
    wait_for(site, op_kind_name(op->kind));
    int64_t rc = target_do(site->table, site->session, op);
    wait_for(site, NULL);
    return rc;
}

int64_t site_do(struct site *site, struct op op)
{
    return site_do_op(site, &op);
}

int site_stat(struct site *site, const char *leaf, struct target_stat *out)
{
    return (int)site_do(
        site, (struct op){.kind = OP_STAT, .node = site_node(site), .leaf = leaf, .buf = out});
}

/* Where locks are not to be had, runs cannot see each other; that must not keep one from running.
 * -EBADF: the file could be opened for reading only. */
int site_lock(struct site *site, uint64_t handle, bool *locked)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    int rc = -EOPNOTSUPP;

    for (int i = 0; site->table->lock != NULL && i < LOCK_TRIES; i++) {
        rc = site->table->lock(site->session, handle);
        if (rc != -EWOULDBLOCK)
            break;
        nanosleep(&pause, NULL);
    }
    *locked = rc == 0;
    return rc == -EOPNOTSUPP || rc == -ENOLCK || rc == -ENOSYS || rc == -EBADF ? 0 : rc;
}

void site_let_go(struct site *site, uint64_t handle)
{
    (void)site_do(site, (struct op){.kind = OP_CLOSE, .handle = handle});
}

void site_forget(struct site *site)
{
    while (site->holds > 0)
        site_let_go(site, site->held[--site->holds]);
    site->id[0] = '\0';
    site->unfinished = false;
}

/* ---- open, close ---- */

static int open_target(struct site *site, const char *rest, struct err *err)
{
    wait_for(site, "opening");
    int rc = site->table->open(rest, &site->target, err);
    wait_for(site, NULL);
    return rc;
}

int site_open(const char *address, struct site_watch *watch, struct site **out, struct err *err)
{
    struct site *site = calloc(1, sizeof *site);
    struct session_spec spec = session_want;
    const char *rest;
    int rc = -ENOMEM;

    if (site != NULL) {
        site->watch = watch;
        site->address = strdup(address);
    }
    if (site == NULL || site->address == NULL) {
        err_set(err, rc, "no memory to open %s", address);
        goto out;
    }
    rc = target_find(address, &site->table, &rest, err);
    if (rc == 0)
        rc = site->table->caps(rest, &site->caps, err);
    if (rc == 0 && site->caps.one_file)
        rc =
            err_set(err, -ENOTDIR, "%s is a block device: there are no directories on it", address);
    if (rc == 0)
        rc = open_target(site, rest, err);
    if (rc < 0)
        goto out;
    spec.names = (struct target_names){.parent = step_parent, .ctx = site};
    rc = site->table->session_open(site->target, &spec, &site->session, err);
    if (rc == 0)
        *out = site;
out:
    if (rc < 0)
        site_close(site);
    return rc;
}

void site_close(struct site *site)
{
    if (site == NULL)
        return;
    if (site->session != NULL) {
        site_forget(site);
        site->table->session_close(site->session);
    }
    if (site->target != NULL)
        site->table->close(site->target);
    free(site->address);
    free(site);
}

/* ---- small things ---- */

static const char *advice_on(int rc)
{
    switch (rc) {
    case -EROFS:
    case -EACCES:
    case -EPERM:
        return "; give a directory that may be written to";
    case -ENOSPC:
    case -EDQUOT:
        return "; make room there first";
    case -ENOENT:
        return "; somebody has taken away what it is to be made in";
    default:
        return "";
    }
}

int site_make_directory(struct site *site, struct err *err)
{
    char path[SITE_PATH_MAX];
    int rc = (int)site_do(site, (struct op){.kind = OP_MKDIR, .node = site_node(site)});

    if (rc == 0)
        return 0;
    return err_set(err, rc, "cannot make the directory %s: %s%s", site_where(site, NULL, path),
                   strerrordesc_np(-rc), advice_on(rc));
}

int site_need_ours(const struct site *site, const struct site_shape *shape, struct err *err)
{
    if (site->id[0] != '\0' && strcmp(site->id, shape->id) == 0)
        return 0;
    return err_set(err, -EINVAL, "%s/" SITE_PREFIX "%.*s was neither begun nor adopted by us",
                   site->address, SITE_ID_MAX - 1, shape->id);
}

int site_make_place(struct site *site, const char *place, struct err *err)
{
    char ours[FILESET_LEAF_MAX];
    size_t n = (size_t)snprintf(ours, sizeof ours, SITE_PREFIX "%s/", site->id);
    const char *leaf = place + n;
    int rc;

    if (site->id[0] == '\0' || strncmp(place, ours, n) != 0 || leaf[0] == '\0' ||
        strchr(leaf, '/') != NULL || strlen(leaf) >= FILESET_LEAF_MAX)
        return err_set(err, -EINVAL, "%s is not a place in our directory", place);
    if (site->caps.keeps_nothing)
        return 0;
    site_enter_id(site, site->id);
    site_enter(site, leaf);
    rc = site_make_directory(site, err);
    site_leave(site);
    site_leave(site);
    return rc;
}

int site_sync(struct site *site, struct err *err)
{
    int64_t rc = site->caps.keeps_nothing
                     ? 0
                     : site_do(site, (struct op){.kind = OP_SYNCFS, .node = TARGET_NODE_ROOT});

    return rc < 0 ? err_sys(err, (int)rc, "cannot sync the file system of %s", site->address) : 0;
}

void site_wait(struct site *site, uint64_t ns)
{
    struct op *none;

    (void)site->table->reap(site->session, &none, 1, 1, site->table->now(site->target) + ns);
}

void site_describe(struct site *site, const struct target_sink *sink)
{
    site->table->describe(site->target, sink);
}

int site_space(struct site *site, struct target_space *out)
{
    if (site->caps.keeps_nothing) {
        *out = (struct target_space){
            .total_bytes = UINT64_MAX, .free_bytes = UINT64_MAX, .free_files = UINT64_MAX};
        return 0;
    }
    return site->table->space != NULL ? site->table->space(site->target, out) : -ENOTSUP;
}
