#include "store/store_priv.h"

#include <errno.h>

#define TEXT_OF(x)  #x
#define VALUE_OF(x) TEXT_OF(x)

static const char layout_1[] =
    "CREATE TABLE study("
    " id TEXT PRIMARY KEY NOT NULL,"
    " kind TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK(state IN ('running','done','incomplete')),"
    " begun_wall_ns INTEGER NOT NULL,"
    " ended_wall_ns INTEGER NOT NULL DEFAULT 0,"
    " host TEXT NOT NULL,"
    " boot TEXT NOT NULL,"
    " pid_space TEXT NOT NULL,"
    " pid INTEGER NOT NULL,"
    " pid_started_ticks INTEGER NOT NULL,"
    " target TEXT NOT NULL,"
    " label TEXT NOT NULL,"
    " command TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX study_label ON study(label);"
    "CREATE TABLE run("
    " study_id TEXT NOT NULL REFERENCES study(id),"
    " run INTEGER NOT NULL CHECK(run > 0),"
    " phase TEXT NOT NULL,"
    " begun_wall_ns INTEGER NOT NULL,"
    " workload_hash TEXT NOT NULL,"
    " plan_hash TEXT NOT NULL,"
    " seal TEXT NOT NULL,"
    " json TEXT NOT NULL,"
    " PRIMARY KEY(study_id, run));"
    "CREATE TABLE note(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;"
    "PRAGMA application_id = " VALUE_OF(STORE_APPLICATION_ID) ";";

/* Layout 2: a state for studies that are not valid, the words that were typed one by one, and
 * baselines. A CHECK cannot be changed in place; `run` refers to `study` by name, so that it
 * belongs to the new table once that has the old one's name (foreign_keys off meanwhile). */
static const char layout_2[] =
    "CREATE TABLE study_2("
    " id TEXT PRIMARY KEY NOT NULL,"
    " kind TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK(state IN ('running','done','incomplete','invalid')),"
    " begun_wall_ns INTEGER NOT NULL,"
    " ended_wall_ns INTEGER NOT NULL DEFAULT 0,"
    " host TEXT NOT NULL,"
    " boot TEXT NOT NULL,"
    " pid_space TEXT NOT NULL,"
    " pid INTEGER NOT NULL,"
    " pid_started_ticks INTEGER NOT NULL,"
    " target TEXT NOT NULL,"
    " label TEXT NOT NULL,"
    " command TEXT NOT NULL,"
    " argv TEXT NOT NULL DEFAULT '[]') WITHOUT ROWID;"
    "INSERT INTO study_2 SELECT id, kind, state, begun_wall_ns, ended_wall_ns, host, boot,"
    " pid_space, pid, pid_started_ticks, target, label, command, '[]' FROM study;"
    "DROP TABLE study;"
    "ALTER TABLE study_2 RENAME TO study;"
    "CREATE INDEX study_label ON study(label);"
    "CREATE TABLE baseline("
    " name TEXT PRIMARY KEY NOT NULL,"
    " selector TEXT NOT NULL,"
    " made_wall_ns INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE baseline_id("
    " name TEXT NOT NULL REFERENCES baseline(name) ON DELETE CASCADE,"
    " place INTEGER NOT NULL,"
    " id TEXT NOT NULL,"
    " PRIMARY KEY(name, place)) WITHOUT ROWID;";

/* Layout 3: what somebody notes while a study runs, until the run that it falls into takes it along. */
static const char layout_3[] = "CREATE TABLE mark("
                               " study_id TEXT NOT NULL REFERENCES study(id),"
                               " at_wall_ns INTEGER NOT NULL,"
                               " text TEXT NOT NULL);";

/* layout[i] makes layout i + 1 of layout i. */
static const char *const layout[STORE_VERSION] = {layout_1, layout_2, layout_3};

static int pragma(struct store *s, const char *sql, int64_t *out, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, sql, &stmt, err);
    if (rc < 0)
        return rc;
    rc = store_step(s, stmt, "cannot be read", err);
    if (rc > 0)
        *out = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc < 0 ? rc : 0;
}

/* A database that is not empty and not marked belongs to somebody else: not one table is put into
 * it. Within a transaction: another process may be making it just now. */
static int check_mark(struct store *s, int64_t *version, struct err *err)
{
    int64_t app = 0;
    int64_t tables = 0;
    int rc = pragma(s, "PRAGMA application_id", &app, err);
    if (rc == 0)
        rc = pragma(s, "PRAGMA user_version", version, err);
    if (rc == 0)
        rc = pragma(s, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (rc < 0)
        return rc;
    if (app != STORE_APPLICATION_ID && (tables > 0 || app != 0 || *version != 0))
        return err_set(err, -EBADMSG,
                       "%s is a database of another program; name another file with --db FILE",
                       s->path);
    if (*version < 0 || (*version == 0 && tables > 0))
        return err_set(err, -EBADMSG, "%s is damaged: there is no layout %lld", s->path,
                       (long long)*version);
    if (*version > STORE_VERSION)
        return err_set(err, -EPROTO,
                       "%s was made by a newer loadline (layout %lld, this one knows up to %d); "
                       "use that one, or --db FILE",
                       s->path, (long long)*version, STORE_VERSION);
    return 0;
}

int store_check_ours(struct store *s, int64_t *version, struct err *err)
{
    int rc = store_exec(s, "BEGIN", "cannot be read", err);
    if (rc < 0)
        return rc;
    rc = check_mark(s, version, err);
    (void)sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
    s->version = *version;
    return rc;
}

static int take_steps(struct store *s, int64_t version, struct err *err)
{
    int rc = 0;
    for (; version < STORE_VERSION && rc == 0; version++)
        rc = store_exec(s, layout[version], "cannot be made", err);
    return rc == 0 ? store_exec(s, "PRAGMA user_version = " VALUE_OF(STORE_VERSION),
                                "cannot be made", err)
                   : rc;
}

/* PRAGMA foreign_keys means nothing inside a transaction. */
int store_migrate(struct store *s, struct err *err)
{
    int64_t version = 0;
    int rc = store_exec(s, "PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE", "cannot be made", err);
    if (rc < 0)
        return rc;
    /* Another process may have been faster. */
    rc = check_mark(s, &version, err);
    if (rc == 0)
        rc = take_steps(s, version, err);
    if (rc == 0)
        rc = store_exec(s, "COMMIT", "cannot be made", err);
    if (rc == 0)
        s->version = STORE_VERSION;
    else
        (void)sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}
