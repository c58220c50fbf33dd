/* target/nfs_ring_priv.h — the io_uring of a session of the NFS client, and the memory that it works on.
 * Shape    nfs_ring_new → nfs_wait_uring.c's … nfs_ring_free.
 * Limits   buffers for 1,024 receives at a time, slots for 256 sends; what finds none does without.
 * Errors   nfs_ring_new: what the kernel said.
 * Threads  the session's.
 * Source   tests/unit/test_nfs_uring.c. */
#ifndef LOADLINE_TARGET_NFS_RING_PRIV_H
#define LOADLINE_TARGET_NFS_RING_PRIV_H

#include "target/nfs_conn_priv.h"

#include <liburing.h>

#define NFS_RING_BUFFER_BYTES 8192u
#define NFS_RING_SLOT_CALLS   16u
#define NFS_RING_SLOT_ROOM    6144u

/* One send on its way: what it refers to stays as it is until the ring has answered. */
struct nfs_ring_slot {
    struct nfs_batch batch;
    struct msghdr msg;
    uint32_t conn;
    uint32_t age;
    struct nfs_ring_slot *next;
    uint32_t call_len[NFS_RING_SLOT_CALLS];
    struct iovec iov[2 * NFS_RING_SLOT_CALLS + 1];
    unsigned char out[NFS_RING_SLOT_ROOM];
};

struct nfs_ring_conn {
    uint32_t age; /* how many sockets it has had */
    bool sending;
    bool receiving;
};

struct nfs_ring {
    struct io_uring uring;
    struct io_uring_buf_ring *free_buffers;
    unsigned char *buffer;
    unsigned buffers;
    struct nfs_ring_slot *slot;
    struct nfs_ring_slot *free_slot;
    unsigned slots;
    struct nfs_ring_conn *of;
    unsigned held;  /* by the kernel */
    unsigned sends; /* of them; a socket takes them or not, but none of them waits */
};

int nfs_ring_new(unsigned conns, struct nfs_ring **out);
/* The kernel holds nothing of it any more. */
void nfs_ring_free(struct nfs_ring *r);
void nfs_ring_give(struct nfs_ring *r, unsigned id); /* a buffer back to the kernel */

#endif
