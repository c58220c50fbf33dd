/* What of a file lies in this machine's page cache, and dropping it. */
#include "target/posix_priv.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* cachestat(2), Linux 6.5; not in the headers of older systems. The number is the same on every
 * architecture. */
#define CALL_CACHESTAT 451

struct cache_range {
    uint64_t off;
    uint64_t len;
};

struct cache_counts {
    uint64_t cached;
    uint64_t dirty;
    uint64_t writeback;
    uint64_t evicted;
    uint64_t recently_evicted;
};

#define MINCORE_PAGES 4096

int64_t posix_evict(int fd)
{
    return -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

bool posix_has_cachestat(void)
{
    return syscall(CALL_CACHESTAT, -1, NULL, NULL, 0) == 0 || errno != ENOSYS;
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
    return value < limit ? value : limit;
}

/* To one who neither owns nor may write the file, mincore says "all there" instead of an error. */
static bool may_ask_mincore(int fd)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && fstat(fd, &st) == 0 &&
           ((flags & O_ACCMODE) != O_RDONLY || st.st_uid == geteuid() || geteuid() == 0);
}

static int64_t resident_by_mincore(int fd, uint64_t len, uint64_t page)
{
    unsigned char there[MINCORE_PAGES];
    uint64_t pages = 0;
    int64_t rc = 0;
    char *map;

    if (!may_ask_mincore(fd))
        return -EPERM;
    map = mmap(NULL, len, PROT_NONE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED)
        return -errno;
    for (uint64_t off = 0; off < len && rc == 0; off += MINCORE_PAGES * page) {
        uint64_t piece = at_most(len - off, MINCORE_PAGES * page);

        rc = posix_result(mincore(map + off, piece, there));
        for (uint64_t i = 0; i < (piece + page - 1) / page && rc == 0; i++)
            pages += there[i] & 1;
    }
    munmap(map, len);
    return rc < 0 ? rc : (int64_t)at_most(pages * page, len);
}

int64_t posix_resident_within(int fd, uint64_t len, uint64_t *dirty_bytes)
{
    struct cache_range range = {.len = len};
    struct cache_counts counts;
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

    if (len == 0)
        return 0; /* the kernel would take it for "to the end of the file" */
    if (syscall(CALL_CACHESTAT, fd, &range, &counts, 0) == 0) {
        *dirty_bytes = at_most((counts.dirty + counts.writeback) * page, len);
        return (int64_t)at_most(counts.cached * page, len);
    }
    if (errno != ENOSYS && errno != EOPNOTSUPP)
        return -errno;
    return resident_by_mincore(fd, len, page);
}

/* Whole pages, but never more than len nor than the file has: its last page counts for what it has of
 * it. */
int64_t posix_resident(int fd, uint64_t len, uint64_t *dirty_bytes)
{
    struct stat st;

    if (fstat(fd, &st) < 0)
        return -errno;
    return posix_resident_within(fd, at_most(len, (uint64_t)st.st_size), dirty_bytes);
}
