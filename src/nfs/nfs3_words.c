#include "nfs/nfs3.h"

#include <errno.h>

static const char *const proc_names[NFS3_PROCS] = {
    [NFS3_NULL] = "NULL",     [NFS3_GETATTR] = "GETATTR", [NFS3_SETATTR] = "SETATTR",
    [NFS3_LOOKUP] = "LOOKUP", [NFS3_ACCESS] = "ACCESS",   [NFS3_READLINK] = "READLINK",
    [NFS3_READ] = "READ",     [NFS3_WRITE] = "WRITE",     [NFS3_CREATE] = "CREATE",
    [NFS3_MKDIR] = "MKDIR",   [NFS3_SYMLINK] = "SYMLINK", [NFS3_MKNOD] = "MKNOD",
    [NFS3_REMOVE] = "REMOVE", [NFS3_RMDIR] = "RMDIR",     [NFS3_RENAME] = "RENAME",
    [NFS3_LINK] = "LINK",     [NFS3_READDIR] = "READDIR", [NFS3_READDIRPLUS] = "READDIRPLUS",
    [NFS3_FSSTAT] = "FSSTAT", [NFS3_FSINFO] = "FSINFO",   [NFS3_PATHCONF] = "PATHCONF",
    [NFS3_COMMIT] = "COMMIT",
};

const char *nfs3_proc_name(enum nfs3_proc proc)
{
    return (unsigned)proc < NFS3_PROCS ? proc_names[proc] : "?";
}

/* Two statuses have an errno of the kernel's own for want of a better one; here each keeps one that no
 * other status has, so that an error list tells them apart. */
static const struct {
    uint32_t status;
    int code;
    const char *name;
} statuses[] = {
    {NFS3_OK, 0, "NFS3_OK"},
    {1, -EPERM, "NFS3ERR_PERM"},
    {NFS3ERR_NOENT, -ENOENT, "NFS3ERR_NOENT"},
    {5, -EIO, "NFS3ERR_IO"},
    {6, -ENXIO, "NFS3ERR_NXIO"},
    {13, -EACCES, "NFS3ERR_ACCES"},
    {NFS3ERR_EXIST, -EEXIST, "NFS3ERR_EXIST"},
    {18, -EXDEV, "NFS3ERR_XDEV"},
    {19, -ENODEV, "NFS3ERR_NODEV"},
    {20, -ENOTDIR, "NFS3ERR_NOTDIR"},
    {21, -EISDIR, "NFS3ERR_ISDIR"},
    {22, -EINVAL, "NFS3ERR_INVAL"},
    {27, -EFBIG, "NFS3ERR_FBIG"},
    {28, -ENOSPC, "NFS3ERR_NOSPC"},
    {30, -EROFS, "NFS3ERR_ROFS"},
    {31, -EMLINK, "NFS3ERR_MLINK"},
    {63, -ENAMETOOLONG, "NFS3ERR_NAMETOOLONG"},
    {66, -ENOTEMPTY, "NFS3ERR_NOTEMPTY"},
    {69, -EDQUOT, "NFS3ERR_DQUOT"},
    {NFS3ERR_STALE, -ESTALE, "NFS3ERR_STALE"},
    {71, -EREMOTE, "NFS3ERR_REMOTE"},
    {10001, -EBADFD, "NFS3ERR_BADHANDLE"},
    {10002, -EBADE, "NFS3ERR_NOT_SYNC"},
    {NFS3ERR_BAD_COOKIE, -EBADSLT, "NFS3ERR_BAD_COOKIE"},
    {NFS3ERR_NOTSUPP, -EOPNOTSUPP, "NFS3ERR_NOTSUPP"},
    {NFS3ERR_TOOSMALL, -ENOBUFS, "NFS3ERR_TOOSMALL"},
    {NFS3ERR_SERVERFAULT, -EREMOTEIO, "NFS3ERR_SERVERFAULT"},
    {10007, -EMEDIUMTYPE, "NFS3ERR_BADTYPE"},
    {NFS3ERR_JUKEBOX, -EAGAIN, "NFS3ERR_JUKEBOX"},
};

const char *nfs3_status_name(uint32_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].status == status)
            return statuses[i].name;
    }
    return "NFS3ERR_?";
}

int nfs3_errno(uint32_t status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        if (statuses[i].status == status)
            return statuses[i].code;
    }
    return -EREMOTEIO;
}
