/* study/io_priv.h — the plans of the plain mix, and the arithmetic of its files.
 * Units    ns, bytes. Errors   as study.h.       Threads  the study's own thread only. */
#ifndef LOADLINE_STUDY_IO_PRIV_H
#define LOADLINE_STUDY_IO_PRIV_H

#include "study/study_priv.h"

/* Bytes of each stream's file: its share of the whole, in whole blocks. -EINVAL with words. */
__attribute__((warn_unused_result)) int io_file_bytes(const struct io_options *o,
                                                      uint64_t *out_bytes, struct err *err);

/* Writes every file once, untimed. */
__attribute__((warn_unused_result)) int io_plan_layout(const struct study *s,
                                                       const struct fileset_spec *spec,
                                                       struct plan **out, struct err *err);
__attribute__((warn_unused_result)) int io_plan_run(const struct study *s,
                                                    const struct io_options *o,
                                                    const struct fileset_spec *spec,
                                                    struct plan **out, struct err *err);

#endif
