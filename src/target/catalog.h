/* target/catalog.h — which targets there are, and which one an address means.
 * Shape    an address is `/dir`, `SCHEME:REST` or a decorator in front of one
 *          (`fault:/dir?stall=1s@5s`). "." and relative paths mean posix as well; a path under /dev
 *          that is a block device, if only through symlinks, means dev.
 * Errors   -EINVAL unknown scheme, with the list of known ones; target_caps_of also what the table's
 *          caps return.
 * Threads  no state. */
#ifndef LOADLINE_TARGET_CATALOG_H
#define LOADLINE_TARGET_CATALOG_H

#include "base/err.h"

#include <stddef.h>

struct target_caps;
struct target_table;

/* All targets, in the order of help. Returns the number. */
size_t target_catalog(const struct target_table *const **out);

/* The table for an address; *rest points into address, behind the scheme. */
__attribute__((warn_unused_result)) int target_find(const char *address,
                                                    const struct target_table **table,
                                                    const char **rest, struct err *err);

/* target_find and the table's caps in one call. */
__attribute__((warn_unused_result)) int target_caps_of(const char *address,
                                                       struct target_caps *caps, struct err *err);

/* Cuts "name=value&name=value" behind the last '?' of an address. Calls `take` for each; stops at
 * its first error. *path_len is what stands before the '?'. */
__attribute__((warn_unused_result)) int
target_params(const char *rest, size_t *path_len,
              int (*take)(void *ctx, const char *name, const char *value, struct err *err),
              void *ctx, struct err *err);

#endif
