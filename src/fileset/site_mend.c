/* A set that is used again: file by file, asked first and changed only where it is not as it should be. */
#include "fileset/site_tree.h"

#include "fileset/content.h"
#include "fileset/fileset.h"
#include "fileset/site_priv.h"
#include "fileset/state.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/param.h>

#define PROGRESS_EVERY 512
#define DIRS_KEPT      64

struct mend {
    struct site *site;
    const struct fileset_map *map;
    const struct fileset *set;
    const struct fileset_state *state;
    struct site_mended *done;
    const atomic_int *stop;
    void (*progress)(void *ctx, uint64_t files);
    void *ctx;
    struct content content;
    char *buf; /* CONTENT_BLOCK; NULL where data is not kept */
    struct err *err;
};

/* The file that is looked at. */
struct mend_file {
    uint64_t number;
    uint64_t node;
    char leaf[FILESET_LEAF_MAX];
    uint64_t bytes;
};

static bool stopped(const struct mend *m)
{
    return m->stop != NULL && atomic_load_explicit(m->stop, memory_order_relaxed) != 0;
}

static const char *where(const struct mend *m, const struct mend_file *f, char buf[SITE_PATH_MAX])
{
    char path[SITE_PATH_MAX];

    fileset_path(m->map, f->node, f->leaf, path, sizeof path);
    return site_where(m->site, path, buf);
}

static int failed(const struct mend *m, const struct mend_file *f, int rc, const char *what)
{
    char path[SITE_PATH_MAX];

    return rc == -EINTR ? rc : err_sys(m->err, rc, "cannot %s %s", what, where(m, f, path));
}

/* ---- changing ---- */

static int write_whole(const struct mend *m, const struct mend_file *f, uint64_t handle)
{
    uint64_t key = fileset_file_key(m->set, 0, f->number);

    for (uint64_t off = 0; off < f->bytes;) {
        uint64_t len = MIN(f->bytes - off, CONTENT_BLOCK);

        if (stopped(m))
            return -EINTR;
        if (m->buf)
            content_fill(&m->content, key, f->bytes, CONTENT_WRITTEN_ONCE, off, m->buf, len);
        int64_t n = site_do(
            m->site,
            (struct op){.kind = OP_WRITE, .handle = handle, .buf = m->buf, .off = off, .len = len});
        if (n <= 0)
            return n < 0 ? (int)n : -ENOSPC;
        off += (uint64_t)n;
    }
    return 0;
}

/* That one, and those above it that are missing. */
static int make_dirs(const struct mend *m, uint64_t node)
{
    const struct target_names names = fileset_map_names(m->map);
    char leaf[TARGET_LEAF_MAX];
    uint64_t parent;
    int rc = (int)site_do(m->site, (struct op){.kind = OP_MKDIR, .node = node});

    if (rc == -ENOENT && names.parent(names.ctx, node, &parent, leaf) == 0) {
        rc = make_dirs(m, parent);
        if (rc == 0)
            rc = (int)site_do(m->site, (struct op){.kind = OP_MKDIR, .node = node});
    }
    m->done->dirs_made += rc == 0;
    return rc == -EEXIST ? 0 : rc;
}

static int open_for(const struct mend *m, const struct mend_file *f, enum op_kind kind,
                    uint64_t *handle)
{
    struct op op = {.kind = kind, .flags = OP_FLAG_WRITE, .node = f->node, .leaf = f->leaf};
    int rc = (int)site_do_op(m->site, &op);

    if (rc == -ENOENT && kind == OP_CREATE) {
        rc = make_dirs(m, f->node);
        if (rc == 0)
            rc = (int)site_do_op(m->site, &op);
    }
    *handle = op.handle;
    return rc;
}

static int close_after(const struct mend *m, uint64_t handle, int rc)
{
    int closed = (int)site_do(m->site, (struct op){.kind = OP_CLOSE, .handle = handle});

    return rc < 0 ? rc : closed;
}

static int write_file(const struct mend *m, const struct mend_file *f, enum op_kind kind,
                      uint64_t *count)
{
    uint64_t handle = 0;
    int rc = open_for(m, f, kind, &handle);

    if (rc == 0)
        rc = close_after(m, handle, write_whole(m, f, handle));
    *count += rc == 0;
    return rc < 0 ? failed(m, f, rc, kind == OP_CREATE ? "make" : "write") : 0;
}

static int cut_file(const struct mend *m, const struct mend_file *f)
{
    uint64_t handle = 0;
    int rc = open_for(m, f, OP_OPEN, &handle);

    if (rc == 0)
        rc = close_after(
            m, handle,
            (int)site_do(m->site,
                         (struct op){.kind = OP_TRUNCATE, .handle = handle, .len = f->bytes}));
    m->done->cut += rc == 0;
    return rc < 0 ? failed(m, f, rc, "cut") : 0;
}

static int remove_file(const struct mend *m, const struct mend_file *f)
{
    int rc =
        (int)site_do(m->site, (struct op){.kind = OP_UNLINK, .node = f->node, .leaf = f->leaf});

    m->done->removed += rc == 0;
    return rc < 0 ? failed(m, f, rc, "remove") : 0;
}

/* ---- looking ---- */

static int mend_present(const struct mend *m, const struct mend_file *f,
                        const struct target_stat *st)
{
    if (st->size_bytes > f->bytes)
        return cut_file(m, f);
    if (st->size_bytes < f->bytes)
        return write_file(m, f, OP_OPEN, &m->done->written);
    m->done->kept++;
    return 0;
}

static int mend_file(const struct mend *m, const struct mend_file *f)
{
    bool wanted = fileset_state_file_exists(m->state, f->number);
    char path[SITE_PATH_MAX];
    struct target_stat st = {0};
    int rc = (int)site_do(
        m->site, (struct op){.kind = OP_STAT, .node = f->node, .leaf = f->leaf, .buf = &st});

    if (rc == -ENOENT)
        return wanted ? write_file(m, f, OP_CREATE, &m->done->made) : 0;
    if (rc < 0)
        return failed(m, f, rc, "look at");
    if (st.type != TARGET_TYPE_FILE)
        return err_set(m->err, -EUCLEAN, "%s is not a regular file", where(m, f, path));
    return wanted ? mend_present(m, f, &st) : remove_file(m, f);
}

static int mend_files(const struct mend *m)
{
    uint64_t files = fileset_spec_files(&m->set->spec);
    int rc = 0;

    for (uint64_t i = 0; rc == 0 && i < files; i++) {
        struct mend_file f = {.number = i, .bytes = fileset_file_bytes(m->set, 0, i)};

        if (stopped(m))
            return -EINTR;
        f.node = fileset_file(m->set, 0, i, f.leaf);
        rc = mend_file(m, &f);
        if (m->progress != NULL && (i + 1) % PROGRESS_EVERY == 0)
            m->progress(m->ctx, i + 1);
    }
    return rc;
}

static const char *where_leaf(const struct mend *m, uint64_t node, char buf[SITE_PATH_MAX])
{
    char path[SITE_PATH_MAX];

    fileset_path(m->map, node, NULL, path, sizeof path);
    return site_where(m->site, path, buf);
}

static int leaf_failed(const struct mend *m, uint64_t node, int rc, const char *what)
{
    char path[SITE_PATH_MAX];

    return rc < 0 ? err_sys(m->err, rc, "cannot %s %s", what, where_leaf(m, node, path)) : 0;
}

static int mend_leaf(const struct mend *m, uint64_t leaf)
{
    uint64_t node = fileset_leaf_node(m->set, leaf);
    char path[SITE_PATH_MAX];
    struct target_stat st = {0};
    int rc;

    if (!fileset_state_leaf_exists(m->state, leaf)) {
        rc = (int)site_do(m->site, (struct op){.kind = OP_RMDIR, .node = node});
        m->done->dirs_removed += rc == 0;
        return rc == -ENOENT ? 0 : leaf_failed(m, node, rc, "remove");
    }
    rc = (int)site_do(m->site, (struct op){.kind = OP_STAT, .node = node, .buf = &st});
    if (rc == -ENOENT)
        return leaf_failed(m, node, make_dirs(m, node), "make");
    if (rc == 0 && st.type != TARGET_TYPE_DIR)
        return err_set(m->err, -EUCLEAN, "%s is not a directory", where_leaf(m, node, path));
    return leaf_failed(m, node, rc, "look at");
}

static int mend_leafs(const struct mend *m)
{
    uint64_t leafs = m->set->spec.grown != NULL ? grown_leafs(m->set->spec.grown) : 0;
    int rc = 0;

    for (uint64_t i = 0; rc == 0 && i < leafs; i++)
        rc = stopped(m) ? -EINTR : mend_leaf(m, i);
    return rc;
}

/* ---- */

/* The map's numbers are not the site's, so they have a session of their own meanwhile. */
static int with_numbers_of_map(const struct mend *m)
{
    const struct session_spec spec = {
        .names = fileset_map_names(m->map), .ops_max = 1, .handles_max = 8, .dirs_max = DIRS_KEPT};
    struct session *own = m->site->session;
    struct session *session = NULL;
    int rc = m->site->table->session_open(m->site->target, &spec, &session, m->err);

    if (rc < 0)
        return rc;
    m->site->session = session;
    rc = mend_files(m);
    if (rc == 0)
        rc = mend_leafs(m);
    m->site->session = own;
    m->site->table->session_close(session);
    return rc;
}

int site_mend(struct site *site, const struct fileset_map *map, unsigned number, uint64_t seed,
              const struct fileset_state *state, struct site_mended *out, const atomic_int *stop,
              void (*progress)(void *ctx, uint64_t files), void *ctx, struct err *err)
{
    struct mend m = {.site = site,
                     .map = map,
                     .set = &map->set[number],
                     .state = state,
                     .done = out,
                     .stop = stop,
                     .progress = progress,
                     .ctx = ctx,
                     .err = err};
    int rc;

    *out = (struct site_mended){0};
    if (site->caps.keeps_nothing) {
        out->kept = fileset_state_existing(state);
        return 0;
    }
    bool content = !site->caps.keeps_no_data;
    rc = content ? content_open(&m.content, seed, m.set->spec.compress_centi) : 0;
    m.buf = content && rc == 0 ? malloc(CONTENT_BLOCK) : NULL;
    if (content && m.buf == NULL)
        rc = err_set(err, -ENOMEM, "no memory to look through a set of files");
    else
        rc = with_numbers_of_map(&m);
    if (rc == -EINTR)
        err_set(err, rc, "stopped while looking through a set of files");
    free(m.buf);
    content_close(&m.content);
    return rc;
}
