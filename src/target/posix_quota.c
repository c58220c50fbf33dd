/* What quotas leave to whoever writes, as far as the kernel tells: its own user, the group that files
 * get, the project that they inherit. */
#include "target/posix_priv.h"

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/quota.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

/* An amount used against its limits; 0: there is no such limit. */
struct allowance {
    uint64_t used;
    uint64_t hard;
    uint64_t soft;
    uint64_t grace_ends_s; /* 0: it has not begun */
};

/* false: unlimited. A soft limit binds once its time of grace is over. */
static bool what_is_left(const struct allowance *a, uint64_t now_s, uint64_t *left)
{
    bool soft_binds =
        a->soft > 0 && a->used >= a->soft && a->grace_ends_s > 0 && now_s >= a->grace_ends_s;

    if (a->hard == 0 && !soft_binds)
        return false;
    *left = soft_binds || a->used >= a->hard ? 0 : a->hard - a->used;
    return true;
}

static void lower(struct target_quota *quota, const char *kind, uint32_t id,
                  const struct allowance *a, uint64_t now_s)
{
    uint64_t left;

    if (!what_is_left(a, now_s, &left) || (quota->of[0] != '\0' && quota->left <= left))
        return;
    quota->left = left;
    snprintf(quota->of, sizeof quota->of, "%s %u", kind, id);
}

void posix_quota_apply(const struct posix_quota_source *source, uint64_t now_s,
                       struct target_space *space)
{
    static const char *const kind[MAXQUOTAS] = {
        [USRQUOTA] = "user", [GRPQUOTA] = "group", [PRJQUOTA] = "project"};

    for (int type = 0; type < MAXQUOTAS; type++) {
        struct if_dqblk q = {0};

        if (!source->applies[type] || source->get(source->ctx, type, source->id[type], &q) < 0)
            continue;
        const struct allowance bytes = {q.dqb_curspace, q.dqb_bhardlimit << QIF_DQBLKSIZE_BITS,
                                        q.dqb_bsoftlimit << QIF_DQBLKSIZE_BITS, q.dqb_btime};
        const struct allowance files = {q.dqb_curinodes, q.dqb_ihardlimit, q.dqb_isoftlimit,
                                        q.dqb_itime};

        if ((q.dqb_valid & (QIF_BLIMITS | QIF_SPACE)) == (QIF_BLIMITS | QIF_SPACE))
            lower(&space->quota_bytes, kind[type], source->id[type], &bytes, now_s);
        if ((q.dqb_valid & (QIF_ILIMITS | QIF_INODES)) == (QIF_ILIMITS | QIF_INODES))
            lower(&space->quota_files, kind[type], source->id[type], &files, now_s);
    }
}

/* ---- this machine ---- */

static int ask_kernel(void *ctx, int type, uint32_t id, struct if_dqblk *out)
{
    const int *root_fd = ctx;
    /* As QCMD, which shifts a bit into the sign. */
    unsigned command = (unsigned)Q_GETQUOTA << SUBCMDSHIFT | ((unsigned)type & SUBCMDMASK);

    return (int)posix_result(syscall(SYS_quotactl_fd, *root_fd, command, (int)id, out));
}

/* The kernel exempts such a process everywhere but on XFS. In a user namespace it does not, though we
 * cannot tell; EDQUOT then says so. */
static bool is_exempt(int root_fd)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};
    struct statfs fs;

    if (fstatfs(root_fd, &fs) == 0 && fs.f_type == XFS_SUPER_MAGIC)
        return false;
    return syscall(SYS_capget, &head, data) == 0 &&
           (data[0].effective & 1u << CAP_SYS_RESOURCE) != 0;
}

void posix_quota(int root_fd, struct target_space *space)
{
    struct posix_quota_source source = {.get = ask_kernel, .ctx = &root_fd};
    struct fsxattr attr = {0};
    struct stat st;

    if (fstat(root_fd, &st) < 0 || is_exempt(root_fd))
        return;
    source.id[USRQUOTA] = geteuid();
    source.id[GRPQUOTA] = st.st_mode & S_ISGID ? st.st_gid : getegid();
    source.applies[USRQUOTA] = source.applies[GRPQUOTA] = true;
    if (ioctl(root_fd, FS_IOC_FSGETXATTR, &attr) == 0 && attr.fsx_xflags & FS_XFLAG_PROJINHERIT) {
        source.id[PRJQUOTA] = attr.fsx_projid;
        source.applies[PRJQUOTA] = true;
    }
    posix_quota_apply(&source, (uint64_t)time(NULL), space);
}
