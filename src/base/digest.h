/* base/digest.h — SHA-256 of bytes, as lower-case hex: plan hashes and the seal of results.
 * Errors   none.                                 Threads  no state.
 * Source   FIPS 180-4 by libnettle; pinned by its published vectors in tests/unit/test_digest.c. */
#ifndef LOADLINE_BASE_DIGEST_H
#define LOADLINE_BASE_DIGEST_H

#include <stddef.h>

#define DIGEST_HEX_MAX 65

/* Writes 64 hex digits and a NUL to hex. Returns hex. */
char *digest_sha256(const void *bytes, size_t len, char hex[DIGEST_HEX_MAX]);

#endif
