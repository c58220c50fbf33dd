/* Who may open a device, and how one becomes that. */
#include "target/dev_dir.h"
#include "target/device_priv.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_ROOM   1024
#define GROUPS_MOST 256

struct account {
    char name[64];
    gid_t group;
};

static struct account account_of_user(void)
{
    struct account account = {.name = "USER", .group = getegid()};
    char store[NAME_ROOM];
    struct passwd user;
    struct passwd *found = NULL;

    if (getpwuid_r(geteuid(), &user, store, sizeof store, &found) == 0 && found != NULL) {
        snprintf(account.name, sizeof account.name, "%s", found->pw_name);
        account.group = found->pw_gid;
    }
    return account;
}

static bool has(const gid_t *groups, int n, gid_t group)
{
    for (int i = 0; i < n; i++) {
        if (groups[i] == group)
            return true;
    }
    return false;
}

/* Whether this process is in it. */
static bool in_group(gid_t group)
{
    gid_t groups[GROUPS_MOST];
    int n = getgroups(GROUPS_MOST, groups);

    return getegid() == group || has(groups, n, group);
}

/* Whether the account is: a session that began before keeps what it had. */
static bool account_in_group(const struct account *account, gid_t group)
{
    gid_t groups[GROUPS_MOST];
    int n = GROUPS_MOST;

    return getgrouplist(account->name, account->group, groups, &n) > 0 && has(groups, n, group);
}

static int say_group(const char *path, gid_t gid, const char *group, int code, struct err *err)
{
    const struct account user = account_of_user();

    if (account_in_group(&user, gid))
        return err_set(err, code,
                       "%s: no permission to open this device; it is for root and the group %s, "
                       "which %s has joined since logging in: log in again, or: newgrp %s",
                       path, group, user.name, group);
    return err_set(err, code,
                   "%s: no permission to open this device; it is for root and the group %s; to "
                   "join it: sudo usermod -aG %s %s, then log in again; or run loadline with sudo",
                   path, group, group, user.name);
}

static bool mode_allows(const struct stat *st)
{
    if (st->st_uid == geteuid())
        return st->st_mode & S_IRUSR;
    return st->st_mode & (in_group(st->st_gid) ? S_IRGRP : S_IROTH);
}

int device_no_permission(const char *path, int code, struct err *err)
{
    char store[NAME_ROOM];
    struct group group;
    struct group *found = NULL;
    struct stat st;

    if (stat(path, &st) < 0)
        return err_set(err, code, "%s: no permission to look at it", path);
    if (geteuid() == 0 || mode_allows(&st))
        return err_set(err, code,
                       "%s: no permission to open this device, by something above its owner and "
                       "mode: a container must be given it (docker run --device=%s), or a security "
                       "module forbids it",
                       path, path);
    if (st.st_mode & S_IRGRP && getgrgid_r(st.st_gid, &group, store, sizeof store, &found) == 0 &&
        found != NULL)
        return say_group(path, st.st_gid, group.gr_name, code, err);
    return err_set(err, code,
                   "%s: no permission to open this device; its mode %04o is for root alone: run "
                   "loadline with sudo",
                   path, st.st_mode & 07777u);
}

int device_open_error(const char *address, int code, struct err *err)
{
    switch (-code) {
    case ENOENT:
        if (dev_dir_refuse(address, err) < 0)
            return code;
        return err_set(err, code, "%s does not exist", address);
    case EACCES:
    case EPERM:
        return device_no_permission(address, code, err);
    case ENOMEDIUM:
    case ENXIO:
        return err_set(err, code, "%s has nothing in it: no medium, or no size", address);
    default:
        return err_sys(err, code, "cannot open %s", address);
    }
}
