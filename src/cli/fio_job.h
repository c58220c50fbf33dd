/* cli/fio_job.h — the plain mix as a job of fio, for holding the two against each other.
 * Shape    options in, a job file out: what is the same as its settings, what is not as remarks.
 * Errors   -EINVAL: fio has nothing like that target.
 * Threads  no state.
 * Source   fio 3.33; tests/cli/test_fio.py lets fio itself read every job. */
#ifndef LOADLINE_CLI_FIO_JOB_H
#define LOADLINE_CLI_FIO_JOB_H

#include "base/err.h"
#include "base/text.h"
#include "study/io_options.h"

__attribute__((warn_unused_result)) int fio_job(const struct io_options *o, const char *target,
                                                uint64_t seed, struct text *out, struct err *err);

#endif
