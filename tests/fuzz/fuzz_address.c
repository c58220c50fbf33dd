/* catalog.h under any text: no crash; a refusal has words; what is accepted names a table, a rest
 * inside the address and op kinds that exist. As the address of an NFS server: a path that leads nowhere
 * but down, and numbers within their bounds. Nothing is opened. */
#include "fuzz/fuzz.h"
#include "target/catalog.h"
#include "target/nfs_priv.h"
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int check_param(void *ctx, const char *name, const char *value, struct err *err)
{
    const char *rest = ctx;

    (void)err;
    FUZZ_CHECK(name[0] != '\0' && value[0] != '\0');
    FUZZ_CHECK(strchr(name, '=') == NULL && strchr(value, '&') == NULL);
    FUZZ_CHECK(strstr(rest, name) != NULL && strstr(rest, value) != NULL);
    return 0;
}

static void check_words(int rc, const struct err *err)
{
    FUZZ_CHECK(rc == 0 || rc == -EINVAL);
    FUZZ_CHECK(err->code == rc);
    FUZZ_CHECK((rc == 0) == (err->text[0] == '\0'));
}

/* What a device can do is asked of the device, so its address may be refused as open(2) refuses one. */
static void check_caps(const char *address, int rc, const struct target_caps *caps,
                       const struct err *err)
{
    if (rc == 0) {
        check_words(rc, err);
        FUZZ_CHECK(caps->op_kinds != 0 && caps->op_kinds < 1u << OP_KINDS);
        FUZZ_CHECK(!caps->own_clock || !caps->blocking);
    } else if (strstr(address, "dev") == NULL) {
        check_words(rc, err);
    } else {
        FUZZ_CHECK(rc < 0 && err->code == rc && err->text[0] != '\0');
    }
}

static void check_address(const char *address)
{
    const struct target_table *table = NULL;
    const char *rest = NULL;
    struct target_caps caps = {.op_kinds = 0};
    struct err err = {0};
    size_t path_len = 0;
    int rc = target_find(address, &table, &rest, &err);

    check_words(rc, &err);
    if (rc < 0)
        return;
    FUZZ_CHECK(table != NULL);
    FUZZ_CHECK(rest >= address && rest <= address + strlen(address));
    rc = target_params(rest, &path_len, check_param, (void *)(uintptr_t)rest, &err);
    check_words(rc, &err);
    FUZZ_CHECK(path_len <= strlen(rest));
    err = (struct err){0};
    rc = target_caps_of(address, &caps, &err);
    check_caps(address, rc, &caps, &err);
}

static bool has_name(const char *path, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = path; (at = strchr(at, '/')) != NULL;) {
        at++;
        if (strncmp(at, name, len) == 0 && (at[len] == '/' || at[len] == '\0'))
            return true;
    }
    return false;
}

static void check_nfs(const char *address)
{
    struct nfs_address a;
    struct err err = {0};
    int rc = nfs_address_parse(address, &a, &err);

    check_words(rc, &err);
    if (rc < 0)
        return;
    FUZZ_CHECK(a.host[0] != '\0' && memchr(a.host, '\0', sizeof a.host) != NULL);
    FUZZ_CHECK(
        strspn(a.host, ":%._-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") ==
        strlen(a.host));
    FUZZ_CHECK(a.path[0] == '/' && memchr(a.path, '\0', sizeof a.path) != NULL);
    FUZZ_CHECK(strcmp(a.path, "/") == 0 || !has_name(a.path, ""));
    FUZZ_CHECK(!has_name(a.path, ".") && !has_name(a.path, ".."));
    FUZZ_CHECK(a.connections >= 1 && a.connections <= NFS_CONNECTIONS_MAX);
    FUZZ_CHECK(a.rsize == 0 || (a.rsize >= NFS_IO_MIN && a.rsize <= NFS_IO_MAX));
    FUZZ_CHECK(a.wsize == 0 || (a.wsize >= NFS_IO_MIN && a.wsize <= NFS_IO_MAX));
    FUZZ_CHECK(a.timeo_ns > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *address = strndup((const char *)data, size);

    if (address != NULL) {
        check_address(address);
        check_nfs(address);
    }
    free(address);
    return 0;
}
