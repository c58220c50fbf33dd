/* store/store_priv.h — what the parts of the store share.
 * Shape    store_place.c: path, directory, journal; store_damage.c: what is broken goes aside; store.c: opening; store_layout.c: the tables, and
 *          the way from each older layout; the others: one kind of row each.
 * Units    as store.h.                           Limits   STORE_VERSION, the layout of the tables.
 * Errors   as store.h; store_fail turns SQLite's words into ours.
 * Threads  single owner.
 * Source   tests/unit/test_store.c. */
#ifndef LOADLINE_STORE_STORE_PRIV_H
#define LOADLINE_STORE_STORE_PRIV_H

#include "store/store.h"

#include <sqlite3.h>

#define STORE_VERSION        3
#define STORE_APPLICATION_ID 0x6c64656e /* "lden": marks the file as ours (PRAGMA application_id) */
#define STORE_BUSY_MS        30000

struct store {
    sqlite3 *db;
    char *path;
    int64_t version; /* below STORE_VERSION only where it was opened to read */
};

/* Is shared memory over the file system with this statfs f_type trustworthy, as WAL needs? */
bool store_wal_fits(uint64_t f_type);
/* The same for the directory that the path lies in; false when that cannot be known. */
bool store_wal_fits_path(const char *path);
/* Makes the directories above the path, 0700, and checks that the path can be a database. */
__attribute__((warn_unused_result)) int store_place_make(const char *path, struct err *err);

/* Makes nothing: -ENOENT when there is no such file. */
__attribute__((warn_unused_result)) int store_place_find(const char *path, struct err *err);
/* Does the directory of the path refuse new files, by its rights or as read-only medium? */
bool store_takes_no_writes(const char *path);
/* Of one that could not be opened: its log stays, for whoever tries to get something out of it. */
void store_close_as_it_is(struct store *s);
/* Held by who opens what is there, or `alone` by who may move it away with its log: SQLite finds a
 * log by its name, and one of another file would be taken for its own. -1: no such directory, or another
 * holds it for longer than is waited for: it may be looked into, and nothing moved. */
int store_place_hold(const char *path, bool alone);
void store_place_let_go(int fd);
/* store_open for who holds it. */
__attribute__((warn_unused_result)) int store_open_held(const char *path, struct store **out,
                                                        struct err *err);
/* A directory entry is on stable storage when its directory has been synced. */
void store_place_sync(const char *path);
/* Did a writer that was killed leave a WAL that is not empty? */
bool store_wal_left(const char *path);

/* Is it ours, or empty, and of which layout? -EBADMSG another program's, -EPROTO a newer one's. */
__attribute__((warn_unused_result)) int store_check_ours(struct store *s, int64_t *version,
                                                         struct err *err);
/* From whatever layout it has, none included, to STORE_VERSION, in one transaction. */
__attribute__((warn_unused_result)) int store_migrate(struct store *s, struct err *err);

/* "what: words of SQLite; what to do", as -errno. */
int store_fail(const struct store *s, struct err *err, const char *what);

__attribute__((warn_unused_result)) int store_exec(struct store *s, const char *sql,
                                                   const char *what, struct err *err);
/* Around several statements that are done all or none: store_end takes what they returned, commits
 * or takes back, and returns the first failure. */
__attribute__((warn_unused_result)) int store_begin(struct store *s, struct err *err);
__attribute__((warn_unused_result)) int store_end(struct store *s, int rc, struct err *err);
__attribute__((warn_unused_result)) int store_prepare(struct store *s, const char *sql,
                                                      sqlite3_stmt **out, struct err *err);
/* Runs a statement that gives no rows and finishes it. */
__attribute__((warn_unused_result)) int store_finish(struct store *s, sqlite3_stmt *stmt,
                                                     const char *what, struct err *err);
/* 1 a row, 0 no more, -errno. */
__attribute__((warn_unused_result)) int store_step(struct store *s, sqlite3_stmt *stmt,
                                                   const char *what, struct err *err);
/* A row of a table with the columns of `run`. */
__attribute__((warn_unused_result)) int store_insert_run(struct store *s, const char *table,
                                                         const struct result *r, const char *json,
                                                         struct err *err);
uint64_t store_wall_ns(void);
void store_bind_text(sqlite3_stmt *stmt, int at, const char *text);
/* A copy of a text column, "" for NULL. NULL: no memory. */
__attribute__((warn_unused_result)) char *store_column_text(sqlite3_stmt *stmt, int at);

#endif
