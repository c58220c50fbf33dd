/* target/destroy.h — block devices that a person has given up, by typing the name a second time.
 * Shape    target_allow_destroy, once for each, before the targets are opened; a target on a block
 *          device then asks whether it may be written to. Without it every device is for reading.
 * Limits   TARGET_DESTROY_MAX devices.
 * Errors   -EINVAL no block device; -ENOENT …: what the path says; -E2BIG too many.
 * Threads  allowing from one thread, before targets are opened.
 * Source   design section 6; tests/unit/test_device.c. */
#ifndef LOADLINE_TARGET_DESTROY_H
#define LOADLINE_TARGET_DESTROY_H

#include "base/err.h"

#include <stdbool.h>

#define TARGET_DESTROY_MAX 16

/* The name stands for what it resolves to now: it may be another than the target's, of one device. */
__attribute__((warn_unused_result)) int target_allow_destroy(const char *path, struct err *err);
bool target_may_destroy(const char *path);
struct target_caps;
/* -EINVAL with words where a device was given up and the target is none. `path` NULL: none was. */
__attribute__((warn_unused_result)) int target_check_destroy(const char *path, const char *target,
                                                             const struct target_caps *caps,
                                                             struct err *err);

#endif
