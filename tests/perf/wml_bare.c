#include "wml_bare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- the round: one for all threads, as the workload has it, so that files are as warm as they are for
 * whoever measures it ---- */

static struct wml_file *next_file(struct wml_set *set, _Atomic uint64_t *cursor, int state)
{
    for (uint64_t i = 0; i < 2 * set->files; i++) {
        uint64_t next = atomic_fetch_add_explicit(cursor, 1, memory_order_relaxed) % set->files;
        if (atomic_load_explicit(&set->file[next].state, memory_order_relaxed) == state)
            return &set->file[next];
    }
    perf_fail("bare", "no file left");
}

/* Of several who want to create or to delete a file one does. */
static struct wml_file *take_file(struct wml_set *set, _Atomic uint64_t *cursor, int state)
{
    for (;;) {
        struct wml_file *file = next_file(set, cursor, state);
        int is = state;
        if (atomic_compare_exchange_strong(&file->state, &is, WML_BUSY))
            return file;
    }
}

struct caller {
    char *memory; /* WML_MEMORY_BYTES */
    uint64_t random;
};

static uint64_t draw_below(struct caller *c, uint64_t limit)
{
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (c->random >> 33) % limit;
}

/* Anywhere in the thread's memory, of which the workload says how much it is. */
static char *draw_place(struct caller *c, uint64_t len)
{
    return c->memory + draw_below(c, WML_MEMORY_BYTES / len) * len;
}

static void must(bool worked, const struct wml_file *file)
{
    if (!worked)
        perf_fail_errno(file->leaf);
}

/* Somebody may delete it first. */
static int open_next(struct wml_set *set, struct wml_file **file)
{
    for (;;) {
        *file = next_file(set, &set->existing, WML_EXISTS);
        int fd = openat((*file)->dir, (*file)->leaf, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
        if (fd >= 0)
            return fd;
        must(errno == ENOENT, *file);
    }
}

static void stat_next(struct wml_set *set)
{
    struct stat st;
    for (;;) {
        const struct wml_file *file = next_file(set, &set->existing, WML_EXISTS);
        if (fstatat(file->dir, file->leaf, &st, AT_SYMLINK_NOFOLLOW) == 0)
            return;
        must(errno == ENOENT, file);
    }
}

static int create_next(struct wml_set *set, struct wml_file **file)
{
    *file = take_file(set, &set->absent, WML_ABSENT);
    int fd = openat((*file)->dir, (*file)->leaf, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    must(fd >= 0, *file);
    atomic_store(&(*file)->state, WML_EXISTS);
    return fd;
}

static void delete_next(struct wml_set *set)
{
    struct wml_file *file = take_file(set, &set->existing, WML_EXISTS);
    must(unlinkat(file->dir, file->leaf, 0) == 0, file);
    atomic_store(&file->state, WML_ABSENT);
}

static void append(struct caller *c, int fd, const struct wml_file *file)
{
    uint64_t len = draw_below(c, WML_APPEND_BYTES);
    if (len == 0)
        return;
    struct iovec piece = {draw_place(c, len), len};
    must(pwritev2(fd, &piece, 1, 0, RWF_APPEND) == (ssize_t)len, file);
}

static void read_whole(struct caller *c, int fd, const struct wml_file *file)
{
    off_t at = 0;
    ssize_t n;
    while ((n = pread(fd, draw_place(c, WML_CHUNK_BYTES), WML_CHUNK_BYTES, at)) > 0)
        at += n;
    must(n == 0, file);
}

static void write_whole(struct caller *c, int fd, const struct wml_file *file)
{
    for (uint64_t at = 0; at < file->bytes;) {
        size_t n = file->bytes - at < WML_CHUNK_BYTES ? file->bytes - at : WML_CHUNK_BYTES;
        must(pwrite(fd, draw_place(c, n), n, (off_t)at) == (ssize_t)n, file);
        at += n;
    }
}

static void varmail_loop(struct caller *c, struct wml_set *mail)
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

static void fileserver_loop(struct caller *c, struct wml_set *files)
{
    struct wml_file *file;
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
    stat_next(files);
}

static void webserver_loop(struct caller *c, struct wml_set *pages, int log,
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

static void one_loop(struct wml_bare *w, struct caller *c, int log, const struct wml_file *log_file)
{
    switch (w->personality) {
    case WML_VARMAIL:
        varmail_loop(c, &w->set[0]);
        break;
    case WML_FILESERVER:
        fileserver_loop(c, &w->set[0]);
        break;
    case WML_WEBSERVER:
        webserver_loop(c, &w->set[0], log, log_file);
        break;
    case WML_STAT:
        stat_next(&w->set[0]);
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
    struct wml_bare *w = ctx;
    struct caller caller = {.memory = malloc(WML_MEMORY_BYTES), .random = thread + 1};
    const struct wml_file *log_file = NULL;
    int log = w->personality == WML_WEBSERVER ? open_log(w, &log_file) : -1;

    if (!caller.memory)
        perf_fail_errno("memory");
    memset(caller.memory, 'x', WML_MEMORY_BYTES);
    perf_gate_enter(gate);
    for (uint64_t i = 0; i < w->loops; i++)
        one_loop(w, &caller, log, log_file);
    perf_gate_leave(gate);
    if (log >= 0)
        close(log);
    free(caller.memory);
}

uint64_t wml_bare_run(struct wml_bare *bare)
{
    return perf_run_bare(bare->threads, bare_body, bare);
}
