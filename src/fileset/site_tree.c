/* A tree that another program made, taken as it is. */
#include "fileset/site_tree.h"

#include "fileset/site_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* GROWN_DEPTH_MAX below the set's own, and below that leaf directories. */
#define LEVELS_MAX (GROWN_DEPTH_MAX + 1)

struct walk {
    struct site *site;
    struct grown_lister *lister;
    const atomic_int *stop;
    uint64_t device;
    char *buf; /* SITE_LIST_BYTES for each level, and for the set's own directory */
    struct err *err;
};

static int does_not_fit(const struct walk *w, const char *name, const char *why)
{
    char path[SITE_PATH_MAX];

    return err_set(w->err, -EINVAL, "%s %s", site_where(w->site, name, path), why);
}

static int refused(const struct walk *w, const char *name, int rc, const char *what)
{
    char path[SITE_PATH_MAX];

    return err_sys(w->err, rc, "cannot %s %s", what, site_where(w->site, name, path));
}

static int take_file(const struct walk *w, uint64_t dir, const char *name, uint64_t serial)
{
    struct target_stat st = {0};
    int rc = site_stat(w->site, name, &st);

    if (rc < 0)
        return refused(w, name, rc, "look at");
    rc = grown_lister_file(w->lister, dir, serial, st.size_bytes);
    return rc < 0 ? refused(w, name, rc, "take in") : 0;
}

static int walk_dir(const struct walk *w, uint64_t dir, unsigned level);

/* Into the directory of that name. */
static int take_dir(const struct walk *w, uint64_t dir, const char *name, uint64_t serial,
                    unsigned level)
{
    struct target_stat st = {0};
    int64_t number;
    int rc;

    if (level == LEVELS_MAX)
        return does_not_fit(w, name, "is deeper than a set can be");
    number = grown_lister_dir(w->lister, dir, serial);
    if (number < 0)
        return refused(w, name, (int)number, "take in");
    site_enter(w->site, name);
    rc = site_stat(w->site, NULL, &st);
    if (rc < 0)
        rc = refused(w, NULL, rc, "look at");
    else if (st.device != w->device)
        rc = does_not_fit(w, NULL, "is another file system");
    else
        rc = walk_dir(w, (uint64_t)number, level + 1);
    site_leave(w->site);
    return rc;
}

static int take_entry(const struct walk *w, uint64_t dir, unsigned level,
                      const struct target_dirent *entry)
{
    uint64_t serial;

    if (!site_serial_ok(entry->name, SITE_SERIAL_MAX, &serial))
        return does_not_fit(w, entry->name, "is no number in eight digits at least");
    if (entry->type == TARGET_TYPE_FILE)
        return take_file(w, dir, entry->name, serial);
    if (entry->type == TARGET_TYPE_DIR)
        return take_dir(w, dir, entry->name, serial, level);
    return does_not_fit(w, entry->name, "is neither a regular file nor a directory");
}

/* The directory we are in. */
static int walk_dir(const struct walk *w, uint64_t dir, unsigned level)
{
    const struct target_dirent *entry;
    struct site_list list;
    int rc;

    site_list_start(&list, w->site, site_node(w->site), w->buf + (size_t)SITE_LIST_BYTES * level);
    while ((rc = site_list_next(&list, &entry)) > 0) {
        if (w->stop != NULL && atomic_load_explicit(w->stop, memory_order_relaxed) != 0)
            return err_set(w->err, -EINTR, "stopped while reading a tree");
        rc = take_entry(w, dir, level, entry);
        if (rc < 0)
            return rc;
    }
    return rc < 0 ? refused(w, NULL, rc, "list") : 0;
}

/* Goes down `under`, "/a/b", and into `name`; -EINVAL a part of it is no name. */
static int go_down(struct site *site, const char *under, const char *name)
{
    char part[GROWN_NAME_MAX];
    const char *at = under + strspn(under, "/");

    while (*at != '\0') {
        size_t len = strcspn(at, "/");

        if (len >= sizeof part || site->depth + LEVELS_MAX + 2 >= SITE_DEPTH_MAX)
            return -ENAMETOOLONG;
        memcpy(part, at, len);
        part[len] = '\0';
        if (strcmp(part, ".") == 0 || strcmp(part, "..") == 0)
            return -EINVAL;
        site_enter(site, part);
        at += len + strspn(at + len, "/");
    }
    if (name[0] == '\0' || strchr(name, '/') != NULL || strcmp(name, ".") == 0 ||
        strcmp(name, "..") == 0 || strlen(name) >= GROWN_NAME_MAX)
        return -EINVAL;
    site_enter(site, name);
    return 0;
}

static int walk_all(struct walk *w)
{
    struct target_stat st = {0};
    int rc = site_stat(w->site, NULL, &st);

    if (rc < 0)
        return refused(w, NULL, rc == -ENOTDIR ? -ENOENT : rc, "find");
    if (st.type != TARGET_TYPE_DIR)
        return does_not_fit(w, NULL, "is not a directory");
    w->device = st.device;
    return walk_dir(w, 0, 0);
}

static int list_here(struct walk *w, const char *under, const char *name, struct grown **out)
{
    struct grown_lister *lister;
    int rc = grown_lister_new(name, under, &w->lister);

    if (rc < 0)
        return err_sys(w->err, rc, "cannot read the tree %s/%s", under, name);
    rc = walk_all(w);
    lister = w->lister;
    if (rc == 0)
        return grown_listed(lister, out, w->err);
    grown_lister_free(lister);
    return rc;
}

int site_list_tree(struct site *site, const char *under, const char *name, struct grown **out,
                   const atomic_int *stop, struct err *err)
{
    struct walk w = {.site = site, .stop = stop, .err = err};
    unsigned depth = site->depth;
    int rc;

    if (site->caps.keeps_nothing)
        return err_set(err, -ENOENT, "%s keeps nothing: there is no tree to read", site->address);
    rc = go_down(site, under, name);
    if (rc < 0)
        err_sys(err, rc, "%s/%s is no place for a tree", under, name);
    else if ((w.buf = malloc((size_t)SITE_LIST_BYTES * (LEVELS_MAX + 1))) == NULL)
        rc = err_set(err, -ENOMEM, "no memory to read the tree %s/%s", under, name);
    else
        rc = list_here(&w, under, name, out);
    while (site->depth > depth)
        site_leave(site);
    free(w.buf);
    return rc;
}
