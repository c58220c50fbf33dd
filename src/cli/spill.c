#include "cli/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES    3
#define NAMES_MAX 10 /* of one study in one place: it may have been gone on with */

/* The directory with its slash; false: there is no such place. */
static bool directory_of(unsigned place, const char *db, char dir[PATH_MAX])
{
    const char *slash = strrchr(db, '/');
    const char *tmp = getenv("TMPDIR");
    int len = place == 0   ? snprintf(dir, PATH_MAX, "%.*s", slash ? (int)(slash - db) + 1 : 0, db)
              : place == 1 ? snprintf(dir, PATH_MAX, "./")
                           : snprintf(dir, PATH_MAX, "%s/", tmp && *tmp ? tmp : "/tmp");
    return len >= 0 && len < PATH_MAX;
}

/* A file that was not there before. */
static int make_file(struct spill *s, const char *dir, const char *id)
{
    for (unsigned i = 1; i <= NAMES_MAX; i++) {
        char more[16] = "";
        if (i > 1)
            snprintf(more, sizeof more, "-%u", i);
        int len = snprintf(s->path, sizeof s->path, "%sloadline-%s%s.json", dir, id, more);
        if (len < 0 || (size_t)len >= sizeof s->path)
            return -ENAMETOOLONG;
        s->fd = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (s->fd >= 0 || errno != EEXIST)
            return s->fd >= 0 ? 0 : -errno;
    }
    return -EEXIST;
}

static void leave(struct spill *s)
{
    study_writer_free(s->writer);
    s->writer = NULL;
    if (s->open)
        close(s->fd);
    s->open = false;
    s->runs = 0;
}

static int begin(struct spill *s, const char *db, const struct study_head *head, struct err *err)
{
    char dir[PATH_MAX];
    int rc = directory_of(s->place, db, dir) ? make_file(s, dir, head->id) : -ENAMETOOLONG;
    if (rc < 0)
        return err_sys(err, rc, "%s", s->path);
    s->open = true;
    return study_writer_open(s->fd, false, head, &s->writer, err);
}

static int add_missing(struct spill *s, struct result *const *run, unsigned n, struct err *err)
{
    int rc = 0;
    while (rc >= 0 && s->runs < n) {
        struct result *r = run[s->runs];
        char *json = NULL;
        const char *document = r->document;
        if (!document) {
            rc = result_seal(r, &json, err);
            document = json;
        }
        if (rc >= 0)
            rc = study_writer_add(s->writer, r->seal, document, err);
        s->runs += rc >= 0;
        free(json);
    }
    return rc < 0 ? rc : 0;
}

/* What was in the file before goes away when the new one has all of it, and not earlier. */
static void replace(struct spill *s, struct spill *next)
{
    if (s->open)
        unlink(s->path);
    leave(s);
    *s = *next;
}

int spill_put(struct spill *s, const char *db, const struct study_head *head,
              struct result *const *run, unsigned n, struct err *err)
{
    int rc = s->open ? add_missing(s, run, n, err) : -ENOSPC;
    for (unsigned place = s->open ? s->place + 1 : 0; rc < 0 && place < PLACES; place++) {
        struct spill next = {.place = place};
        rc = begin(&next, db, head, err);
        if (rc == 0)
            rc = add_missing(&next, run, n, err);
        if (rc == 0) {
            replace(s, &next);
        } else if (next.open) {
            unlink(next.path);
            leave(&next);
        }
    }
    return rc;
}

int spill_end(struct spill *s, const char *state, uint64_t ended_wall_ns, struct err *err)
{
    int rc = study_writer_end(s->writer, state, ended_wall_ns, err);
    return rc < 0 ? err_prefix(err, "%s", s->path) : 0;
}

void spill_fini(struct spill *s)
{
    leave(s);
}
