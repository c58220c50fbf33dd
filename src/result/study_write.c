#include "result/study_file_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

struct study_writer {
    int fd;
    gzFile packed; /* NULL: plain */
    struct text sealed;
    unsigned runs;
};

static int write_plain(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            bytes += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

static int packing_failed(gzFile packed)
{
    int code = 0;
    int sys = errno;
    (void)gzerror(packed, &code);
    return code == Z_ERRNO && sys > 0 ? -sys : code == Z_MEM_ERROR ? -ENOMEM : -EIO;
}

/* gzwrite counts in int. */
static int write_packed(gzFile packed, const char *bytes, size_t len)
{
    while (len > 0) {
        unsigned piece = len < 1u << 20 ? (unsigned)len : 1u << 20;
        errno = 0;
        if (gzwrite(packed, bytes, piece) <= 0)
            return packing_failed(packed);
        bytes += piece;
        len -= piece;
    }
    return 0;
}

static int put(struct study_writer *w, const char *s, struct err *err)
{
    int rc = w->packed ? write_packed(w->packed, s, strlen(s)) : write_plain(w->fd, s, strlen(s));
    return rc < 0 ? err_sys(err, rc, "cannot be written") : 0;
}

static int settle(int fd, struct err *err)
{
    return fsync(fd) < 0 ? err_sys(err, -errno, "cannot be written") : 0;
}

/* gzclose closes what it was given. */
static gzFile pack_into(int fd)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    gzFile packed = own >= 0 ? gzdopen(own, "wb6") : NULL;
    if (!packed && own >= 0)
        close(own);
    return packed;
}

static int write_head(struct study_writer *w, const struct study_head *head, struct err *err)
{
    int rc = study_head_print(head, &w->sealed, err);
    if (rc == 0)
        rc = put(w, "{\"head\":", err);
    if (rc == 0)
        rc = put(w, w->sealed.s, err);
    if (rc == 0)
        rc = put(w, ",\n\"results\":[", err);
    return rc == 0 && !w->packed ? settle(w->fd, err) : rc;
}

int study_writer_open(int fd, bool packed, const struct study_head *head, struct study_writer **out,
                      struct err *err)
{
    struct study_writer *w = calloc(1, sizeof *w);
    if (!w)
        return err_set(err, -ENOMEM, "no memory for a study's file");
    w->fd = fd;
    text_init(&w->sealed);
    int rc = 0;
    if (packed && !(w->packed = pack_into(fd)))
        rc = err_set(err, -ENOMEM, "no memory to pack a study's file");
    if (rc == 0)
        rc = write_head(w, head, err);
    if (rc < 0)
        study_writer_free(w);
    else
        *out = w;
    return rc;
}

static int add(struct study_writer *w, const char *json, struct err *err)
{
    int rc = put(w, w->runs > 0 ? ",\n" : "\n", err);
    if (rc == 0)
        rc = put(w, json, err);
    return rc == 0 && !w->packed ? settle(w->fd, err) : rc;
}

/* A part of a document would hide the end that is still to come. */
static void take_back(struct study_writer *w, off_t to)
{
    if (!w->packed && to >= 0 && ftruncate(w->fd, to) == 0)
        (void)lseek(w->fd, to, SEEK_SET);
}

int study_writer_add(struct study_writer *w, const char *seal, const char *json, struct err *err)
{
    off_t before = lseek(w->fd, 0, SEEK_CUR);
    int rc = add(w, json, err);
    if (rc < 0) {
        take_back(w, before);
        return rc;
    }
    text_add(&w->sealed, seal);
    w->runs++;
    return 0;
}

static int finish_packing(struct study_writer *w, struct err *err)
{
    errno = 0;
    int code = gzclose(w->packed);
    w->packed = NULL;
    return code == Z_OK
               ? 0
               : err_sys(err, code == Z_ERRNO && errno ? -errno : -EIO, "cannot be written");
}

int study_writer_end(struct study_writer *w, const char *state, uint64_t ended_wall_ns,
                     struct err *err)
{
    struct study_tail tail = {.ended_wall_ns = ended_wall_ns, .runs = w->runs};
    struct text text;
    text_init(&text);
    snprintf(tail.state, sizeof tail.state, "%s", state);
    text_add(&text, "\n],\n\"tail\":");
    int rc = study_tail_print(&tail, &w->sealed, &text, err);
    text_add(&text, "}\n");
    if (rc == 0)
        rc = text.failed ? err_set(err, -ENOMEM, "no memory") : put(w, text.s, err);
    if (rc == 0 && w->packed)
        rc = finish_packing(w, err);
    text_fini(&text);
    return rc == 0 ? settle(w->fd, err) : rc;
}

void study_writer_free(struct study_writer *w)
{
    if (!w)
        return;
    if (w->packed)
        (void)gzclose(w->packed);
    text_fini(&w->sealed);
    free(w);
}
