/* What a file system does with what is written, as far as its type, its mount options and the
 * attributes of a directory tell. What they do not tell is left out, and "unknown" is said where it
 * may well be so. */
#include "target/posix_mount_priv.h"
#include "target/posix_priv.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

enum manner { UNSAID, NO, YES, UNKNOWN };

/* By type alone; options and attributes may say more. */
static const struct {
    const char *type;
    enum manner cow;
    enum manner compression;
    enum manner encryption;
} fs_known[] = {
    {"ext2", NO, NO, NO},
    {"ext3", NO, NO, NO},
    {"ext4", NO, NO, NO},
    {"xfs", NO, NO, NO},
    {"btrfs", YES, NO, NO},
    {"tmpfs", NO, NO, NO},
    {"ramfs", NO, NO, NO},
    {"vfat", NO, NO, NO},
    {"exfat", NO, NO, NO},
    {"f2fs", UNSAID, NO, NO},
    {"zfs", YES, UNKNOWN, UNKNOWN},
    {"bcachefs", YES, NO, UNKNOWN},
    {"nilfs2", YES, NO, NO},
    {"overlay", UNSAID, UNKNOWN, UNKNOWN},
    {"ecryptfs", UNSAID, UNSAID, YES},
    {"fuse.gocryptfs", UNSAID, UNSAID, YES},
    {"fuse.encfs", UNSAID, UNSAID, YES},
    {"fuse.cryfs", UNSAID, UNSAID, YES},
};

static const char *word_of(enum manner manner)
{
    static const char *const word[] = {NULL, "no", "yes", "unknown"};

    return word[manner];
}

static const char *cow_of(const struct posix_fs *fs, enum manner by_type)
{
    char buf[64];

    if (strcmp(fs->type, "btrfs") == 0 &&
        (fs->flags & FS_NOCOW_FL || posix_option(fs->options, "nodatacow", buf) != NULL))
        return "no";
    return word_of(by_type);
}

static const char *compression_of(const struct posix_fs *fs, enum manner by_type, char buf[64])
{
    static const char *const names[] = {"compress-force", "compress", "compression", "compr"};

    if (fs->flags & FS_COMPR_FL || fs->attributes & STATX_ATTR_COMPRESSED)
        return "yes";
    if (fs->flags & (FS_NOCOMP_FL | FS_NOCOW_FL))
        return "no";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = posix_option(fs->options, names[i], buf);

        if (value != NULL)
            return value[0] == '\0' ? "yes" : strcmp(value, "none") == 0 ? "no" : value;
    }
    return word_of(by_type);
}

static const char *encryption_of(const struct posix_fs *fs, enum manner by_type, char buf[64])
{
    const char *sec = posix_option(fs->options, "sec", buf);

    if (fs->flags & FS_ENCRYPT_FL || fs->attributes & STATX_ATTR_ENCRYPTED)
        return "fscrypt";
    if (sec != NULL && strcmp(sec, "krb5p") == 0)
        return "krb5p, on the wire";
    if (posix_option(fs->options, "seal", buf) != NULL)
        return "seal, on the wire";
    if (by_type == YES)
        return fs->type;
    return word_of(by_type);
}

static void put(const struct target_sink *sink, const char *key, const char *value)
{
    if (value != NULL)
        sink->put(sink->ctx, key, value, "");
}

void posix_fs_facts(const struct posix_fs *fs, const struct target_sink *sink)
{
    enum manner cow = UNSAID, compression = UNSAID, encryption = UNSAID;
    char buf[64];

    for (size_t i = 0; i < sizeof fs_known / sizeof *fs_known; i++) {
        if (strcmp(fs_known[i].type, fs->type) != 0)
            continue;
        cow = fs_known[i].cow;
        compression = fs_known[i].compression;
        encryption = fs_known[i].encryption;
    }
    put(sink, "fs_copy_on_write", cow_of(fs, cow));
    put(sink, "fs_compression", compression_of(fs, compression, buf));
    put(sink, "fs_encryption", encryption_of(fs, encryption, buf));
}

/* New files take over what the directory they are made in has. */
void posix_fs_attributes(int root_fd, struct posix_fs *fs)
{
    struct statx sx = {.stx_mask = 0};
    int flags = 0;

    if (statx(root_fd, "", AT_EMPTY_PATH, STATX_TYPE, &sx) == 0)
        fs->attributes = sx.stx_attributes & sx.stx_attributes_mask;
    if (ioctl(root_fd, FS_IOC_GETFLAGS, &flags) == 0)
        fs->flags = (unsigned)flags;
}
