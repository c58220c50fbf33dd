/* What is asked of the rows of studies and baselines: which are listed, who may go on with one. */
#include "unit/store_box.h"

#include <errno.h>

static unsigned listed(struct store *s, struct store_filter filter, const char *first)
{
    struct store_study *list = NULL;
    unsigned n = 0;
    assert_int_equal(store_list(s, &filter, &list, &n, NULL), 0);
    if (n > 0)
        assert_string_equal(list[0].id, first);
    store_studies_free(list, n);
    return n;
}

static void a_filter_leaves_out_what_does_not_fit(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    assert_int_equal(begin(s, "aaaaaaaa", "rc1", 10, 1), 0);
    assert_int_equal(begin(s, "bbbbbbbb", "rc2", 20, 1), 0);
    assert_int_equal(begin(s, "cccccccc", "nightly", 30, 1), 0);
    assert_int_equal(sqlite3_exec(s->db,
                                  "UPDATE study SET kind = 'io', target = '/other'"
                                  " WHERE id = 'cccccccc'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(listed(s, (struct store_filter){0}, "cccccccc"), 3);
    assert_int_equal(listed(s, (struct store_filter){.label = "rc*"}, "bbbbbbbb"), 2);
    assert_int_equal(listed(s, (struct store_filter){.label = "rc"}, ""), 0);
    assert_int_equal(listed(s, (struct store_filter){.label = "RC*"}, ""), 0);
    assert_int_equal(listed(s, (struct store_filter){.label = "rc[^2]"}, "aaaaaaaa"), 1);
    assert_int_equal(listed(s, (struct store_filter){.target = "/srv/*"}, "bbbbbbbb"), 2);
    assert_int_equal(listed(s, (struct store_filter){.kind = "io"}, "cccccccc"), 1);
    assert_int_equal(listed(s, (struct store_filter){.since_wall_ns = 20}, "cccccccc"), 2);
    assert_int_equal(listed(s, (struct store_filter){.since_wall_ns = UINT64_MAX}, ""), 0);
    assert_int_equal(listed(s, (struct store_filter){.last = 1}, "cccccccc"), 1);
    assert_int_equal(listed(s, (struct store_filter){.label = "rc*", .last = 1}, "bbbbbbbb"), 1);
    assert_int_equal(listed(s, (struct store_filter){.last = UINT32_MAX}, "cccccccc"), 3);
    store_close(s);
}

static void what_was_typed_is_kept_word_by_word(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    char empty[] = "", argv[] = "[\"io\",\"/srv/a b\"]";
    struct store_study study = {.id = "aaaaaaaa",
                                .kind = "io",
                                .pid = 1,
                                .target = empty,
                                .label = empty,
                                .command = empty,
                                .argv = argv};
    struct store_study *list = NULL;
    unsigned n = 0;
    assert_int_equal(store_begin_study(s, &study, NULL), 0);
    assert_int_equal(store_list(s, NULL, &list, &n, NULL), 0);
    assert_string_equal(list[0].argv, argv);
    store_studies_free(list, n);
    store_close(s);
}

static enum store_state state_of(struct store *s, uint64_t *pid, uint64_t *ended)
{
    struct store_study *list = NULL;
    unsigned n = 0;
    assert_int_equal(store_list(s, NULL, &list, &n, NULL), 0);
    assert_int_equal(n, 1);
    enum store_state state = list[0].state;
    *pid = list[0].pid;
    *ended = list[0].ended_wall_ns;
    store_studies_free(list, n);
    return state;
}

static void an_interrupted_study_goes_on(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    uint64_t pid = 0, ended = 0;
    assert_int_equal(begin(s, "aaaaaaaa", "", 1, (uint64_t)getpid()), 0);
    assert_int_equal(put(s, "aaaaaaaa", 1, NULL), 0);
    assert_int_equal(store_end_study(s, "aaaaaaaa", STORE_INCOMPLETE, NULL), 0);
    assert_int_equal(store_reopen_study(s, "aaaaaaaa", 1, (uint64_t)getpid(), NULL), 0);
    assert_int_equal(state_of(s, &pid, &ended), STORE_RUNNING);
    assert_int_equal(pid, getpid());
    assert_int_equal(ended, 0);
    assert_int_equal(put(s, "aaaaaaaa", 2, NULL), 0);
    assert_int_equal(count_runs(s, "aaaaaaaa"), 2);
    store_close(s);
}

/* Its process was killed: nobody has said that it ended. */
static void a_study_of_a_dead_process_goes_on(void **state)
{
    const struct place *place = *state;
    uint64_t pid = 0, ended = 0;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct store *own = opened(place->db);
        int rc = begin(own, "aaaaaaaa", "", 1, (uint64_t)getpid());
        store_close(own);
        _exit(rc == 0 ? 0 : 1);
    }
    assert_int_equal(exit_of_child(child), 0);
    struct store *s = opened(place->db);
    assert_int_equal(store_reopen_study(s, "aaaaaaaa", 0, (uint64_t)getpid(), NULL), 0);
    assert_int_equal(state_of(s, &pid, &ended), STORE_RUNNING);
    assert_int_equal(pid, getpid());
    store_close(s);
}

/* It was read before another process went on with it: runs were numbered as those of the other. */
static void a_study_that_went_on_meanwhile_is_refused(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct err err = {0};
    assert_int_equal(begin(s, "aaaaaaaa", "", 1, (uint64_t)getpid()), 0);
    assert_int_equal(put(s, "aaaaaaaa", 1, NULL), 0);
    assert_int_equal(put(s, "aaaaaaaa", 2, NULL), 0);
    assert_int_equal(store_end_study(s, "aaaaaaaa", STORE_INCOMPLETE, NULL), 0);
    assert_int_equal(store_reopen_study(s, "aaaaaaaa", 1, (uint64_t)getpid(), &err), -ESTALE);
    assert_non_null(strstr(err.text, "was gone on with meanwhile"));
    assert_int_equal(store_reopen_study(s, "aaaaaaaa", 2, (uint64_t)getpid(), NULL), 0);
    store_close(s);
}

/* The number of runs was taken for that of the last one. */
static void the_last_run_is_told_where_numbers_are_missing(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct store_study *study = NULL;
    assert_int_equal(begin(s, "aaaaaaaa", "", 1, (uint64_t)getpid()), 0);
    assert_int_equal(store_get_study(s, "aaaaaaaa", &study, NULL), 0);
    assert_int_equal(study->last_run, 0);
    store_studies_free(study, 1);
    assert_int_equal(put(s, "aaaaaaaa", 1, NULL), 0);
    assert_int_equal(put(s, "aaaaaaaa", 4, NULL), 0);
    assert_int_equal(store_get_study(s, "aaaaaaaa", &study, NULL), 0);
    assert_int_equal(study->runs, 2);
    assert_int_equal(study->last_run, 4);
    store_studies_free(study, 1);
    store_close(s);
}

static void assert_not_reopened(struct store *s, int code, const char *word)
{
    struct err err = {0};
    assert_int_equal(store_reopen_study(s, "aaaaaaaa", 0, (uint64_t)getpid(), &err), code);
    if (!strstr(err.text, word))
        fail_msg("\"%s\" does not say \"%s\"", err.text, word);
}

static void a_study_that_must_not_go_on_is_refused(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    uint64_t pid = 0, ended = 0;
    assert_not_reopened(s, -ENOENT, "no study aaaaaaaa");
    assert_int_equal(begin(s, "aaaaaaaa", "", 1, (uint64_t)getppid()), 0);
    assert_not_reopened(s, -EBUSY, "is being run by process");
    assert_int_equal(state_of(s, &pid, &ended), STORE_RUNNING);
    assert_int_equal(pid, getppid());
    /* On another machine nobody can say that it is dead. */
    assert_int_equal(
        sqlite3_exec(s->db, "UPDATE study SET host = 'far.example', boot = 'x'", NULL, NULL, NULL),
        SQLITE_OK);
    assert_not_reopened(s, -EBUSY, "on far.example");
    assert_int_equal(store_end_study(s, "aaaaaaaa", STORE_DONE, NULL), 0);
    assert_not_reopened(s, -EALREADY, "is complete");
    assert_int_equal(store_end_study(s, "aaaaaaaa", STORE_INVALID, NULL), 0);
    assert_not_reopened(s, -EBADMSG, "not valid");
    assert_int_equal(state_of(s, &pid, &ended), STORE_INVALID);
    store_close(s);
}

static int put_baseline(struct store *s, const char *name, const char *selector, unsigned n)
{
    char ids[3][RESULT_ID_MAX] = {"cccccccc", "aaaaaaaa", "bbbbbbbb"};
    char own_name[32], own_selector[32];
    snprintf(own_name, sizeof own_name, "%s", name);
    snprintf(own_selector, sizeof own_selector, "%s", selector);
    const struct store_baseline b = {.name = own_name, .selector = own_selector, .n = n, .id = ids};
    return store_put_baseline(s, &b, NULL);
}

static void a_baseline_is_kept_in_its_order_and_replaced(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct store_baseline *b = NULL;
    unsigned n = 0;
    assert_int_equal(put_baseline(s, "good", "rc*", 3), 0);
    assert_int_equal(put_baseline(s, "also", "x", 1), 0);
    assert_int_equal(store_get_baseline(s, "good", &b, NULL), 0);
    assert_string_equal(b->selector, "rc*");
    assert_int_equal(b->n, 3);
    assert_true(b->made_wall_ns > 0);
    assert_string_equal(b->id[0], "cccccccc");
    assert_string_equal(b->id[1], "aaaaaaaa");
    assert_string_equal(b->id[2], "bbbbbbbb");
    store_baselines_free(b, 1);
    assert_int_equal(put_baseline(s, "good", "rc9", 2), 0);
    assert_int_equal(store_list_baselines(s, &b, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_string_equal(b[0].name, "also");
    assert_string_equal(b[1].selector, "rc9");
    assert_int_equal(b[1].n, 2);
    store_baselines_free(b, n);
    store_close(s);
}

static void a_baseline_is_dropped_by_name(void **state)
{
    const struct place *place = *state;
    struct store *s = opened(place->db);
    struct store_baseline *b = NULL;
    struct err err = {0};
    unsigned n = 9;
    assert_int_equal(put_baseline(s, "good", "rc*", 3), 0);
    assert_int_equal(store_drop_baseline(s, "goo", &err), -ENOENT);
    assert_non_null(strstr(err.text, "no baseline is called \"goo\""));
    assert_int_equal(store_drop_baseline(s, "good", NULL), 0);
    assert_int_equal(store_get_baseline(s, "good", &b, NULL), -ENOENT);
    assert_int_equal(store_list_baselines(s, &b, &n, NULL), 0);
    assert_int_equal(n, 0);
    assert_int_equal(put_baseline(s, "good", "rc*", 1), 0); /* no old id is in its way */
    assert_int_equal(put_baseline(s, "", "rc*", 1), -EINVAL);
    assert_int_equal(put_baseline(s, "empty", "rc*", 0), -EINVAL);
    store_close(s);
}

static const struct CMUnitTest tests[] = {
    IN_PLACE(a_filter_leaves_out_what_does_not_fit),
    IN_PLACE(what_was_typed_is_kept_word_by_word),
    IN_PLACE(an_interrupted_study_goes_on),
    IN_PLACE(a_study_of_a_dead_process_goes_on),
    IN_PLACE(a_study_that_went_on_meanwhile_is_refused),
    IN_PLACE(the_last_run_is_told_where_numbers_are_missing),
    IN_PLACE(a_study_that_must_not_go_on_is_refused),
    IN_PLACE(a_baseline_is_kept_in_its_order_and_replaced),
    IN_PLACE(a_baseline_is_dropped_by_name),
};

int main(void)
{
    return cmocka_run_group_tests(tests, NULL, NULL);
}
