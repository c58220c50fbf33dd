/* probe/fetch_priv.h — a text from a server, by HTTP.
 * Shape    fetch_new, fetch_get any number of times over one connection, fetch_free.
 * Limits   FETCH_BYTES_MAX unpacked, PROBE_ANSWER_S in all, FETCH_REDIRECTS; http and https. An address with a name and
 *          a password is refused: it would be in the shell's history and in every result.
 * Errors   -EINVAL no such address, -ETIMEDOUT, -ECONNREFUSED, -EFBIG, -EPROTO (no 200, a length that was not
 *          kept), -EIO; words without the address.
 * Threads  each its own.
 * Source   libcurl's easy interface; tests/unit/test_probe_fetch.c. */
#ifndef LOADLINE_PROBE_FETCH_PRIV_H
#define LOADLINE_PROBE_FETCH_PRIV_H

#include "base/err.h"

#include <stddef.h>

#define FETCH_BYTES_MAX (16u << 20)
#define FETCH_REDIRECTS 3

struct fetch;

__attribute__((warn_unused_result)) int fetch_new(const char *url, struct fetch **out,
                                                  struct err *err);
void fetch_free(struct fetch *f);
/* *text is good until the next call. */
__attribute__((warn_unused_result)) int fetch_get(struct fetch *f, const char **text, size_t *len,
                                                  struct err *err);

#endif
