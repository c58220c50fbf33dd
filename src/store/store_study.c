#include "store/store_priv.h"

#include "base/owner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const state_name[] = {
    [STORE_RUNNING] = "running",
    [STORE_DONE] = "done",
    [STORE_INCOMPLETE] = "incomplete",
};

static enum store_state state_of(const char *name)
{
    return strcmp(name, "running") == 0 ? STORE_RUNNING
           : strcmp(name, "done") == 0  ? STORE_DONE
                                        : STORE_INCOMPLETE;
}

int store_begin_study(struct store *s, const struct store_study *study, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct owner owner;
    int rc = store_prepare(s,
                           "INSERT INTO study(id, kind, state, begun_wall_ns, host, boot,"
                           " pid_space, pid, pid_started_ticks, target, label, command)"
                           " VALUES(?,?,'running',?,?,?,?,?,?,?,?,?)",
                           &stmt, err);
    if (rc < 0)
        return rc;
    owner_of(study->pid, &owner);
    store_bind_text(stmt, 1, study->id);
    store_bind_text(stmt, 2, study->kind);
    sqlite3_bind_int64(stmt, 3, (int64_t)study->begun_wall_ns);
    store_bind_text(stmt, 4, owner.host);
    store_bind_text(stmt, 5, owner.boot);
    store_bind_text(stmt, 6, owner.pid_space);
    sqlite3_bind_int64(stmt, 7, (int64_t)owner.pid);
    sqlite3_bind_int64(stmt, 8, (int64_t)owner.started_ticks);
    store_bind_text(stmt, 9, study->target);
    store_bind_text(stmt, 10, study->label);
    store_bind_text(stmt, 11, study->command);
    rc = store_finish(s, stmt, "cannot take the study", err);
    return rc == -EEXIST ? err_set(err, rc, "%s: there is a study %s already", s->path, study->id)
                         : rc;
}

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int store_end_study(struct store *s, const char *id, enum store_state state, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc =
        store_prepare(s, "UPDATE study SET state = ?, ended_wall_ns = ? WHERE id = ?", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, state_name[state]);
    sqlite3_bind_int64(stmt, 2, (int64_t)wall_ns());
    store_bind_text(stmt, 3, id);
    rc = store_finish(s, stmt, "cannot end the study", err);
    if (rc == 0 && sqlite3_changes(s->db) == 0)
        rc = err_set(err, -ENOENT, "%s: no study %s", s->path, id);
    return rc;
}

static bool owner_is_gone(sqlite3_stmt *stmt, uint64_t pid)
{
    struct owner owner = {.pid = pid, .started_ticks = (uint64_t)sqlite3_column_int64(stmt, 10)};
    snprintf(owner.host, sizeof owner.host, "%s", (const char *)sqlite3_column_text(stmt, 11));
    snprintf(owner.boot, sizeof owner.boot, "%s", (const char *)sqlite3_column_text(stmt, 12));
    snprintf(owner.pid_space, sizeof owner.pid_space, "%s",
             (const char *)sqlite3_column_text(stmt, 13));
    enum owner_life life = owner_life(&owner);
    return life == OWNER_GONE || life == OWNER_OTHER_BOOT;
}

static int take_study(sqlite3_stmt *stmt, struct store_study *out)
{
    snprintf(out->id, sizeof out->id, "%s", (const char *)sqlite3_column_text(stmt, 0));
    snprintf(out->kind, sizeof out->kind, "%s", (const char *)sqlite3_column_text(stmt, 1));
    out->state = state_of((const char *)sqlite3_column_text(stmt, 2));
    out->begun_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 3);
    out->ended_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 4);
    out->pid = (uint64_t)sqlite3_column_int64(stmt, 5);
    out->runs = (unsigned)sqlite3_column_int(stmt, 6);
    out->target = store_column_text(stmt, 7);
    out->label = store_column_text(stmt, 8);
    out->command = store_column_text(stmt, 9);
    if (out->state == STORE_RUNNING && owner_is_gone(stmt, out->pid))
        out->state = STORE_INCOMPLETE;
    return out->target && out->label && out->command ? 0 : -ENOMEM;
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

int store_list(struct store *s, struct store_study **out, unsigned *n, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct store_study *list = NULL;
    unsigned have = 0;
    int rc = store_prepare(s,
                           "SELECT id, kind, state, begun_wall_ns, ended_wall_ns, pid,"
                           " (SELECT count(*) FROM run WHERE study_id = id), target, label,"
                           " command, pid_started_ticks, host, boot, pid_space"
                           " FROM study ORDER BY begun_wall_ns DESC, id DESC",
                           &stmt, err);
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

void store_studies_free(struct store_study *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        free(list[i].target);
        free(list[i].label);
        free(list[i].command);
    }
    free(list);
}
