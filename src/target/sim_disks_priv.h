/* target/sim_disks_priv.h — disks of a modelled server: where data lies on them, and what visits cost.
 * Shape    sim_disks_read is one read of a file's place. Writing is gathered first: sim_disks_add says which bytes of
 *          which file, rising within a file, then sim_disks_write visits all disks concerned, copies and parity
 *          too. sim_disks_gather writes so many bytes, of whatever files, side by side to one set.
 * Units    bytes, ns of the net's clock.
 * Limits   a set is one disk (RAID 0), copies of each other (1), data and rotating parity (5). Rows of stripes go
 *          round the sets, from a set drawn from the file's number. A disk serves in order of arrival; what
 *          reordering would win is `queue_gain`, by the number that are there at arrival, up to 8.
 * Errors   -ENOMEM, -EINVAL on making.
 * Threads  single owner.
 * Source   tests/unit/test_sim_disks.c. */
#ifndef LOADLINE_TARGET_SIM_DISKS_PRIV_H
#define LOADLINE_TARGET_SIM_DISKS_PRIV_H

#include "target/sim_net_priv.h"
#include "target/sim_profile_priv.h"

#define SIM_DISK_DEPTH 8 /* beyond it, more waiting gain nothing */

struct sim_disk {
    unsigned station;
    bool moved;    /* its head is no longer where continuing writes left it */
    unsigned turn; /* of leaves_ns: the oldest */
    uint64_t leaves_ns[SIM_DISK_DEPTH];
    /* Of the visits being put together. */
    uint64_t read_bytes;
    uint64_t write_bytes;
    bool touched;
};

/* How a visit begins. */
enum sim_disk_start {
    SIM_DISK_SEEKS,     /* to another place */
    SIM_DISK_FOLLOWS,   /* where the head is, or a read-ahead has been */
    SIM_DISK_CONTINUES, /* where continuing writes left the head, if nothing has moved it since */
};

/* Totals, at the disks. */
struct sim_disks_sum {
    uint64_t read_bytes;
    uint64_t written_bytes;
    uint64_t reads;
    uint64_t writes;
};

struct sim_disk_array {
    struct sim_net *net;
    const struct sim_disks *spec;
    unsigned sets;
    unsigned per_set;
    unsigned data; /* disks' worth of data in a set */
    uint64_t stripe_bytes;
    struct sim_disk *disk;
    unsigned *touched; /* numbers of the disks concerned */
    unsigned n_touched;
    /* The row of one file that is being added to. */
    bool row_open;
    uint32_t row_file;
    uint64_t row;
    uint64_t *row_bytes; /* [data] */
    uint64_t gathered;   /* rows so far */
    struct sim_disks_sum sum;
};

/* `p` outlives it. */
__attribute__((warn_unused_result)) int
sim_disks_init(struct sim_disk_array *a, const struct sim_profile *p, struct sim_net *net);
void sim_disks_fini(struct sim_disk_array *a);

/* Each returns when the last disk is done; the present when there is nothing to do. */
uint64_t sim_disks_read(struct sim_disk_array *a, uint32_t file, uint64_t off, uint64_t len,
                        enum sim_disk_start start);
void sim_disks_add(struct sim_disk_array *a, uint32_t file, uint64_t off, uint64_t len);
uint64_t sim_disks_write(struct sim_disk_array *a, enum sim_disk_start start);
uint64_t sim_disks_gather(struct sim_disk_array *a, uint64_t bytes, enum sim_disk_start start);

/* Bytes of one row; and what `bytes` written become with copies or parity, whole rows supposed. */
uint64_t sim_disks_row_bytes(const struct sim_disk_array *a);
uint64_t sim_disks_physical(const struct sim_disk_array *a, uint64_t bytes);

#endif
