/* A database of each older layout is brought to this one, whole; reading one leaves it as it is. */
#include "unit/store_box.h"

#include <errno.h>
#include <sys/stat.h>

/* As loadline 0.1.0 made it. */
static const char layout_1[] =
    "CREATE TABLE study(id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL"
    " CHECK(state IN ('running','done','incomplete')), begun_wall_ns INTEGER NOT NULL,"
    " ended_wall_ns INTEGER NOT NULL DEFAULT 0, host TEXT NOT NULL, boot TEXT NOT NULL,"
    " pid_space TEXT NOT NULL, pid INTEGER NOT NULL, pid_started_ticks INTEGER NOT NULL,"
    " target TEXT NOT NULL, label TEXT NOT NULL, command TEXT NOT NULL) WITHOUT ROWID;"
    "CREATE INDEX study_label ON study(label);"
    "CREATE TABLE run(study_id TEXT NOT NULL REFERENCES study(id),"
    " run INTEGER NOT NULL CHECK(run > 0), phase TEXT NOT NULL, begun_wall_ns INTEGER NOT NULL,"
    " workload_hash TEXT NOT NULL, plan_hash TEXT NOT NULL, seal TEXT NOT NULL,"
    " json TEXT NOT NULL, PRIMARY KEY(study_id, run));"
    "CREATE TABLE note(key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) WITHOUT ROWID;"
    "PRAGMA application_id = 1818518894; PRAGMA user_version = 1;"
    "INSERT INTO study VALUES('aaaaaaaa','dirtest','done',10,20,'h','b','p',1,2,'/x','old','cmd');"
    "INSERT INTO study VALUES('bbbbbbbb','io','incomplete',30,40,'h','b','p',1,2,'/y','','cmd2');"
    "INSERT INTO note VALUES('overhead','21 ns');";

/* With one run, which is what must not be lost. */
static void make_layout_1(const char *path)
{
    struct result *r = sample_result("aaaaaaaa", 1);
    char *json = NULL;
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    sample_must(result_seal(r, &json, NULL) == 0);
    sql(path, layout_1);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "INSERT INTO run VALUES('aaaaaaaa',1,'read',1,'w','p',?1,?2)", -1,
                           &stmt, NULL),
        SQLITE_OK);
    sqlite3_bind_text(stmt, 1, r->seal, -1, SQLITE_STATIC);
    sqlite3_bind_text(stmt, 2, json, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    free(json);
    result_free(r);
}

static void assert_old_content(struct store *s)
{
    struct store_study *list = NULL;
    unsigned n = 0;
    char *note = NULL;
    assert_int_equal(store_list(s, NULL, &list, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].id, "bbbbbbbb");
    assert_int_equal(list[0].state, STORE_INCOMPLETE);
    assert_string_equal(list[1].id, "aaaaaaaa");
    assert_int_equal(list[1].state, STORE_DONE);
    assert_int_equal(list[1].ended_wall_ns, 20);
    assert_string_equal(list[1].label, "old");
    assert_string_equal(list[1].argv, "[]");
    store_studies_free(list, n);
    assert_int_equal(count_runs(s, "aaaaaaaa"), 1);
    assert_int_equal(store_get_note(s, "overhead", &note, NULL), 0);
    assert_string_equal(note, "21 ns");
    free(note);
}

static int64_t number(const char *path, const char *query)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, query, -1, &stmt, NULL), SQLITE_OK);
    int64_t value = sqlite3_step(stmt) == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return value;
}

static void layout_1_is_brought_up_whole(void **state)
{
    const struct place *place = *state;
    make_layout_1(place->db);
    struct store *s = opened(place->db);
    assert_old_content(s);
    assert_int_equal(begin(s, "cccccccc", "new", 50, (uint64_t)getpid()), 0);
    assert_int_equal(put(s, "cccccccc", 1, NULL), 0);
    assert_int_equal(put(s, "bbbbbbbb", 1, NULL), 0);
    assert_int_equal(store_end_study(s, "cccccccc", STORE_INVALID, NULL), 0);
    store_close(s);
    assert_int_equal(number(place->db, "PRAGMA user_version"), 3);
    assert_int_equal(number(place->db, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
    assert_int_equal(number(place->db, "SELECT count(*) FROM sqlite_schema"
                                       " WHERE name LIKE 'study_2%'"),
                     0);
    s = opened(place->db);
    assert_int_equal(count_runs(s, "cccccccc"), 1);
    store_close(s);
}

/* The rows of a run belong to the new table of studies, not to one that is gone. */
static void a_run_without_study_is_refused_as_before(void **state)
{
    const struct place *place = *state;
    make_layout_1(place->db);
    struct store *s = opened(place->db);
    assert_int_equal(
        sqlite3_exec(s->db, "INSERT INTO run VALUES('zzz',1,'','','','','','')", NULL, NULL, NULL),
        SQLITE_CONSTRAINT);
    store_close(s);
}

static void reading_layout_1_leaves_it(void **state)
{
    const struct place *place = *state;
    struct store_baseline *list = NULL;
    struct store *s = NULL;
    struct err err = {0};
    unsigned n = 9;
    make_layout_1(place->db);
    assert_int_equal(store_open_to_read(place->db, &s, &err), 0);
    assert_old_content(s);
    assert_int_equal(store_list_baselines(s, &list, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_int_equal(store_get_baseline(s, "x", &list, &err), -ENOENT);
    store_close(s);
    assert_int_equal(number(place->db, "PRAGMA user_version"), 1);
}

/* One that was killed on the way is the old one. */
static void a_half_way_is_taken_back(void **state)
{
    const struct place *place = *state;
    struct store *s = NULL;
    struct err err = {0};
    make_layout_1(place->db);
    sql(place->db, "CREATE TABLE baseline(x)"); /* in the way of the last part of the step */
    assert_true(store_open(place->db, &s, &err) < 0);
    assert_int_equal(number(place->db, "PRAGMA user_version"), 1);
    assert_int_equal(number(place->db, "SELECT count(*) FROM study"), 2);
    sql(place->db, "DROP TABLE baseline");
    s = opened(place->db);
    assert_old_content(s);
    store_close(s);
}

static const struct CMUnitTest tests[] = {
    IN_PLACE(layout_1_is_brought_up_whole),
    IN_PLACE(a_run_without_study_is_refused_as_before),
    IN_PLACE(reading_layout_1_leaves_it),
    IN_PLACE(a_half_way_is_taken_back),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
