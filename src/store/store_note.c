#include "store/store_priv.h"

#include <errno.h>

int store_put_note(struct store *s, const char *key, const char *value, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "INSERT OR REPLACE INTO note(key, value) VALUES(?,?)", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, key);
    store_bind_text(stmt, 2, value);
    return store_finish(s, stmt, "cannot take the note", err);
}

int store_get_note(struct store *s, const char *key, char **value, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    char *found = NULL;
    int rc = store_prepare(s, "SELECT value FROM note WHERE key = ?", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, key);
    rc = store_step(s, stmt, "cannot be read", err);
    if (rc > 0)
        found = store_column_text(stmt, 0);
    sqlite3_finalize(stmt);
    if (rc == 0)
        return err_set(err, -ENOENT, "%s: no note \"%s\"", s->path, key);
    if (rc > 0 && !found)
        return err_set(err, -ENOMEM, "no memory");
    if (rc > 0)
        *value = found;
    return rc < 0 ? rc : 0;
}
