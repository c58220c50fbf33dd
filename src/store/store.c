#include "store/store_priv.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ELSEWHERE "keep results elsewhere with --db FILE, or nowhere with --db none"

static int errno_of(sqlite3 *db)
{
    switch (sqlite3_errcode(db)) {
    case SQLITE_NOMEM:
        return -ENOMEM;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return -EBUSY;
    case SQLITE_READONLY:
        return -EROFS;
    case SQLITE_FULL:
        return -ENOSPC;
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return -EACCES;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return -EBADMSG;
    case SQLITE_CONSTRAINT:
        return -EEXIST;
    case SQLITE_TOOBIG:
        return -EFBIG;
    case SQLITE_CANTOPEN: {
        int sys = sqlite3_system_errno(db);
        return sys > 0 ? -sys : -EIO;
    }
    default:
        return -EIO;
    }
}

static const char *words_of(int code, sqlite3 *db)
{
    switch (code) {
    case -EBUSY:
        return "another process keeps it locked";
    case -EROFS:
        return "it cannot be written";
    case -ENOSPC:
        return "no space left";
    case -EBADMSG:
        return "not a database, or a damaged one";
    case -EIO:
        return sqlite3_errmsg(db);
    default:
        return strerrordesc_np(-code);
    }
}

int store_fail(const struct store *s, struct err *err, const char *what)
{
    int code = errno_of(s->db);
    return err_set(err, code, "%s: %s: %s; " ELSEWHERE, s->path, what, words_of(code, s->db));
}

int store_exec(struct store *s, const char *sql, const char *what, struct err *err)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : store_fail(s, err, what);
}

int store_begin(struct store *s, struct err *err)
{
    return store_exec(s, "BEGIN IMMEDIATE", "cannot be written", err);
}

int store_end(struct store *s, int rc, struct err *err)
{
    if (rc >= 0)
        rc = store_exec(s, "COMMIT", "cannot be written", err);
    if (rc < 0)
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc < 0 ? rc : 0;
}

int store_prepare(struct store *s, const char *sql, sqlite3_stmt **out, struct err *err)
{
    if (sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK)
        return 0;
    return store_fail(s, err, "cannot be read");
}

int store_step(struct store *s, sqlite3_stmt *stmt, const char *what, struct err *err)
{
    int rc = sqlite3_step(stmt);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : store_fail(s, err, what);
}

int store_finish(struct store *s, sqlite3_stmt *stmt, const char *what, struct err *err)
{
    int rc = store_step(s, stmt, what, err);
    sqlite3_finalize(stmt);
    return rc < 0 ? rc : 0;
}

void store_bind_text(sqlite3_stmt *stmt, int at, const char *text)
{
    (void)sqlite3_bind_text(stmt, at, text ? text : "", -1, SQLITE_STATIC);
}

char *store_column_text(sqlite3_stmt *stmt, int at)
{
    const unsigned char *text = sqlite3_column_text(stmt, at);
    return strdup(text ? (const char *)text : "");
}

/* SQLite does not always wait for the lock that a change of journal takes: waiting is ours here. */
static int set_journal(struct store *s, struct err *err)
{
    const char *sql =
        store_wal_fits_path(s->path) ? "PRAGMA journal_mode = WAL" : "PRAGMA journal_mode = DELETE";
    const struct timespec pause = {.tv_nsec = 10000000};
    sqlite3_busy_timeout(s->db, 0);
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    for (int i = 0; rc == SQLITE_BUSY && i < STORE_BUSY_MS / 10; i++) {
        nanosleep(&pause, NULL);
        rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    }
    sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
    return rc == SQLITE_OK ? 0 : store_fail(s, err, "cannot be opened");
}

/* flags are SQLite's; `query` is what stands behind the '?' of the address, or "". */
static int open_file(struct store *s, int flags, const char *query, struct err *err)
{
    struct text uri;
    text_init(&uri);
    /* A name such as ":memory:" would be no file at all. */
    text_add(&uri, s->path[0] == '/' ? "file:" : "file:./");
    for (const char *c = s->path; *c; c++)
        text_addf(&uri, strchr("%?#", *c) ? "%%%02x" : "%c", *c);
    text_addf(&uri, "?%s", query);
    int rc =
        uri.failed ? SQLITE_NOMEM : sqlite3_open_v2(uri.s, &s->db, flags | SQLITE_OPEN_URI, NULL);
    text_fini(&uri);
    if (!s->db)
        return err_set(err, -ENOMEM, "no memory");
    sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
    return rc == SQLITE_OK ? 0 : store_fail(s, err, "cannot be opened");
}

/* Nothing is written before it is known to be ours. */
static int open_database(struct store *s, struct err *err)
{
    int64_t version = 0;
    int rc = open_file(s, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", err);
    if (rc == 0)
        rc = store_check_ours(s, &version, err);
    if (rc == 0 && sqlite3_db_readonly(s->db, "main") == 0)
        rc = set_journal(s, err);
    if (rc == 0 && version < STORE_VERSION)
        rc = store_migrate(s, err);
    if (rc == 0)
        rc = store_exec(s, "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON",
                        "cannot be opened", err);
    return rc;
}

/* A WAL needs an index beside it, which cannot be made on a medium that takes no writes. Nobody
 * else writes there either, so that reading without locks is safe, unless a WAL was left behind. */
static int reopen_immutable(struct store *s, struct err *err)
{
    int64_t version = 0;
    if (store_wal_left(s->path))
        return err_set(err, -EROFS,
                       "%s: its newest results are still in %s-wal, which cannot be taken in here; "
                       "copy both files to where they can be written",
                       s->path, s->path);
    sqlite3_close(s->db);
    s->db = NULL;
    int rc = open_file(s, SQLITE_OPEN_READONLY, "immutable=1", err);
    return rc == 0 ? store_check_ours(s, &version, err) : rc;
}

static int open_to_read(struct store *s, struct err *err)
{
    int64_t version = 0;
    /* SQLite opens for reading only by itself where it may not write; where it may, it also takes
     * away the index it has made. */
    int rc = open_file(s, SQLITE_OPEN_READWRITE, "", err);
    if (rc == 0)
        rc = store_check_ours(s, &version, err);
    if (rc < 0 && rc != -EBADMSG && rc != -EPROTO && store_takes_no_writes(s->path))
        return reopen_immutable(s, err);
    if (rc == 0 && version == 0)
        rc = err_set(err, -ENOENT, "no database at %s: the file is empty", s->path);
    return rc;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    free(s->path);
    free(s);
}

/* The last to close a database plays its log back and removes it. */
void store_close_as_it_is(struct store *s)
{
    if (s && s->db)
        (void)sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    store_close(s);
}

static int open_store(const char *path, int (*place)(const char *path, struct err *err),
                      int (*open)(struct store *s, struct err *err), struct store **out,
                      struct err *err)
{
    struct store *s = calloc(1, sizeof *s);
    int rc = s ? place(path, err) : err_set(err, -ENOMEM, "no memory");
    if (rc == 0) {
        s->path = strdup(path);
        rc = s->path ? open(s, err) : err_set(err, -ENOMEM, "no memory");
    }
    if (rc < 0)
        store_close_as_it_is(s);
    else
        *out = s;
    return rc;
}

static int place_to_write(const char *path, struct err *err)
{
    int rc = store_place_make(path, err);
    return rc < 0 ? err_set(err, rc, "%s; " ELSEWHERE, err ? err->text : "") : 0;
}

int store_open_held(const char *path, struct store **out, struct err *err)
{
    int rc = open_store(path, place_to_write, open_database, out, err);
    if (rc < 0)
        err_prefix(err, "cannot open the store of results");
    return rc;
}

int store_open(const char *path, struct store **out, struct err *err)
{
    int held = store_place_hold(path, false);
    int rc = store_open_held(path, out, err);
    store_place_let_go(held);
    return rc;
}

int store_open_to_read(const char *path, struct store **out, struct err *err)
{
    int held = store_place_hold(path, false);
    int rc = open_store(path, store_place_find, open_to_read, out, err);
    store_place_let_go(held);
    return rc;
}

uint64_t store_wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

const char *store_path(const struct store *s)
{
    return s->path;
}
