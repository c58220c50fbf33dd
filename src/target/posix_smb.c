/* What the kernel's SMB client has told of a share since it was mounted: /proc/fs/cifs/Stats, of dialects
 * 2 and 3. */
#include "target/posix_mount_priv.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
    const char *head;
    const char *key;
} known[] = {
    {"Creates:", "create"},
    {"Closes:", "close"},
    {"Flushes:", "flush"},
    {"Reads:", "read"},
    {"Writes:", "write"},
    {"Locks:", "lock"},
    {"IOCTLs:", "ioctl"},
    {"QueryDirectories:", "query_directory"},
    {"ChangeNotifies:", "change_notify"},
    {"QueryInfos:", "query_info"},
    {"SetInfos:", "set_info"},
    {"OplockBreaks:", "oplock_break"},
    {"TreeConnects:", "tree_connect"},
    {"TreeDisconnects:", "tree_disconnect"},
};

#define KNOWN (sizeof known / sizeof known[0])

/* A share may be mounted by several sessions: they are added. */
struct share {
    bool found;
    bool mine; /* the lines that come are of ours */
    uint64_t all;
    uint64_t read_bytes;
    uint64_t write_bytes;
    uint64_t failed;
    uint64_t ops[KNOWN];
};

/* "//server/share/below", however the slashes stand, against "\\server\share". */
static bool is_below(const char *source, const char *share)
{
    size_t len = strlen(share);
    char turned[PATH_MAX];

    snprintf(turned, sizeof turned, "%s", source);
    for (char *at = turned; *at != '\0'; at++) {
        if (*at == '/')
            *at = '\\';
    }
    return strncasecmp(turned, share, len) == 0 && (turned[len] == '\0' || turned[len] == '\\');
}

/* "1) \\server\share", behind it perhaps a tab and "DISCONNECTED". */
static bool begins_share(char *line, char **name)
{
    char *rest;

    (void)strtoul(line, &rest, 10);
    if (rest == line || strncmp(rest, ") \\\\", 4) != 0)
        return false;
    *name = rest + 2;
    (*name)[strcspn(*name, "\t\n")] = '\0';
    return true;
}

/* "Reads: 17 total 0 failed"; "sent" in the place of "total" before 4.20. */
static void take_counts(struct share *s, const char *line)
{
    uint64_t count = 0;
    uint64_t failed = 0;

    for (size_t i = 0; i < KNOWN; i++) {
        size_t len = strlen(known[i].head);

        if (strncmp(line, known[i].head, len) == 0 &&
            sscanf(line + len, "%" SCNu64 " %*s %" SCNu64, &count, &failed) >= 1) {
            s->ops[i] += count;
            s->failed += failed;
        }
    }
}

static void take_line(struct share *s, const char *line)
{
    uint64_t first = 0;
    uint64_t second = 0;

    if (sscanf(line, "SMBs: %" SCNu64, &first) == 1) {
        s->all += first;
    } else if (sscanf(line, "Bytes read: %" SCNu64 " Bytes written: %" SCNu64, &first, &second) ==
               2) {
        s->read_bytes += first;
        s->write_bytes += second;
    } else {
        take_counts(s, line);
    }
}

static void put_share(const struct share *s, const struct target_sink *sink)
{
    char key[48];

    for (size_t i = 0; i < KNOWN; i++) {
        snprintf(key, sizeof key, "wire_%s_ops", known[i].key);
        if (s->ops[i] > 0)
            posix_put_number(sink, key, s->ops[i], "ops");
    }
    posix_put_number(sink, "wire_ops", s->all, "ops");
    posix_put_number(sink, "wire_read_data_bytes", s->read_bytes, "bytes");
    posix_put_number(sink, "wire_write_data_bytes", s->write_bytes, "bytes");
    posix_put_number(sink, "wire_errors", s->failed, "ops");
}

void posix_smb_counters(const char *proc, const struct posix_mount *m,
                        const struct target_sink *sink)
{
    struct share s = {.found = false};
    char path[PATH_MAX];
    char line[1024];
    FILE *file;

    snprintf(path, sizeof path, "%s/fs/cifs/Stats", proc);
    file = fopen(path, "re");
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        char *name;

        if (begins_share(line, &name)) {
            s.mine = is_below(m->is.source, name);
            s.found |= s.mine;
        } else if (s.mine) {
            take_line(&s, line + strspn(line, " \t"));
        }
    }
    fclose(file);
    if (s.found)
        put_share(&s, sink);
}
