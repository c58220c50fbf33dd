/* golden/run_by_hand.h — results of workload files made up for the tests of report.
 * Errors   a failed allocation fails the test.   Threads  single owner. */
#ifndef LOADLINE_GOLDEN_RUN_BY_HAND_H
#define LOADLINE_GOLDEN_RUN_BY_HAND_H

#include "golden/io_by_hand.h"

static inline struct result *hand_run(struct hand *hand, const char *study, const char *workload,
                                      const char *dialect)
{
    static const char *const words[][2] = {
        {"script", "1"},   {"script_run", "1"},      {"streams", "16"},     {"mode", "timeout"},
        {"ended", "time"}, {"client_cache", "keep"}, {"var_dir", "/srv/x"}, {"var_nthreads", "16"},
    };
    struct result *r = hand_new(hand, study, "w7rk");

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        hand_option(r, words[i][0], words[i][1]);
    hand_option(r, "workload", workload);
    hand_option(r, "dialect", dialect);
    assert_int_equal(0, result_fact_put(&r->counters, "machine_cpu_ns", "400000000", "ns"));
    r->passes = 1;
    r->elapsed_ns = 10000000000u;
    r->window_open_ns = 2000000000u;
    r->window_close_ns = 12000000000u;
    r->streams = (struct result_streams){.n = 16, .min_ops = 60, .median_ops = 63, .max_ops = 65};
    snprintf(r->cache.mode, sizeof r->cache.mode, "keep");
    return r;
}

static inline struct result_line *hand_flowop(struct result *r, const char *name, const char *type,
                                              uint64_t samples, uint64_t bytes, uint64_t low_ns,
                                              uint64_t high_ns)
{
    struct result_line *line = hand_line(r, name, samples, bytes, low_ns, high_ns);

    snprintf(line->op, sizeof line->op, "%s", type);
    return line;
}

/* Thirteen ops a loop, of which four read or write. */
static inline void hand_varmail(struct hand *hand, const char *study, const char *workload,
                                const char *dialect)
{
    struct result *r = hand_run(hand, study, workload, dialect);

    hand_flowop(r, "deletefile1", "deletefile", 100, 0, 20000, 40000);
    hand_flowop(r, "createfile2", "createfile", 100, 0, 30000, 50000);
    hand_flowop(r, "appendfilerand2", "appendfilerand", 100, 100 * 8192, 10000, 30000);
    hand_flowop(r, "fsyncfile2", "fsync", 100, 0, 1000000, 3000000);
    hand_flowop(r, "closefile2", "closefile", 100, 0, 1000, 3000);
    hand_flowop(r, "openfile3", "openfile", 100, 0, 4000, 6000);
    hand_flowop(r, "readfile3", "readwholefile", 100, 100 * 16384, 10000, 20000);
    hand_flowop(r, "appendfilerand3", "appendfilerand", 100, 100 * 8192, 10000, 30000);
    hand_flowop(r, "fsyncfile3", "fsync", 100, 0, 1000000, 3000000);
    hand_flowop(r, "closefile3", "closefile", 100, 0, 1000, 3000);
    hand_flowop(r, "openfile4", "openfile", 100, 0, 4000, 6000);
    hand_flowop(r, "readfile4", "readwholefile", 100, 100 * 16384, 10000, 20000);
    hand_flowop(r, "closefile4", "closefile", 100, 0, 1000, 3000);
}

/* Reads that are limited, writes that are handed over, and what streams wait for. */
static inline void hand_oltp(struct hand *hand, const char *study, const char *workload)
{
    struct result *r = hand_run(hand, study, workload, "sun");
    struct result_line *read, *wake;

    hand_flowop(r, "lg-write", "aiowrite", 40, 40 * 262144, 2000, 4000);
    hand_flowop(r, "lg-write.done", "done", 40, 0, 200000, 400000);
    hand_flowop(r, "lg-aiowait", "aiowait", 40, 0, 100000, 300000);
    hand_flowop(r, "lg-block", "semblock", 40, 0, 1000000, 9000000);
    read = hand_flowop(r, "shadowread", "read", 1000, 1000 * 2048, 50000, 150000);
    read->open_loop = true;
    hand_samples(&read->sum.response, 1000, 60000, 900000);
    hand_flowop(r, "shadowhog", "hog", 1000, 0, 100000, 110000);
    wake = hand_flowop(r, "wake-all", "wakeup", 10, 0, 1000, 2000);
    wake->sum.ops = 160;
}

#endif
