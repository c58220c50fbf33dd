/* A damaged database of ours is set aside, whole, and another begun; whatever is not ours, or not
 * damaged, is left as it is. */
#include "unit/store_box.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>

static void overwrite(const char *path, off_t at, const char *with, size_t len)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, with, len, at), (ssize_t)len);
    close(fd);
}

static char *content(const char *path, size_t *len)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    char *bytes = malloc((size_t)st.st_size + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
    close(fd);
    *len = (size_t)st.st_size;
    return bytes;
}

static void make_full(const char *path)
{
    struct store *s = opened(path);
    assert_int_equal(begin(s, "aaaaaaaa", "", 1, (uint64_t)getpid()), 0);
    for (unsigned run = 1; run <= 4; run++)
        assert_int_equal(put(s, "aaaaaaaa", run, NULL), 0);
    store_close(s);
}

static unsigned files_in(const char *dir)
{
    unsigned n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void assert_set_aside(const char *path, bool usual)
{
    struct store *s = NULL;
    char *aside = NULL;
    struct err err = {0};
    size_t before_len = 0, after_len = 0;
    char *before = content(path, &before_len);
    if (store_open_or_anew(path, usual, &s, &aside, &err) != 0)
        fail_msg("%s", err.text);
    assert_non_null(aside);
    assert_true(strncmp(aside, path, strlen(path)) == 0 && strstr(aside, ".corrupt-2"));
    char *after = content(aside, &after_len);
    assert_int_equal(before_len, after_len);
    assert_memory_equal(before, after, before_len);
    assert_int_equal(begin(s, "bbbbbbbb", "", 1, (uint64_t)getpid()), 0);
    assert_int_equal(count_runs(s, "bbbbbbbb"), 0);
    store_close(s);
    free(before);
    free(after);
    free(aside);
}

static void assert_left(const char *path, bool usual, int code)
{
    struct store *s = NULL;
    char *aside = NULL;
    struct err err = {0};
    size_t before_len = 0, after_len = 0;
    char *before = content(path, &before_len);
    assert_int_equal(store_open_or_anew(path, usual, &s, &aside, &err), code);
    assert_null(aside);
    store_close(s);
    char *after = content(path, &after_len);
    if (code < 0) {
        assert_non_null(strstr(err.text, path));
        assert_int_equal(before_len, after_len);
        assert_memory_equal(before, after, before_len);
    }
    free(before);
    free(after);
}

static const char noise[2048] = "noise where pages were";

static void damaged_pages_are_met_and_set_aside(void **state)
{
    const struct place *place = *state;
    make_full(place->db);
    overwrite(place->db, 4096, noise, sizeof noise);
    assert_set_aside(place->db, false);
    /* A second one, on the same day and in the same second, gets a name of its own. */
    unsigned before = files_in(place->dir);
    make_full(place->db);
    overwrite(place->db, 4096, noise, sizeof noise);
    assert_set_aside(place->db, false);
    assert_true(files_in(place->dir) > before);
}

static void a_damaged_first_page_of_ours_is_set_aside(void **state)
{
    const struct place *place = *state;
    make_full(place->db);
    overwrite(place->db, 100, noise, 1000); /* the schema, behind our mark */
    assert_set_aside(place->db, false);
}

/* A layout below 0 was looked up all the same, in front of the list of layouts. */
static void a_damaged_number_of_the_layout_is_set_aside(void **state)
{
    const struct place *place = *state;
    const off_t user_version_at = 60;
    make_full(place->db);
    overwrite(place->db, user_version_at, "\xcf\0\0\2", 4);
    assert_set_aside(place->db, false);
    make_full(place->db);
    overwrite(place->db, user_version_at, "\0\0\0\0", 4);
    assert_set_aside(place->db, false);
}

static void a_cut_database_is_set_aside(void **state)
{
    const struct place *place = *state;
    make_full(place->db);
    assert_int_equal(truncate(place->db, 8192), 0);
    assert_set_aside(place->db, false);
}

static void its_log_goes_with_it(void **state)
{
    const struct place *place = *state;
    char wal[160];
    struct stat st;
    make_full(place->db);
    snprintf(wal, sizeof wal, "%s-wal", place->db);
    overwrite(place->db, 0, noise, sizeof noise);
    int fd = open(wal, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "log", 3), 3);
    close(fd);
    struct store *s = NULL;
    char *aside = NULL;
    assert_int_equal(store_open_or_anew(place->db, true, &s, &aside, NULL), 0);
    snprintf(wal, sizeof wal, "%s-wal", aside);
    assert_int_equal(stat(wal, &st), 0);
    assert_int_equal(st.st_size, 3);
    store_close(s);
    free(aside);
}

/* Killed before the database was moved behind its log: what is opened next is not the old log's. */
static void half_of_a_move_is_gone_on_with(void **state)
{
    const struct place *place = *state;
    char moved[180];
    make_full(place->db);
    snprintf(moved, sizeof moved, "%s.corrupt-20010101-000000-wal", place->db);
    overwrite(place->db, 4096, noise, sizeof noise);
    int fd = open(moved, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "log", 3), 3);
    close(fd);
    assert_set_aside(place->db, false);
    assert_int_equal(access(moved, F_OK), 0);
}

/* --resume had the database set aside that had the study, and then missed the study. */
static void who_needs_what_is_in_it_only_hears_of_the_damage(void **state)
{
    const struct place *place = *state;
    struct store *s = NULL;
    struct err err = {0};
    make_full(place->db);
    overwrite(place->db, 4096, noise, sizeof noise);
    assert_int_equal(store_open_or_anew(place->db, true, &s, NULL, &err), -EBADMSG);
    assert_non_null(strstr(err.text, "is damaged"));
    char aside[180];
    glob_t found;
    snprintf(aside, sizeof aside, "%s.corrupt-*", place->db);
    assert_int_equal(glob(aside, 0, NULL, &found), GLOB_NOMATCH);
    assert_set_aside(place->db, true);
}

static void what_is_no_database_is_set_aside_at_the_usual_place_only(void **state)
{
    const struct place *place = *state;
    FILE *f = fopen(place->db, "w");
    for (int i = 0; i < 1000; i++)
        fprintf(f, "a diary, and not one of loadline's\n");
    fclose(f);
    assert_left(place->db, false, -EBADMSG);
    assert_set_aside(place->db, true);
}

static void what_is_of_others_is_left(void **state)
{
    const struct place *place = *state;
    sql(place->db, "CREATE TABLE places(url TEXT); INSERT INTO places VALUES('x')");
    assert_left(place->db, false, -EBADMSG);
    assert_left(place->db, true, -EBADMSG);
    overwrite(place->db, 4096, noise, 100);
    assert_left(place->db, true, -EBADMSG);
    assert_int_equal(unlink(place->db), 0);
    make_full(place->db);
    sql(place->db, "PRAGMA user_version = 7");
    assert_left(place->db, true, -EPROTO);
}

static void what_is_sound_is_left(void **state)
{
    const struct place *place = *state;
    make_full(place->db);
    assert_left(place->db, true, 0);
    struct store *s = opened(place->db);
    assert_int_equal(count_runs(s, "aaaaaaaa"), 4);
    store_close(s);
    assert_int_equal(files_in(place->dir), 1);
}

#define MEETING 6

/* The second to meet the damage took the new database of the first for the damaged one. */
static void several_that_meet_the_damage_at_once_share_the_new_one(void **state)
{
    const struct place *place = *state;
    for (unsigned round = 0; round < 10; round++) {
        char path[160], id[RESULT_ID_MAX];
        pid_t child[MEETING];
        snprintf(path, sizeof path, "%s/%u.db", place->dir, round);
        make_full(path);
        overwrite(path, 4096, noise, sizeof noise);
        for (unsigned i = 0; i < MEETING; i++) {
            child[i] = fork();
            if (child[i] == 0) {
                struct store *s = NULL;
                char *aside = NULL;
                snprintf(id, sizeof id, "study%u", i);
                struct err err = {0};
                int rc = store_open_or_anew(path, false, &s, &aside, &err);
                if (rc != 0)
                    print_error("%s\n", err.text);
                if (rc == 0 && (rc = begin(s, id, "", 1, (uint64_t)getpid())) != 0)
                    print_error("begin: %d %s %d\n", rc, sqlite3_errmsg(s->db),
                                sqlite3_extended_errcode(s->db));
                store_close(s);
                _exit(rc != 0 ? 1 : aside ? 2 : 3);
            }
        }
        unsigned moved = 0;
        for (unsigned i = 0; i < MEETING; i++) {
            int how = exit_of_child(child[i]);
            assert_in_range(how, 2, 3);
            moved += how == 2;
        }
        assert_int_equal(moved, 1);
        struct store *s = opened(path);
        struct store_study *list = NULL;
        unsigned n = 0;
        assert_int_equal(store_list(s, NULL, &list, &n, NULL), 0);
        assert_int_equal(n, MEETING);
        store_studies_free(list, n);
        store_close(s);
    }
}

/* Who had waited in vain for the other, that was moving it, moved the new and sound one. */
static void nothing_is_moved_while_another_holds_the_place(void **state)
{
    const struct place *place = *state;
    make_full(place->db);
    overwrite(place->db, 4096, noise, sizeof noise);
    int held = store_place_hold(place->db, true);
    assert_true(held >= 0);
    assert_left(place->db, true, -EBADMSG);
    store_place_let_go(held);
    assert_set_aside(place->db, true);
}

static const struct CMUnitTest tests[] = {
    IN_PLACE(damaged_pages_are_met_and_set_aside),
    IN_PLACE(a_damaged_first_page_of_ours_is_set_aside),
    IN_PLACE(a_damaged_number_of_the_layout_is_set_aside),
    IN_PLACE(a_cut_database_is_set_aside),
    IN_PLACE(its_log_goes_with_it),
    IN_PLACE(half_of_a_move_is_gone_on_with),
    IN_PLACE(who_needs_what_is_in_it_only_hears_of_the_damage),
    IN_PLACE(what_is_no_database_is_set_aside_at_the_usual_place_only),
    IN_PLACE(what_is_of_others_is_left),
    IN_PLACE(what_is_sound_is_left),
    IN_PLACE(nothing_is_moved_while_another_holds_the_place),
    IN_PLACE(several_that_meet_the_damage_at_once_share_the_new_one),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
