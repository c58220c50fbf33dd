/* What is mounted where a target lies, and what its options tell of a server. */
#include "target/posix_mount_priv.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

/* Older headers have fewer of them. */
#define MAGIC_NFS  0x6969
#define MAGIC_CIFS 0xff534d42
#define MAGIC_SMB2 0xfe534d42

void posix_put_number(const struct target_sink *sink, const char *key, uint64_t value,
                      const char *unit)
{
    char text[24];

    snprintf(text, sizeof text, "%" PRIu64, value);
    sink->put(sink->ctx, key, text, unit);
}

const char *posix_option(const char *options, const char *name, char buf[64])
{
    size_t len = strlen(name);
    const char *found = NULL;

    for (const char *at = options; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, len) == 0 && strchr("=,", at[len]) != NULL)
            found = at + len;
    }
    if (found == NULL)
        return NULL;
    found += *found == '=';
    snprintf(buf, 64, "%.*s", (int)strcspn(found, ","), found);
    return buf;
}

/* ---- finding it ---- */

static bool take_line(struct posix_mount *m, FILE *file)
{
    while (fgets(m->line, sizeof m->line, file) != NULL) {
        if (mount_line_parse(m->line, &m->is))
            return true;
    }
    return false;
}

static void join_options(struct posix_mount *m)
{
    snprintf(m->options, sizeof m->options, "%s%s%s", m->is.options,
             m->is.super_options[0] != '\0' ? "," : "", m->is.super_options);
}

static bool find(const char *proc, const uint64_t *id, dev_t device, struct posix_mount *m)
{
    char path[PATH_MAX];
    bool found = false;
    FILE *file;

    snprintf(path, sizeof path, "%s/self/mountinfo", proc);
    file = fopen(path, "re");
    while (file != NULL && !found && take_line(m, file))
        found = id != NULL ? m->is.id == *id : m->is.device == device;
    if (file != NULL)
        fclose(file);
    if (found)
        join_options(m);
    return found;
}

bool posix_mount_numbered(const char *proc, uint64_t id, struct posix_mount *m)
{
    return find(proc, &id, 0, m);
}

bool posix_mount_find(const char *proc, int root_fd, dev_t device, struct posix_mount *m)
{
    struct statx sx = {.stx_mask = 0};
    uint64_t id;

    if (statx(root_fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &sx) < 0 || !(sx.stx_mask & STATX_MNT_ID))
        return find(proc, NULL, device, m);
    id = sx.stx_mnt_id;
    return find(proc, &id, 0, m);
}

bool posix_is_remote(int fd)
{
    struct statfs fs;
    uint32_t magic;

    if (fstatfs(fd, &fs) < 0)
        return false;
    magic = (uint32_t)fs.f_type;
    return magic == MAGIC_NFS || magic == MAGIC_CIFS || magic == MAGIC_SMB2;
}

bool posix_is_nfs(const struct posix_mount *m)
{
    return strcmp(m->is.type, "nfs") == 0 || strcmp(m->is.type, "nfs4") == 0;
}

bool posix_is_smb(const struct posix_mount *m)
{
    return strcmp(m->is.type, "cifs") == 0 || strcmp(m->is.type, "smb3") == 0;
}

/* ---- what its options tell ---- */

static void put(const struct target_sink *sink, const char *key, const char *value)
{
    if (value != NULL && value[0] != '\0')
        sink->put(sink->ctx, key, value, "");
}

static void put_option(const struct posix_mount *m, const char *name, const char *key,
                       const char *unit, const struct target_sink *sink)
{
    char buf[64];
    const char *value = posix_option(m->options, name, buf);

    if (value != NULL && value[0] != '\0')
        sink->put(sink->ctx, key, value, unit);
}

static void put_sizes(const struct posix_mount *m, const struct target_sink *sink)
{
    put_option(m, "addr", "server", "", sink);
    put_option(m, "rsize", "rsize", "bytes", sink);
    put_option(m, "wsize", "wsize", "bytes", sink);
    put_option(m, "sec", "sec", "", sink);
}

/* Those of a list that are set, as they stand; `none` when not one of them is. */
static void put_set(const struct posix_mount *m, const char *key, const char *const *names,
                    const char *none, const struct target_sink *sink)
{
    char words[256] = "";
    char buf[64];
    size_t used = 0;

    for (; *names != NULL; names++) {
        const char *value = posix_option(m->options, *names, buf);

        if (value != NULL && used < sizeof words)
            used +=
                (size_t)snprintf(words + used, sizeof words - used, "%s%s%s%s", used > 0 ? "," : "",
                                 *names, value[0] != '\0' ? "=" : "", value);
    }
    put(sink, key, used > 0 ? words : none);
}

/* "4.2", or "4" beside "minorversion=1", as kernels before 4.0 put it. */
static void put_nfs_version(const struct posix_mount *m, const struct target_sink *sink)
{
    char major_buf[64];
    char minor_buf[64];
    char version[132];
    const char *vers = posix_option(m->options, "vers", major_buf);
    const char *minor_number = posix_option(m->options, "minorversion", minor_buf);

    if (vers == NULL)
        return;
    snprintf(version, sizeof version, "%s%s%s", vers, minor_number != NULL ? "." : "",
             minor_number != NULL ? minor_number : "");
    put(sink, "nfs_version", version);
}

static void put_nfs(const char *proc, const struct posix_mount *m, const struct target_sink *sink)
{
    static const char *const caching[] = {"noac",     "actimeo",  "acregmin", "acregmax",
                                          "acdirmin", "acdirmax", "nocto",    "lookupcache",
                                          "fsc",      NULL};
    char buf[64];

    put(sink, "client", "kernel NFS client");
    put_nfs_version(m, sink);
    put_option(m, "proto", "transport", "", sink);
    put_sizes(m, sink);
    put(sink, "nconnect", posix_option(m->options, "nconnect", buf) != NULL ? buf : "1");
    put_option(m, "xprtsec", "transport_security", "", sink);
    put_set(m, "client_caching", caching, "as usual: pages, attributes, names", sink);
    posix_nfs_facts(proc, m, sink);
}

static bool is_set(const struct posix_mount *m, const char *name)
{
    char buf[64];

    return posix_option(m->options, name, buf) != NULL;
}

/* "ntlmsspi", "krb5i": the letter at the end stands for signing. */
static bool is_signed(const struct posix_mount *m)
{
    char buf[64];
    const char *sec = posix_option(m->options, "sec", buf);
    size_t len = sec != NULL ? strlen(sec) : 0;

    return is_set(m, "sign") || (len > 0 && sec[len - 1] == 'i');
}

static void put_smb(const struct posix_mount *m, const struct target_sink *sink)
{
    static const char *const caching[] = {"cache",   "actimeo", "acregmax", "acdirmax",
                                          "nolease", "fsc",     NULL};
    char buf[64];

    put(sink, "client", "kernel SMB client");
    put_option(m, "vers", "smb_dialect", "", sink);
    put(sink, "transport", is_set(m, "rdma") ? "rdma" : "tcp");
    put_sizes(m, sink);
    put(sink, "channels", posix_option(m->options, "max_channels", buf) != NULL ? buf : "1");
    put(sink, "signing", is_signed(m) ? "yes" : "as the server asks");
    put(sink, "encryption", is_set(m, "seal") ? "yes" : "as the server asks");
    put_set(m, "client_caching", caching, "as usual", sink);
}

void posix_remote_facts(const char *proc, const struct posix_mount *m,
                        const struct target_sink *sink)
{
    if (posix_is_nfs(m))
        put_nfs(proc, m, sink);
    else if (posix_is_smb(m))
        put_smb(m, sink);
}

void posix_remote_counters(const char *proc, const struct posix_mount *m,
                           const struct target_sink *sink)
{
    if (posix_is_nfs(m))
        posix_nfs_counters(proc, m, sink);
    else if (posix_is_smb(m))
        posix_smb_counters(proc, m, sink);
}
