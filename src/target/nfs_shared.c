#include "target/nfs_priv.h"

#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct nfs_target *open_ones;

static struct nfs_target *like(const struct nfs_target *t)
{
    struct nfs_target *other = open_ones;

    while (other != NULL && (other == t || strcmp(other->given, t->given) != 0))
        other = other->next;
    return other;
}

bool nfs_shared_take(struct nfs_target *t)
{
    const struct nfs_target *other;

    pthread_mutex_lock(&lock);
    other = like(t);
    if (other != NULL) {
        t->peer = other->peer;
        t->peer_len = other->peer_len;
        t->mount_port = other->mount_port;
        t->uid = other->uid;
        t->gid = other->gid;
        t->cred = other->cred;
        memcpy(t->export, other->export, sizeof t->export);
        t->root = other->root;
        t->info = other->info;
        t->pathconf = other->pathconf;
        t->rsize = other->rsize;
        t->wsize = other->wsize;
        t->readdir_bytes = other->readdir_bytes;
        t->reserved_port = other->reserved_port;
    }
    pthread_mutex_unlock(&lock);
    return other != NULL;
}

void nfs_shared_enter(struct nfs_target *t)
{
    pthread_mutex_lock(&lock);
    t->next = open_ones;
    open_ones = t;
    pthread_mutex_unlock(&lock);
}

bool nfs_shared_leave(struct nfs_target *t)
{
    struct nfs_target **at = &open_ones;
    bool last;

    pthread_mutex_lock(&lock);
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    last = like(t) == NULL;
    pthread_mutex_unlock(&lock);
    return last;
}
