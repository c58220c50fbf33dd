/* target/catalog_priv.h — the list of targets. To add one: a file that defines NAME_target, and its
 * name here; the order is that of help. */
#ifndef LOADLINE_TARGET_CATALOG_PRIV_H
#define LOADLINE_TARGET_CATALOG_PRIV_H

#include "target/target.h"

#define TARGET_LIST(X) X(posix) X(uring) X(device) X(nfs) X(sim) X(null) X(fault)

#define TARGET_DECLARE(name) extern const struct target_table name##_target;
TARGET_LIST(TARGET_DECLARE)
#undef TARGET_DECLARE

#endif
