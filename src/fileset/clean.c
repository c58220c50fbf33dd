/* Removing what a shape can have made. Entries are removed as they are listed, and the listing goes
 * on behind them: once per directory, not once per entry. Some servers skip entries when a listing
 * goes on over removed ones, so a directory is listed again until a pass removes nothing.
 * Memory: one buffer per level. */
#include "fileset/site_priv.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends a race with someone who goes on making files with our names. */
#define PASSES_MAX     1000
#define PROGRESS_EVERY 512

/* What kind of directory we are in decides which names are ours. */
enum part { PART_SITE, PART_PLACE, PART_ROOT, PART_DIR, PART_SET };

struct clean {
    struct site *site;
    const struct site_shape *shape;
    struct site_removed *removed;
    const atomic_int *stop;
    void (*progress)(void *ctx, const struct site_removed *so_far);
    void *ctx;
    uint64_t device;
    uint64_t file_bytes;        /* of the place we are in */
    const struct site_set *set; /* that we are in */
    uint64_t since_progress;
    bool foreign_found;
    char foreign[SITE_PATH_MAX]; /* the first entry that is not ours */
    const char *foreign_why;     /* when its name could be; else "" */
    int failed;                  /* the target's first refusal */
    char refused[SITE_PATH_MAX];
    char *buf; /* SITE_LIST_BYTES for each level */
};

/* What a pass could not remove: only what the last one says counts. */
struct remains {
    uint64_t foreign;
    uint64_t refused;
};

enum verdict { VERDICT_FOREIGN, VERDICT_FILE, VERDICT_DIR, VERDICT_MARKER };

static enum verdict judge_in_site(const struct clean *c, const char *name)
{
    uint64_t length_bytes;

    if (strcmp(name, SITE_MARKER) == 0 || strcmp(name, SITE_MARKER_NEW) == 0)
        return VERDICT_MARKER;
    if (c->site->unfinished)
        return VERDICT_FOREIGN;
    if (strcmp(name, SITE_PROBE) == 0)
        return VERDICT_FILE;
    return site_place_ok(c->shape, name, &length_bytes) ? VERDICT_DIR : VERDICT_FOREIGN;
}

static enum verdict judge_in_place(const struct clean *c, const char *name)
{
    const struct fileset_spec *spec = &c->shape->spec;

    if (c->shape->sets > 0)
        return site_set_named(c->shape, name) != NULL ? VERDICT_DIR : VERDICT_FOREIGN;
    if (spec->shape == FILESET_FLAT)
        return site_name_ok(name, 'f', 1, spec->files) ? VERDICT_FILE : VERDICT_FOREIGN;
    return site_name_ok(name, 't', 2, spec->trees) ? VERDICT_DIR : VERDICT_FOREIGN;
}

static enum verdict judge_in_tree(const struct clean *c, enum part part, unsigned level,
                                  const char *name)
{
    const struct fileset_spec *spec = &c->shape->spec;

    if (part == PART_DIR && site_name_ok(name, 'f', 1, spec->files))
        return VERDICT_FILE;
    if (level < spec->levels && site_name_ok(name, 'd', 1, spec->branches))
        return VERDICT_DIR;
    return VERDICT_FOREIGN;
}

/* Files and directories of a set have the same names. */
static enum verdict judge_in_set(const struct clean *c, unsigned level,
                                 const struct target_dirent *entry)
{
    uint64_t serial;

    if (!site_serial_ok(entry->name, c->set->serial_most, &serial))
        return VERDICT_FOREIGN;
    if (entry->type == TARGET_TYPE_DIR)
        return level < c->set->levels ? VERDICT_DIR : VERDICT_FOREIGN;
    return VERDICT_FILE;
}

static enum verdict judge(const struct clean *c, enum part part, unsigned level,
                          const struct target_dirent *entry)
{
    enum verdict verdict;

    if (part == PART_SITE)
        verdict = judge_in_site(c, entry->name);
    else if (part == PART_PLACE)
        verdict = judge_in_place(c, entry->name);
    else if (part == PART_SET)
        verdict = judge_in_set(c, level, entry);
    else
        verdict = judge_in_tree(c, part, level, entry->name);
    if (verdict == VERDICT_DIR)
        return entry->type == TARGET_TYPE_DIR ? verdict : VERDICT_FOREIGN;
    return entry->type == TARGET_TYPE_FILE ? verdict : VERDICT_FOREIGN;
}

/* An NFS client gives a file that is removed while somebody on this machine has it open such a name. */
static const char *why_foreign(const char *name)
{
    return strncmp(name, ".nfs", 4) == 0
               ? ", a removed file that is still open on this machine; it goes when it is closed"
               : "";
}

static void leave_foreign(struct clean *c, const char *name, const char *why, struct remains *left)
{
    left->foreign++;
    if (!c->foreign_found) {
        site_where(c->site, name, c->foreign);
        c->foreign_why = why;
    }
    c->foreign_found = true;
}

static void leave_refused(struct clean *c, int rc, const char *name, struct remains *left)
{
    left->refused++;
    if (c->failed == 0)
        site_where(c->site, name, c->refused);
    if (c->failed == 0)
        c->failed = rc;
}

static void count(struct clean *c, uint64_t *what, uint64_t bytes)
{
    ++*what;
    c->removed->bytes += bytes;
    if (++c->since_progress == PROGRESS_EVERY) {
        c->since_progress = 0;
        if (c->progress != NULL)
            c->progress(c->ctx, c->removed);
    }
}

static bool stopped(const struct clean *c)
{
    return c->stop != NULL && atomic_load_explicit(c->stop, memory_order_relaxed) != 0;
}

/* Removes a file of the directory we are in; true when it is gone by our hand. One that is longer
 * than we ever make it holds what somebody else has put there. */
static bool remove_file(struct clean *c, enum part part, const char *name, struct remains *left)
{
    struct target_stat st = {0};
    int rc = site_stat(c->site, name, &st);

    if (rc == 0 && part != PART_SITE && st.size_bytes > c->file_bytes) {
        leave_foreign(c, name, ", which is longer than its marker says", left);
        return false;
    }
    if (rc == 0)
        rc = (int)site_do(c->site,
                          (struct op){.kind = OP_UNLINK, .node = site_node(c->site), .leaf = name});
    if (rc == 0)
        count(c, &c->removed->files, part == PART_SITE ? 0 : st.size_bytes);
    else if (rc != -ENOENT)
        leave_refused(c, rc, name, left);
    return rc == 0;
}

static int clean_dir(struct clean *c, enum part part, unsigned level, bool *removed,
                     struct remains *left);

/* Empties the directory we are in and removes it. */
static int remove_this(struct clean *c, enum part part, unsigned level, bool *removed,
                       struct remains *left)
{
    struct target_stat st = {0};
    struct remains inside = {0};
    int rc = site_stat(c->site, NULL, &st);

    if (rc == 0 && (st.type != TARGET_TYPE_DIR || st.device != c->device)) {
        leave_foreign(c, NULL, "", left);
        return 0;
    }
    if (rc == 0)
        rc = clean_dir(c, part, level, removed, &inside);
    /* Something else is mounted there, if only another directory of the same file system. */
    if (rc == -EXDEV) {
        leave_foreign(c, NULL, "", left);
        return 0;
    }
    if (rc == -EINTR)
        return rc;
    left->foreign += inside.foreign;
    left->refused += inside.refused;
    if (rc == 0 && inside.foreign + inside.refused == 0)
        rc = (int)site_do(c->site, (struct op){.kind = OP_RMDIR, .node = site_node(c->site)});
    else if (rc == 0)
        return 0;
    if (rc == 0) {
        count(c, &c->removed->dirs, 0);
        *removed = true;
    } else if (rc != -ENOENT) {
        leave_refused(c, rc, NULL, left);
    }
    return 0;
}

/* What the directories in a part are. */
static enum part part_below(const struct clean *c, enum part part)
{
    if (part == PART_PLACE && c->shape->sets > 0)
        return PART_SET;
    return part < PART_DIR ? part + 1 : part;
}

static int remove_dir(struct clean *c, enum part part, unsigned level, const char *name,
                      bool *removed, struct remains *left)
{
    uint64_t outer_bytes = c->file_bytes;
    enum part inner = part_below(c, part);
    bool deeper = inner == PART_DIR || part == PART_SET;
    int rc;

    if (part == PART_SITE && !site_place_ok(c->shape, name, &c->file_bytes))
        return -EINVAL;
    if (part == PART_PLACE)
        c->set = site_set_named(c->shape, name);
    site_enter(c->site, name);
    rc = remove_this(c, inner, deeper ? level + 1 : 0, removed, left);
    site_leave(c->site);
    c->file_bytes = outer_bytes;
    return rc;
}

/* One listing from start to end. */
static int clean_pass(struct clean *c, enum part part, unsigned level, bool *removed,
                      struct remains *left)
{
    const struct target_dirent *entry;
    struct site_list list;
    int rc;

    site_list_start(&list, c->site, site_node(c->site),
                    c->buf + (size_t)SITE_LIST_BYTES * c->site->depth);
    while ((rc = site_list_next(&list, &entry)) > 0) {
        enum verdict verdict = judge(c, part, level, entry);
        if (stopped(c))
            return -EINTR;
        if (verdict == VERDICT_FOREIGN)
            leave_foreign(c, entry->name, why_foreign(entry->name), left);
        else if (verdict == VERDICT_FILE)
            *removed |= remove_file(c, part, entry->name, left);
        else if (verdict == VERDICT_DIR)
            rc = remove_dir(c, part, level, entry->name, removed, left);
        if (rc < 0)
            return rc;
    }
    /* A listing may lose its place when what it stood on has been removed. */
    return rc < 0 && *removed ? 0 : rc;
}

/* Removes all that is ours from the directory we are in, markers excepted. `left` counts what the
 * last pass found. Only the first pass over a directory removes anything below it, so passes do not
 * multiply with depth. */
static int clean_dir(struct clean *c, enum part part, unsigned level, bool *removed,
                     struct remains *left)
{
    bool again = true;
    int rc = 0;

    for (int pass = 0; rc == 0 && again && pass < PASSES_MAX; pass++) {
        again = false;
        *left = (struct remains){0};
        rc = clean_pass(c, part, level, &again, left);
        *removed |= again;
    }
    return rc;
}

static int report(struct clean *c, int rc, const struct remains *left, struct err *err)
{
    c->removed->left = left->foreign + left->refused;
    if (rc == -EINTR)
        return err_set(err, rc, "stopped while removing, what is left can be removed later");
    if (rc < 0)
        return err_sys(err, rc, "cannot remove %s", c->refused);
    if (left->refused > 0)
        return err_sys(err, c->failed, "cannot remove %s", c->refused);
    if (left->foreign > 0)
        return err_set(err, -ENOTEMPTY,
                       "left in place, not ours: %" PRIu64 " entr%s, the first is %s%s",
                       left->foreign, left->foreign == 1 ? "y" : "ies", c->foreign, c->foreign_why);
    return 0;
}

static int clean_place(struct clean *c, const char *leaf, struct remains *left)
{
    bool removed = false;
    int rc;

    site_enter(c->site, leaf);
    site_where(c->site, NULL, c->refused);
    rc = site_stat(c->site, NULL, &(struct target_stat){0});
    if (rc == 0)
        rc = remove_this(c, PART_PLACE, 0, &removed, left);
    site_leave(c->site);
    return rc;
}

/* The marker goes last, and only when it is alone: what is left without it would be nobody's. */
static int remove_marked(struct clean *c)
{
    uint64_t node = site_node(c->site);
    int rc = (int)site_do(c->site,
                          (struct op){.kind = OP_UNLINK, .node = node, .leaf = SITE_MARKER_NEW});

    if (rc == 0 || rc == -ENOENT)
        rc = (int)site_do(c->site,
                          (struct op){.kind = OP_UNLINK, .node = node, .leaf = SITE_MARKER});
    if (rc < 0 && rc != -ENOENT)
        return rc;
    site_forget(c->site);
    rc = (int)site_do(c->site, (struct op){.kind = OP_RMDIR, .node = node});
    if (rc == 0)
        c->removed->dirs++;
    return rc;
}

static int clean_site(struct clean *c, struct remains *left)
{
    bool removed = false;
    int rc = clean_dir(c, PART_SITE, 0, &removed, left);

    if (rc == 0 && left->foreign + left->refused == 0)
        rc = remove_marked(c);
    return rc;
}

static int clean_start(struct clean *c)
{
    struct target_stat st = {0};
    int rc = site_stat(c->site, NULL, &st);

    site_where(c->site, NULL, c->refused);
    if (rc < 0)
        return rc;
    if (st.type != TARGET_TYPE_DIR)
        return -ENOTDIR;
    c->device = st.device;
    c->buf = malloc((size_t)SITE_LIST_BYTES * SITE_DEPTH_MAX);
    return c->buf != NULL ? 0 : -ENOMEM;
}

int site_remove(struct site *site, const struct site_shape *shape, const char *place,
                struct site_removed *removed, const atomic_int *stop,
                void (*progress)(void *ctx, const struct site_removed *so_far), void *ctx,
                struct err *err)
{
    struct clean c = {.site = site,
                      .shape = shape,
                      .removed = removed,
                      .stop = stop,
                      .progress = progress,
                      .ctx = ctx,
                      .file_bytes = shape->spec.size_bytes};
    struct remains left = {0};
    const char *leaf = NULL;
    int rc = site_need_ours(site, shape, err);

    *removed = (struct site_removed){0};
    if (rc < 0 || site->caps.keeps_nothing) {
        if (rc == 0 && place == NULL)
            site_forget(site);
        return rc;
    }
    if (place != NULL)
        leaf = site_place_leaf(shape, place, &c.file_bytes);
    if (place != NULL && (leaf == NULL || site->unfinished))
        return err_set(err, -EINVAL, "%s is not a place in our directory", place);
    site_enter_id(site, shape->id);
    rc = clean_start(&c);
    if (rc == 0)
        rc = leaf != NULL ? clean_place(&c, leaf, &left) : clean_site(&c, &left);
    if (rc == -ENOENT && leaf == NULL) /* somebody else has: nothing is left of it */
        rc = 0, site_forget(site);
    rc = report(&c, rc, &left, err);
    site_leave(site);
    free(c.buf);
    return rc;
}
