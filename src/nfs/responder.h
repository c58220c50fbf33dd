/* nfs/responder.h — the other side of the wire: an NFSv3, MOUNT and portmap server that keeps nothing,
 * against which a client can be measured and tested.
 * Shape    responder_answer: the record of a call in, the record of its reply out; null_server.h moves
 *          them. Pure.
 *          Every name exists: a symbolic link when it begins with "link-"; a file, `file_bytes` long and
 *          full of zeros, when it is digits, 'f' with or without digits, or has a '.' in it; else a
 *          directory; and whatever CREATE and MKDIR make is what was asked for. What is written, made, renamed or removed is taken and forgotten; a directory
 *          holds nothing but "." and "..". The same name in the same directory has the same handle.
 *          What names "status-N" is answered with status N, in MNT as in NFS.
 * Units    bytes.
 * Limits   a reply is RESPONDER_REPLY_MAX bytes at most, the data of READ aside.
 * Errors   -EBADMSG: not a call, there is nothing to say to it. Calls that cannot be read, or are of
 *          what it does not serve, are answered as RFC 5531 says.
 * Threads  values.
 * Source   RFC 1813, 1833, 5531; tests/unit/test_responder.c, tests/fuzz/fuzz_nfs.c. */
#ifndef LOADLINE_NFS_RESPONDER_H
#define LOADLINE_NFS_RESPONDER_H

#include "nfs/nfs3.h"

#define RESPONDER_REPLY_MAX 512

struct responder {
    uint16_t port;       /* where the portmapper says that NFS and MOUNT are */
    uint32_t io_max;     /* rtmax and wtmax: of a longer READ or WRITE this much is done */
    uint64_t file_bytes; /* where READ says eof */
    unsigned char verf[NFS3_VERF_BYTES]; /* of WRITE and COMMIT */
    uint32_t status;                     /* other than NFS3_OK: every NFS call but NULL gets this */
    bool halves;                         /* of more than one byte to READ or WRITE half is done */
};

/* 1 MiB a call, files of 1 TiB. */
struct responder responder_plain(uint16_t port);

/* call: the first `have` bytes of a record of `len`; only the data of a WRITE may be missing. What it
 * writes into `reply` is followed by *zeros bytes of zeros, which are the caller's to send. No record
 * marks on either side. */
__attribute__((warn_unused_result)) int responder_answer(const struct responder *r,
                                                         const void *call, size_t have, size_t len,
                                                         struct xdr_out *reply, uint32_t *zeros);

#endif
