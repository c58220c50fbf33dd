#include "cli/results_db.h"

#include "cli/console.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool results_db_none(const char *db)
{
    return db && strcmp(db, "none") == 0;
}

int results_db_path(const char *db, char usual[PATH_MAX], const char **out, struct err *err)
{
    *out = db ? db : usual;
    return db ? 0
              : store_default_path(getenv("XDG_DATA_HOME"), getenv("HOME"), usual, PATH_MAX, err);
}

int results_db_open(const char *db, struct store **out, struct err *err)
{
    char usual[PATH_MAX];
    const char *path;
    int rc = results_db_path(db, usual, &path, err);
    return rc < 0 ? rc : store_open(path, out, err);
}

int results_db_open_for_study(const char *db, bool resumed, struct store **out, struct err *err)
{
    char usual[PATH_MAX];
    const char *path;
    char *aside = NULL;
    int rc = results_db_path(db, usual, &path, err);
    if (rc >= 0)
        rc = store_open_or_anew(path, !db, out, resumed ? NULL : &aside, err);
    if (aside)
        console_warn("%s was damaged; it is set aside, whole, as %s, and a new one begun", path,
                     aside);
    free(aside);
    return rc;
}

int results_db_open_to_read(const char *db, struct store **out, struct err *err)
{
    char usual[PATH_MAX];
    const char *path;
    int rc = results_db_path(db, usual, &path, err);
    return rc < 0 ? rc : store_open_to_read(path, out, err);
}

struct study_head results_db_head(const struct store_study *study)
{
    struct study_head head = {.begun_wall_ns = study->begun_wall_ns,
                              .target = study->target,
                              .label = study->label,
                              .command = study->command,
                              .argv = study->argv};
    memcpy(head.id, study->id, sizeof head.id);
    memcpy(head.kind, study->kind, sizeof head.kind);
    return head;
}
