/* target/posix_mount_priv.h — what is mounted where a target lies, and what the kernel's clients of NFS and SMB
 * servers tell of such a mount.
 * Shape    posix_mount_find, then posix_remote_facts and posix_remote_counters, which ask for what is
 *          known of its kind. `proc` is "/proc", or one that was recorded.
 * Limits   lines of POSIX_MOUNT_LINE bytes; what cannot be found out is left out.
 * Errors   none.                                 Threads  no state.
 * Source   docs/measuring.md; tests/unit/test_posix_mount.c. */
#ifndef LOADLINE_TARGET_POSIX_MOUNT_PRIV_H
#define LOADLINE_TARGET_POSIX_MOUNT_PRIV_H

#include "target/mount_line_priv.h"
#include "target/target.h"

/* The value of the last option of that name, "" of one without; NULL when there is none. */
const char *posix_option(const char *options, const char *name, char buf[64]);

#define POSIX_MOUNT_LINE 8192

struct posix_mount {
    struct mount_line is; /* points into line */
    char line[POSIX_MOUNT_LINE];
    char options[POSIX_MOUNT_LINE]; /* of the mount and of the file system */
};

/* By its number, and where the kernel numbers none (before 5.8) by the device; false: not found. */
bool posix_mount_find(const char *proc, int root_fd, dev_t device, struct posix_mount *out);
bool posix_mount_numbered(const char *proc, uint64_t id, struct posix_mount *out);

/* A directory of a server's, mounted by the kernel: which client that is, what it negotiated, and how it
 * caches. Nothing of other file systems. */
void posix_remote_facts(const char *proc, const struct posix_mount *m,
                        const struct target_sink *sink);
/* What the kernel's client has sent and received for the mount since it was mounted, for all that use it:
 * by kind of operation, those that there have been. */
void posix_remote_counters(const char *proc, const struct posix_mount *m,
                           const struct target_sink *sink);
bool posix_is_remote(int fd);
bool posix_is_nfs(const struct posix_mount *m);
bool posix_is_smb(const struct posix_mount *m);
void posix_nfs_facts(const char *proc, const struct posix_mount *m, const struct target_sink *sink);
void posix_nfs_counters(const char *proc, const struct posix_mount *m,
                        const struct target_sink *sink);
void posix_smb_counters(const char *proc, const struct posix_mount *m,
                        const struct target_sink *sink);
void posix_put_number(const struct target_sink *sink, const char *key, uint64_t value,
                      const char *unit);

#endif
