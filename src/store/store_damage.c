#include "store/store_priv.h"

#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Above this a look at every page would keep a study waiting; damage is then met when it is met. */
#define CHECK_MAX_BYTES (256ll << 20)
#define HEADER_BYTES    100
#define MARK_AT         68 /* where PRAGMA application_id stands in the header, big-endian */
#define NAMES_MAX       99

enum header { HEADER_NONE, HEADER_OURS, HEADER_OTHER };

static enum header header_of(const char *path)
{
    unsigned char head[HEADER_BYTES] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, head, sizeof head) : -1;
    if (fd >= 0)
        close(fd);
    if (got != sizeof head || memcmp(head, "SQLite format 3", 16) != 0)
        return HEADER_NONE;
    uint32_t mark = (uint32_t)head[MARK_AT] << 24 | (uint32_t)head[MARK_AT + 1] << 16 |
                    (uint32_t)head[MARK_AT + 2] << 8 | head[MARK_AT + 3];
    return mark == STORE_APPLICATION_ID ? HEADER_OURS : HEADER_OTHER;
}

/* What stands at the usual path can only be ours, unless it says that it is not. */
static bool may_be_set_aside(const char *path, bool usual)
{
    enum header header = header_of(path);
    return header == HEADER_OURS || (header == HEADER_NONE && usual);
}

static bool small_enough(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && st.st_size <= CHECK_MAX_BYTES;
}

/* 0 sound, -EBADMSG not. */
static int look_at_pages(struct store *s, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "PRAGMA quick_check(1)", &stmt, err);
    if (rc < 0)
        return rc;
    rc = store_step(s, stmt, "cannot be checked", err);
    const char *found = rc > 0 ? (const char *)sqlite3_column_text(stmt, 0) : NULL;
    if (rc > 0 && (!found || strcmp(found, "ok") != 0))
        rc = err_set(err, -EBADMSG, "%s is damaged: %.200s", s->path, found ? found : "");
    sqlite3_finalize(stmt);
    return rc < 0 ? rc : 0;
}

static int open_and_check(const char *path, struct store **out, struct err *err)
{
    struct store *s = NULL;
    int rc = store_open_held(path, &s, err);
    if (rc < 0)
        return rc;
    rc = small_enough(path) ? look_at_pages(s, err) : 0;
    if (rc < 0)
        store_close_as_it_is(s);
    else
        *out = s;
    return rc;
}

/* A name beside it that nothing has yet; NULL: no memory, or none is free. */
static char *free_name(const char *path)
{
    char date[32] = "";
    struct tm tm;
    time_t now = time(NULL);
    if (localtime_r(&now, &tm))
        (void)strftime(date, sizeof date, "%Y%m%d-%H%M%S", &tm);
    for (unsigned i = 1; i <= NAMES_MAX; i++) {
        struct text name;
        struct stat st;
        text_init(&name);
        text_addf(&name, "%s.corrupt-%s", path, date);
        if (i > 1)
            text_addf(&name, "-%u", i);
        char *found = text_take(&name);
        if (!found || lstat(found, &st) < 0)
            return found;
        free(found);
    }
    return NULL;
}

static int move_part(const char *path, const char *aside, const char *suffix)
{
    struct text from, to;
    text_init(&from);
    text_init(&to);
    text_addf(&from, "%s%s", path, suffix);
    text_addf(&to, "%s%s", aside, suffix);
    int rc = from.failed || to.failed ? -ENOMEM : rename(from.s, to.s) < 0 ? -errno : 0;
    text_fini(&from);
    text_fini(&to);
    return rc;
}

/* Whoever is killed between two renames leaves no log without its database: the next database would
 * play it back, or SQLite would delete it as that of an empty one. So the database goes last, and is on
 * disk last. -shm is remade from the log, so it goes first: database and log are still a pair then.
 * A database whose log is gone is one as of its last checkpoint, and is looked through like any
 * other by who opens it next; the log lies beside it, under a name that nobody opens. */
static int move_all(const char *path, const char *aside, struct err *err)
{
    static const char *const part[] = {"-shm", "-wal", "-journal", ""};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
        if (part[i][0] == '\0')
            store_place_sync(path);
        int rc = move_part(path, aside, part[i]);
        if (rc < 0 && (rc != -ENOENT || part[i][0] == '\0'))
            return err_sys(err, rc, "%s%s is damaged, and cannot be set aside", path, part[i]);
    }
    store_place_sync(path);
    return 0;
}

static int set_aside(const char *path, char **aside, struct err *err)
{
    char *name = free_name(path);
    int rc = name ? move_all(path, name, err) : err_set(err, -ENOMEM, "no memory");
    if (rc == 0)
        *aside = name;
    else
        free(name);
    return rc;
}

/* Two studies may meet the damage at once: the second waits until the first has moved it. */
int store_open_or_anew(const char *path, bool usual, struct store **out, char **aside,
                       struct err *err)
{
    int held = store_place_hold(path, true);
    int rc = open_and_check(path, out, err);
    bool moved = rc == -EBADMSG && aside && held >= 0 && may_be_set_aside(path, usual);
    if (moved)
        rc = set_aside(path, aside, err);
    store_place_let_go(held);
    return moved && rc == 0 ? store_open(path, out, err) : rc;
}
