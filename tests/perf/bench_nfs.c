/* bench_nfs KIND PEER CONNECTIONS DEPTH BLOCK ROUNDS ROUND_MS — our NFS client, driven by the engine on one
 * worker, against libnfs or a bare loop, all on a server of ours that keeps nothing, in a process of its
 * own.
 *   KIND  read, write: of BLOCK bytes at random places of a file of 1 GiB
 *         meta: cycles of create, close, stat, open, close, remove; ROUND_MS is thousands of them
 *         rpcs: as meta, and what is told is not CPU but the RPCs of a cycle
 *   PEER  libnfs, bare
 * bench_nfs memory PROGRAM STREAMS   the bytes that each of so many streams on one worker has resident:
 * read 4 KiB without looking at it */
#include "nfs_bench.h"

#include "base/rng.h"
#include "nfs/null_server.h"
#include "plan/build.h"
#include "target/target.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define META_FILES  1000u
#define ADDRESS_MAX 128
#define FEW_STREAMS 100
#define MIB         1048576.0

struct sides {
    struct nfs_bench bench;
    char address[ADDRESS_MAX];
    struct plan *plan;
    unsigned line;
    perf_body *peer;
    struct null_server *server;
};

uint64_t nfs_bench_offset(const struct nfs_bench *b, struct rng *rng)
{
    return rng_below(rng, NFS_BENCH_FILE_BYTES / b->block) * b->block;
}

/* ---- what our side runs ---- */

static struct plan_builder *begin_plan(const struct plan_window *window, uint32_t files)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = files, .size_bytes = NFS_BENCH_FILE_BYTES};
    struct plan_builder *b = plan_new(PERF_SEED);
    if (!b)
        perf_fail("a plan", "no memory");
    plan_window(b, window);
    plan_add_set(b, &spec);
    return b;
}

static struct plan *freeze(struct plan_builder *b, const char *address)
{
    struct target_caps caps;
    struct plan *plan;
    struct err err = {0};
    if (target_caps_of(address, &caps, &err) < 0 || plan_freeze(b, &caps, &plan, &err) < 0)
        perf_fail(address, err.text);
    return plan;
}

static struct plan *plan_data(struct sides *s, uint64_t round_ns)
{
    const struct nfs_bench *n = &s->bench;
    const struct plan_window window = {.measure_ns = round_ns, .interval_ns = 100000000};
    const struct plan_step pick = {.kind = PLAN_PICK, .unit = PLAN_UNIT_FILE, .to = 2};
    const struct plan_step open_it = {.kind = PLAN_OP, .op = OP_OPEN, .line = PLAN_NO_LINE};
    const struct plan_step close_it = {.kind = PLAN_OP, .op = OP_CLOSE, .line = PLAN_NO_LINE};
    const struct plan_step loop = {.kind = PLAN_LOOP};
    struct plan_step move = {.kind = PLAN_OP,
                             .op = n->kind == NFS_BENCH_READ ? OP_READ : OP_WRITE,
                             .io_bytes = n->block,
                             .at.where = PLAN_AT_UNIFORM};
    struct plan_builder *b = begin_plan(&window, n->connections * n->depth);

    move.line = plan_add_line(b, "move", move.op, false);
    s->line = move.line;
    plan_begin_group(b, "movers", n->connections * n->depth, n->connections);
    plan_add_step(b, &pick);
    plan_add_step(b, &open_it);
    plan_end_section(b);
    plan_add_step(b, &move);
    plan_add_step(b, &loop);
    plan_end_section(b);
    plan_add_step(b, &close_it);
    plan_end_section(b);
    return freeze(b, s->address);
}

static struct plan *plan_meta(struct sides *s, uint32_t files)
{
    static const enum op_kind cycle[] = {OP_CREATE, OP_CLOSE, OP_STAT,
                                         OP_OPEN,   OP_CLOSE, OP_UNLINK};
    static const char *const name[] = {"create", "close", "stat", "open", "close", "unlink"};
    const unsigned ops = sizeof cycle / sizeof cycle[0];
    const struct plan_window window = {.interval_ns = 100000000};
    const struct plan_step pick = {.kind = PLAN_PICK, .unit = PLAN_UNIT_FILE, .to = ops + 2};
    const struct plan_step loop = {.kind = PLAN_LOOP};
    struct plan_builder *b = begin_plan(&window, files);

    plan_begin_group(b, "makers", s->bench.connections * s->bench.depth, s->bench.connections);
    plan_end_section(b);
    plan_add_step(b, &pick);
    for (unsigned i = 0; i < ops; i++) {
        struct plan_step step = {.kind = PLAN_OP, .op = (uint16_t)cycle[i]};
        step.line = plan_add_line(b, name[i], step.op, false);
        s->line = step.line;
        plan_add_step(b, &step);
    }
    plan_add_step(b, &loop);
    plan_end_section(b);
    plan_end_section(b);
    return freeze(b, s->address);
}

static struct perf_cost ours(void *ctx)
{
    const struct sides *s = ctx;
    return perf_run_plan(s->plan, s->address, s->line, NULL);
}

static struct perf_cost peer(void *ctx, uint64_t ops)
{
    struct sides *s = ctx;
    s->bench.ops = ops;
    return (struct perf_cost){.cpu_ns = perf_run_bare(1, s->peer, &s->bench), .ops = ops};
}

/* ---- the server ---- */

static void *serve(void *server)
{
    struct err err = {0};
    if (null_server_run(server, &err) < 0)
        perf_fail("the server", err.text);
    return NULL;
}

/* Its CPU time is not ours to count. */
static pid_t serve_apart(struct null_server *server)
{
    pid_t child = fork();
    if (child < 0)
        perf_fail_errno("the server");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(server);
        _exit(0);
    }
    return child;
}

static void stop_server(pid_t server)
{
    kill(server, SIGTERM);
    waitpid(server, NULL, 0);
}

/* ---- RPCs instead of CPU ---- */

static double rpcs_of(struct sides *s, bool by_us, uint64_t cycles)
{
    uint64_t before = null_server_calls(s->server);
    if (by_us)
        ours(s);
    else
        peer(s, cycles);
    return (double)(null_server_calls(s->server) - before) / (double)cycles;
}

static void count_rpcs(struct sides *s, unsigned rounds, uint64_t cycles)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, s->server) != 0)
        perf_fail("the server", "no thread");
    for (unsigned i = 0; i < rounds; i++)
        printf("%.3f %.3f %.3f\n", rpcs_of(s, true, cycles), rpcs_of(s, false, cycles),
               rpcs_of(s, true, cycles));
    null_server_stop(s->server);
    pthread_join(thread, NULL);
}

/* ---- memory ---- */

static double program_bytes(const char *program, const char *address, unsigned streams)
{
    char count[16];
    snprintf(count, sizeof count, "%u", streams);
    const char *const argv[] = {
        program,    "io",       address,     "--read", "100",       "--block", "4k",     "--size",
        "64m",      "--random", "--workers", "1",      "--streams", count,     "--time", "1s",
        "--warmup", "0s",       "--db",      "none",   "--quiet",   NULL};
    /* posix_spawn takes what it does not change without const. */
    return perf_resident_mb((char *const *)(uintptr_t)argv) * MIB;
}

static void weigh(struct sides *s, const char *program, unsigned streams)
{
    pid_t server = serve_apart(s->server);
    double few = program_bytes(program, s->address, FEW_STREAMS);
    double many = program_bytes(program, s->address, streams + FEW_STREAMS);
    printf("%.1f\n", (many - few) / streams);
    stop_server(server);
}

/* ---- what was asked for ---- */

static unsigned number(const char *word, uint64_t most)
{
    char *end;
    unsigned long value = strtoul(word, &end, 10);
    if (*end != '\0' || value == 0 || value > most)
        perf_fail(word, "not a number that there can be of it");
    return (unsigned)value;
}

static enum nfs_bench_kind kind_of(const char *word)
{
    if (strcmp(word, "read") == 0)
        return NFS_BENCH_READ;
    if (strcmp(word, "write") == 0)
        return NFS_BENCH_WRITE;
    if (strcmp(word, "meta") == 0)
        return NFS_BENCH_META;
    perf_fail(word, "not read, write or meta");
}

static void compare(struct sides *s, unsigned rounds)
{
    pid_t server = serve_apart(s->server);
    perf_rounds(&(struct perf_pair){.ours = ours, .peer = peer, .ctx = s}, rounds);
    stop_server(server);
}

static void set_up(struct sides *s)
{
    struct err err = {0};
    if (null_server_open(0, false, &s->server, &err) < 0)
        perf_fail("the server", err.text);
    s->bench.port = null_server_port(s->server);
    snprintf(s->address, sizeof s->address, "nfs://127.0.0.1:%u" NFS_BENCH_EXPORT "?mountport=%u",
             s->bench.port, s->bench.port);
}

static void measure(struct sides *s, char **argv)
{
    bool rpcs = strcmp(argv[1], "rpcs") == 0;
    unsigned rounds = number(argv[6], 1000), amount = number(argv[7], 60000);

    s->bench.kind = kind_of(rpcs ? "meta" : argv[1]);
    s->bench.connections = number(argv[3], 1024);
    s->bench.depth = number(argv[4], 1024);
    s->bench.block = number(argv[5], NFS_BENCH_BLOCK_MAX);
    s->peer = strcmp(argv[2], "bare") == 0 ? nfs_bench_bare : nfs_bench_libnfs;
    s->plan = s->bench.kind == NFS_BENCH_META ? plan_meta(s, amount * META_FILES)
                                              : plan_data(s, (uint64_t)amount * 1000000);
    if (rpcs)
        count_rpcs(s, rounds, (uint64_t)amount * META_FILES);
    else
        compare(s, rounds);
    plan_free(s->plan);
}

int main(int argc, char **argv)
{
    struct sides s = {.line = 0};

    set_up(&s);
    if (argc == 4 && strcmp(argv[1], "memory") == 0)
        weigh(&s, argv[2], number(argv[3], 100000));
    else if (argc == 8)
        measure(&s, argv);
    else
        perf_fail(argv[0], "KIND PEER CONNECTIONS DEPTH BLOCK ROUNDS ROUND_MS, or "
                           "memory PROGRAM STREAMS");
    null_server_close(s.server);
    return 0;
}
