/* What lies under a target that looks like ours, and whether it is. */
#include "fileset/site_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- one directory ---- */

struct marker_text {
    char *text; /* NULL: there was nothing to read */
    size_t len;
};

/* For writing where we may, because an exclusive lock needs that. */
static int open_marker(struct site *site, const char *leaf, uint64_t *handle)
{
    struct op op = {.kind = OP_OPEN, .node = site_node(site), .leaf = leaf};
    int64_t rc = site_do_op(site, &op);

    if (rc == -EACCES || rc == -EROFS || rc == -EPERM) {
        op.flags = OP_FLAG_READ;
        rc = site_do_op(site, &op);
    }
    if (rc == 0)
        *handle = op.handle;
    return (int)rc;
}

static int read_text(struct site *site, uint64_t handle, struct marker_text *out)
{
    const size_t room = SITE_MARKER_BYTES + 1; /* one more than allowed: too long is seen */
    int64_t n = 1;

    out->text = malloc(room);
    if (out->text == NULL)
        return -ENOMEM;
    while (n > 0 && out->len < room) {
        n = site_do(site, (struct op){.kind = OP_READ,
                                      .handle = handle,
                                      .buf = out->text + out->len,
                                      .off = out->len,
                                      .len = room - out->len});
        if (n > 0)
            out->len += (size_t)n;
    }
    return n < 0 ? (int)n : 0;
}

/* -EINVAL: not a regular file, and so not opened: opening a FIFO would wait for its other end. */
static int read_marker(struct site *site, const char *leaf, struct site_look *look,
                       struct marker_text *out)
{
    struct target_stat st = {0};
    bool locked;
    int rc = site_stat(site, leaf, &st);

    if (rc < 0)
        return rc;
    if (st.type != TARGET_TYPE_FILE)
        return -EINVAL;
    rc = open_marker(site, leaf, &look->handle);
    if (rc < 0)
        return rc;
    look->opened = true;
    /* Our own lock needs no asking, which waits for locks that are taken. */
    rc = look->mine ? -EWOULDBLOCK : site_lock(site, look->handle, &locked);
    look->live = rc == -EWOULDBLOCK ? SITE_LIVE_YES : SITE_LIVE_NO;
    if (rc == 0 || rc == -EWOULDBLOCK)
        rc = read_text(site, look->handle, out);
    return rc;
}

/* Whether the directory holds nothing but markers, finished or not. */
static int holds_markers_only(struct site *site, bool *only)
{
    const struct target_dirent *entry;
    struct site_list list;
    char *buf = malloc(SITE_LIST_BYTES);
    int rc;

    if (buf == NULL)
        return -ENOMEM;
    *only = true;
    site_list_start(&list, site, site_node(site), buf);
    while ((rc = site_list_next(&list, &entry)) > 0 && *only)
        *only = entry->type == TARGET_TYPE_FILE && (strcmp(entry->name, SITE_MARKER) == 0 ||
                                                    strcmp(entry->name, SITE_MARKER_NEW) == 0);
    free(buf);
    return rc < 0 ? rc : 0;
}

/* Parses as site_shape_parse; -EINVAL also when it is the marker of another directory. */
static int read_shape(const struct marker_text *text, const char *id, struct site_shape *shape,
                      struct err *why)
{
    struct site_shape found = {0};
    int rc = text->text == NULL ? -EINVAL : site_shape_parse(text->text, text->len, &found, why);

    if (rc < 0)
        return rc;
    if (strcmp(found.id, id) != 0) {
        rc = err_set(why, -EINVAL, "it is the marker of " SITE_PREFIX "%s", found.id);
        site_shape_fini(&found);
        return rc;
    }
    *shape = found;
    return 0;
}

/* Where nobody holds the lock. */
static enum site_live ask_owner(const struct site_shape *shape)
{
    if (shape->kept)
        return SITE_LIVE_NO;
    switch (owner_life(&shape->owner)) {
    case OWNER_GONE:
        return SITE_LIVE_NO;
    case OWNER_LIVE:
        return shape->owner.pid == (uint64_t)getpid() ? SITE_LIVE_NO : SITE_LIVE_YES;
    case OWNER_OTHER_BOOT:
    case OWNER_UNKNOWN:
        break;
    }
    return SITE_LIVE_UNKNOWN;
}

/* A marker that is complete but not yet under its name says who is about to begin. */
static void ask_unfinished(const struct marker_text *text, const char *id, struct site_look *look)
{
    struct site_shape shape = {0};

    if (look->live != SITE_LIVE_NO || look->mine || read_shape(text, id, &shape, NULL) < 0)
        return;
    look->live = ask_owner(&shape);
    site_shape_fini(&shape);
}

static int judge(struct site *site, const char *id, const struct marker_text *text, bool named,
                 struct site_shape *shape, struct site_look *look)
{
    bool only = false;
    struct site_shape found = {0};
    int rc = read_shape(text, id, &found, &look->why);

    if (rc == -EPROTONOSUPPORT) {
        look->marker = SITE_NEWER_MARKER;
        return 0;
    }
    if (rc == 0 && !named)
        site_shape_fini(&found);
    if (rc == 0 && named) {
        *shape = found;
        look->marker = SITE_OURS;
        if (look->live == SITE_LIVE_NO && !look->mine)
            look->live = ask_owner(shape);
        return 0;
    }
    rc = holds_markers_only(site, &only);
    if (only && site_marker_begins(text->text, text->len))
        look->marker = SITE_UNFINISHED;
    else
        look->marker = named ? SITE_BROKEN_MARKER : SITE_UNMARKED;
    if (look->marker == SITE_UNFINISHED)
        ask_unfinished(text, id, look);
    return rc;
}

int site_look(struct site *site, const char *id, bool keep, struct site_shape *shape,
              struct site_look *look)
{
    struct marker_text text = {0};
    bool named = true;
    int rc;

    *look = (struct site_look){.marker = SITE_UNMARKED, .mine = strcmp(id, site->id) == 0};
    *shape = (struct site_shape){0};
    snprintf(shape->id, sizeof shape->id, "%s", id);
    rc = read_marker(site, SITE_MARKER, look, &text);
    if (rc == -ENOENT) {
        named = false;
        rc = read_marker(site, SITE_MARKER_NEW, look, &text);
    }
    if (rc == -EINVAL) {
        err_set(&look->why, rc, "not a regular file");
        look->marker = named ? SITE_BROKEN_MARKER : SITE_UNMARKED;
        rc = 0;
    } else if (rc == 0 || rc == -ENOENT) {
        rc = judge(site, id, &text, named, shape, look);
    }
    /* What another user has shut away, or mounted there, is not for us to call broken. */
    if (rc == -EACCES || rc == -EPERM || rc == -EXDEV)
        rc = 0;
    if (look->opened && (rc < 0 || !keep)) {
        site_let_go(site, look->handle);
        look->opened = false;
    }
    free(text.text);
    return rc;
}

/* ---- all of them ---- */

struct found_list {
    struct site_found *found;
    unsigned n;
    unsigned room;
};

static int add(struct found_list *list, const char *id)
{
    if (list->n == list->room) {
        unsigned room = list->room > 0 ? 2 * list->room : 8;
        struct site_found *more = reallocarray(list->found, room, sizeof *more);
        if (more == NULL)
            return -ENOMEM;
        list->found = more;
        list->room = room;
    }
    list->found[list->n] = (struct site_found){.marker = SITE_UNMARKED};
    snprintf(list->found[list->n++].shape.id, SITE_ID_MAX, "%s", id);
    return 0;
}

static int collect(struct site *site, char *buf, struct found_list *list)
{
    const size_t prefix = sizeof SITE_PREFIX - 1;
    const struct target_dirent *entry;
    struct site_list dir;
    int rc;

    site_list_start(&dir, site, TARGET_NODE_ROOT, buf);
    while ((rc = site_list_next(&dir, &entry)) > 0) {
        if (entry->type != TARGET_TYPE_DIR || strncmp(entry->name, SITE_PREFIX, prefix) != 0 ||
            !site_id_ok(entry->name + prefix))
            continue;
        rc = add(list, entry->name + prefix);
        if (rc < 0)
            break;
    }
    return rc;
}

static int look_at(struct site *site, struct site_found *found)
{
    struct site_look look;
    char id[SITE_ID_MAX];
    int rc;

    memcpy(id, found->shape.id, sizeof id);
    site_enter_id(site, id);
    rc = site_look(site, id, false, &found->shape, &look);
    site_leave(site);
    found->marker = look.marker;
    found->live = look.live;
    found->why = look.why;
    /* It was there when the names were listed; its owner has removed it since. */
    return rc == -ENOENT ? 0 : rc;
}

static int compare_ids(const void *a, const void *b)
{
    const struct site_found *x = a;
    const struct site_found *y = b;

    return strcmp(x->shape.id, y->shape.id);
}

int site_scan(struct site *site, struct site_found **out, unsigned *n, struct err *err)
{
    struct found_list list = {0};
    char *buf = NULL;
    int rc = 0;

    if (!site->caps.keeps_nothing) {
        buf = malloc(SITE_LIST_BYTES);
        rc = buf != NULL ? collect(site, buf, &list) : -ENOMEM;
    }
    for (unsigned i = 0; rc == 0 && i < list.n; i++)
        rc = look_at(site, &list.found[i]);
    if (rc < 0) {
        site_found_free(list.found, list.n);
        err_sys(err, rc, "cannot look through %s for " SITE_PREFIX "*", site->address);
    } else {
        if (list.n > 1)
            qsort(list.found, list.n, sizeof *list.found, compare_ids);
        *out = list.found;
        *n = list.n;
    }
    free(buf);
    return rc;
}

void site_found_free(struct site_found *found, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        site_shape_fini(&found[i].shape);
    free(found);
}
