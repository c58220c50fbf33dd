/* nfs/bare_client.h — the least that READs and WRITEs can cost a client, to hold a real one against.
 * Shape    open → run, any number of times → close. Calls are encoded beforehand; one send for all that are
 *          due, one recv for all that has come, and of a reply only its length is looked at.
 * Units    bytes.
 * Limits   one connection, to a port of the loopback where NFS and MOUNT are both served. Nothing is tried
 *          again; what is in the replies is not known.
 * Errors   -errno and words; -EPROTO what was asked for while opening was refused.
 * Threads  one.
 * Source   RFC 1813; tests/unit/test_bare_client.c. */
#ifndef LOADLINE_NFS_BARE_CLIENT_H
#define LOADLINE_NFS_BARE_CLIENT_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct bare_client_job {
    uint16_t port;
    const char *export;
    const char *file; /* in its root */
    uint64_t file_bytes;
    uint32_t block; /* of one call, at a multiple of it that is drawn evenly */
    bool write;
    unsigned depth; /* calls under way at once */
    uint64_t seed;
};

struct bare_client;

__attribute__((warn_unused_result)) int bare_client_open(const struct bare_client_job *job,
                                                         struct bare_client **out, struct err *err);
/* So many calls, from the first to the last reply. */
__attribute__((warn_unused_result)) int bare_client_run(struct bare_client *c, uint64_t calls,
                                                        struct err *err);
void bare_client_close(struct bare_client *c);

#endif
