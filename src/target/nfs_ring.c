/* An io_uring with buffers of its own for what is received. */
#include "target/nfs_ring_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BUFFERS_MOST 1024u
#define BUFFERS_MIN  64u
#define SLOTS_MOST   256u
#define ENTRIES_MOST 4096u

void nfs_ring_give(struct nfs_ring *r, unsigned id)
{
    io_uring_buf_ring_add(r->free_buffers, r->buffer + (size_t)id * NFS_RING_BUFFER_BYTES,
                          NFS_RING_BUFFER_BYTES, (unsigned short)id,
                          io_uring_buf_ring_mask(r->buffers), 0);
    io_uring_buf_ring_advance(r->free_buffers, 1);
}

static int start_ring(struct nfs_ring *r, unsigned conns)
{
    unsigned entries = 64;
    int rc;

    while (entries < 2 * conns && entries < ENTRIES_MOST)
        entries *= 2;

    struct io_uring_params fast = {.flags =
                                       IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN};
    struct io_uring_params plain = {.flags = 0};

    rc = io_uring_queue_init_params(entries, &r->uring, &fast);
    return rc == -EINVAL ? io_uring_queue_init_params(entries, &r->uring, &plain) : rc;
}

static int add_buffers(struct nfs_ring *r, unsigned conns)
{
    struct io_uring_buf_reg reg = {.bgid = 0};
    size_t ring_bytes;

    r->buffers = BUFFERS_MIN;
    while (r->buffers < conns && r->buffers < BUFFERS_MOST)
        r->buffers *= 2;
    ring_bytes = r->buffers * sizeof(struct io_uring_buf);
    r->buffer = malloc((size_t)r->buffers * NFS_RING_BUFFER_BYTES);
    r->free_buffers =
        mmap(NULL, ring_bytes, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    if (r->free_buffers == MAP_FAILED)
        r->free_buffers = NULL;
    if (r->buffer == NULL || r->free_buffers == NULL)
        return -ENOMEM;
    reg.ring_addr = (uintptr_t)r->free_buffers;
    reg.ring_entries = r->buffers;

    int rc = io_uring_register_buf_ring(&r->uring, &reg, 0);

    if (rc < 0)
        return rc;
    io_uring_buf_ring_init(r->free_buffers);
    for (unsigned i = 0; i < r->buffers; i++)
        nfs_ring_give(r, i);
    return 0;
}

static int add_slots(struct nfs_ring *r, unsigned conns)
{
    r->slots = conns < SLOTS_MOST ? conns : SLOTS_MOST;
    r->slot = calloc(r->slots, sizeof r->slot[0]);
    r->of = calloc(conns, sizeof r->of[0]);
    if (r->slot == NULL || r->of == NULL)
        return -ENOMEM;
    for (unsigned i = r->slots; i-- > 0;) {
        struct nfs_ring_slot *slot = &r->slot[i];

        slot->batch = (struct nfs_batch){.out = slot->out,
                                         .out_room = NFS_RING_SLOT_ROOM,
                                         .calls_max = NFS_RING_SLOT_CALLS,
                                         .call_len = slot->call_len,
                                         .iov = slot->iov};
        slot->next = r->free_slot;
        r->free_slot = slot;
    }
    return 0;
}

static void free_memory(struct nfs_ring *r)
{
    if (r->free_buffers != NULL)
        munmap(r->free_buffers, r->buffers * sizeof(struct io_uring_buf));
    free(r->buffer);
    free(r->slot);
    free(r->of);
    free(r);
}

int nfs_ring_new(unsigned conns, struct nfs_ring **out)
{
    struct nfs_ring *r = calloc(1, sizeof *r);
    int rc;

    if (r == NULL)
        return -ENOMEM;
    rc = start_ring(r, conns);
    if (rc < 0) {
        free_memory(r);
        return rc;
    }
    rc = add_buffers(r, conns);
    if (rc == 0)
        rc = add_slots(r, conns);
    if (rc < 0) {
        nfs_ring_free(r);
        return rc;
    }
    *out = r;
    return 0;
}

void nfs_ring_free(struct nfs_ring *r)
{
    io_uring_queue_exit(&r->uring);
    free_memory(r);
}
