#include "base/text.h"
#include "store/store_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct match {
    char id[RESULT_ID_MAX];
    unsigned found;
    struct text all;
};

/* 0 ends the search: a whole id comes before all others. */
static int match_row(sqlite3_stmt *stmt, const char *name, struct match *m)
{
    const char *id = (const char *)sqlite3_column_text(stmt, 0);
    const char *label = (const char *)sqlite3_column_text(stmt, 1);
    if (!id || !label)
        return -ENOMEM;
    bool whole = strcmp(id, name) == 0;
    snprintf(m->id, sizeof m->id, "%s", id);
    m->found++;
    text_addf(&m->all, "%s%s", m->found > 1 ? ", " : "", id);
    if (label[0] != '\0')
        text_addf(&m->all, " (%s)", label);
    return whole ? 0 : 1;
}

/* A prefix is compared as bytes: LIKE knows wildcards, and no difference between a and A. */
static int match_all(struct store *s, const char *name, struct match *m, struct err *err)
{
    sqlite3_stmt *stmt = NULL;
    int rc = store_prepare(s,
                           "SELECT id, label FROM study"
                           " WHERE substr(id, 1, length(?1)) = ?1 OR label = ?1"
                           " ORDER BY id = ?1 DESC, begun_wall_ns DESC",
                           &stmt, err);
    if (rc < 0)
        return rc;
    store_bind_text(stmt, 1, name);
    while (rc >= 0 && (rc = store_step(s, stmt, "cannot be read", err)) > 0) {
        rc = match_row(stmt, name, m);
        if (rc == 0)
            break;
    }
    sqlite3_finalize(stmt);
    return rc < 0 || m->all.failed ? err_set(err, -ENOMEM, "no memory") : 0;
}

/* -ENOENT without words. */
static int find_study(struct store *s, const char *name, char id[RESULT_ID_MAX], struct err *err)
{
    struct match m = {.found = 0};
    text_init(&m.all);
    int rc = match_all(s, name, &m, err);
    if (rc == 0 && m.found == 0)
        rc = -ENOENT;
    if (rc == 0 && m.found > 1)
        rc = err_set(err, -EEXIST, "\"%s\" could be any of %u studies: %s", name, m.found, m.all.s);
    if (rc == 0)
        memcpy(id, m.id, sizeof m.id);
    text_fini(&m.all);
    return rc;
}

/* "NAME.n", n without leading zero: where the dot is, else NULL. */
static const char *run_suffix(const char *name, unsigned *run)
{
    const char *dot = strrchr(name, '.');
    unsigned n = 0;
    if (!dot || dot == name || dot[1] < '1' || dot[1] > '9')
        return NULL;
    for (const char *s = dot + 1; *s != '\0'; s++) {
        if (*s < '0' || *s > '9' || __builtin_mul_overflow(n, 10u, &n) ||
            __builtin_add_overflow(n, (unsigned)(*s - '0'), &n))
            return NULL;
    }
    *run = n;
    return dot;
}

/* The whole name first: a label may end in ".2" itself. */
int store_find(struct store *s, const char *name, char id[RESULT_ID_MAX], unsigned *run,
               struct err *err)
{
    unsigned n = 0;
    int rc = name[0] != '\0' ? find_study(s, name, id, err) : -ENOENT;
    const char *dot = rc == -ENOENT ? run_suffix(name, &n) : NULL;
    if (dot) {
        char *study = strndup(name, (size_t)(dot - name));
        rc = study ? find_study(s, study, id, err) : err_set(err, -ENOMEM, "no memory");
        free(study);
    }
    if (rc == -ENOENT)
        return err_set(err, rc,
                       "no result is called \"%s\" in %s; `loadline list` shows those "
                       "there are",
                       name, s->path);
    if (rc == 0)
        *run = n;
    return rc;
}
