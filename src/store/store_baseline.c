#include "store/store_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int put_ids(struct store *s, const struct store_baseline *b, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "INSERT INTO baseline_id(name, place, id) VALUES(?,?,?)", &stmt, err);
    for (unsigned i = 0; i < b->n && rc >= 0; i++) {
        sqlite3_reset(stmt);
        store_bind_text(stmt, 1, b->name);
        sqlite3_bind_int64(stmt, 2, i);
        store_bind_text(stmt, 3, b->id[i]);
        rc = store_step(s, stmt, "cannot take the baseline", err);
    }
    sqlite3_finalize(stmt);
    return rc;
}

static int put_name(struct store *s, const struct store_baseline *b, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    uint64_t made = b->made_wall_ns ? b->made_wall_ns : store_wall_ns();
    int rc = store_prepare(s, "INSERT INTO baseline(name, selector, made_wall_ns) VALUES(?,?,?)",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, b->name);
    store_bind_text(stmt, 2, b->selector);
    sqlite3_bind_int64(stmt, 3, (int64_t)made);
    return store_finish(s, stmt, "cannot take the baseline", err);
}

/* Its ids go with it. 1 there was one, 0 none. */
static int drop(struct store *s, const char *name, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s, "DELETE FROM baseline WHERE name = ?", &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, name);
    rc = store_finish(s, stmt, "cannot remove the baseline", err);
    return rc < 0 ? rc : sqlite3_changes(s->db) > 0;
}

int store_put_baseline(struct store *s, const struct store_baseline *baseline, struct err *err)
{
    if (!baseline->name || !*baseline->name || baseline->n == 0)
        return err_set(err, -EINVAL, "a baseline needs a name and at least one study");
    int rc = store_begin(s, err);
    if (rc < 0)
        return rc;
    rc = drop(s, baseline->name, err);
    if (rc >= 0)
        rc = put_name(s, baseline, err);
    if (rc >= 0)
        rc = put_ids(s, baseline, err);
    return store_end(s, rc, err);
}

static int no_such(struct store *s, const char *name, struct err *err)
{
    return err_set(err, -ENOENT, "%s: no baseline is called \"%s\"", s->path, name);
}

int store_drop_baseline(struct store *s, const char *name, struct err *err)
{
    int rc = drop(s, name, err);
    return rc == 0 ? no_such(s, name, err) : rc < 0 ? rc : 0;
}

/* One row of a baseline and one of its ids: a new name begins a new baseline. */
static int take_row(sqlite3_stmt *stmt, struct store_baseline **list, unsigned *n)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    struct store_baseline *b = *n > 0 ? &(*list)[*n - 1] : NULL;
    if (!name)
        return -ENOMEM;
    if (!b || strcmp(b->name, name) != 0) {
        struct store_baseline *more = realloc(*list, (*n + 1) * sizeof *more);
        if (!more)
            return -ENOMEM;
        *list = more;
        b = &more[(*n)++];
        *b = (struct store_baseline){.name = strdup(name),
                                     .selector = store_column_text(stmt, 1),
                                     .made_wall_ns = (uint64_t)sqlite3_column_int64(stmt, 2)};
        if (!b->name || !b->selector)
            return -ENOMEM;
    }
    char(*id)[RESULT_ID_MAX] = realloc(b->id, (b->n + 1) * sizeof *id);
    if (!id)
        return -ENOMEM;
    b->id = id;
    snprintf(id[b->n++], sizeof *id, "%s", (const char *)sqlite3_column_text(stmt, 3));
    return 0;
}

/* name NULL: all. */
static int load(struct store *s, const char *name, struct store_baseline **out, unsigned *n,
                struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    struct store_baseline *list = NULL;
    unsigned have = 0;
    int rc = store_prepare(s,
                           "SELECT name, selector, made_wall_ns, id FROM baseline"
                           " JOIN baseline_id USING(name) WHERE ?1 IS NULL OR name = ?1"
                           " ORDER BY name, place",
                           &stmt, err);
    if (rc >= 0 && name)
        store_bind_text(stmt, 1, name);
    while (rc >= 0 && (rc = store_step(s, stmt, "cannot be read", err)) > 0) {
        if (take_row(stmt, &list, &have) < 0)
            rc = err_set(err, -ENOMEM, "no memory for the baselines");
    }
    sqlite3_finalize(stmt);
    if (rc < 0) {
        store_baselines_free(list, have);
        return rc;
    }
    *out = list;
    *n = have;
    return 0;
}

int store_get_baseline(struct store *s, const char *name, struct store_baseline **out,
                       struct err *err)
{
    unsigned n = 0;
    /* Layout 1 has none, and where it was opened to read it is kept as it is. */
    int rc = s->version < 2 ? 0 : load(s, name, out, &n, err);
    return rc < 0 ? rc : n == 0 ? no_such(s, name, err) : 0;
}

int store_list_baselines(struct store *s, struct store_baseline **out, unsigned *n, struct err *err)
{
    *out = NULL;
    *n = 0;
    return s->version < 2 ? 0 : load(s, NULL, out, n, err);
}

void store_baselines_free(struct store_baseline *list, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        free(list[i].name);
        free(list[i].selector);
        free(list[i].id);
    }
    free(list);
}
