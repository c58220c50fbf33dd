#include "perf.h"

#include "engine/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX 1024
#define TABLE_FDS   256 /* a descriptor table that need not grow while it is measured */

noreturn void perf_fail(const char *what, const char *reason)
{
    fprintf(stderr, "%s: %s\n", what, reason);
    exit(1);
}

noreturn void perf_fail_errno(const char *what)
{
    perf_fail(what, strerror(errno));
}

static uint64_t timeval_ns(struct timeval tv)
{
    return (uint64_t)tv.tv_sec * 1000000000u + (uint64_t)tv.tv_usec * 1000u;
}

static uint64_t process_cpu_ns(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return timeval_ns(used.ru_utime) + timeval_ns(used.ru_stime);
}

/* ---- our side ---- */

static void note_cpu(void *ctx, bool open)
{
    struct perf_cost *cost = ctx;
    cost->cpu_ns = open ? process_cpu_ns() : process_cpu_ns() - cost->cpu_ns;
}

struct perf_cost perf_run_plan(const struct plan *plan, const char *directory, unsigned line,
                               struct fileset_state *const *state)
{
    struct perf_cost cost = {0};
    struct engine_outcome outcome;
    struct err err = {0};
    const struct engine_job job = {.plan = plan,
                                   .state = state,
                                   .address = directory,
                                   .place = "",
                                   .workers = 1,
                                   .gate = note_cpu,
                                   .ctx = &cost};

    if (engine_run(&job, &outcome, &err) < 0)
        perf_fail(directory, err.text);
    if (outcome.errors > 0)
        perf_fail(outcome.error[0].first_path, strerror(-outcome.error[0].code));
    if (outcome.end != ENGINE_DONE)
        perf_fail(directory, "the run did not end by itself");
    cost.ops = outcome.total->line[line].samples;
    engine_outcome_fini(&outcome);
    return cost;
}

/* ---- the bare side ---- */

struct perf_gate {
    pthread_barrier_t barrier;
};

struct bare_thread {
    pthread_t id;
    struct perf_gate *gate;
    perf_body *body;
    void *ctx;
    unsigned number;
};

/* Twice: all are ready, and only then is the CPU read and the gate opened. */
void perf_gate_enter(struct perf_gate *gate)
{
    pthread_barrier_wait(&gate->barrier);
    pthread_barrier_wait(&gate->barrier);
}

void perf_gate_leave(struct perf_gate *gate)
{
    pthread_barrier_wait(&gate->barrier);
}

static void *bare_main(void *arg)
{
    struct bare_thread *t = arg;
    if (syscall(SYS_close_range, ~0U, ~0U, CLOSE_RANGE_UNSHARE) < 0)
        perf_fail_errno("a descriptor table of its own");
    int highest = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, TABLE_FDS);
    if (highest < 0)
        perf_fail_errno("growing a descriptor table");
    close(highest);
    t->body(t->gate, t->number, t->ctx);
    return NULL;
}

uint64_t perf_run_bare(unsigned threads, perf_body *body, void *ctx)
{
    struct bare_thread thread[THREADS_MAX];
    struct perf_gate gate;

    if (threads > THREADS_MAX)
        perf_fail("bare threads", "too many");
    pthread_barrier_init(&gate.barrier, NULL, threads + 1);
    for (unsigned i = 0; i < threads; i++) {
        thread[i] = (struct bare_thread){.gate = &gate, .body = body, .ctx = ctx, .number = i};
        if (pthread_create(&thread[i].id, NULL, bare_main, &thread[i]) != 0)
            perf_fail("bare threads", "cannot be made");
    }
    pthread_barrier_wait(&gate.barrier);
    uint64_t begin = process_cpu_ns();
    pthread_barrier_wait(&gate.barrier);
    pthread_barrier_wait(&gate.barrier);
    uint64_t used = process_cpu_ns() - begin;
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i].id, NULL);
    pthread_barrier_destroy(&gate.barrier);
    return used;
}

/* ---- in turns ---- */

enum side { OURS, PEER, AGAIN, SIDES };

static double per_op(struct perf_cost cost)
{
    if (cost.ops == 0)
        perf_fail("a round", "not one op");
    return (double)cost.cpu_ns / (double)cost.ops;
}

/* Who begins changes from round to round: none gets the machine as the same other one left it. */
void perf_rounds(const struct perf_pair *pair, unsigned rounds)
{
    uint64_t ops = pair->ours(pair->ctx).ops; /* not counted: it warms up */
    for (unsigned round = 0; round < rounds; round++) {
        double ns[SIDES];
        for (unsigned turn = 0; turn < SIDES; turn++) {
            enum side side = (round + turn) % SIDES;
            struct perf_cost cost =
                side == PEER ? pair->peer(pair->ctx, ops) : pair->ours(pair->ctx);
            ns[side] = per_op(cost);
            ops = cost.ops;
        }
        printf("%.3f %.3f %.3f\n", ns[OURS], ns[PEER], ns[AGAIN]);
        fflush(stdout);
    }
}

/* ---- memory ---- */

double perf_resident_mb(char *const argv[])
{
    posix_spawn_file_actions_t actions;
    struct rusage used;
    pid_t child;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&child, argv[0], &actions, NULL, argv, environ) != 0)
        perf_fail(argv[0], "cannot be started");
    posix_spawn_file_actions_destroy(&actions);
    if (wait4(child, &status, 0, &used) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
        perf_fail(argv[0], "failed");
    return (double)used.ru_maxrss / 1024;
}
