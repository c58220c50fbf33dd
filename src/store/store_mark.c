#include "store/store_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_running(struct store *s, const char *id, struct err *err)
{
    struct store_study *study = NULL;
    int rc = store_get_study(s, id, &study, err);
    if (rc < 0)
        return rc;
    if (study->state != STORE_RUNNING)
        rc = err_set(err, -ESTALE, "study %s does not run: it is %s", id,
                     store_state_name(study->state));
    store_studies_free(study, 1);
    return rc;
}

int store_put_mark(struct store *s, const char *id, uint64_t at_wall_ns, const char *text,
                   struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    /* Of a mark that says nothing no result can be made, and the run that goes on would be lost. */
    if (text[strspn(text, " \t\n")] == '\0')
        return err_set(err, -EINVAL, "a mark says something: its text is empty");
    if (strlen(text) >= sizeof(struct store_mark){0}.text)
        return err_set(err, -E2BIG, "a mark has no more than %zu bytes",
                       sizeof(struct store_mark){0}.text - 1);
    int rc = check_running(s, id, err);
    if (rc == 0)
        rc = store_prepare(s, "INSERT INTO mark(study_id, at_wall_ns, text) VALUES(?,?,?)", &stmt,
                           err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, (int64_t)at_wall_ns);
    store_bind_text(stmt, 3, text);
    return store_finish(s, stmt, "cannot take the mark", err);
}

static void take_row(sqlite3_stmt *stmt, struct store_mark *out)
{
    const unsigned char *text = sqlite3_column_text(stmt, 2);
    out->number = sqlite3_column_int64(stmt, 0);
    out->at_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 1);
    snprintf(out->text, sizeof out->text, "%s", text ? (const char *)text : "");
}

int store_list_marks(struct store *s, const char *id, uint64_t until_wall_ns,
                     struct store_mark *out, unsigned room, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    unsigned n = 0;
    int rc = store_prepare(s,
                           "SELECT rowid, at_wall_ns, text FROM mark"
                           " WHERE study_id = ? AND at_wall_ns <= ? ORDER BY at_wall_ns, rowid",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, id);
    sqlite3_bind_int64(stmt, 2, (int64_t)until_wall_ns);
    while (n < room && (rc = store_step(s, stmt, "cannot be read", err)) > 0)
        take_row(stmt, &out[n++]);
    sqlite3_finalize(stmt);
    return rc < 0 ? rc : (int)n;
}

int store_drop_mark(struct store *s, const struct store_mark *mark, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "DELETE FROM mark WHERE rowid = ?", &stmt, err);
    if (rc < 0)
        return rc;
    sqlite3_bind_int64(stmt, 1, mark->number);
    return store_finish(s, stmt, "cannot remove the mark", err);
}
