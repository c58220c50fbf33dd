/* perf/nfs_bench.h — what the NFS rows ask for, and those who do it beside our client.
 * Shape    each peer does as many ops as it is told on connections of its own, made before the gate.
 * Units    bytes; ops are RPCs, or cycles of META.
 * Errors   end the program.
 * Threads  one, the caller's gate aside. */
#ifndef LOADLINE_PERF_NFS_BENCH_H
#define LOADLINE_PERF_NFS_BENCH_H

#include "perf.h"

#include <stdint.h>

#define NFS_BENCH_FILE       "f0"
#define NFS_BENCH_FILE_BYTES ((uint64_t)1 << 30)
#define NFS_BENCH_BLOCK_MAX  ((uint64_t)1 << 20)
#define NFS_BENCH_EXPORT     "/bench"

enum nfs_bench_kind {
    NFS_BENCH_READ,
    NFS_BENCH_WRITE,
    NFS_BENCH_META, /* make a file, close it, ask for its attributes, open, close, remove it */
};

struct nfs_bench {
    enum nfs_bench_kind kind;
    unsigned port;        /* on loopback; of MOUNT, too */
    unsigned connections; /* of one session, of which each has `depth` ops under way */
    unsigned depth;
    uint64_t block;
    uint64_t ops; /* a peer's share */
};

/* libnfs: its raw calls for READ and WRITE, its own open, stat … for META. */
void nfs_bench_libnfs(struct perf_gate *gate, unsigned thread, void *bench);
/* send and recv, as many calls at once as replies came: READ and WRITE on one connection. */
void nfs_bench_bare(struct perf_gate *gate, unsigned thread, void *bench);

/* Of the thread, so that a seed gives the same blocks on all sides. */
struct rng;
uint64_t nfs_bench_offset(const struct nfs_bench *b, struct rng *rng);

#endif
