/* cli/recorder.h — the sink of a study: stores, then prints.
 * Shape    recorder_init … study runs with recorder_sink … recorder_finish → exit status …
 *          recorder_fini. A tree table goes to stdout row by row; everything else is printed by
 *          recorder_finish.
 * Limits   keeps all results of the study until the end.
 * Errors   a run that neither the store nor a file takes ends the study and is not printed; a stdout that cannot be
 *          written asks it to stop only when results go nowhere else. Whatever fails after the first
 *          result is exit 3.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_RECORDER_H
#define LOADLINE_CLI_RECORDER_H

#include "cli/spill.h"
#include "cli/study_values.h"
#include "store/store.h"
#include "study/study.h"

struct recorder {
    /* Set by the caller; borrowed. */
    struct store *store; /* NULL: results are kept nowhere */
    const struct output_values *output;
    struct report_style style;      /* of stdout */
    enum report_format file_format; /* of output->file */
    bool table;                     /* rows are printed as they come */
    char *command;                  /* what was typed, for a shell */
    char *argv;                     /* and word by word, as store_study has it */
    char *label;
    struct result_facts *own; /* filled in before the first run */
    bool asked;               /* before recorder_finish: something was done on the target */
    /* Its own. */
    char id[RESULT_ID_MAX];
    uint64_t told_from_ns;   /* what is told counts from here */
    struct store_study *row; /* as it was begun in the store; NULL: kept nowhere */
    unsigned n;
    unsigned room;
    struct result **result;
    struct spill spill;            /* where they go when the store fails */
    bool *shown;                   /* [n], in a row that has been printed */
    const struct study_past *past; /* of a study that is gone on with; its results come first */
    struct result *unstored;       /* the one that could not be stored: never printed */
    bool begun;
    bool head_shown;
    bool ended;
    enum study_end end;
    int out_failed; /* -errno: stdout, or a row that could not be made */
};

/* Takes a study up again in the store; its results, which stay the caller's, are part of the answer
 * once the study has begun. */
__attribute__((warn_unused_result)) int
recorder_reopen(struct recorder *rec, const struct study_past *past, struct err *err);
/* Onto stdout, as part of the answer; takes text. */
void recorder_print(struct recorder *rec, struct text *text);
/* The parts of the sink that only tell: recorder_tell.c. */
void recorder_tells(struct study_sink *sink);
struct study_sink recorder_sink(struct recorder *rec);

/* Prints and writes what is left to do, closes the study in the store, and says how it ended.
 * `rc` and `err` are what the study returned. Returns the exit status. */
int recorder_finish(struct recorder *rec, int rc, const struct err *err);
void recorder_fini(struct recorder *rec);

#endif
