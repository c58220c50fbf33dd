/* bench_probe THREADS SECONDS — what the probe's own thread costs while so many threads of this process stand
 * still and it looks once a second: CPU of its life by the time of it, in percent of a core. It looks into caches
 * that are as cold as they are once a second. */
#include "perf.h"

#include "clk/clk.h"
#include "probe/probe.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STACK_BYTES 65536

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void *stand_still(void *ctx)
{
    (void)ctx;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    return NULL;
}

static void start_threads(pthread_t *thread, unsigned n)
{
    pthread_attr_t small;

    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK_BYTES);
    for (unsigned i = 0; i < n; i++)
        if (pthread_create(&thread[i], &small, stand_still, NULL) != 0)
            perf_fail("threads", "cannot be made");
    pthread_attr_destroy(&small);
}

int main(int argc, char **argv)
{
    const struct probe_options options = {0};
    struct probe *probe;
    struct err err;

    if (argc != 3)
        perf_fail(argv[0], "THREADS SECONDS");
    unsigned n = (unsigned)strtoul(argv[1], NULL, 10);
    const struct timespec life = {.tv_sec = strtol(argv[2], NULL, 10)};
    pthread_t *thread = calloc(n, sizeof *thread);

    if (!thread)
        perf_fail_errno("threads");
    pthread_mutex_lock(&gate);
    start_threads(thread, n);
    uint64_t begin_ns = clk_monotonic_ns();
    if (probe_start(&options, &probe, &err) < 0)
        perf_fail("probe", err.text);
    nanosleep(&life, NULL);
    uint64_t cpu_ns = probe_cpu_ns(probe), lived_ns = clk_monotonic_ns() - begin_ns;
    probe_stop(probe);
    pthread_mutex_unlock(&gate);
    for (unsigned i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
    free(thread);
    printf("%.4f\n", 100.0 * (double)cpu_ns / (double)lived_ns);
    return 0;
}
