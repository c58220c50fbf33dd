#include "store/store_priv.h"

#include "base/text.h"

#include <errno.h>
#include <string.h>

/* Beside the database, in a file of SQLite's own that no other process sees. */
static const char aside[] = "CREATE TEMP TABLE IF NOT EXISTS incoming("
                            " study_id TEXT, run INTEGER PRIMARY KEY, phase TEXT,"
                            " begun_wall_ns INTEGER, workload_hash TEXT, plan_hash TEXT,"
                            " seal TEXT, json TEXT);"
                            "DELETE FROM incoming";

int store_import_begin(struct store *s, struct err *err)
{
    return store_exec(s, aside, "cannot be prepared for an import", err);
}

int store_import_run(struct store *s, const struct result *r, const char *json, struct err *err)
{
    return store_insert_run(s, "incoming", r, json, err);
}

/* The first run that is both here and coming, with different content; 0 none. */
static int first_conflict(struct store *s, const char *id, int64_t *run, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s,
                           "SELECT coalesce(min(r.run), 0) FROM main.run r JOIN incoming i"
                           " ON i.run = r.run WHERE r.study_id = ?1 AND i.seal <> r.seal",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    rc = store_step(s, stmt, "cannot be read", err);
    if (rc > 0)
        *run = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    return rc < 0 ? rc : 0;
}

static int refuse_other(const struct store_study *here, const struct store_study *study,
                        int64_t run, struct err *err)
{
    struct text where;
    text_init(&where);
    if (run > 0)
        text_addf(&where, "run %s.%lld is another one", study->id, (long long)run);
    else
        text_add(&where, "they were not begun at the same moment");
    err_set(err, -EEXIST,
            "there is a study %s already, and it is not this one (%s): here a %s of %s, label "
            "\"%s\", %u runs; in the file a %s of %s, label \"%s\", %u runs",
            study->id, where.s, here->kind, here->target, here->label, here->runs, study->kind,
            study->target, study->label, study->runs);
    text_fini(&where);
    return -EEXIST;
}

static int check_same(struct store *s, const struct store_study *here,
                      const struct store_study *study, struct err *err)
{
    int64_t run = 0;
    if (here->state == STORE_RUNNING)
        return err_set(err, -EBUSY, "study %s is being run by process %llu", study->id,
                       (unsigned long long)here->pid);
    int rc = first_conflict(s, study->id, &run, err);
    if (rc < 0)
        return rc;
    bool same = here->begun_wall_ns == study->begun_wall_ns && strcmp(here->kind, study->kind) == 0;
    return same && run == 0 ? 0 : refuse_other(here, study, run, err);
}

static int make_study(struct store *s, const struct store_study *study, struct err *err)
{
    /* Of no process: pid 0 is none. */
    struct store_study row = *study;
    row.pid = 0;
    return store_begin_study(s, &row, err);
}

static int take_runs(struct store *s, const char *id, unsigned *added, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s,
                           "INSERT INTO main.run(study_id, run, phase, begun_wall_ns,"
                           " workload_hash, plan_hash, seal, json) SELECT study_id, run, phase,"
                           " begun_wall_ns, workload_hash, plan_hash, seal, json FROM incoming"
                           " WHERE run NOT IN (SELECT run FROM main.run WHERE study_id = ?1)"
                           " ORDER BY run",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    rc = store_finish(s, stmt, "cannot take the runs", err);
    *added = rc == 0 ? (unsigned)sqlite3_changes(s->db) : 0;
    return rc;
}

static int end_as(struct store *s, const struct store_study *study, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "UPDATE study SET state = ?2, ended_wall_ns = ?3 WHERE id = ?1",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, study->id);
    store_bind_text(stmt, 2, store_state_name(study->state));
    sqlite3_bind_int64(stmt, 3, (int64_t)study->ended_wall_ns);
    return store_finish(s, stmt, "cannot end the study", err);
}

static int take_in(struct store *s, const struct store_study *study, struct store_import *out,
                   struct err *err)
{
    struct store_study *here = NULL;
    int rc = store_get_study(s, study->id, &here, err);
    out->made = rc == -ENOENT;
    if (out->made)
        rc = make_study(s, study, err);
    else if (rc == 0)
        rc = check_same(s, here, study, err);
    if (rc == 0)
        rc = take_runs(s, study->id, &out->added, err);
    /* What came to its end here is not made less by a file that knows less. */
    bool ends = !here || here->state == STORE_INCOMPLETE;
    if (rc == 0 && ends)
        rc = end_as(s, study, err);
    out->state = ends ? study->state : here->state;
    out->had = here ? here->runs : 0;
    store_studies_free(here, here ? 1 : 0);
    return rc;
}

int store_import_end(struct store *s, const struct store_study *study, struct store_import *out,
                     struct err *err)
{
    struct store_import got = {.made = false};
    int rc = store_begin(s, err);
    if (rc < 0)
        return rc;
    rc = store_end(s, take_in(s, study, &got, err), err);
    if (rc == 0)
        *out = got;
    return rc;
}
