#include "script/compile_priv.h"

#include <ctype.h>
#include <string.h>

/* Without a scheme in front and parameters behind: what a path in a workload file is like. */
static const char *bare_address(const char *address, size_t *len)
{
    for (;;) {
        const char *p = address;
        while (isalnum((unsigned char)*p) || *p == '-' || *p == '+')
            p++;
        if (*p != ':')
            break;
        address = p + 1;
    }
    *len = strcspn(address, "?");
    return address;
}

static size_t without_slash(const char *s, size_t len)
{
    while (len > 1 && s[len - 1] == '/')
        len--;
    return len;
}

/* What is left of `path` behind `place`: "" the same, "/a/b" beneath it; NULL: elsewhere. */
static const char *rest_of(const char *path, const char *place, size_t len)
{
    len = without_slash(place, len);
    if (len == 0 || strncmp(path, place, len) != 0)
        return NULL;
    if (len == 1 && *place == '/')
        return path[1] == '\0' ? "" : path;
    path += len;
    return *path == '\0' || *path == '/' ? path : NULL;
}

static const char *beneath(const char *path, const char *target)
{
    size_t len = 0;
    const char *rest = rest_of(path, target, strlen(target));
    const char *bare = bare_address(target, &len);
    return rest ? rest : rest_of(path, bare, len);
}

static bool goes_up(const char *rest)
{
    for (; rest; rest = strchr(rest, '/')) {
        rest += strspn(rest, "/");
        if (strncmp(rest, "..", 2) == 0 && (rest[2] == '/' || rest[2] == '\0'))
            return true;
    }
    return false;
}

/* "/a//./b/" is "/a/b", and "" is "/". */
static bool tidy(const char *rest, char under[GROWN_NAME_MAX])
{
    size_t n = 0;
    for (size_t len; *(rest += strspn(rest, "/")); rest += len) {
        len = strcspn(rest, "/");
        if (len == 1 && *rest == '.')
            continue;
        if (n + 1 + len >= GROWN_NAME_MAX)
            return false;
        under[n++] = '/';
        memcpy(under + n, rest, len);
        n += len;
    }
    if (n == 0)
        under[n++] = '/';
    under[n] = '\0';
    return true;
}

void set_place(struct compiler *c, const struct definition *d, struct set_wish *wish)
{
    const char *target = c->o->target;
    if (!target || !d->path)
        return;
    const char *rest = beneath(d->path, target);
    bool up = rest && goes_up(rest);
    if (up && wish->set.reuse)
        lang_error(c->remarks, wish->at, "path %s goes up from the target", d->path);
    else if (up || !rest)
        lang_warn(c->remarks, wish->at, "path %s: %s lies under the target %s all the same",
                  d->path, d->name, target);
    if (wish->set.reuse && !up && !tidy(rest ? rest : "", wish->grown.under))
        lang_error(c->remarks, wish->at, "path %s is too long below the target", d->path);
}
