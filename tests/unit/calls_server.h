/* unit/calls_server.h — the server's side of calls_rig.h: requests read, replies made and sent.
 * Shape    rig_request, rig_plain or rig_read into rig_wire, rig_send.
 * Limits   a reply of rig_wire's size.
 * Threads  one. */
#ifndef LOADLINE_UNIT_CALLS_SERVER_H
#define LOADLINE_UNIT_CALLS_SERVER_H

#include "calls_rig.h"

#include <endian.h>
#include <poll.h>

static bool rig_readable(unsigned i)
{
    struct pollfd fd = {.fd = rig.peer[i], .events = POLLIN};

    return poll(&fd, 1, 0) == 1;
}

static void rig_recv(unsigned i, void *to, size_t len)
{
    unsigned char *at = to;

    while (len > 0) {
        ssize_t n = recv(rig.peer[i], at, len, 0);

        assert_true(n > 0);
        at += n;
        len -= (size_t)n;
    }
}

struct request {
    uint32_t len, xid, proc;
    unsigned char body[4096]; /* its beginning */
};

static void rig_request(unsigned i, struct request *r)
{
    uint32_t mark;
    unsigned char *all;
    struct xdr_in x;

    assert_true(rig_readable(i));
    rig_recv(i, &mark, 4);
    mark = be32toh(mark);
    assert_true(mark & RPC_MARK_LAST);
    r->len = mark & ~RPC_MARK_LAST;
    all = malloc(r->len);
    assert_non_null(all);
    rig_recv(i, all, r->len);
    x = xdr_in(all, r->len);
    r->xid = xdr_get_u32(&x);
    x.at += 16;
    r->proc = xdr_get_u32(&x);
    memcpy(r->body, all, r->len < sizeof r->body ? r->len : sizeof r->body);
    free(all);
}

/* The longest reply of a test is a READ of 1 MiB. */
static unsigned char rig_wire[1200000];

static struct xdr_out rig_reply_begin(uint32_t xid)
{
    struct xdr_out x = xdr_out(rig_wire, sizeof rig_wire);

    xdr_put_u32(&x, 0);
    xdr_put_u32(&x, xid);
    xdr_put_u32(&x, 1);
    for (int i = 0; i < 4; i++)
        xdr_put_u32(&x, 0);
    return x;
}

static size_t rig_reply_end(struct xdr_out *x)
{
    uint32_t mark = htobe32(RPC_MARK_LAST | (uint32_t)(x->at - rig_wire - 4));

    assert_false(x->bad);
    memcpy(rig_wire, &mark, 4);
    return (size_t)(x->at - rig_wire);
}

/* A status and nothing else, as far as the calls are concerned. */
static size_t rig_plain(uint32_t xid, uint32_t status)
{
    struct xdr_out x = rig_reply_begin(xid);

    xdr_put_u32(&x, status);
    return rig_reply_end(&x);
}

static unsigned char rig_byte(uint32_t i)
{
    return (unsigned char)(i * 7 + i / 251);
}

static size_t rig_read(uint32_t xid, uint32_t len, uint32_t count)
{
    struct xdr_out x = rig_reply_begin(xid);

    xdr_put_u32(&x, NFS3_OK);
    xdr_put_u32(&x, 0); /* no attributes */
    xdr_put_u32(&x, count);
    xdr_put_u32(&x, 0);
    xdr_put_u32(&x, len);
    for (uint32_t i = 0; i < ((len + 3) & ~3u); i++)
        *x.at++ = i < len ? rig_byte(i) : 0;
    return rig_reply_end(&x);
}

static void rig_send(unsigned i, const void *bytes, size_t len)
{
    assert_int_equal(send(rig.peer[i], bytes, len, MSG_NOSIGNAL), (ssize_t)len);
}

#endif
