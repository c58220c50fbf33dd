/* Whether what will be written fits: into the file system, and into what quotas leave of it. */
#include "study/study_priv.h"

#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

struct wish {
    const char *target;
    const char *why;
    const char *advice;
};

static int refuse_bytes(const struct wish *wish, const struct target_space *space,
                        uint64_t need_bytes, uint64_t room_bytes, struct err *err)
{
    char need[UNITS_PRINT_MAX], room[UNITS_PRINT_MAX];

    units_print_bytes(need, need_bytes);
    units_print_bytes(room, room_bytes);
    if (study_quota_binds(&space->quota_bytes, space->free_bytes) &&
        space->quota_bytes.left == room_bytes)
        return err_set(err, -EDQUOT,
                       "%s: not enough quota: %s are needed%s and the quota of %s leaves %s; %s",
                       wish->target, need, wish->why, space->quota_bytes.of, room, wish->advice);
    return err_set(err, -ENOSPC,
                   "%s: not enough space: %s are needed%s and %s can be used (5 %% of the file "
                   "system stay free); %s",
                   wish->target, need, wish->why, room, wish->advice);
}

static int refuse_files(const struct wish *wish, const struct target_space *space,
                        uint64_t need_files, struct err *err)
{
    if (study_quota_binds(&space->quota_files, space->free_files))
        return err_set(err, -EDQUOT,
                       "%s: not enough quota: %" PRIu64
                       " inodes are needed%s and the quota of %s leaves %" PRIu64 "; %s",
                       wish->target, need_files, wish->why, space->quota_files.of,
                       space->quota_files.left, wish->advice);
    return err_set(err, -ENOSPC,
                   "%s: not enough inodes: %" PRIu64 " are needed%s and %" PRIu64 " are free; %s",
                   wish->target, need_files, wish->why, space->free_files, wish->advice);
}

int study_check_space(struct study *s, uint64_t need_bytes, uint64_t need_files, const char *why,
                      const char *advice, uint64_t *room_bytes, struct err *err)
{
    const struct wish wish = {s->common->target, why, advice};
    struct target_space space;

    *room_bytes = UINT64_MAX;
    if (s->caps.keeps_nothing || site_space(s->site, &space) < 0)
        return 0;
    /* /proc and /sys have no size. */
    if (space.total_bytes == 0)
        return err_set(err, -EOPNOTSUPP, "%s cannot hold files: its file system has no space",
                       wish.target);
    *room_bytes = study_room_bytes(&space);
    if (need_bytes > *room_bytes)
        return refuse_bytes(&wish, &space, need_bytes, *room_bytes, err);
    need_files += SITE_FILES_MAX;
    if (need_files > study_room_files(&space))
        return refuse_files(&wish, &space, need_files, err);
    return 0;
}

/* More than an op may want: a quota that leaves so much was not the one that was met. */
#define LEFT_MOST_BYTES (16u << 20)

/* Which quota it was can only be asked afterwards, and it may be one that does not tell. */
const char *study_quota_words(const struct study *s, char *buf, size_t room)
{
    struct target_space space = {0};
    const struct target_quota *files = &space.quota_files, *bytes = &space.quota_bytes;

    if (site_space(s->site, &space) == 0 && files->of[0] != '\0' && files->left == 0)
        snprintf(buf, room, "the quota of inodes of %s is used up", files->of);
    else if (bytes->of[0] != '\0' && bytes->left <= LEFT_MOST_BYTES)
        snprintf(buf, room, "the quota of %s is used up", bytes->of);
    else
        snprintf(buf, room, "a quota of user, group or project is used up");
    return buf;
}

const char *study_quota_limit(struct study *s, char *buf, size_t room)
{
    struct target_space space = {0};
    char left[UNITS_PRINT_MAX];

    buf[0] = '\0';
    if (site_space(s->site, &space) == 0 && study_quota_binds(&space.quota_bytes, space.free_bytes))
        snprintf(buf, room, ", and the quota of %s leaves %s", space.quota_bytes.of,
                 units_print_bytes(left, space.quota_bytes.left));
    return buf;
}
