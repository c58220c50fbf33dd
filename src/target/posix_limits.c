/* Descriptor tables. One shared by all threads stalls every open while it doubles, and makes each
 * read count a reference on a shared line: so each worker gets its own, grown before it starts. */
#include "target/posix_priv.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of the whole process, in each table: its streams, the store, the target. */
#define PROCESS_FDS 32u

/* The limit belongs to the process: two sessions must not lower each other's. */
static pthread_mutex_t limit_lock = PTHREAD_MUTEX_INITIALIZER;

bool posix_table_unshare(void)
{
    /* The process's first thread keeps the table that threads made later start from. */
    if (gettid() == getpid())
        return false;
    if (syscall(SYS_close_range, ~0U, ~0U, CLOSE_RANGE_UNSHARE) == 0)
        return true;
    return unshare(CLONE_FILES) == 0;
}

static int limit_raise(rlim_t want, struct err *err)
{
    struct rlimit limit;
    int rc = 0;

    pthread_mutex_lock(&limit_lock);
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) {
        rc = err_sys(err, -errno, "cannot read the limit of open files");
    } else if (limit.rlim_cur < want) {
        rlim_t had = limit.rlim_cur;

        limit.rlim_cur = want;
        if (want > limit.rlim_max || setrlimit(RLIMIT_NOFILE, &limit) < 0)
            rc = err_set(err, -EMFILE,
                         "%llu open files are needed, the limit is %llu (hard limit %llu); raise "
                         "it with ulimit -n or use fewer streams or files",
                         (unsigned long long)want, (unsigned long long)had,
                         (unsigned long long)limit.rlim_max);
    }
    pthread_mutex_unlock(&limit_lock);
    return rc;
}

unsigned posix_table_max(unsigned own)
{
    struct rlimit limit;
    rlim_t taken = (rlim_t)own + PROCESS_FDS;

    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max == RLIM_INFINITY)
        return 0;
    if (limit.rlim_max <= taken)
        return 1;
    return limit.rlim_max - taken < UINT_MAX ? (unsigned)(limit.rlim_max - taken) : UINT_MAX;
}

int posix_table_grow(int any_fd, unsigned fds, struct err *err)
{
    int lowest = fcntl(any_fd, F_DUPFD_CLOEXEC, 0);
    int highest;
    int rc;

    if (lowest < 0 && errno != EMFILE)
        return err_sys(err, -errno, "cannot duplicate a descriptor");
    if (lowest < 0) { /* full already: the limit itself is the next number */
        struct rlimit limit = {.rlim_cur = 0};

        getrlimit(RLIMIT_NOFILE, &limit);
        lowest = (int)limit.rlim_cur;
    } else {
        close(lowest);
    }
    rc = limit_raise((rlim_t)lowest + fds, err);
    if (rc < 0)
        return rc;
    highest = fcntl(any_fd, F_DUPFD_CLOEXEC, lowest + (int)fds - 1);
    if (highest < 0)
        return err_sys(err, -errno, "cannot grow the descriptor table to %u", lowest + (int)fds);
    close(highest);
    return 0;
}
