/* result/study_file.h — a study in one file: who it is, its results, how it ended.
 * Shape    study_writer_open → study_writer_add … → study_writer_end, study_writer_free;
 *          study_file_read calls a sink for the head and for each result. The file is one JSON value,
 *          packed (gzip) or plain; it also reads a bare list of results, and one alone.
 * Units    wall-clock ns since 1970.
 * Limits   STUDY_FILE_SCHEMA; a newer one is refused by name. A document up to RESULT_JSON_MAX bytes,
 *          a file up to that times its runs: what unpacks to more is refused, with no more than one
 *          document in memory. A plain file may lack its end, as that of a study that was killed.
 * Errors   -EINVAL not such a file (where), -EBADMSG a broken seal or damaged packing, -EPROTO newer,
 *          -EFBIG, -ENOMEM, the system's own.
 * Threads  single owner.
 * Source   tests/unit/test_study_file.c, tests/fuzz/fuzz_study_file.c; docs/results-format.md. */
#ifndef LOADLINE_RESULT_STUDY_FILE_H
#define LOADLINE_RESULT_STUDY_FILE_H

#include "result/result.h"

#define STUDY_FILE_SCHEMA 1

struct study_head {
    char id[RESULT_ID_MAX];
    char kind[16];
    uint64_t begun_wall_ns;
    char *target;
    char *label;
    char *command;
    char *argv; /* a JSON array of words, as text */
};

struct study_tail {
    char state[16]; /* "done" "incomplete" "invalid"; "" it is not known */
    uint64_t ended_wall_ns;
    unsigned runs;
};

/* What may be said of a study that has ended. */
bool study_state_known(const char *state);

struct study_writer;

/* fd: an empty file, which stays the caller's. packed: as gzip; else each addition is on stable
 * storage when it returns. */
__attribute__((warn_unused_result)) int study_writer_open(int fd, bool packed,
                                                          const struct study_head *head,
                                                          struct study_writer **out,
                                                          struct err *err);
/* json: the sealed document of a run, runs rising. */
__attribute__((warn_unused_result)) int study_writer_add(struct study_writer *w, const char *seal,
                                                         const char *json, struct err *err);
/* Afterwards the whole file is on stable storage. */
__attribute__((warn_unused_result)) int study_writer_end(struct study_writer *w, const char *state,
                                                         uint64_t ended_wall_ns, struct err *err);
void study_writer_free(struct study_writer *w);

struct study_file_sink {
    /* Not called for a bare list. The head's text lives until study_file_read returns. */
    int (*head)(void *ctx, const struct study_head *head, struct err *err);
    /* The result belongs to whom it is given; its `document` is there. */
    int (*run)(void *ctx, struct result *r, struct err *err);
    void *ctx;
};

/* From where fd stands. tail->state is "" when the end is missing and of a bare list. What the sink
 * returns below 0 ends it and is returned. */
__attribute__((warn_unused_result)) int study_file_read(int fd, const struct study_file_sink *sink,
                                                        struct study_tail *tail, struct err *err);

#endif
