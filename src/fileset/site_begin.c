/* How a directory becomes ours: made and marked, or taken over with the marker it has. */
#include "fileset/site_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long one that starts at the same moment may take to give way or to begin; then we give way. */
#define START_TRIES    1000
#define START_PAUSE_NS 10000000

/* The marker before the last one stays locked: a look that began before it was replaced must still
 * find it taken. */
static void hold(struct site *site, uint64_t handle)
{
    if (site->holds == 2) {
        site_let_go(site, site->held[0]);
        site->held[0] = site->held[1];
        site->holds = 1;
    }
    site->held[site->holds++] = handle;
}

static int write_all(struct site *site, uint64_t handle, char *text, size_t len)
{
    for (size_t done = 0; done < len;) {
        int64_t n = site_do(site, (struct op){.kind = OP_WRITE,
                                              .handle = handle,
                                              .buf = text + done,
                                              .off = done,
                                              .len = len - done});
        if (n <= 0)
            return n < 0 ? (int)n : -ENOSPC;
        done += (size_t)n;
    }
    return (int)site_do(site, (struct op){.kind = OP_FSYNC, .handle = handle});
}

/* Written and locked under another name first: whoever sees the marker sees it whole, and held by
 * us. */
static int put_new_marker(struct site *site, char *text, uint64_t *handle)
{
    uint64_t node = site_node(site);
    struct op create = {.kind = OP_CREATE, .node = node, .leaf = SITE_MARKER_NEW};
    bool locked;
    int rc =
        (int)site_do(site, (struct op){.kind = OP_UNLINK, .node = node, .leaf = SITE_MARKER_NEW});

    if (rc < 0 && rc != -ENOENT)
        return rc;
    rc = (int)site_do_op(site, &create);
    if (rc < 0)
        return rc;
    rc = site_lock(site, create.handle, &locked);
    if (rc == 0)
        rc = write_all(site, create.handle, text, strlen(text));
    if (rc < 0)
        site_let_go(site, create.handle);
    else
        *handle = create.handle;
    return rc < 0 ? rc : 0;
}

static int write_new_marker(struct site *site, const struct site_shape *shape, struct err *err)
{
    char path[SITE_PATH_MAX];
    char *text = NULL;
    uint64_t handle;
    int rc = site_shape_print(shape, &text);

    if (rc == 0)
        rc = put_new_marker(site, text, &handle);
    if (rc == 0)
        hold(site, handle);
    else
        err_sys(err, rc, "cannot write the marker %s", site_where(site, SITE_MARKER, path));
    free(text);
    return rc;
}

static int name_marker(struct site *site, struct err *err)
{
    uint64_t node = site_node(site);
    char name[] = SITE_MARKER;
    char path[SITE_PATH_MAX];
    int rc = (int)site_do(
        site, (struct op){.kind = OP_RENAME, .node = node, .leaf = SITE_MARKER_NEW, .buf = name});

    if (rc == 0)
        rc = (int)site_do(site, (struct op){.kind = OP_SYNCFS, .node = node});
    if (rc < 0)
        err_sys(err, rc, "cannot write the marker %s", site_where(site, SITE_MARKER, path));
    return rc;
}

static void unmake(struct site *site)
{
    uint64_t node = site_node(site);

    (void)site_do(site, (struct op){.kind = OP_UNLINK, .node = node, .leaf = SITE_MARKER_NEW});
    (void)site_do(site, (struct op){.kind = OP_UNLINK, .node = node, .leaf = SITE_MARKER});
    site_forget(site);
    (void)site_do(site, (struct op){.kind = OP_RMDIR, .node = node});
}

static int refuse(const struct site *site, const struct site_found *found, struct err *err)
{
    const struct site_shape *other = &found->shape;

    if (found->marker == SITE_UNFINISHED)
        return err_set(err, -EBUSY,
                       "another loadline is just starting in %s/" SITE_PREFIX
                       "%s; wait for it or stop it first",
                       site->address, other->id);
    return err_set(err, -EBUSY,
                   "another loadline is running in %s/" SITE_PREFIX "%s (host %s, pid %llu); "
                   "wait for it or stop it first",
                   site->address, other->id,
                   other->owner.host[0] != '\0' ? other->owner.host : "unknown",
                   (unsigned long long)other->owner.pid);
}

/* Of those that start together the smallest id goes on. *wait: another one is starting that will
 * give way to us, unless it looked before we were there to be seen; then it begins. */
static int refuse_if_live(struct site *site, bool *wait, struct err *err)
{
    struct site_found *found = NULL;
    unsigned n = 0;
    int rc = site_scan(site, &found, &n, err);

    *wait = false;
    for (unsigned i = 0; rc == 0 && i < n; i++) {
        if (found[i].live != SITE_LIVE_YES || site_same_study(found[i].shape.id, site->id))
            continue;
        if (found[i].marker == SITE_UNFINISHED && strcmp(found[i].shape.id, site->id) > 0)
            *wait = true;
        else
            rc = refuse(site, &found[i], err);
    }
    site_found_free(found, n);
    return rc;
}

/* With the new marker written and locked, before it gets its name: that is what tells one that
 * starts from one that has begun. */
static int settle_start(struct site *site, struct err *err)
{
    const struct timespec pause = {.tv_nsec = START_PAUSE_NS};
    bool wait = true;
    int rc = 0;

    for (int i = 0; rc == 0 && wait; i++) {
        if (i == START_TRIES)
            return err_set(err, -EBUSY, "another loadline is starting in %s and does not go on",
                           site->address);
        if (i > 0)
            nanosleep(&pause, NULL);
        rc = refuse_if_live(site, &wait, err);
    }
    return rc;
}

static int need_none(const struct site *site, struct err *err)
{
    if (site->id[0] == '\0')
        return 0;
    return err_set(err, -EINVAL, "%s/" SITE_PREFIX "%s is in use by us already", site->address,
                   site->id);
}

static void set_id(struct site *site, const char *id)
{
    snprintf(site->id, sizeof site->id, "%s", id);
}

/* A scan walks from the root, so we leave for it. */
static int mark_begun(struct site *site, const struct site_shape *shape, struct err *err)
{
    site_enter_id(site, shape->id);
    int rc = write_new_marker(site, shape, err);
    site_leave(site);
    if (rc == 0)
        rc = settle_start(site, err);
    if (rc < 0)
        return rc;
    site_enter_id(site, shape->id);
    rc = name_marker(site, err);
    site_leave(site);
    return rc;
}

int site_begin(struct site *site, const struct site_shape *shape, struct err *err)
{
    int rc = site_shape_check(shape, err);

    if (rc == 0)
        rc = need_none(site, err);
    if (rc < 0 || site->caps.keeps_nothing) {
        if (rc == 0)
            set_id(site, shape->id);
        return rc;
    }
    site_enter_id(site, shape->id);
    rc = site_make_directory(site, err);
    site_leave(site);
    if (rc < 0)
        return rc;
    set_id(site, shape->id);
    rc = mark_begun(site, shape, err);
    if (rc < 0) {
        site_enter_id(site, shape->id);
        unmake(site);
        site_leave(site);
    }
    return rc;
}

static int adopt_refused(struct site *site, const struct site_shape *shape,
                         const struct site_look *look, struct err *err)
{
    char path[SITE_PATH_MAX];

    site_where(site, NULL, path);
    if (look->marker == SITE_UNMARKED)
        return err_set(err, -ENOENT, "%s is not marked as ours: no readable %s in it; left alone",
                       path, SITE_MARKER);
    if (look->marker == SITE_NEWER_MARKER)
        return err_set(err, -EINVAL, "%s is %s; left alone", path, look->why.text);
    if (look->marker == SITE_BROKEN_MARKER)
        return err_set(err, -EINVAL, "the marker %s/%s is broken (%s); left alone", path,
                       SITE_MARKER, look->why.text);
    return err_set(err, -EBUSY, "%s is in use by a running loadline (host %s, pid %llu)", path,
                   shape->owner.host[0] != '\0' ? shape->owner.host : "unknown",
                   (unsigned long long)shape->owner.pid);
}

static int adopt_here(struct site *site, const char *id, struct site_shape *shape, struct err *err)
{
    char path[SITE_PATH_MAX];
    struct target_stat st = {0};
    struct site_look look = {0};
    int rc = site_stat(site, NULL, &st);

    if (rc == 0 && st.type != TARGET_TYPE_DIR)
        rc = -ENOTDIR;
    if (rc == 0)
        rc = site_look(site, id, true, shape, &look);
    if (rc < 0)
        return err_sys(err, rc, "cannot take over %s", site_where(site, NULL, path));
    if (look.live == SITE_LIVE_YES ||
        (look.marker != SITE_OURS && look.marker != SITE_UNFINISHED)) {
        rc = adopt_refused(site, shape, &look, err);
        if (look.opened)
            site_let_go(site, look.handle);
        site_shape_fini(shape);
        return rc;
    }
    set_id(site, id);
    site->unfinished = look.marker == SITE_UNFINISHED;
    if (look.opened)
        hold(site, look.handle);
    return 0;
}

int site_adopt(struct site *site, const char *id, struct site_shape *shape, struct err *err)
{
    struct site_shape found = {0};
    int rc = need_none(site, err);

    if (rc < 0)
        return rc;
    if (!site_id_ok(id))
        return err_set(err, -EINVAL, "\"%.32s\" is not an id of %d letters or digits", id,
                       SITE_ID_LEN);
    if (site->caps.keeps_nothing)
        return err_set(err, -ENOENT, "%s keeps nothing: there is no " SITE_PREFIX "%s",
                       site->address, id);
    site_enter_id(site, id);
    rc = adopt_here(site, id, &found, err);
    site_leave(site);
    if (rc == 0)
        *shape = found;
    return rc;
}

int site_remark(struct site *site, const struct site_shape *shape, struct err *err)
{
    int rc = site_shape_check(shape, err);

    if (rc == 0)
        rc = site_need_ours(site, shape, err);
    if (rc < 0 || site->caps.keeps_nothing)
        return rc;
    site_enter_id(site, shape->id);
    rc = write_new_marker(site, shape, err);
    if (rc == 0)
        rc = name_marker(site, err);
    if (rc == 0)
        site->unfinished = false;
    site_leave(site);
    return rc;
}
