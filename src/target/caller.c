#include "target/caller.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define NAME_ROOM 4096

/* Of the process. */
static bool is_set;
static uid_t set_uid;
static gid_t set_gid;

void target_caller_set(uid_t uid, gid_t gid)
{
    is_set = true;
    set_uid = uid;
    set_gid = gid;
}

/* The first sixteen: what is beyond has no room in a credential. */
static void groups_of_user(struct target_caller *c)
{
    char room[NAME_ROOM];
    struct passwd user;
    struct passwd *found = NULL;
    int n = TARGET_CALLER_GROUPS;

    if (getpwuid_r(c->uid, &user, room, sizeof room, &found) != 0 || found == NULL)
        return;
    /* -1: there are more, and the array is full all the same. */
    if (getgrouplist(user.pw_name, c->gid, c->group, &n) < 0)
        n = TARGET_CALLER_GROUPS;
    c->groups = (unsigned)n;
}

static void groups_of_process(struct target_caller *c)
{
    int room = getgroups(0, NULL);
    gid_t *all = room > 0 ? calloc((size_t)room, sizeof *all) : NULL;
    int n = all != NULL ? getgroups(room, all) : 0;

    for (int i = 0; i < n && c->groups < TARGET_CALLER_GROUPS; i++)
        c->group[c->groups++] = all[i];
    free(all);
}

void target_caller(struct target_caller *out)
{
    *out = (struct target_caller){.uid = geteuid(), .gid = getegid()};
    if (is_set) {
        out->uid = set_uid;
        out->gid = set_gid;
        groups_of_user(out);
    } else {
        groups_of_process(out);
    }
}
