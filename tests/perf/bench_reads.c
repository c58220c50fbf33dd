/* bench_reads DIRECTORY BLOCK ROUNDS ROUND_MS — random reads of one file: the engine on the posix
 * target against a loop of pread and nothing else, over the same offsets. */
#include "perf.h"

#include "base/rng.h"
#include "plan/build.h"
#include "target/target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Small enough for the processor's caches: what is left is the cost of the way there. */
#define FILE_BYTES   ((uint64_t)1 << 20)
#define BUFFER_ALIGN 4096

struct reads {
    const char *directory;
    const char *path; /* of the one file */
    uint64_t block;
    struct plan *plan;
    uint64_t ops; /* for the bare loop */
};

static void make_file(const struct reads *r)
{
    static char bytes[FILE_BYTES];
    int fd = open(r->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    memset(bytes, 'x', sizeof bytes);
    if (fd < 0 || pwrite(fd, bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        perf_fail_errno(r->path);
    close(fd);
}

static struct plan *plan_reads(const struct reads *r, uint64_t round_ns)
{
    const struct plan_window window = {.measure_ns = round_ns, .interval_ns = 100000000};
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = FILE_BYTES};
    const struct plan_step pick = {.kind = PLAN_PICK, .unit = PLAN_UNIT_FILE, .to = 2};
    const struct plan_step open_it = {
        .kind = PLAN_OP, .op = OP_OPEN, .op_flags = OP_FLAG_READ, .line = PLAN_NO_LINE};
    const struct plan_step close_it = {.kind = PLAN_OP, .op = OP_CLOSE, .line = PLAN_NO_LINE};
    const struct plan_step loop = {.kind = PLAN_LOOP};
    struct plan_step read_it = {
        .kind = PLAN_OP, .op = OP_READ, .io_bytes = r->block, .at.where = PLAN_AT_UNIFORM};
    struct plan_builder *b = plan_new(PERF_SEED);
    struct target_caps caps;
    struct plan *plan;
    struct err err = {0};

    if (!b || target_caps_of(r->directory, &caps, &err) < 0)
        perf_fail("a plan", err.text);
    plan_window(b, &window);
    plan_add_set(b, &spec);
    read_it.line = plan_add_line(b, "read", OP_READ, false);
    plan_begin_group(b, "reads", 1, 1);
    plan_add_step(b, &pick);
    plan_add_step(b, &open_it);
    plan_end_section(b);
    plan_add_step(b, &read_it);
    plan_add_step(b, &loop);
    plan_end_section(b);
    plan_add_step(b, &close_it);
    plan_end_section(b);
    if (plan_freeze(b, &caps, &plan, &err) < 0)
        perf_fail("a plan", err.text);
    return plan;
}

static struct perf_cost ours(void *ctx)
{
    const struct reads *r = ctx;
    return perf_run_plan(r->plan, r->directory, 0, NULL);
}

static void bare_body(struct perf_gate *gate, unsigned thread, void *ctx)
{
    const struct reads *r = ctx;
    uint64_t blocks = FILE_BYTES / r->block;
    char *buf = aligned_alloc(BUFFER_ALIGN, BUFFER_ALIGN);
    int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    struct rng rng;

    if (!buf || fd < 0)
        perf_fail_errno(r->path);
    memset(buf, 0, BUFFER_ALIGN);
    rng_seed(&rng, mix64_pair(PERF_SEED, thread)); /* as the engine seeds its streams */
    perf_gate_enter(gate);
    for (uint64_t i = 0; i < r->ops; i++) {
        uint64_t off = rng_below(&rng, blocks) * r->block;
        if (pread(fd, buf, r->block, (off_t)off) != (ssize_t)r->block)
            perf_fail_errno(r->path);
    }
    perf_gate_leave(gate);
    close(fd);
    free(buf);
}

static struct perf_cost peer(void *ctx, uint64_t ops)
{
    struct reads *r = ctx;
    r->ops = ops;
    return (struct perf_cost){.cpu_ns = perf_run_bare(1, bare_body, r), .ops = ops};
}

int main(int argc, char **argv)
{
    char path[4096];

    if (argc != 5)
        perf_fail(argv[0], "DIRECTORY BLOCK ROUNDS ROUND_MS");
    struct reads r = {.directory = argv[1], .path = path, .block = strtoull(argv[2], NULL, 10)};
    if (r.block == 0 || r.block > BUFFER_ALIGN)
        perf_fail(argv[2], "1 to 4096 bytes");
    snprintf(path, sizeof path, "%s/f0", r.directory);
    make_file(&r);
    r.plan = plan_reads(&r, strtoull(argv[4], NULL, 10) * 1000000);
    perf_rounds(&(struct perf_pair){.ours = ours, .peer = peer, .ctx = &r},
                (unsigned)strtoul(argv[3], NULL, 10));
    plan_free(r.plan);
    unlink(path);
    return 0;
}
