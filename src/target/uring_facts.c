/* What a result says of how io_uring was used. */
#include "target/uring_priv.h"

#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

/* Not in the header of all systems. */
#define MAGIC_XFS      0x58465342
#define MAGIC_BCACHEFS 0xca451a4e
#define MAGIC_ZFS      0x2fc12fc1

/* A registered file is let go of without the call by which a descriptor's closing makes a file system of
 * the network write out what it has, and report what went wrong: on those whose close does nothing
 * of the kind it makes no difference, on all others descriptors are used. */
const char *uring_files_why_not(int root_fd)
{
    static const long local[] = {EXT4_SUPER_MAGIC, BTRFS_SUPER_MAGIC, TMPFS_MAGIC, RAMFS_MAGIC,
                                 F2FS_SUPER_MAGIC, MAGIC_XFS,         MAGIC_ZFS,   MAGIC_BCACHEFS};
    struct statfs fs;

    if (fstatfs(root_fd, &fs) == 0) {
        for (unsigned i = 0; i < sizeof local / sizeof local[0]; i++) {
            if ((unsigned)fs.f_type == (unsigned)local[i])
                return NULL;
        }
    }
    return "this file system may have work to do at close";
}

static void put(const struct target_sink *sink, const char *key, const char *value)
{
    sink->put(sink->ctx, key, value, "");
}

static void put_setup(const struct uring_target *t, const struct target_sink *sink)
{
    static const struct {
        unsigned flag;
        const char *name;
    } flags[] = {{IORING_SETUP_SINGLE_ISSUER, "single issuer"},
                 {IORING_SETUP_DEFER_TASKRUN, "deferred task work"},
                 {IORING_SETUP_COOP_TASKRUN, "cooperative task work"}};
    char words[96] = "";
    size_t used = 0;

    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++) {
        if (t->offer.setup & flags[i].flag)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                     used > 0 ? ", " : "", flags[i].name);
    }
    put(sink, "ring_setup", used > 0 ? words : "plain");
}

static void put_files(const struct uring_target *t, const struct target_sink *sink)
{
    unsigned registered = atomic_load(&t->files_registered);
    unsigned plain = atomic_load(&t->files_plain);
    int code = atomic_load(&t->files_code);
    char words[128];

    if (registered + plain == 0)
        return;
    if (plain == 0) {
        put(sink, "registered_files", "yes");
    } else if (registered > 0) {
        put(sink, "registered_files", "some sessions");
    } else {
        snprintf(words, sizeof words, "no: %s",
                 t->files_why_not != NULL ? t->files_why_not
                 : code < 0               ? err_name(code)
                                          : "this kernel has not all ops for them");
        put(sink, "registered_files", words);
    }
}

static void put_buffers(const struct uring_target *t, const struct target_sink *sink)
{
    int code = atomic_load(&t->buffers_code);
    bool some = atomic_load(&t->buffers_registered) > 0;
    char words[64];

    if (code < 0) {
        snprintf(words, sizeof words, "%s: %s%s", some ? "some sessions" : "no", err_name(code),
                 code == -ENOMEM ? ", see ulimit -l" : "");
        put(sink, "registered_buffers", words);
    } else if (some) {
        put(sink, "registered_buffers", "yes");
    }
}

static void put_helpers(const struct uring_target *t, const struct target_sink *sink)
{
    unsigned helpers = atomic_load(&t->helpers);
    unsigned kinds = atomic_load(&t->helper_kinds);
    char words[64] = "";
    size_t used = 0;
    char number[16];

    if (helpers == 0)
        return;
    for (unsigned kind = 0; kind < OP_KINDS; kind++) {
        if (kinds >> kind & 1)
            used += (size_t)snprintf(words + used, sizeof words - used, "%s%s",
                                     used > 0 ? ", " : "", op_kind_name((enum op_kind)kind));
    }
    put(sink, "ops_by_helpers", words);
    snprintf(number, sizeof number, "%u", helpers);
    put(sink, "op_helpers", number);
}

void uring_describe(struct target *base, const struct target_sink *sink)
{
    const struct uring_target *t = (const struct uring_target *)base;

    posix_describe(base, sink);
    put_setup(t, sink);
    put_files(t, sink);
    put_buffers(t, sink);
    put_helpers(t, sink);
}
