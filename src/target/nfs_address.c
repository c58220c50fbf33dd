/* The URL of an NFS target. Nothing is asked of anybody here. */
#include "base/nearest.h"
#include "base/units.h"
#include "target/catalog.h"
#include "target/nfs_priv.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORM "nfs://HOST[:PORT]/EXPORT/PATH"

/* What mount(8) knows as 600 is a minute. */
#define TENTH_NS       100000000ull
#define TIMEO_DEFAULT  600
#define TIMEO_MAX      36000
#define RETRANS_MAX    1000
#define PORT_MAX       65535
#define IDS_END        UINT32_MAX /* (uid_t)-1 is nobody's */
#define HOST_SHOWN_MAX 64

/* ---- host and port ---- */

static int parse_port(const char *text, size_t len, const char *of, uint16_t *out, struct err *err)
{
    uint32_t port = 0;

    for (size_t i = 0; i < len && port <= PORT_MAX; i++) {
        if (!isdigit((unsigned char)text[i]))
            port = PORT_MAX;
        port = port * 10 + (uint32_t)(text[i] - '0');
    }
    if (len == 0 || port == 0 || port > PORT_MAX)
        return err_set(err, -EINVAL, "nfs: the %s \"%.*s\" is not a number from 1 to 65535", of,
                       (int)(len < HOST_SHOWN_MAX ? len : HOST_SHOWN_MAX), text);
    *out = (uint16_t)port;
    return 0;
}

static bool is_host_char(char c, bool in_brackets)
{
    return isalnum((unsigned char)c) || c == '.' || c == '-' || c == '_' ||
           (in_brackets && (c == ':' || c == '%'));
}

/* The '%' in front of a zone may be written as in a URL or as everywhere else. */
static void plain_zone(char *host)
{
    char *zone = strstr(host, "%25");

    if (zone != NULL && zone[3] != '\0')
        memmove(zone + 1, zone + 3, strlen(zone + 3) + 1);
}

static int take_name(const char *text, size_t len, bool in_brackets, struct nfs_address *out,
                     struct err *err)
{
    int shown = (int)(len < HOST_SHOWN_MAX ? len : HOST_SHOWN_MAX);

    if (len == 0)
        return err_set(err, -EINVAL, "nfs: names no server; it is written " FORM);
    if (len > NFS_HOST_MAX)
        return err_set(err, -EINVAL, "nfs: the name of the server is longer than %d bytes",
                       NFS_HOST_MAX);
    if (memchr(text, '@', len) != NULL)
        return err_set(err, -EINVAL,
                       "nfs: \"%.*s\" has a user in it; as whom is said by ?uid=N&gid=N", shown,
                       text);
    for (size_t i = 0; i < len; i++) {
        if (!is_host_char(text[i], in_brackets))
            return err_set(err, -EINVAL, "nfs: \"%.*s\" cannot be the name of a server", shown,
                           text);
    }
    memcpy(out->host, text, len);
    out->host[len] = '\0';
    plain_zone(out->host);
    return 0;
}

static int take_server(const char *text, size_t len, struct nfs_address *out, struct err *err)
{
    const char *end = text + len;
    const char *name_end;
    const char *port;
    bool in_brackets = len > 0 && text[0] == '[';
    int rc;

    if (in_brackets) {
        name_end = memchr(text, ']', len);
        if (name_end == NULL)
            return err_set(err, -EINVAL, "nfs: \"[\" without \"]\" around the IPv6 address");
        port = name_end + 1;
        text++;
        if (port < end && *port != ':')
            return err_set(err, -EINVAL, "nfs: behind \"]\" only :PORT may stand");
    } else {
        port = memchr(text, ':', len);
        if (port != NULL && memchr(port + 1, ':', (size_t)(end - port - 1)) != NULL)
            return err_set(err, -EINVAL,
                           "nfs: an IPv6 address stands in brackets: nfs://[%.*s]/EXPORT",
                           (int)(len < HOST_SHOWN_MAX ? len : HOST_SHOWN_MAX), text);
        if (port == NULL)
            port = end;
        name_end = port;
    }
    rc = take_name(text, (size_t)(name_end - text), in_brackets, out, err);
    if (rc < 0 || port == end)
        return rc;
    return parse_port(port + 1, (size_t)(end - port - 1), "port", &out->port, err);
}

/* ---- path ---- */

static int hex(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* The byte at *at, which moves behind it; -1: "%" without two hexadecimal digits, or a NUL. */
static int next_byte(const char **at, const char *end)
{
    const char *s = *at;
    int high;
    int low;

    if (*s != '%') {
        *at = s + 1;
        return (unsigned char)*s;
    }
    high = end - s >= 3 ? hex(s[1]) : -1;
    low = high >= 0 ? hex(s[2]) : -1;
    *at = s + 3;
    return low >= 0 && high + low > 0 ? high << 4 | low : -1;
}

/* One name is behind the last '/' of it: takes "." out again; false for "..". */
static bool end_of_name(char *path, size_t *len)
{
    const char *name = strrchr(path, '/');

    if (strcmp(name, "/..") == 0)
        return false;
    if (strcmp(name, "/.") == 0 || strcmp(name, "/") == 0)
        *len = (size_t)(name - path);
    path[*len] = '\0';
    return true;
}

static int take_path(const char *text, size_t text_len, struct nfs_address *out, struct err *err)
{
    const char *end = text + text_len;
    size_t len = 0;

    for (const char *at = text; at < end;) {
        int c = next_byte(&at, end);

        if (c < 0)
            return err_set(
                err, -EINVAL,
                "nfs: \"%%\" in the path begins a byte in two hexadecimal digits, not 00; "
                "a percent sign itself is %%25");
        if (c == '/' && len > 0 && !end_of_name(out->path, &len))
            break;
        if (len == MOUNT3_PATH_MAX)
            return err_set(err, -EINVAL, "nfs: the path is longer than %d bytes", MOUNT3_PATH_MAX);
        out->path[len++] = (char)c;
        out->path[len] = '\0';
    }
    if (len > 0 && !end_of_name(out->path, &len))
        return err_set(err, -EINVAL,
                       "nfs: \"..\" in the path is not followed; write where it "
                       "leads to");
    if (len == 0)
        memcpy(out->path, "/", 2);
    return 0;
}

/* ---- parameters ---- */

static int take_number(const char *name, const char *value, uint64_t min, uint64_t max,
                       uint64_t *out, struct err *err)
{
    char *end;

    errno = 0;
    *out = strtoull(value, &end, 10);
    if (!isdigit((unsigned char)value[0]) || *end != '\0' || errno != 0 || *out < min || *out > max)
        return err_set(err, -EINVAL, "nfs: %s=%s is not a number from %llu to %llu", name, value,
                       (unsigned long long)min, (unsigned long long)max);
    return 0;
}

static int take_size(const char *name, const char *value, uint32_t *out, struct err *err)
{
    struct err why = {0};
    uint64_t bytes = 0;

    if (units_parse_bytes(value, &bytes, &why) < 0)
        return err_set(err, -EINVAL, "nfs: %s: %s", name, why.text);
    if (bytes < NFS_IO_MIN || bytes > NFS_IO_MAX)
        return err_set(err, -EINVAL, "nfs: %s: %s is not from 1 KiB to 16 MiB", name, value);
    *out = (uint32_t)bytes;
    return 0;
}

static int take_sync(const char *value, enum nfs_sync *out, struct err *err)
{
    static const char *const names[] = {[NFS_SYNC_AUTO] = "auto",
                                        [NFS_SYNC_UNSTABLE] = "unstable",
                                        [NFS_SYNC_DATA] = "data",
                                        [NFS_SYNC_FILE] = "file"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = (enum nfs_sync)i;
            return 0;
        }
    }
    return err_set(err, -EINVAL, "nfs: sync=%s is none of auto, unstable, data, file", value);
}

static int unknown_param(const char *name, struct err *err)
{
    static const char *const names[] = {"connections", "rsize", "wsize", "sync",     "timeo",
                                        "retrans",     "uid",   "gid",   "mountport"};
    struct nearest n = {.wish = name};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        nearest_try(&n, names[i]);
    if (n.best != NULL)
        return err_set(err, -EINVAL, "nfs has no parameter \"%s\"; did you mean %s?", name, n.best);
    return err_set(err, -EINVAL, "nfs has no parameter \"%s\"; accepted are %s", name, NFS_PARAMS);
}

static int take_id(const char *name, const char *value, bool *has, uint32_t *out, struct err *err)
{
    uint64_t n = 0;
    int rc = take_number(name, value, 0, IDS_END - 1, &n, err);

    *has = rc == 0;
    *out = (uint32_t)n;
    return rc;
}

static int take_param(void *ctx, const char *name, const char *value, struct err *err)
{
    struct nfs_address *a = ctx;
    uint64_t n = 0;
    int rc;

    if (strcmp(name, "rsize") == 0)
        return take_size(name, value, &a->rsize, err);
    if (strcmp(name, "wsize") == 0)
        return take_size(name, value, &a->wsize, err);
    if (strcmp(name, "sync") == 0)
        return take_sync(value, &a->sync, err);
    if (strcmp(name, "uid") == 0)
        return take_id(name, value, &a->has_uid, &a->uid, err);
    if (strcmp(name, "gid") == 0)
        return take_id(name, value, &a->has_gid, &a->gid, err);
    if (strcmp(name, "mountport") == 0)
        return parse_port(value, strlen(value), name, &a->mount_port, err);
    if (strcmp(name, "connections") == 0) {
        rc = take_number(name, value, 1, NFS_CONNECTIONS_MAX, &n, err);
        a->connections = (unsigned)n;
    } else if (strcmp(name, "timeo") == 0) {
        rc = take_number(name, value, 1, TIMEO_MAX, &n, err);
        a->timeo_ns = n * TENTH_NS;
    } else if (strcmp(name, "retrans") == 0) {
        rc = take_number(name, value, 0, RETRANS_MAX, &n, err);
        a->retrans = (unsigned)n;
    } else {
        rc = unknown_param(name, err);
    }
    return rc;
}

/* "nfs:/filer/export" and "nfs:filer:/export", as mount(8) has it, are meant well. */
static int no_slashes(const char *address, size_t len, struct err *err)
{
    size_t from = strspn(address, "/");
    size_t host = strcspn(address + from, ":/?");
    size_t path = from + host + strspn(address + from + host, ":/");

    if (host == 0 || path >= len)
        return err_set(err, -EINVAL, "nfs: a server's directory is written " FORM);
    return err_set(
        err, -EINVAL, "nfs: a server's directory is written " FORM "; do you mean nfs://%.*s/%.*s?",
        (int)(host < HOST_SHOWN_MAX ? host : HOST_SHOWN_MAX), address + from,
        (int)(len - path < HOST_SHOWN_MAX ? len - path : HOST_SHOWN_MAX), address + path);
}

int nfs_address_parse(const char *address, struct nfs_address *out, struct err *err)
{
    struct nfs_address a = {.connections = 1, .timeo_ns = TIMEO_DEFAULT * TENTH_NS, .retrans = 2};
    size_t len = 0;
    size_t server_len;
    int rc = target_params(address, &len, take_param, &a, err);

    if (rc < 0)
        return rc;
    if (len < 2 || memcmp(address, "//", 2) != 0)
        return no_slashes(address, len, err);
    server_len = strcspn(address + 2, "/");
    if (server_len > len - 2)
        server_len = len - 2;
    rc = take_server(address + 2, server_len, &a, err);
    if (rc == 0)
        rc = take_path(address + 2 + server_len, len - 2 - server_len, &a, err);
    if (rc == 0)
        *out = a;
    return rc;
}
