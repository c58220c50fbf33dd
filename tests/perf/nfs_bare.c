/* The least that the same bytes can cost. */
#include "nfs_bench.h"

#include "base/rng.h"
#include "nfs/bare_client.h"

void nfs_bench_bare(struct perf_gate *gate, unsigned thread, void *bench)
{
    const struct nfs_bench *b = bench;
    const struct bare_client_job job = {.port = (uint16_t)b->port,
                                        .export = NFS_BENCH_EXPORT,
                                        .file = NFS_BENCH_FILE,
                                        .file_bytes = NFS_BENCH_FILE_BYTES,
                                        .block = (uint32_t)b->block,
                                        .write = b->kind == NFS_BENCH_WRITE,
                                        .depth = b->depth,
                                        .seed = mix64_pair(PERF_SEED, thread)};
    struct bare_client *c;
    struct err err = {0};

    if (bare_client_open(&job, &c, &err) < 0)
        perf_fail("a bare client", err.text);
    perf_gate_enter(gate);
    if (bare_client_run(c, b->ops, &err) < 0)
        perf_fail("a bare client", err.text);
    perf_gate_leave(gate);
    bare_client_close(c);
}
