#include "wml_bare.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* A thread's own share of a set, and where it stands in it. */
struct share {
    struct wml_file *file;
    uint64_t n;
    uint64_t existing;
    uint64_t absent;
};

static struct share share_of(const struct wml_bare *w, unsigned set, unsigned thread)
{
    const struct wml_set *all = &w->set[set];
    uint64_t n = all->files / w->threads;
    if (n == 0)
        perf_fail("bare", "more threads than files");
    return (struct share){.file = &all->file[n * thread], .n = n};
}

static struct wml_file *next_file(struct share *share, uint64_t *cursor, bool exists)
{
    for (uint64_t i = 0; i < share->n; i++) {
        struct wml_file *file = &share->file[*cursor];
        *cursor = *cursor + 1 < share->n ? *cursor + 1 : 0;
        if (file->exists == exists)
            return file;
    }
    perf_fail("bare", "no file left");
}

struct caller {
    char *buf;
    uint64_t random;
};

static void must(bool worked, const struct wml_file *file)
{
    if (!worked)
        perf_fail_errno(file->leaf);
}

static int open_next(struct share *share, struct wml_file **file)
{
    *file = next_file(share, &share->existing, true);
    int fd = openat((*file)->dir, (*file)->leaf, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    must(fd >= 0, *file);
    return fd;
}

static int create_next(struct share *share, struct wml_file **file)
{
    *file = next_file(share, &share->absent, false);
    int fd = openat((*file)->dir, (*file)->leaf, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    must(fd >= 0, *file);
    (*file)->exists = true;
    return fd;
}

static void delete_next(struct share *share)
{
    struct wml_file *file = next_file(share, &share->existing, true);
    must(unlinkat(file->dir, file->leaf, 0) == 0, file);
    file->exists = false;
}

static void append(struct caller *c, int fd, const struct wml_file *file)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    struct iovec piece = {c->buf, (c->random >> 33) % 16384};
    if (piece.iov_len > 0)
        must(pwritev2(fd, &piece, 1, 0, RWF_APPEND) == (ssize_t)piece.iov_len, file);
}

static void read_whole(struct caller *c, int fd, const struct wml_file *file)
{
    off_t at = 0;
    ssize_t n;
    while ((n = pread(fd, c->buf, WML_CHUNK_BYTES, at)) > 0)
        at += n;
    must(n == 0, file);
}

static void write_whole(struct caller *c, int fd, const struct wml_file *file)
{
    for (uint64_t at = 0; at < file->bytes;) {
        size_t n = file->bytes - at < WML_CHUNK_BYTES ? file->bytes - at : WML_CHUNK_BYTES;
        must(pwrite(fd, c->buf, n, (off_t)at) == (ssize_t)n, file);
        at += n;
    }
}

static void varmail_loop(struct caller *c, struct share *mail)
{
    struct wml_file *file;
    delete_next(mail);
    int fd = create_next(mail, &file);
    append(c, fd, file);
    must(fsync(fd) == 0 && close(fd) == 0, file);
    fd = open_next(mail, &file);
    read_whole(c, fd, file);
    append(c, fd, file);
    must(fsync(fd) == 0 && close(fd) == 0, file);
    fd = open_next(mail, &file);
    read_whole(c, fd, file);
    must(close(fd) == 0, file);
}

static void fileserver_loop(struct caller *c, struct share *files)
{
    struct wml_file *file;
    struct stat st;
    int fd = create_next(files, &file);
    write_whole(c, fd, file);
    must(close(fd) == 0, file);
    fd = open_next(files, &file);
    append(c, fd, file);
    must(close(fd) == 0, file);
    fd = open_next(files, &file);
    read_whole(c, fd, file);
    must(close(fd) == 0, file);
    delete_next(files);
    file = next_file(files, &files->existing, true);
    must(fstatat(file->dir, file->leaf, &st, AT_SYMLINK_NOFOLLOW) == 0, file);
}

static void webserver_loop(struct caller *c, struct share *pages, int log,
                           const struct wml_file *log_file)
{
    for (unsigned i = 0; i < 10; i++) {
        struct wml_file *file;
        int fd = open_next(pages, &file);
        read_whole(c, fd, file);
        must(close(fd) == 0, file);
    }
    append(c, log, log_file);
}

static void stat_loop(struct share *files)
{
    struct stat st;
    const struct wml_file *file = next_file(files, &files->existing, true);
    must(fstatat(file->dir, file->leaf, &st, AT_SYMLINK_NOFOLLOW) == 0, file);
}

static void one_loop(enum wml_personality personality, struct caller *c, struct share *share,
                     int log, const struct wml_file *log_file)
{
    switch (personality) {
    case WML_VARMAIL:
        varmail_loop(c, share);
        break;
    case WML_FILESERVER:
        fileserver_loop(c, share);
        break;
    case WML_WEBSERVER:
        webserver_loop(c, share, log, log_file);
        break;
    case WML_STAT:
        stat_loop(share);
        break;
    }
}

static int open_log(const struct wml_bare *w, const struct wml_file **file)
{
    *file = &w->set[1].file[0];
    int fd = openat((*file)->dir, (*file)->leaf, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    must(fd >= 0, *file);
    return fd;
}

static void bare_body(struct perf_gate *gate, unsigned thread, void *ctx)
{
    const struct wml_bare *w = ctx;
    struct caller caller = {.buf = malloc(WML_CHUNK_BYTES), .random = thread + 1};
    struct share share = share_of(w, 0, thread);
    const struct wml_file *log_file = NULL;
    int log = w->personality == WML_WEBSERVER ? open_log(w, &log_file) : -1;

    if (!caller.buf)
        perf_fail_errno("a buffer");
    memset(caller.buf, 'x', WML_CHUNK_BYTES);
    perf_gate_enter(gate);
    for (uint64_t i = 0; i < w->loops; i++)
        one_loop(w->personality, &caller, &share, log, log_file);
    perf_gate_leave(gate);
    if (log >= 0)
        close(log);
    free(caller.buf);
}

uint64_t wml_bare_run(struct wml_bare *bare)
{
    return perf_run_bare(bare->threads, bare_body, bare);
}
