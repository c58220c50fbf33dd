/* target/dev_dir.h — the directory of devices, where a name with a typing error in it would become a file
 * that fills memory.
 * Shape    dev_dir_refuse, asked before anything is made at a path.
 * Limits   what is mounted below /dev is no part of it, and neither is /dev/shm.
 * Errors   -ENOENT nothing there: with the device that may have been meant; -EPERM it is there. 0: the
 *          path does not lie there.              Threads  no state.
 * Source   tests/unit/test_dev_dir.c. */
#ifndef LOADLINE_TARGET_DEV_DIR_H
#define LOADLINE_TARGET_DEV_DIR_H

#include "base/err.h"

/* Links on the way are followed; nothing is touched. */
__attribute__((warn_unused_result)) int dev_dir_refuse(const char *path, struct err *err);

#endif
