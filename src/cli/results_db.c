#include "cli/results_db.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool results_db_none(const char *db)
{
    return db && strcmp(db, "none") == 0;
}

int results_db_open(const char *db, struct store **out, struct err *err)
{
    char usual[PATH_MAX];
    if (!db) {
        int rc =
            store_default_path(getenv("XDG_DATA_HOME"), getenv("HOME"), usual, sizeof(usual), err);
        if (rc < 0)
            return rc;
        db = usual;
    }
    return store_open(db, out, err);
}
