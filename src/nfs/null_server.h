/* nfs/null_server.h — a responder behind a TCP port of the loopback: what is left when a client is measured
 * against it is the client and the kernel.
 * Shape    open → run on a thread of its own … stop → close.
 * Units    bytes.
 * Limits   one thread; each connection has 512 KiB of buffers. A call comes in one fragment; one longer
 *          than io_max and its arguments, and what is no call, ends its connection. The data of long
 *          WRITEs is thrown away unread.
 * Errors   -errno and words.
 * Threads  stop from any, also from a signal handler, and calls from any; the rest from one.
 * Source   tests/unit/test_null_server.c. */
#ifndef LOADLINE_NFS_NULL_SERVER_H
#define LOADLINE_NFS_NULL_SERVER_H

#include "base/err.h"
#include "nfs/responder.h"

struct null_server;

/* port 0: any; ipv6: at ::1 instead of 127.0.0.1. */
__attribute__((warn_unused_result)) int null_server_open(uint16_t port, bool ipv6,
                                                         struct null_server **out, struct err *err);
void null_server_close(struct null_server *s);

uint16_t null_server_port(const struct null_server *s);
uint64_t null_server_calls(const struct null_server *s); /* answered so far */
/* To be changed before it runs; io_max stays at most 1 MiB. */
struct responder *null_server_responder(struct null_server *s);

/* Returns 0 when stopped. */
__attribute__((warn_unused_result)) int null_server_run(struct null_server *s, struct err *err);
void null_server_stop(struct null_server *s);

/* A non-blocking listening socket of the loopback, or -errno; port 0 becomes the one it got. */
__attribute__((warn_unused_result)) int null_server_listen(uint16_t *port, bool ipv6,
                                                           struct err *err);

#endif
