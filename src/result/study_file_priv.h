/* result/study_file_priv.h — what writer and reader of a study's file share.
 * Shape    the file is {"head": {…}, "results": […], "tail": {…}}, in this order. The tail's seal is
 *          over the head, the seals of the runs and the tail itself, one behind the other.
 * Limits   head and tail up to STUDY_PART_MAX bytes each.
 * Errors   as study_file.h.                      Threads  no state. */
#ifndef LOADLINE_RESULT_STUDY_FILE_PRIV_H
#define LOADLINE_RESULT_STUDY_FILE_PRIV_H

#include "base/text.h"
#include "result/result_priv.h"
#include "result/study_file.h"

#define STUDY_FILE_FORMAT "loadline study"
#define STUDY_PART_MAX    (4u << 20)

extern const struct shape study_head_shape; /* without "format" and "schema" */
extern const struct shape study_tail_shape; /* without "seal" */

/* The head as it stands in the file; it is the first part of what is sealed. */
__attribute__((warn_unused_result)) int study_head_print(const struct study_head *head,
                                                         struct text *out, struct err *err);
/* `sealed` is what came before: head and the runs' seals. */
__attribute__((warn_unused_result)) int study_tail_print(const struct study_tail *tail,
                                                         const struct text *sealed,
                                                         struct text *out, struct err *err);
/* `sealed` gets the head in its canonical form. On error it is half filled: study_head_fini. */
__attribute__((warn_unused_result)) int study_head_parse(const struct text *json,
                                                         struct study_head *out,
                                                         struct text *sealed, struct err *err);
__attribute__((warn_unused_result)) int study_tail_parse(const struct text *json,
                                                         const struct text *sealed,
                                                         struct study_tail *out, struct err *err);
void study_head_fini(struct study_head *head);

#endif
