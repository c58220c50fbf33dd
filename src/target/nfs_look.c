/* From the handle that MOUNT gave to that of the directory, and what the server says of itself there. */
#include "target/nfs_open_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define READDIR_MIN 4096u
#define READDIR_MAX 65536u

static struct xdr_out *begin_nfs(const struct nfs_target *t, struct nfs_ask *a, enum nfs3_proc proc)
{
    return nfs_ask_begin(a, NFS3_PROGRAM, NFS3_VERSION, (uint32_t)proc, &t->cred);
}

/* LOOKUP of `name` in *fh, or with NULL GETATTR of *fh. */
static int ask_found(const struct nfs_target *t, struct nfs_ask *a, const struct nfs3_fh *fh,
                     const char *name, struct nfs3_found *found)
{
    enum nfs3_proc proc = name != NULL ? NFS3_LOOKUP : NFS3_GETATTR;
    struct xdr_out *x = begin_nfs(t, a, proc);
    struct xdr_in results;
    int rc;

    if (name != NULL)
        nfs3_put_name(x, fh, name);
    else
        nfs3_put_fh(x, fh);
    rc = nfs_ask_end(a, &results);
    return rc < 0 ? rc : nfs3_get_found(&results, proc, found);
}

/* What the handle is of, where the answer that brought it left that out. */
static int know_type(const struct nfs_target *t, struct nfs_ask *a, const struct nfs3_fh *fh,
                     const char *path, struct nfs3_attr *attr, struct err *err)
{
    struct nfs3_found found;
    int rc;

    if (attr->known)
        return 0;
    rc = ask_found(t, a, fh, NULL, &found);
    if (rc < 0)
        return nfs_words_rpc(t, NFS_SERVED, a, rc, err);
    if (found.status != NFS3_OK)
        return nfs_words_nfs(t, "GETATTR", path, found.status, a->reserved, err);
    *attr = found.attr;
    return 0;
}

static int check_directory(const struct nfs_target *t, const char *path,
                           const struct nfs3_attr *attr, struct err *err)
{
    if (attr->type == NFS3_DIR)
        return 0;
    return attr->type == NFS3_LNK ? nfs_words_link(t, path, err)
                                  : nfs_words_nfs(t, "LOOKUP", path, ENOTDIR, true, err);
}

/* `path` ends behind `name`, which is the next directory below t->root. */
static int step_down(struct nfs_target *t, struct nfs_ask *a, const char *path, const char *name,
                     struct err *err)
{
    struct nfs3_found found;
    int rc = ask_found(t, a, &t->root, name, &found);

    if (rc < 0)
        return nfs_words_rpc(t, NFS_SERVED, a, rc, err);
    if (found.status != NFS3_OK)
        return nfs_words_nfs(t, "LOOKUP", path, found.status, a->reserved, err);
    t->root = found.fh;
    rc = know_type(t, a, &t->root, path, &found.attr, err);
    return rc < 0 ? rc : check_directory(t, path, &found.attr, err);
}

static int walk(struct nfs_target *t, struct nfs_ask *a, struct err *err)
{
    char path[MOUNT3_PATH_MAX + 1];
    size_t len = strlen(t->export);
    struct nfs3_attr attr = {.known = false};
    int rc = know_type(t, a, &t->root, t->export, &attr, err);

    if (rc == 0)
        rc = check_directory(t, t->export, &attr, err);
    snprintf(path, sizeof path, "%s", t->address.path);
    for (char *name = path + len; rc == 0 && *name != '\0';) {
        name += *name == '/';
        if (*name == '\0')
            break;
        size_t name_len = strcspn(name, "/");
        char next = name[name_len];

        name[name_len] = '\0';
        rc = step_down(t, a, path, name, err);
        name[name_len] = next;
        name += name_len;
    }
    return rc;
}

static uint32_t io_bytes(uint32_t wish, uint32_t preferred, uint32_t max)
{
    uint32_t bytes = wish;

    if (wish == 0) {
        bytes = preferred > 0 ? preferred : max;
        bytes = bytes < NFS_IO_USUAL ? bytes : NFS_IO_USUAL;
    }
    if (max > 0 && bytes > max)
        bytes = max;
    return bytes > NFS_IO_MIN ? bytes : NFS_IO_MIN;
}

static void settle_sizes(struct nfs_target *t)
{
    uint32_t list = t->info.dtpref;

    t->rsize = io_bytes(t->address.rsize, t->info.rtpref, t->info.rtmax);
    t->wsize = io_bytes(t->address.wsize, t->info.wtpref, t->info.wtmax);
    t->readdir_bytes = list < READDIR_MIN ? READDIR_MIN : list > READDIR_MAX ? READDIR_MAX : list;
}

static int ask_info(struct nfs_target *t, struct nfs_ask *a, struct err *err)
{
    struct xdr_in results;
    int rc;

    nfs3_put_fh(begin_nfs(t, a, NFS3_FSINFO), &t->root);
    rc = nfs_ask_end(a, &results);
    if (rc == 0)
        rc = nfs3_get_info(&results, &t->info);
    if (rc < 0)
        return nfs_words_rpc(t, NFS_SERVED, a, rc, err);
    if (t->info.status != NFS3_OK)
        return nfs_words_nfs(t, "FSINFO", t->address.path, t->info.status, a->reserved, err);
    settle_sizes(t);
    return 0;
}

/* For the record only: servers without it are as good. */
static void ask_pathconf(struct nfs_target *t, struct nfs_ask *a)
{
    struct xdr_in results;

    nfs3_put_fh(begin_nfs(t, a, NFS3_PATHCONF), &t->root);
    if (nfs_ask_end(a, &results) < 0 || nfs3_get_pathconf(&results, &t->pathconf) < 0 ||
        t->pathconf.status != NFS3_OK)
        t->pathconf = (struct nfs3_pathconf){.status = NFS3ERR_NOTSUPP};
}

int nfs_look(struct nfs_target *t, struct err *err)
{
    struct nfs_ask a;
    int rc = nfs_ask_port(t, NFS_SERVED, nfs_peer_port(&t->peer), &a, err);

    if (rc < 0)
        return rc;
    t->reserved_port = a.reserved;
    rc = walk(t, &a, err);
    if (rc == 0)
        rc = ask_info(t, &a, err);
    if (rc == 0)
        ask_pathconf(t, &a);
    nfs_ask_close(&a);
    return rc;
}

/* File systems without a number of inodes, or that are nowhere in particular, say 0 of it. */
static int space_of(const struct nfs3_space *space, struct target_space *out)
{
    if (space->total_bytes == 0)
        return -ENOTSUP;
    *out = (struct target_space){.total_bytes = space->total_bytes,
                                 .free_bytes = space->avail_bytes,
                                 .free_files =
                                     space->total_files == 0 ? UINT64_MAX : space->avail_files};
    return 0;
}

int nfs_space(struct target *base, struct target_space *out)
{
    struct nfs_target *t = (struct nfs_target *)base;
    struct nfs3_space space;
    struct xdr_in results;
    struct nfs_ask a;
    int rc = nfs_ask_open(&a, &t->peer, t->address.timeo_ns);

    if (rc < 0)
        return rc;
    nfs3_put_fh(begin_nfs(t, &a, NFS3_FSSTAT), &t->root);
    rc = nfs_ask_end(&a, &results);
    if (rc == 0)
        rc = nfs3_get_space(&results, &space);
    if (rc == 0)
        rc = nfs3_errno(space.status);
    /* A server without a disk behind it may know no size either. */
    if (rc == 0 && space.total_bytes == 0)
        rc = -ENOTSUP;
    if (rc == 0)
        rc = space_of(&space, out);
    nfs_ask_close(&a);
    return rc;
}
