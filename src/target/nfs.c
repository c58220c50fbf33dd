/* An NFS server asked by our own client: any number of ops under way, nothing mounted, nothing cached. */
#include "target/catalog_priv.h"
#include "target/nfs_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Version 3 has neither. */
#define NFS_LACKS (1u << OP_FALLOCATE | 1u << OP_DISCARD)

static int nfs_caps(const char *address, struct target_caps *caps, struct err *err)
{
    struct nfs_address parsed;
    int rc = nfs_address_parse(address, &parsed, err);

    if (rc == 0)
        *caps = (struct target_caps){
            .op_kinds = ((1u << OP_KINDS) - 1) & ~NFS_LACKS, .uncached = true, .resolves = true};
    return rc;
}

static void nfs_close(struct target *base)
{
    struct nfs_target *t = (struct nfs_target *)base;

    if (t == NULL)
        return;
    if (nfs_shared_leave(t))
        nfs_target_unmount(t);
    pthread_mutex_destroy(&t->lock);
    free(t->given);
    free(t);
}

static int nfs_open(const char *address, struct target **out, struct err *err)
{
    struct nfs_target *t = calloc(1, sizeof *t);
    char *given = strdup(address);
    int rc;

    if (t == NULL || given == NULL) {
        free(given);
        free(t);
        return err_set(err, -ENOMEM, "no memory to open nfs:%.64s", address);
    }
    t->given = given;
    rc = nfs_address_parse(address, &t->address, err);
    if (rc == 0 && !nfs_shared_take(t))
        rc = nfs_target_mount(t, err);
    if (rc < 0) {
        free(given);
        free(t);
        return rc;
    }
    pthread_mutex_init(&t->lock, NULL);
    nfs_shared_enter(t);
    *out = (struct target *)t;
    return 0;
}

const struct target_table nfs_target = {
    .scheme = "nfs",
    .help = "a directory of an NFS server, version 3 over TCP, by a client of our own: nothing is "
            "mounted, no root is needed; nfs://HOST[:PORT]/EXPORT/PATH",
    .params = NFS_PARAMS,
    .caps = nfs_caps,
    .open = nfs_open,
    .close = nfs_close,
    .describe = nfs_describe,
    .session_open = nfs_session_open,
    .session_close = nfs_session_close,
    .submit = nfs_submit,
    .reap = nfs_reap,
    .wake = nfs_session_wake,
    .calls_window = nfs_session_calls_window,
    .calls = nfs_session_calls,
    .counters = nfs_counters,
    .space = nfs_space,
};
