#include "store/store_priv.h"

#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int study_exists(struct store *s, const char *id, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "SELECT 1 FROM study WHERE id = ?", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    rc = store_step(s, stmt, "cannot be read", err);
    sqlite3_finalize(stmt);
    return rc == 0 ? err_set(err, -ENOENT, "%s: no study %s", s->path, id) : rc;
}

int store_insert_run(struct store *s, const char *table, const struct result *r, const char *json,
                     struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct text sql;
    size_t len = strlen(json);
    if (len > RESULT_JSON_MAX || r->seal[0] == '\0')
        return err_set(err, -EINVAL, "run %u of %s: a document without seal, or above %u bytes",
                       r->run, r->study_id, RESULT_JSON_MAX);
    text_init(&sql);
    text_addf(&sql,
              "INSERT INTO %s(study_id, run, phase, begun_wall_ns, workload_hash, plan_hash, seal,"
              " json) VALUES(?,?,?,?,?,?,?,?)",
              table);
    int rc = sql.failed ? err_set(err, -ENOMEM, "no memory") : store_prepare(s, sql.s, &stmt, err);
    text_fini(&sql);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, r->study_id);
    sqlite3_bind_int64(stmt, 2, r->run);
    store_bind_text(stmt, 3, r->phase);
    sqlite3_bind_int64(stmt, 4, (int64_t)r->begun_wall_ns);
    store_bind_text(stmt, 5, r->workload_hash);
    store_bind_text(stmt, 6, r->plan_hash);
    store_bind_text(stmt, 7, r->seal);
    (void)sqlite3_bind_text(stmt, 8, json, (int)len, SQLITE_STATIC);
    return store_finish(s, stmt, "cannot take the run", err);
}

/* One statement is one transaction; with synchronous = FULL it is on stable storage when it is
 * done. */
int store_put_run(struct store *s, const struct result *r, const char *json, struct err *err)
{
    int rc = study_exists(s, r->study_id, err);
    if (rc >= 0)
        rc = store_insert_run(s, "run", r, json, err);
    return rc == -EEXIST
               ? err_set(err, rc, "%s: there is a run %s.%u already", s->path, r->study_id, r->run)
               : rc;
}

/* A sealed document is whole, but it may have been put into the row of another. One that is none is
 * damage, and no wish that makes no sense. */
static int parse_row(sqlite3_stmt *stmt, const char *id, struct result **out, struct err *err)
{
    const char *json = (const char *)sqlite3_column_text(stmt, 1);
    struct result *r = NULL;
    int rc = json ? result_parse(json, (size_t)sqlite3_column_bytes(stmt, 1), &r, err)
                  : err_set(err, -ENOMEM, "no memory");
    if (rc == -EINVAL && err)
        err->code = -EBADMSG;
    if (rc < 0)
        return rc == -EINVAL ? -EBADMSG : rc;
    if (strcmp(r->study_id, id) != 0 || r->run != sqlite3_column_int64(stmt, 0)) {
        rc = err_set(err, -EBADMSG, "the document there is that of %s.%u", r->study_id, r->run);
        result_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

static int take_run(sqlite3_stmt *stmt, const char *id, struct result ***list, unsigned *n,
                    struct err *err)
{
    struct result **more = realloc(*list, (*n + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "no memory for the runs of %s", id);
    *list = more;
    int rc = parse_row(stmt, id, &more[*n], err);
    if (rc < 0)
        err_prefix(err, "run %s.%lld", id, sqlite3_column_int64(stmt, 0));
    else
        (*n)++;
    return rc;
}

int store_results_current(struct result **list, unsigned *n)
{
    bool *counts = calloc(*n + 1, sizeof *counts);
    int rc = counts ? result_current(list, *n, counts) : -ENOMEM;
    unsigned left = 0;
    for (unsigned i = 0; rc == 0 && i < *n; i++) {
        if (counts[i])
            list[left++] = list[i];
        else
            result_free(list[i]);
    }
    if (rc == 0)
        *n = left;
    free(counts);
    return rc;
}

int store_load(struct store *s, const char *id, unsigned run, struct result ***out, unsigned *n,
               struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct result **list = NULL;
    unsigned have = 0;
    int rc = study_exists(s, id, err);
    if (rc >= 0)
        rc = store_prepare(s,
                           "SELECT run, json FROM run WHERE study_id = ?1"
                           " AND (?2 = 0 OR run = ?2) ORDER BY run",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, run);
    while (rc >= 0 && (rc = store_step(s, stmt, "cannot be read", err)) > 0)
        rc = take_run(stmt, id, &list, &have, err);
    sqlite3_finalize(stmt);
    if (rc == 0 && run == 0 && store_results_current(list, &have) < 0)
        rc = err_set(err, -ENOMEM, "no memory for the runs of %s", id);
    if (rc == 0 && run > 0 && have == 0)
        rc = err_set(err, -ENOENT, "%s: study %s has no run %u", s->path, id, run);
    if (rc < 0) {
        store_results_free(list, have);
        return rc;
    }
    *out = list;
    *n = have;
    return 0;
}

void store_results_free(struct result **list, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        result_free(list[i]);
    free(list);
}
