#include "target/catalog.h"

#include "target/catalog_priv.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define SCHEME_MAX      16
#define PARAM_NAME_MAX  32
#define PARAM_VALUE_MAX 128

#define TARGET_ENTRY(name) &name##_target,
static const struct target_table *const targets[] = {TARGET_LIST(TARGET_ENTRY)};
#undef TARGET_ENTRY

#define TARGETS (sizeof targets / sizeof targets[0])

size_t target_catalog(const struct target_table *const **out)
{
    *out = targets;
    return TARGETS;
}

/* Length of what stands before the first ':' when it can be a scheme, else 0: a path is a path as
 * soon as a '/' or '.' comes first, so "./a:b" and "/a:b" are directories. */
static size_t scheme_len(const char *address)
{
    size_t len = strcspn(address, ":/.");

    return address[len] == ':' ? len : 0;
}

static const struct target_table *table_named(const char *name, size_t len)
{
    for (size_t i = 0; i < TARGETS; i++) {
        if (strlen(targets[i]->scheme) == len && memcmp(targets[i]->scheme, name, len) == 0)
            return targets[i];
    }
    return NULL;
}

/* "filer:/export" is how it is mounted; "smb://filer/share" no server's name. */
static int unknown_scheme(const char *address, size_t len, struct err *err)
{
    char known[TARGETS * (SCHEME_MAX + 2) + 1] = "";
    int shown = (int)(len < SCHEME_MAX ? len : SCHEME_MAX);
    size_t used = 0;

    for (size_t i = 0; i < TARGETS; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s:", i > 0 ? ", " : "",
                                 targets[i]->scheme);
    if (strncmp(address + len + 1, "//", 2) == 0)
        return err_set(
            err, -EINVAL,
            "unknown kind of target \"%.*s:\"; known are a directory and %s (NFS is spoken as "
            "nfs://HOST/..., version 3; of any other server mount it, and give the directory)",
            shown, address, known);
    if (address[len + 1] == '/')
        return err_set(
            err, -EINVAL,
            "unknown kind of target \"%.*s:\"; known are a directory and %s (what an NFS "
            "server of that name exports is written nfs://%.*s/...)",
            shown, address, known, shown, address);
    return err_set(err, -EINVAL,
                   "unknown kind of target \"%.*s:\"; known are a directory and %s (a directory of "
                   "that name is written ./%.*s:)",
                   shown, address, known, shown, address);
}

/* Looks at what a name under /dev is, and touches nothing. */
static bool is_device(const char *address)
{
    struct stat st;

    return strncmp(address, "/dev/", 5) == 0 && stat(address, &st) == 0 && S_ISBLK(st.st_mode);
}

int target_find(const char *address, const struct target_table **table, const char **rest,
                struct err *err)
{
    size_t len = scheme_len(address);
    const struct target_table *found = len > 0              ? table_named(address, len)
                                       : is_device(address) ? &device_target
                                                            : &posix_target;

    if (address[0] == '\0')
        return err_set(err, -EINVAL, "the target is empty; give a directory");
    if (found == NULL)
        return unknown_scheme(address, len, err);
    *table = found;
    *rest = len > 0 ? address + len + 1 : address;
    return 0;
}

int target_caps_of(const char *address, struct target_caps *caps, struct err *err)
{
    const struct target_table *table = NULL;
    const char *rest = NULL;
    int rc = target_find(address, &table, &rest, err);

    return rc < 0 ? rc : table->caps(rest, caps, err);
}

/* One "name=value" of `len` bytes. */
static int take_one(const char *text, size_t len,
                    int (*take)(void *ctx, const char *name, const char *value, struct err *err),
                    void *ctx, struct err *err)
{
    const char *equals = memchr(text, '=', len);
    char name[PARAM_NAME_MAX];
    char value[PARAM_VALUE_MAX];
    size_t name_len = equals != NULL ? (size_t)(equals - text) : 0;
    size_t value_len = equals != NULL ? len - name_len - 1 : 0;

    if (name_len == 0 || value_len == 0)
        return err_set(err, -EINVAL, "target parameter \"%.*s\" is not name=value",
                       (int)(len < PARAM_VALUE_MAX ? len : PARAM_VALUE_MAX), text);
    if (name_len >= sizeof name || value_len >= sizeof value)
        return err_set(err, -EINVAL, "target parameter \"%.*s…\" is too long", PARAM_NAME_MAX,
                       text);
    memcpy(name, text, name_len);
    name[name_len] = '\0';
    memcpy(value, equals + 1, value_len);
    value[value_len] = '\0';
    return take(ctx, name, value, err);
}

int target_params(const char *rest, size_t *path_len,
                  int (*take)(void *ctx, const char *name, const char *value, struct err *err),
                  void *ctx, struct err *err)
{
    const char *mark = strrchr(rest, '?');
    int rc = 0;

    *path_len = mark != NULL ? (size_t)(mark - rest) : strlen(rest);
    for (const char *at = mark != NULL ? mark + 1 : ""; *at != '\0' && rc == 0;) {
        size_t len = strcspn(at, "&");

        rc = take_one(at, len, take, ctx, err);
        at += len;
        at += *at == '&';
    }
    return rc;
}
