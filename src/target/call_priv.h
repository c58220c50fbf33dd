/* target/call_priv.h — the system calls that are timed, made in the place where they are written.
 * Shape    one function a call; what comes back is the kernel's own answer, 0 … or -errno.
 *          Not through libc, whose calls are cancellation points, of two locked instructions each in a
 *          program with threads, though no thread here is ever cancelled; and not through functions
 *          that do nothing else: each return that follows a system call is mispredicted by many
 *          processors, since the kernel has used up what they remember of callers.
 * Limits   where registers are 64 bits wide: file offsets are passed in one.
 * Threads  any. */
#ifndef LOADLINE_TARGET_CALL_PRIV_H
#define LOADLINE_TARGET_CALL_PRIV_H

#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "file offsets are passed in one register");

/* What a call of libc's answers. */
static inline int64_t posix_result(int64_t rc)
{
    return rc < 0 ? -errno : rc;
}

#if defined(__x86_64__)
static inline int64_t call6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long rc;
    __asm__ volatile("syscall"
                     : "=a"(rc)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return rc;
}
#else
static inline int64_t call6(long number, long a, long b, long c, long d, long e, long f)
{
    return posix_result(syscall(number, a, b, c, d, e, f));
}
#endif

static inline int64_t call4(long number, long a, long b, long c, long d)
{
    return call6(number, a, b, c, d, 0, 0);
}

static inline int64_t posix_pread(int fd, void *buf, uint64_t len, uint64_t off)
{
    return call4(SYS_pread64, fd, (long)buf, (long)len, (long)off);
}

static inline int64_t posix_pwrite(int fd, const void *buf, uint64_t len, uint64_t off)
{
    return call4(SYS_pwrite64, fd, (long)buf, (long)len, (long)off);
}

/* At the file's end, wherever that is. */
static inline int64_t posix_append(int fd, void *buf, uint64_t len)
{
    struct iovec piece = {.iov_base = buf, .iov_len = len};
    return call6(SYS_pwritev2, fd, (long)&piece, 1, 0, 0, RWF_APPEND);
}

static inline int64_t posix_shut(int fd)
{
    return call4(SYS_close, fd, 0, 0, 0);
}

static inline int64_t posix_openat(int dir, const char *leaf, int flags, unsigned mode)
{
    return call4(SYS_openat, dir, (long)leaf, flags, mode);
}

static inline int64_t posix_unlinkat(int dir, const char *leaf, int flags)
{
    return call4(SYS_unlinkat, dir, (long)leaf, flags, 0);
}

static inline int64_t posix_fsync(int fd)
{
    return call4(SYS_fsync, fd, 0, 0, 0);
}

/* Elsewhere the kernel's structure is another one than libc's. */
static inline int64_t posix_fstatat(int dir, const char *leaf, struct stat *st, int flags)
{
#if defined(__x86_64__)
    return call4(SYS_newfstatat, dir, (long)leaf, (long)st, flags);
#else
    return posix_result(fstatat(dir, leaf, st, flags));
#endif
}

#endif
