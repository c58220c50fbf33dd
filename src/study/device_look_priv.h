/* study/device_look_priv.h — what a study has to know of a block device before and after its runs.
 * Shape    study_settle_device at the beginning, as study_settle_cache where there is a directory;
 *          study_device_empty before a run, study_device_dirty after it … study_device_close.
 * Limits   the device is held in between: with the last one that has it open the kernel would write out
 *          what is dirty and drop what is cached, and another could take it from us between two runs.
 * Errors   what opening the device refuses, with words. A witness that cannot be had is not believed.
 * Threads  the study's.
 * Source   tests/cli/test_device_proof.py. */
#ifndef LOADLINE_STUDY_DEVICE_LOOK_PRIV_H
#define LOADLINE_STUDY_DEVICE_LOOK_PRIV_H

#include "study/study_priv.h"

/* Tries both witnesses of this machine's cache, and settles the instrument. Reads one page through the
 * cache and 256 KiB past it, and drops nothing. */
__attribute__((warn_unused_result)) int
study_settle_device(struct study *s, enum study_client_cache asked, struct err *err);
/* Written out and out of this machine's cache, as far as it goes; what of the first `bytes` stayed is
 * added. */
__attribute__((warn_unused_result)) int
study_device_empty(struct study *s, uint64_t bytes, struct result_cache *cache, struct err *err);
/* What of the first `bytes` is not yet written out. */
__attribute__((warn_unused_result)) int
study_device_dirty(struct study *s, uint64_t bytes, struct result_cache *cache, struct err *err);
void study_device_describe(const struct study *s, const struct target_sink *sink);
void study_device_close(struct study *s);

#endif
