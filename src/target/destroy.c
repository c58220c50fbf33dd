#include "target/destroy.h"

#include "target/target.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of the process: what was typed on its command line. */
static char *given_up[TARGET_DESTROY_MAX];
static unsigned given_up_count;

int target_allow_destroy(const char *path, struct err *err)
{
    struct stat st;
    char *real;

    if (stat(path, &st) < 0)
        return err_sys(err, -errno, "cannot look at %s, which is to be destroyed", path);
    if (!S_ISBLK(st.st_mode))
        return err_set(err, -EINVAL, "%s is not a block device", path);
    if (given_up_count == TARGET_DESTROY_MAX)
        return err_set(err, -E2BIG, "more than %d devices to destroy", TARGET_DESTROY_MAX);
    real = realpath(path, NULL);
    if (real == NULL)
        return err_sys(err, -errno, "cannot look at %s, which is to be destroyed", path);
    given_up[given_up_count++] = real;
    return 0;
}

bool target_may_destroy(const char *path)
{
    char real[PATH_MAX];

    if (realpath(path, real) == NULL)
        return false;
    for (unsigned i = 0; i < given_up_count; i++) {
        if (strcmp(given_up[i], real) == 0)
            return true;
    }
    return false;
}

int target_check_destroy(const char *path, const char *target, const struct target_caps *caps,
                         struct err *err)
{
    if (path == NULL || caps->one_file)
        return 0;
    return err_set(err, -EINVAL, "--destroy %s: the target %s is no block device", path, target);
}
