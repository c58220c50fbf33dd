/* cli/results_db.h — the store that --db means, or the usual one of this user.
 * Errors   those of store_open, with --db none named as the way to measure without.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_RESULTS_DB_H
#define LOADLINE_CLI_RESULTS_DB_H

#include "result/study_file.h"
#include "store/store.h"

#include <limits.h>
#include <stdbool.h>

/* db is what --db says; NULL: not given. */
bool results_db_none(const char *db);
/* *out is db, or points into `usual`. */
__attribute__((warn_unused_result)) int results_db_path(const char *db, char usual[PATH_MAX],
                                                        const char **out, struct err *err);
__attribute__((warn_unused_result)) int results_db_open(const char *db, struct store **out,
                                                        struct err *err);
/* As store_open_or_anew, with `resumed` nothing is set aside; warns of what was set aside. */
__attribute__((warn_unused_result)) int
results_db_open_for_study(const char *db, bool resumed, struct store **out, struct err *err);
/* As store_open_to_read. */
__attribute__((warn_unused_result)) int results_db_open_to_read(const char *db, struct store **out,
                                                                struct err *err);
/* Who the study is, as the head of a file of it; its text is borrowed. */
struct study_head results_db_head(const struct store_study *study);

#endif
