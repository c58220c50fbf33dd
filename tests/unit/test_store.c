/* What the store has taken is there afterwards, whatever happens to the one who gave it. */
#include "unit/store_box.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>

static void assert_not_opened(const char *path, int code, const char *word)
{
    struct err err = {0};
    struct store *s = NULL;
    assert_int_equal(store_open(path, &s, &err), code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
    assert_null(s);
}

static void the_default_path_follows_xdg(void **state)
{
    (void)state;
    char buf[64];
    struct err err = {0};
    assert_int_equal(store_default_path("/x", "/h", buf, sizeof buf, NULL), 0);
    assert_string_equal(buf, "/x/loadline/results.db");
    assert_int_equal(store_default_path(NULL, "/h", buf, sizeof buf, NULL), 0);
    assert_string_equal(buf, "/h/.local/share/loadline/results.db");
    assert_int_equal(store_default_path("not/absolute", "/h", buf, sizeof buf, NULL), 0);
    assert_string_equal(buf, "/h/.local/share/loadline/results.db");
    assert_int_equal(store_default_path("", NULL, buf, sizeof buf, &err), -EINVAL);
    assert_non_null(strstr(err.text, "--db FILE"));
    assert_int_equal(store_default_path("/x", NULL, buf, 10, NULL), -ENAMETOOLONG);
}

static void directories_are_made_private(void **state)
{
    const struct place *place = *state;
    char db[160];
    char dir[96];
    struct stat st;
    snprintf(dir, sizeof dir, "%s/a/b", place->dir);
    snprintf(db, sizeof db, "%s/results.db", dir);
    struct store *s = opened(db);
    assert_string_equal(store_path(s), db);
    store_close(s);
    assert_int_equal(stat(db, &st), 0);
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
}

static void a_run_comes_back_as_it_was(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    assert_int_equal(begin(s, "k3f9a2bc", "new", 1, (uint64_t)getpid()), 0);
    assert_int_equal(put(s, "k3f9a2bc", 1, NULL), 0);
    assert_int_equal(put(s, "k3f9a2bc", 2, NULL), 0);
    assert_int_equal(store_end_study(s, "k3f9a2bc", STORE_DONE, NULL), 0);
    store_close(s);
    s = opened(place->db);
    struct result **list = NULL;
    unsigned n = 0;
    assert_int_equal(store_load(s, "k3f9a2bc", 2, &list, &n, NULL), 0);
    assert_int_equal(n, 1);
    struct result *again = sample_result("k3f9a2bc", 2);
    char *json = NULL;
    assert_int_equal(result_seal(again, &json, NULL), 0);
    assert_string_equal(list[0]->seal, again->seal);
    store_results_free(list, n);
    assert_int_equal(count_runs(s, "k3f9a2bc"), 2);
    free(json);
    result_free(again);
    store_close(s);
}

static void what_is_not_there_is_said(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct result **list = NULL;
    struct err err = {0};
    unsigned n = 0;
    assert_int_equal(begin(s, "k3f9a2bc", "", 1, 1), 0);
    assert_int_equal(store_load(s, "k3f9a2bc", 3, &list, &n, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no run 3"));
    assert_int_equal(store_load(s, "zzzzzzzz", 0, &list, &n, &err), -ENOENT);
    assert_int_equal(put(s, "zzzzzzzz", 1, &err), -ENOENT);
    assert_non_null(strstr(err.text, "zzzzzzzz"));
    assert_int_equal(store_end_study(s, "zzzzzzzz", STORE_DONE, &err), -ENOENT);
    store_close(s);
}

static void nothing_is_overwritten(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct err err = {0};
    assert_int_equal(begin(s, "k3f9a2bc", "", 1, 1), 0);
    assert_int_equal(begin(s, "k3f9a2bc", "", 2, 1), -EEXIST);
    assert_int_equal(put(s, "k3f9a2bc", 1, NULL), 0);
    assert_int_equal(put(s, "k3f9a2bc", 1, &err), -EEXIST);
    assert_non_null(strstr(err.text, "k3f9a2bc.1 already"));
    store_close(s);
}

static void an_unsealed_document_is_refused(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct result *r = sample_result("k3f9a2bc", 1);
    assert_int_equal(begin(s, "k3f9a2bc", "", 1, 1), 0);
    assert_int_equal(store_put_run(s, r, "{}", NULL), -EINVAL);
    result_free(r);
    store_close(s);
}

/* A document is sealed, but not to its place. */
static void a_document_in_the_row_of_another_is_refused(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct result **list = NULL;
    struct err err = {0};
    unsigned n = 0;
    assert_int_equal(begin(s, "k3f9a2bc", "", 1, 1), 0);
    assert_int_equal(put(s, "k3f9a2bc", 1, NULL), 0);
    assert_int_equal(sqlite3_exec(s->db, "UPDATE run SET run = 2", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(store_load(s, "k3f9a2bc", 2, &list, &n, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "run k3f9a2bc.2: the document there is that of k3f9a2bc.1"));
    store_close(s);
}

/* A damaged document was refused as a wish that makes no sense: status 1 instead of 2. */
static void a_damaged_document_is_no_wish(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct result **list = NULL;
    struct err err = {0};
    unsigned n = 0;
    assert_int_equal(begin(s, "k3f9a2bc", "", 1, 1), 0);
    assert_int_equal(put(s, "k3f9a2bc", 1, NULL), 0);
    assert_int_equal(sqlite3_exec(s->db, "UPDATE run SET json = '{]'", NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(store_load(s, "k3f9a2bc", 0, &list, &n, &err), -EBADMSG);
    assert_int_equal(err.code, -EBADMSG);
    store_close(s);
}

static void the_list_is_newest_first(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct store_study *list = NULL;
    unsigned n = 0;
    assert_int_equal(begin(s, "aaaaaaaa", "one", 10, (uint64_t)getpid()), 0);
    assert_int_equal(begin(s, "bbbbbbbb", "two", 30, (uint64_t)getpid()), 0);
    assert_int_equal(begin(s, "cccccccc", "three", 20, (uint64_t)getpid()), 0);
    assert_int_equal(put(s, "cccccccc", 1, NULL), 0);
    assert_int_equal(store_end_study(s, "cccccccc", STORE_DONE, NULL), 0);
    assert_int_equal(store_end_study(s, "aaaaaaaa", STORE_INCOMPLETE, NULL), 0);
    assert_int_equal(store_list(s, NULL, &list, &n, NULL), 0);
    assert_int_equal(n, 3);
    assert_string_equal(list[0].id, "bbbbbbbb");
    assert_string_equal(list[1].id, "cccccccc");
    assert_string_equal(list[2].id, "aaaaaaaa");
    assert_int_equal(list[0].state, STORE_RUNNING);
    assert_int_equal(list[0].ended_wall_ns, 0);
    assert_int_equal(list[1].state, STORE_DONE);
    assert_int_equal(list[2].state, STORE_INCOMPLETE);
    assert_int_equal(list[0].runs, 0);
    assert_int_equal(list[1].runs, 1);
    assert_true(list[1].ended_wall_ns > 0);
    assert_string_equal(list[1].label, "three");
    assert_string_equal(list[1].command, "loadline dirtest /srv/scratch");
    store_studies_free(list, n);
    store_close(s);
}

static void assert_found(struct store *s, const char *name, const char *want, unsigned want_run)
{
    char id[RESULT_ID_MAX] = "";
    unsigned run = 99;
    struct err err = {0};
    if (store_find(s, name, id, &run, &err) != 0)
        fail_msg("%s: %s", name, err.text);
    assert_string_equal(id, want);
    assert_int_equal(run, want_run);
}

static void assert_not_found(struct store *s, const char *name, int code, const char *word)
{
    char id[RESULT_ID_MAX] = "";
    unsigned run = 0;
    struct err err = {0};
    assert_int_equal(store_find(s, name, id, &run, &err), code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void a_name_means_one_study_or_none(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    assert_int_equal(begin(s, "abcd1111", "filer", 1, 1), 0);
    assert_int_equal(begin(s, "abce2222", "twice", 2, 1), 0);
    assert_int_equal(begin(s, "zz9x3333", "twice", 3, 1), 0);
    assert_int_equal(begin(s, "zz9y4444", "release 1.2", 4, 1), 0);
    assert_int_equal(begin(s, "f1111111", "zz9x", 5, 1), 0);
    assert_found(s, "abcd1111", "abcd1111", 0);
    assert_found(s, "abcd1111.3", "abcd1111", 3);
    assert_found(s, "abcd", "abcd1111", 0);
    assert_found(s, "abcd.12", "abcd1111", 12);
    assert_found(s, "filer", "abcd1111", 0);
    assert_found(s, "filer.2", "abcd1111", 2);
    assert_found(s, "release 1.2", "zz9y4444", 0);
    assert_found(s, "release 1.2.5", "zz9y4444", 5);
    assert_not_found(s, "abc", -EEXIST, "abce2222 (twice), abcd1111 (filer)");
    assert_not_found(s, "abc.1", -EEXIST, "abcd1111");
    assert_not_found(s, "twice", -EEXIST, "zz9x3333");
    assert_not_found(s, "zz9x", -EEXIST, "f1111111"); /* a prefix and a label */
    assert_not_found(s, "ABCD", -ENOENT, "ABCD");
    assert_not_found(s, "abc_", -ENOENT, "abc_");
    assert_not_found(s, "%", -ENOENT, "%");
    assert_not_found(s, "", -ENOENT, "\"\"");
    assert_not_found(s, ".1", -ENOENT, ".1");
    assert_not_found(s, "abcd.0", -ENOENT, "abcd.0");
    assert_not_found(s, "abcd.x", -ENOENT, "abcd.x");
    assert_not_found(s, "abcd.99999999999", -ENOENT, "abcd");
    store_close(s);
}

static void a_whole_id_is_never_ambiguous(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    assert_int_equal(begin(s, "abcd1111", "", 1, 1), 0);
    assert_int_equal(begin(s, "abcd1111x", "", 2, 1), 0);
    assert_int_equal(begin(s, "other", "abcd1111", 3, 1), 0);
    assert_found(s, "abcd1111", "abcd1111", 0);
    store_close(s);
}

static void a_note_is_kept(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    char *value = NULL;
    assert_int_equal(store_get_note(s, "overhead", &value, NULL), -ENOENT);
    assert_null(value);
    assert_int_equal(store_put_note(s, "overhead", "21 ns", NULL), 0);
    assert_int_equal(store_put_note(s, "overhead", "22 ns", NULL), 0);
    store_close(s);
    s = opened(place->db);
    assert_int_equal(store_get_note(s, "overhead", &value, NULL), 0);
    assert_string_equal(value, "22 ns");
    free(value);
    store_close(s);
}

static void a_newer_store_is_refused(void **state)
{
    const struct place *place = *state;
    store_close(opened(place->db));
    sql(place->db, "PRAGMA user_version = 7");
    assert_not_opened(place->db, -EPROTO, "layout 7, this one knows up to 3");
}

static void keep_file(const char *path, char **bytes, size_t *len)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    *len = (size_t)st.st_size;
    *bytes = malloc(*len + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, *bytes, *len), (ssize_t)*len);
    close(fd);
}

/* Somebody else's file is neither used nor touched. */
static void another_programs_database_is_refused(void **state)
{
    const struct place *place = *state;
    char *before = NULL;
    char *after = NULL;
    size_t before_len = 0;
    size_t after_len = 0;
    sql(place->db, "CREATE TABLE places(url TEXT); INSERT INTO places VALUES('x')");
    keep_file(place->db, &before, &before_len);
    assert_not_opened(place->db, -EBADMSG, "another program");
    keep_file(place->db, &after, &after_len);
    assert_int_equal(before_len, after_len);
    assert_memory_equal(before, after, before_len);
    free(before);
    free(after);
}

static void what_is_no_database_is_refused(void **state)
{
    const struct place *place = *state;
    FILE *f = fopen(place->db, "w");
    assert_non_null(f);
    for (int i = 0; i < 1000; i++)
        fprintf(f, "this is not a database\n");
    fclose(f);
    assert_not_opened(place->db, -EBADMSG, "--db FILE");
    assert_not_opened(place->db, -EBADMSG, "not a database");
    assert_not_opened(place->db, -EBADMSG, place->db);
    assert_not_opened(place->dir, -EISDIR, "is a directory");
    assert_not_opened("", -EISDIR, "names no file");
    assert_not_opened("/dev/null", -EINVAL, "not a regular file");
    char below[160];
    snprintf(below, sizeof below, "%s/more/results.db", place->db);
    assert_not_opened(below, -ENOTDIR, "is not a directory");
}

/* The part of a child that may not write; as root a directory's mode means nothing. */
static int open_without_rights(const char *path)
{
    struct store *s = NULL;
    struct err err = {0};
    if (geteuid() == 0 && setuid(65534) != 0)
        return 1;
    int rc = store_open(path, &s, &err);
    bool said = strstr(err.text, "cannot make") && strstr(err.text, "--db FILE");
    return rc == -EACCES && said ? 0 : 2;
}

static void a_closed_directory_is_said(void **state)
{
    const struct place *place = *state;
    char below[160];
    snprintf(below, sizeof below, "%s/more/results.db", place->dir);
    assert_int_equal(chmod(place->dir, 0555), 0);
    for (int i = 0; i < 2; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(open_without_rights(i == 0 ? place->db : below));
        assert_int_equal(exit_of_child(child), 0);
    }
    assert_int_equal(chmod(place->dir, 0700), 0);
}

static void a_full_disk_is_said(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct err err = {0};
    assert_int_equal(begin(s, "k3f9a2bc", "", 1, 1), 0);
    assert_int_equal(sqlite3_exec(s->db, "PRAGMA max_page_count = 12", NULL, NULL, NULL),
                     SQLITE_OK);
    int rc = 0;
    unsigned taken = 0;
    while (rc == 0 && taken < 100) {
        rc = put(s, "k3f9a2bc", taken + 1, &err);
        taken += rc == 0;
    }
    assert_int_equal(rc, -ENOSPC);
    assert_non_null(strstr(err.text, "no space left"));
    assert_non_null(strstr(err.text, "--db FILE"));
    assert_int_equal(count_runs(s, "k3f9a2bc"), taken);
    store_close(s);
}

static void anothers_lock_is_said(void **state)
{
    const struct place *place = *state;
    struct store *a = opened(place->db);
    struct store *b = opened(place->db);
    struct err err = {0};
    assert_int_equal(sqlite3_exec(a->db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_busy_timeout(b->db, 20);
    assert_int_equal(store_put_note(b, "k", "v", &err), -EBUSY);
    assert_non_null(strstr(err.text, "locked"));
    assert_int_equal(sqlite3_exec(a->db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(store_put_note(b, "k", "v", &err), 0);
    store_close(a);
    store_close(b);
}

static void the_journal_suits_the_file_system(void **state)
{
    const struct place *place = *state;
    static const uint64_t no[] = {
        NFS_SUPER_MAGIC, SMB_SUPER_MAGIC,  CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,  FUSE_SUPER_MAGIC,
        V9FS_MAGIC,      CEPH_SUPER_MAGIC, AFS_FS_MAGIC,     OCFS2_SUPER_MAGIC, 0x0bd00bd0,
        0x47504653,      0x19830326,       0xaad7aaea};
    static const uint64_t yes[] = {EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
                                   TMPFS_MAGIC, OVERLAYFS_SUPER_MAGIC};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(store_wal_fits(no[i]));
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(store_wal_fits(yes[i]));
    struct store *s = opened(place->db);
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(store_prepare(s, "PRAGMA journal_mode", &stmt, NULL), 0);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_string_equal((const char *)sqlite3_column_text(stmt, 0),
                        store_wal_fits_path(place->db) ? "wal" : "delete");
    sqlite3_finalize(stmt);
    assert_int_equal(store_prepare(s, "PRAGMA synchronous", &stmt, NULL), 0);
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int(stmt, 0), 2); /* FULL */
    sqlite3_finalize(stmt);
    store_close(s);
}

/* Says the number of each run it was told is stored. Never returns. */
static void write_until_killed(const char *path, const char *id, int acknowledge)
{
    struct store *s = NULL;
    if (store_open(path, &s, NULL) != 0 || begin(s, id, "", 1, (uint64_t)getpid()) != 0)
        _exit(1);
    for (unsigned run = 1; run <= 100000; run++) {
        if (put(s, id, run, NULL) != 0 || write(acknowledge, &run, sizeof run) != sizeof run)
            _exit(2);
    }
    _exit(3);
}

/* Returns the last run that was acknowledged. */
static unsigned kill_a_writer(const char *path, const char *id, unsigned after_us)
{
    int ends[2];
    unsigned last = 0;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_until_killed(path, id, ends[1]);
    close(ends[1]);
    assert_int_equal(read(ends[0], &last, sizeof last), sizeof last);
    const struct timespec pause = {.tv_nsec = 1000L * after_us};
    nanosleep(&pause, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(exit_of_child(child), 100 + SIGKILL);
    while (read(ends[0], &last, sizeof last) == sizeof last)
        continue;
    close(ends[0]);
    return last;
}

static void assert_all_incomplete(struct store *s, unsigned want)
{
    struct store_study *list = NULL;
    unsigned n = 0;
    assert_int_equal(store_list(s, NULL, &list, &n, NULL), 0);
    assert_int_equal(n, want);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(list[i].state, STORE_INCOMPLETE);
    store_studies_free(list, n);
}

#define KILLS 20

static void what_was_acknowledged_survives_a_kill(void **state)
{
    const struct place *place = *state;
    uint64_t x = 1;
    for (unsigned i = 0; i < KILLS; i++) {
        char id[RESULT_ID_MAX];
        snprintf(id, sizeof id, "kill%04u", i);
        x = x * 6364136223846793005u + 1442695040888963407u;
        unsigned last = kill_a_writer(place->db, id, (unsigned)(x >> 33) % 15000);
        struct store *s = opened(place->db);
        unsigned there = count_runs(s, id);
        /* The one being written may have got there as well, unacknowledged. */
        assert_true(there == last || there == last + 1);
        assert_all_incomplete(s, i + 1);
        store_close(s);
    }
}

static int write_runs(const char *path, const char *id, unsigned runs)
{
    struct store *s = NULL;
    int rc = store_open(path, &s, NULL);
    if (rc == 0)
        rc = begin(s, id, "", 1, (uint64_t)getpid());
    for (unsigned run = 1; rc == 0 && run <= runs; run++)
        rc = put(s, id, run, NULL);
    store_close(s);
    return rc == 0 ? 0 : 1;
}

#define WRITERS 4
#define ROUNDS  12

/* Also the making of the file is a race: one saw the tables of another that it had not seen the mark
 * of, and took them for another program's. */
static void processes_make_one_database_at_once(void **state)
{
    const struct place *place = *state;
    static const char *const id[WRITERS] = {"aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd"};
    for (unsigned round = 0; round < ROUNDS; round++) {
        char path[160];
        pid_t child[WRITERS];
        snprintf(path, sizeof path, "%s/%u.db", place->dir, round);
        for (int i = 0; i < WRITERS; i++) {
            child[i] = fork();
            assert_true(child[i] >= 0);
            if (child[i] == 0)
                _exit(write_runs(path, id[i], 5));
        }
        for (int i = 0; i < WRITERS; i++)
            assert_int_equal(exit_of_child(child[i]), 0);
        struct store *s = opened(path);
        for (int i = 0; i < WRITERS; i++)
            assert_int_equal(count_runs(s, id[i]), 5);
        store_close(s);
    }
}

static void reading_makes_nothing(void **state)
{
    const struct place *place = *state;
    struct err err = {0};
    struct store *s = NULL;
    char below[160];
    snprintf(below, sizeof below, "%s/more/results.db", place->dir);
    assert_int_equal(store_open_to_read(below, &s, &err), -ENOENT);
    assert_non_null(strstr(err.text, "no database at"));
    assert_int_equal(store_open_to_read(place->db, &s, &err), -ENOENT);
    int fd = open(place->db, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(store_open_to_read(place->db, &s, &err), -ENOENT);
    assert_null(s);
    assert_int_equal(unlink(place->db), 0);
    assert_int_equal(rmdir(place->dir), 0);
    assert_int_equal(mkdir(place->dir, 0700), 0);
}

static int read_without_rights(const char *path, const char *id)
{
    struct store *s = NULL;
    struct store_study *list = NULL;
    unsigned n = 0;
    if (geteuid() == 0 && setuid(65534) != 0)
        return 1;
    if (store_open_to_read(path, &s, NULL) != 0)
        return 2;
    int rc = store_list(s, NULL, &list, &n, NULL);
    bool listed = rc == 0 && n == 1 && strcmp(list[0].id, id) == 0;
    store_studies_free(list, n);
    store_close(s);
    return listed ? 0 : 3;
}

/* In a child, which loses its rights. */
static int exit_of_reader(const char *path, const char *id)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(read_without_rights(path, id));
    return exit_of_child(child);
}

static void a_database_is_read_where_nothing_can_be_written(void **state)
{
    const struct place *place = *state;
    char wal[160];
    assert_int_equal(write_runs(place->db, "aaaaaaaa", 1), 0);
    assert_int_equal(chmod(place->db, 0444), 0);
    assert_int_equal(chmod(place->dir, 0555), 0);
    assert_int_equal(exit_of_reader(place->db, "aaaaaaaa"), 0);
    /* What lies beside it would be missing from the answer. */
    snprintf(wal, sizeof wal, "%s-wal", place->db);
    assert_int_equal(chmod(place->dir, 0755), 0);
    int fd = open(wal, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "x", 1), 1);
    close(fd);
    assert_int_equal(chmod(place->dir, 0555), 0);
    assert_int_equal(exit_of_reader(place->db, "aaaaaaaa"), 2);
    assert_int_equal(chmod(place->dir, 0755), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_default_path_follows_xdg),
    IN_PLACE(directories_are_made_private),
    IN_PLACE(a_run_comes_back_as_it_was),
    IN_PLACE(what_is_not_there_is_said),
    IN_PLACE(nothing_is_overwritten),
    IN_PLACE(an_unsealed_document_is_refused),
    IN_PLACE(a_document_in_the_row_of_another_is_refused),
    IN_PLACE(a_damaged_document_is_no_wish),
    IN_PLACE(the_list_is_newest_first),
    IN_PLACE(a_name_means_one_study_or_none),
    IN_PLACE(a_whole_id_is_never_ambiguous),
    IN_PLACE(a_note_is_kept),
    IN_PLACE(a_newer_store_is_refused),
    IN_PLACE(another_programs_database_is_refused),
    IN_PLACE(what_is_no_database_is_refused),
    IN_PLACE(a_closed_directory_is_said),
    IN_PLACE(a_full_disk_is_said),
    IN_PLACE(anothers_lock_is_said),
    IN_PLACE(the_journal_suits_the_file_system),
    IN_PLACE(what_was_acknowledged_survives_a_kill),
    IN_PLACE(processes_make_one_database_at_once),
    IN_PLACE(reading_makes_nothing),
    IN_PLACE(a_database_is_read_where_nothing_can_be_written),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
