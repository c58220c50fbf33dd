/* cli/select.h — which results a word names: the one way from a name to results.
 * Shape    select_open (looks at nothing yet) → select_find: a word into the studies it names;
 *          select_load: those into results. One selector serves all words of a command.
 * Limits   a word is, first that fits: a file (it has a slash or the suffix of one, and there is such
 *          a file, or nothing stored of that name), a shipped result (cli/published.h), a baseline, an
 *          id or the beginning of one, ID.n, a label, a glob of labels (* ? [a-z]). Behind all but a file
 *          and what is shipped may stand :A, :B …, one of several targets. A label that several
 *          studies have, a glob and a baseline name all of them; with SELECT_ONE that is ambiguous.
 * Errors   -EEXIST several things of that name, all named; -ENOENT nothing of that name, or nothing
 *          was measured; -EINVAL a stored name with --db none; -EBADMSG a file without results; those of
 *          store_open_to_read and result_file_load.
 * Threads  main thread.
 * Source   tests/cli/test_compare.py, test_baseline.py. */
#ifndef LOADLINE_CLI_SELECT_H
#define LOADLINE_CLI_SELECT_H

#include "store/store.h"

enum select_reach {
    SELECT_ONE, /* one study or run */
    SELECT_SEVERAL,
};

enum select_kind {
    SELECT_STUDY, /* also by label: the only one that has it */
    SELECT_RUN,
    SELECT_LABEL, /* several have it */
    SELECT_GLOB,
    SELECT_BASELINE,
    SELECT_FILE,
    SELECT_PUBLISHED,
};

struct selector {
    const char *db;
    struct store *store; /* opened by the first word that needs it */
};

struct selection {
    enum select_kind kind;
    unsigned run;              /* SELECT_RUN */
    unsigned side;             /* only that target of each study, 1 …; 0: all */
    unsigned studies;          /* in the store; 0 of a file and of what is shipped */
    char (*id)[RESULT_ID_MAX]; /* [studies], oldest first */
    unsigned n;
    struct result **result; /* after select_load; of a file and of what is shipped at once */
};

/* db as given with --db. */
void select_open(struct selector *s, const char *db);
void select_close(struct selector *s);
/* last: of several studies only the newest so many, 0 all. */
__attribute__((warn_unused_result)) int select_find(struct selector *s, const char *word,
                                                    enum select_reach reach, unsigned last,
                                                    struct selection *out, struct err *err);
__attribute__((warn_unused_result)) int select_load(struct selector *s, struct selection *selection,
                                                    struct err *err);
/* What the store holds, newest first; freed with store_studies_free. */
__attribute__((warn_unused_result)) int select_studies(struct selector *s,
                                                       const struct store_filter *filter,
                                                       struct store_study **out, unsigned *n,
                                                       struct err *err);
/* Which of the targets of its study a result is of, 1 …; 0: there was one. */
unsigned select_side(const struct result *r);
/* How many targets, counted to the last of them; 1 where all results are of one of several, 0 of
 * studies that had one each. */
unsigned select_targets(const struct selection *selection);
void selection_fini(struct selection *selection);

#endif
