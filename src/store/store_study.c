#include "store/store_priv.h"

#include "base/owner.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_name[] = {
    [STORE_RUNNING] = "running",
    [STORE_DONE] = "done",
    [STORE_INCOMPLETE] = "incomplete",
    [STORE_INVALID] = "invalid",
};

const char *store_state_name(enum store_state state)
{
    return state_name[state];
}

enum store_state store_state_of(const char *name)
{
    for (unsigned i = 0; i < sizeof state_name / sizeof *state_name; i++) {
        if (strcmp(name, state_name[i]) == 0)
            return (enum store_state)i;
    }
    return STORE_INCOMPLETE;
}

/* Five places from `at` on: host, boot, pid_space, pid, pid_started_ticks. Borrowed until the step. */
static void bind_owner(sqlite3_stmt *stmt, int at, const struct owner *owner)
{
    store_bind_text(stmt, at, owner->host);
    store_bind_text(stmt, at + 1, owner->boot);
    store_bind_text(stmt, at + 2, owner->pid_space);
    sqlite3_bind_int64(stmt, at + 3, (int64_t)owner->pid);
    sqlite3_bind_int64(stmt, at + 4, (int64_t)owner->started_ticks);
}

int store_begin_study(struct store *s, const struct store_study *study, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct owner owner;
    int rc = store_prepare(s,
                           "INSERT INTO study(id, kind, state, begun_wall_ns, host, boot,"
                           " pid_space, pid, pid_started_ticks, target, label, command, argv)"
                           " VALUES(?1,?2,'running',?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
                           &stmt, err);
    if (rc < 0)
        return rc;
    owner_of(study->pid, &owner);
    store_bind_text(stmt, 1, study->id);
    store_bind_text(stmt, 2, study->kind);
    sqlite3_bind_int64(stmt, 3, (int64_t)study->begun_wall_ns);
    bind_owner(stmt, 4, &owner);
    store_bind_text(stmt, 9, study->target);
    store_bind_text(stmt, 10, study->label);
    store_bind_text(stmt, 11, study->command);
    store_bind_text(stmt, 12, study->argv ? study->argv : "[]");
    rc = store_finish(s, stmt, "cannot take the study", err);
    return rc == -EEXIST ? err_set(err, rc, "%s: there is a study %s already", s->path, study->id)
                         : rc;
}

int store_end_study(struct store *s, const char *id, enum store_state state, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        store_prepare(s, "UPDATE study SET state = ?, ended_wall_ns = ? WHERE id = ?", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, state_name[state]);
    sqlite3_bind_int64(stmt, 2, (int64_t)store_wall_ns());
    store_bind_text(stmt, 3, id);
    rc = store_finish(s, stmt, "cannot end the study", err);
    if (rc == 0 && sqlite3_changes(s->db) == 0)
        rc = err_set(err, -ENOENT, "%s: no study %s", s->path, id);
    return rc;
}

/* From five columns in the order of bind_owner. */
static void take_owner(sqlite3_stmt *stmt, int at, struct owner *out)
{
    snprintf(out->host, sizeof out->host, "%s", (const char *)sqlite3_column_text(stmt, at));
    snprintf(out->boot, sizeof out->boot, "%s", (const char *)sqlite3_column_text(stmt, at + 1));
    snprintf(out->pid_space, sizeof out->pid_space, "%s",
             (const char *)sqlite3_column_text(stmt, at + 2));
    out->pid = (uint64_t)sqlite3_column_int64(stmt, at + 3);
    out->started_ticks = (uint64_t)sqlite3_column_int64(stmt, at + 4);
}

static bool is_gone(const struct owner *owner)
{
    enum owner_life life = owner_life(owner);
    return life == OWNER_GONE || life == OWNER_OTHER_BOOT;
}

static int refuse_state(enum store_state state, const char *id, const struct owner *owner,
                        struct err *err)
{
    switch (state) {
    case STORE_DONE:
        return err_set(err, -EALREADY, "study %s is complete: nothing of it is missing", id);
    case STORE_INVALID:
        return err_set(err, -EBADMSG, "study %s is not valid: measure it again", id);
    case STORE_RUNNING:
        return is_gone(owner) ? 0
                              : err_set(err, -EBUSY, "study %s is being run by process %llu on %s",
                                        id, (unsigned long long)owner->pid, owner->host);
    case STORE_INCOMPLETE:
        break;
    }
    return 0;
}

static int check_reopen(struct store *s, const char *id, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct owner owner;
    int rc = store_prepare(s,
                           "SELECT state, host, boot, pid_space, pid, pid_started_ticks"
                           " FROM study WHERE id = ?",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    rc = store_step(s, stmt, "cannot be read", err);
    if (rc == 0)
        rc = err_set(err, -ENOENT, "%s: no study %s", s->path, id);
    if (rc > 0) {
        take_owner(stmt, 1, &owner);
        rc = refuse_state(store_state_of((const char *)sqlite3_column_text(stmt, 0)), id, &owner,
                          err);
    }
    sqlite3_finalize(stmt);
    return rc;
}

/* Another process may have gone on with it, and ended, since the caller read its runs. */
static int check_last_run(struct store *s, const char *id, unsigned last_run, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        store_prepare(s, "SELECT coalesce(max(run), 0) FROM run WHERE study_id = ?", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    rc = store_step(s, stmt, "cannot be read", err);
    int64_t last = rc > 0 ? sqlite3_column_int64(stmt, 0) : 0;
    sqlite3_finalize(stmt);
    if (rc < 0)
        return rc;
    return last == last_run ? 0
                            : err_set(err, -ESTALE,
                                      "study %s was gone on with meanwhile: its last run is %lld "
                                      "and was %u; try again",
                                      id, (long long)last, last_run);
}

static int make_running(struct store *s, const char *id, uint64_t pid, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct owner owner;
    int rc = store_prepare(s,
                           "UPDATE study SET state = 'running', ended_wall_ns = 0, host = ?2,"
                           " boot = ?3, pid_space = ?4, pid = ?5, pid_started_ticks = ?6"
                           " WHERE id = ?1",
                           &stmt, err);
    if (rc < 0)
        return rc;
    owner_of(pid, &owner);
    store_bind_text(stmt, 1, id);
    bind_owner(stmt, 2, &owner);
    return store_finish(s, stmt, "cannot take up the study", err);
}

int store_reopen_study(struct store *s, const char *id, unsigned last_run, uint64_t pid,
                       struct err *err)
{
    int rc = store_begin(s, err);
    if (rc < 0)
        return rc;
    rc = check_reopen(s, id, err);
    if (rc == 0)
        rc = check_last_run(s, id, last_run, err);
    if (rc == 0)
        rc = make_running(s, id, pid, err);
    return store_end(s, rc, err);
}

static int take_study(sqlite3_stmt *stmt, struct store_study *out)
{
    struct owner owner;
    snprintf(out->id, sizeof out->id, "%s", (const char *)sqlite3_column_text(stmt, 0));
    snprintf(out->kind, sizeof out->kind, "%s", (const char *)sqlite3_column_text(stmt, 1));
    out->state = store_state_of((const char *)sqlite3_column_text(stmt, 2));
    out->begun_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 3);
    out->ended_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 4);
    out->runs = (unsigned)sqlite3_column_int(stmt, 5);
    out->target = store_column_text(stmt, 6);
    out->label = store_column_text(stmt, 7);
    out->command = store_column_text(stmt, 8);
    out->argv = store_column_text(stmt, 9);
    take_owner(stmt, 10, &owner);
    out->pid = owner.pid;
    out->last_run = (unsigned)sqlite3_column_int(stmt, 15);
    if (out->state == STORE_RUNNING && is_gone(&owner))
        out->state = STORE_INCOMPLETE;
    return out->target && out->label && out->command && out->argv ? 0 : -ENOMEM;
}

/* Room for one more, zeroed. */
static struct store_study *list_grow(struct store_study **list, unsigned n)
{
    if ((n & (n - 1)) == 0) {
        struct store_study *more = realloc(*list, (n > 0 ? 2 * (size_t)n : 1) * sizeof *more);
        if (!more)
            return NULL;
        *list = more;
    }
    memset(&(*list)[n], 0, sizeof **list);
    return &(*list)[n];
}

static void bind_glob(sqlite3_stmt *stmt, int at, const char *glob)
{
    store_bind_text(stmt, at, glob ? glob : "*");
}

/* id NULL: all that pass the filter. */
static int prepare_list(struct store *s, const char *id, const struct store_filter *filter,
                        sqlite3_stmt **out, struct err *err)
{
    static const struct store_filter all = {.label = NULL};
    struct text sql;
    text_init(&sql);
    text_addf(&sql,
              "SELECT id, kind, state, begun_wall_ns, ended_wall_ns,"
              " (SELECT count(*) FROM main.run WHERE study_id = id), target, label, command, %s,"
              " host, boot, pid_space, pid, pid_started_ticks,"
              " (SELECT coalesce(max(run), 0) FROM main.run WHERE study_id = id) FROM study"
              " WHERE label GLOB ?1 AND target GLOB ?2 AND kind GLOB ?3 AND begun_wall_ns >= ?4"
              " AND (?6 IS NULL OR id = ?6) ORDER BY begun_wall_ns DESC, id DESC LIMIT ?5",
              s->version < 2 ? "'[]'" : "argv");
    int rc = sql.failed ? err_set(err, -ENOMEM, "no memory") : store_prepare(s, sql.s, out, err);
    text_fini(&sql);
    if (rc < 0)
        return rc;
    filter = filter ? filter : &all;
    bind_glob(*out, 1, filter->label);
    bind_glob(*out, 2, filter->target);
    bind_glob(*out, 3, filter->kind);
    uint64_t since = filter->since_wall_ns;
    sqlite3_bind_int64(*out, 4, since < INT64_MAX ? (int64_t)since : INT64_MAX);
    sqlite3_bind_int64(*out, 5, filter->last > 0 ? (int64_t)filter->last : -1);
    (void)sqlite3_bind_text(*out, 6, id, -1, SQLITE_STATIC);
    return 0;
}

static int list_some(struct store *s, const char *id, const struct store_filter *filter,
                     struct store_study **out, unsigned *n, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct store_study *list = NULL;
    unsigned have = 0;
    int rc = prepare_list(s, id, filter, &stmt, err);
    while (rc >= 0 && (rc = store_step(s, stmt, "cannot be listed", err)) > 0) {
        struct store_study *study = list_grow(&list, have);
        have += study != NULL;
        if (!study || take_study(stmt, study) < 0)
            rc = err_set(err, -ENOMEM, "no memory for the list of studies");
    }
    sqlite3_finalize(stmt);
    if (rc < 0) {
        store_studies_free(list, have);
        return rc;
    }
    *out = list;
    *n = have;
    return 0;
}

int store_list(struct store *s, const struct store_filter *filter, struct store_study **out,
               unsigned *n, struct err *err)
{
    return list_some(s, NULL, filter, out, n, err);
}

int store_get_study(struct store *s, const char *id, struct store_study **out, struct err *err)
{
    unsigned n = 0;
    int rc = list_some(s, id, NULL, out, &n, err);
    return rc == 0 && n == 0 ? err_set(err, -ENOENT, "%s: no study %s", s->path, id) : rc;
}

void store_studies_free(struct store_study *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        free(list[i].target);
        free(list[i].label);
        free(list[i].command);
        free(list[i].argv);
    }
    free(list);
}
