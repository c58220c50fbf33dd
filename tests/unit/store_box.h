/* unit/store_box.h — a directory for a store of a test's own, and what many tests of it do. */
#ifndef LOADLINE_TESTS_STORE_BOX_H
#define LOADLINE_TESTS_STORE_BOX_H

#include "store/store_priv.h"
#include "unit/sample_result.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct place {
    char dir[64];
    char db[128];
};

static inline int make_place(void **state)
{
    static struct place place;
    snprintf(place.dir, sizeof place.dir, "/tmp/loadline-store-XXXXXX");
    if (!mkdtemp(place.dir))
        return -1;
    snprintf(place.db, sizeof place.db, "%s/results.db", place.dir);
    *state = &place;
    return 0;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    return remove(path);
}

static inline int remove_place(void **state)
{
    const struct place *place = *state;
    return nftw(place->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline struct store *opened(const char *path)
{
    struct err err = {0};
    struct store *s = NULL;
    if (store_open(path, &s, &err) != 0)
        fail_msg("%s", err.text);
    return s;
}

static inline int begin(struct store *s, const char *id, const char *label, uint64_t begun,
                        uint64_t pid)
{
    struct store_study study = {.begun_wall_ns = begun, .pid = pid};
    snprintf(study.id, sizeof study.id, "%s", id);
    snprintf(study.kind, sizeof study.kind, "dirtest");
    char target[] = "/srv/scratch";
    char command[] = "loadline dirtest /srv/scratch";
    char text[64];
    snprintf(text, sizeof text, "%s", label);
    study.target = target;
    study.label = text;
    study.command = command;
    return store_begin_study(s, &study, NULL);
}

static inline int put(struct store *s, const char *id, unsigned run, struct err *err)
{
    struct result *r = sample_result(id, run);
    char *json = NULL;
    sample_must(result_seal(r, &json, NULL) == 0);
    int rc = store_put_run(s, r, json, err);
    free(json);
    result_free(r);
    return rc;
}

static inline unsigned count_runs(struct store *s, const char *id)
{
    struct result **list = NULL;
    unsigned n = 0;
    struct err err = {0};
    if (store_load(s, id, 0, &list, &n, &err) != 0)
        fail_msg("%s", err.text);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(list[i]->run, i + 1);
    store_results_free(list, n);
    return n;
}

static inline void sql(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static inline int exit_of_child(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

#define IN_PLACE(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

#endif
