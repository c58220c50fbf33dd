/* target/posix_priv.h — the parts of the posix target, most of which serve uring as well.
 * Shape    posix.c is the table and the hot path; posix_seat.c opens the directory, and what a session
 *          has of it; posix_dirs.c opens and keeps directories; posix_names.c does the ops that
 *          name something; posix_list.c lists directories; posix_cache.c has those about the page
 *          cache; posix_limits.c descriptor tables; posix_quota.c quotas; posix_facts.c what is
 *          known about the target; posix_mount.c what is mounted there, posix_mountstats.c and
 *          posix_smb.c what the kernel's clients of servers tell of it; posix_fs.c what its file
 *          system does with data; posix_device.c
 *          and posix_stack.c its device and what that is made of; posix_backing.c whether that is
 *          memory. What submits and reaps is blocking.c's.
 * Errors   negative errno.                       Threads  a session's parts belong to its thread. */
#ifndef LOADLINE_TARGET_POSIX_PRIV_H
#define LOADLINE_TARGET_POSIX_PRIV_H

#include "target/blocking_priv.h"
#include "target/target.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POSIX_DIRS_MIN  8
#define POSIX_DEPTH_MAX 64 /* directories between the root and a node */

struct posix_target {
    char *path; /* absolute, no symlinks */
    int root_fd;
    dev_t device;
    ino_t inode;
    bool remote;                /* the file system is a server's: its mount has more to tell */
    atomic_uint tables_private; /* sessions with a descriptor table of their own */
    atomic_uint tables_shared;
    atomic_uint shared_fds; /* what sessions without one need together */
    atomic_uint helpers;    /* threads of all sessions opened so far, for detached ops */
};

/* ---- open directories, least recently used first out ---- */

struct posix_dir {
    uint64_t node;
    int fd;         /* -1: a free place */
    uint32_t holds; /* it stays open as long as there are any */
    bool forgotten; /* and then it is closed */
    uint32_t newer;
    uint32_t older;
    uint32_t chain; /* next in the same bucket, or the next free one */
};

struct posix_step {
    uint64_t node;
    char leaf[TARGET_LEAF_MAX];
};

struct posix_dirs {
    uint64_t last_node; /* the directory used last: most ops follow another one in the same */
    int last_fd;
    uint32_t last; /* its place */
    int root_fd;
    struct target_names names;
    bool use_openat2;
    bool knows_mount;
    uint64_t root_mount;
    uint32_t room;
    uint32_t used;
    uint32_t newest;
    uint32_t oldest;
    uint32_t free;
    uint32_t bucket_mask;
    uint32_t *bucket;
    struct posix_dir *dir;
    struct posix_step *path; /* [POSIX_DEPTH_MAX], of the node being opened */
};

int posix_dirs_init(struct posix_dirs *d, int root_fd, const struct target_names *names,
                    unsigned room);
void posix_dirs_fini(struct posix_dirs *d);
/* Descriptor of a directory that is not the one used last. */
int posix_dirs_find(struct posix_dirs *d, uint64_t node);
/* Descriptor of the directory that `node` lies in, and its name there. -EINVAL for the root. */
int posix_dirs_parent(struct posix_dirs *d, uint64_t node, char leaf[TARGET_LEAF_MAX]);
/* It has been removed, or made anew: what was open is not it any more. */
void posix_dirs_forget(struct posix_dirs *d, uint64_t node);

/* For ops that go on behind the call: as the two above, and what is open stays so until it is
 * released. -EAGAIN while so many are held that no other can be opened. */
int posix_dirs_hold(struct posix_dirs *d, uint64_t node, uint32_t *hold);
int posix_dirs_hold_parent(struct posix_dirs *d, uint64_t node, char leaf[TARGET_LEAF_MAX],
                           uint32_t *hold);
void posix_dirs_release(struct posix_dirs *d, uint32_t hold);

static inline int posix_dirs_fd(struct posix_dirs *d, uint64_t node)
{
    return node == d->last_node ? d->last_fd : posix_dirs_find(d, node);
}

/* ---- a session ---- */

/* What a session has of its own at the directory: a descriptor table, the root, open directories. */
struct posix_seat {
    struct posix_target *target;
    int root_fd;
    bool table_private;
    unsigned fds;
    struct posix_dirs dirs;
};

/* Opens the directory of a target that is all zeros. */
int posix_target_init(struct posix_target *t, const char *address, struct err *err);
void posix_target_fini(struct posix_target *t);
/* By the session's thread; `more` descriptors besides those that `spec` tells of. */
int posix_seat_open(struct posix_seat *seat, struct posix_target *t,
                    const struct session_spec *spec, unsigned more, struct err *err);
void posix_seat_close(struct posix_seat *seat);
/* The target's own; its struct posix_target is its first member. */
int posix_caps(const char *address, struct target_caps *caps, struct err *err);
int posix_space(struct target *t, struct target_space *out);

/* ---- posix_list.c: the directory being listed; consecutive READDIRs continue where the kernel stands ---- */

struct posix_listing {
    uint64_t node;
    uint64_t cookie;
    int fd; /* -1: none */
};

static inline bool posix_listing_open(const struct posix_listing *l, uint64_t node)
{
    return l->fd >= 0 && l->node == node;
}
void posix_listing_end(struct posix_listing *l);
/* READDIR; `dir` is a descriptor of the directory, not used where the listing has it open. */
int64_t posix_list(struct posix_listing *l, int dir, struct op *op);

struct posix_session {
    struct blocking blocking; /* first */
    struct posix_seat seat;
    struct posix_listing listing;
};

/* A name stays in its directory: this is what keeps every op under the target. */
bool posix_is_name(const char *leaf);
enum target_type posix_type_of(mode_t mode);
int64_t posix_stat_at(int dir, const char *leaf, struct target_stat *out);
/* What OPEN and CREATE ask for, in the kernel's flags; -EINVAL for what contradicts itself. */
int posix_open_flags(const struct op *op);
/* `fd`, just opened or -errno, becomes the op's handle once it is as the flags ask. */
int64_t posix_opened(struct op *op, int64_t fd);

/* Ops by name; op->node, op->leaf → res. */
int64_t posix_open_file(struct posix_session *s, struct op *op);
int64_t posix_create(struct posix_session *s, struct op *op);
int64_t posix_lookup(struct posix_session *s, struct op *op);
int64_t posix_stat(struct posix_session *s, struct op *op);
int64_t posix_unlink(struct posix_session *s, struct op *op);
int64_t posix_rename(struct posix_session *s, struct op *op);
int64_t posix_mkdir(struct posix_session *s, struct op *op);
int64_t posix_rmdir(struct posix_session *s, struct op *op);
int64_t posix_readdir(struct posix_session *s, struct op *op);

/* This machine's page cache. Without cachestat, mincore tells what is resident and nothing tells
 * what is dirty: 0 then. */
bool posix_has_cachestat(void);
int64_t posix_evict(int fd);
int64_t posix_resident(int fd, uint64_t len, uint64_t *dirty_bytes);
/* For what does not tell its length by fstat: len is within it. */
int64_t posix_resident_within(int fd, uint64_t len, uint64_t *dirty_bytes);

/* Gives the calling thread, unless it is the process's first one, a descriptor table of its own. */
bool posix_table_unshare(void);
/* Raises the limit and grows the table so that `fds` more descriptors fit without growing again. */
int posix_table_grow(int any_fd, unsigned fds, struct err *err);
/* How many files a session could have open beside `own` descriptors of its own; 0: not known. */
unsigned posix_table_max(unsigned own);

/* Where quotas are asked, by USRQUOTA, GRPQUOTA and PRJQUOTA; `get` is quotactl(2), in tests a fake. */
struct if_dqblk;
struct posix_quota_source {
    int (*get)(void *ctx, int type, uint32_t id, struct if_dqblk *out);
    void *ctx;
    uint32_t id[3];
    bool applies[3];
};
void posix_quota_apply(const struct posix_quota_source *source, uint64_t now_s,
                       struct target_space *space);
/* What the kernel tells of those that bind this process there. */
void posix_quota(int root_fd, struct target_space *space);

/* ---- the file system and the device below; `sys` is "/sys", in tests a recorded one ---- */

struct posix_fs {
    const char *type;
    const char *options; /* of mount and super block, with commas */
    uint64_t attributes; /* STATX_ATTR_* of the directory that are known */
    unsigned flags;      /* FS_*_FL */
};
void posix_fs_attributes(int root_fd, struct posix_fs *fs);
/* fs_copy_on_write, fs_compression, fs_encryption. */
void posix_fs_facts(const struct posix_fs *fs, const struct target_sink *sink);

/* The first line of a file without its end; false: none, or empty. */
bool posix_sys_line(const char *dir, const char *name, char *buf, size_t room);

/* The logical sector of a block device; 0 not known. */
unsigned posix_sector_bytes(dev_t device);
/* What lengths and places of direct I/O on files of that directory are multiples of, as statx tells of a file there,
 * or else its device; 0 not known. */
unsigned posix_direct_align(int root_fd);

/* One device of those that a device is made of. */
struct posix_layer {
    const char *dir;
    const char *name;
    unsigned depth; /* 0: the device itself, or its disk */
};
typedef bool posix_layer_visit(void *ctx, const struct posix_layer *layer);
/* From the top down until a visit returns true; whether one did. */
bool posix_stack_walk(const char *sys, dev_t device, posix_layer_visit *visit, void *ctx);
/* "loop7", "ram0": that kind and a number. */
bool posix_layer_is(const struct posix_layer *layer, const char *kind);

struct posix_stack {
    char words[160]; /* "dm-1 (lvm) on dm-0 (crypt) on sda" */
    unsigned layers;
    unsigned last_depth;
    char encryption[32]; /* "dm-crypt (dm-0)"; "" none that shows, likewise: */
    char compression[32];
    char thin[32];
};
void posix_stack_of(const char *sys, dev_t device, struct posix_stack *out);
void posix_device_facts(const char *sys, dev_t device, const struct target_sink *sink);

/* Whether this machine's memory serves the device, or one of those it is made of: a loop device
 * through the page cache, zram, brd, null_blk, also below dm and md. True also where there is no /sys
 * to tell. Fills buf: "page cache of this machine (loop0)". */
bool posix_backed_by(const char *sys, dev_t device, char *buf, size_t room);

void posix_describe(struct target *t, const struct target_sink *sink);
void posix_process_counters(const struct target_sink *sink);
void posix_counters(struct target *t, const struct target_sink *sink);

#endif
