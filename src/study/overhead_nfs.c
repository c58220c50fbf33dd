#include "study/overhead_priv.h"

#include "nfs/bare_client.h"
#include "nfs/null_server.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define BARE_CALLS 20000u
#define FILE_BYTES (UINT64_C(1) << 30)
#define EXPORT     "/overhead"
#define FILE_NAME  "f0" /* as the engine names the first file of a flat set */

struct served {
    struct null_server *server;
    pthread_t thread;
};

static void *serve(void *server)
{
    struct err err;
    /* What is wrong with it the clients will say. */
    return null_server_run(server, &err) < 0 ? server : NULL;
}

static int begin_serving(struct served *s, struct err *err)
{
    int rc = null_server_open(0, false, &s->server, err);
    if (rc < 0)
        return rc;
    rc = -pthread_create(&s->thread, NULL, serve, s->server);
    if (rc < 0) {
        null_server_close(s->server);
        return err_sys(err, rc, "a server to measure with");
    }
    return 0;
}

static void end_serving(struct served *s)
{
    null_server_stop(s->server);
    pthread_join(s->thread, NULL);
    null_server_close(s->server);
}

static uint64_t cpu_ns(clockid_t clock)
{
    struct timespec ts = {0};
    clock_gettime(clock, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static uint64_t server_cpu_ns(void *served)
{
    const struct served *s = served;
    clockid_t clock;
    return pthread_getcpuclockid(s->thread, &clock) == 0 ? cpu_ns(clock) : 0;
}

static int bare_round(const struct bare_client_job *job, double *best_ns, struct err *err)
{
    struct bare_client *c = NULL;
    int rc = bare_client_open(job, &c, err);
    if (rc < 0)
        return rc;
    uint64_t begin = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    rc = bare_client_run(c, BARE_CALLS, err);
    uint64_t used_ns = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    *best_ns = overhead_smaller(*best_ns, (double)used_ns / BARE_CALLS);
    bare_client_close(c);
    return rc;
}

/* Rounds of both take turns, so that what disturbs the machine disturbs both. */
static int measure(const struct overhead_cost *cost, const struct bare_client_job *job,
                   struct overhead_pair *out, struct err *err)
{
    int rc = 0;
    *out = (struct overhead_pair){.op_ns = INFINITY, .bare_ns = INFINITY};
    for (unsigned i = 0; rc == 0 && overhead_goes_on(i, out->op_ns); i++) {
        rc = overhead_round(cost, &out->op_ns, err);
        if (rc == 0)
            rc = bare_round(job, &out->bare_ns, err);
    }
    return rc == 0 ? overhead_need_rounds(out->op_ns, err) : rc;
}

int study_overhead_nfs(uint64_t block, unsigned depth, struct overhead_pair *out, struct err *err)
{
    struct served served;
    char address[96];
    int rc = begin_serving(&served, err);
    if (rc < 0)
        return rc;
    uint16_t port = null_server_port(served.server);
    const struct bare_client_job job = {.port = port,
                                        .export = EXPORT,
                                        .file = FILE_NAME,
                                        .file_bytes = FILE_BYTES,
                                        .block = (uint32_t)block,
                                        .depth = depth,
                                        .seed = 1};
    const struct overhead_cost cost = {
        .address = address,
        .spec = {.shape = FILESET_FLAT, .trees = 1, .files = depth, .size_bytes = FILE_BYTES},
        .streams = depth,
        .block = block,
        .aside_ns = server_cpu_ns,
        .ctx = &served};
    snprintf(address, sizeof address, "nfs://127.0.0.1:%u" EXPORT "?mountport=%u", port, port);
    rc = measure(&cost, &job, out, err);
    end_serving(&served);
    return rc;
}
