/* bench_fileset pick THREADS ROUNDS   CPU ns until a file that exists is chosen, counted as open and
 *                                    closed again, by so many threads at once, twice a line: the
 *                                    worse of a set of which all exist and one of which half do
 * bench_fileset entries WIDTH         ms until a set of ten million files has grown and its state is
 *                                    made, and the MB that were resident at most, beyond the
 *                                    process itself
 * bench_fileset resident PROGRAM …    the MB that the program has resident at most */
#include "perf.h"

#include "clk/clk.h"
#include "fileset/grown.h"
#include "fileset/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define ENTRIES     10000000u
#define PICKS       4000000u
#define THREADS_MAX 256
#define MIB         1048576.0

struct picks {
    struct fileset_state *state;
    unsigned threads;
};

static void pick(struct perf_gate *gate, unsigned thread, void *ctx)
{
    const struct picks *p = ctx;

    (void)thread;
    perf_gate_enter(gate);
    for (unsigned i = 0; i < PICKS / p->threads; i++) {
        uint64_t file;
        int rc = fileset_state_take(p->state, FILESET_USE_OPEN, FILESET_FROM_CURSOR, &file);
        if (rc < 0)
            perf_fail("a pick", strerror(-rc));
        fileset_state_done(p->state, FILESET_USE_OPEN, file, true);
        fileset_state_close(p->state, file);
    }
    perf_gate_leave(gate);
}

static double pick_ns(struct picks *p)
{
    return (double)perf_run_bare(p->threads, pick, p) / (PICKS / p->threads * p->threads);
}

static int bench_pick(unsigned threads, unsigned rounds)
{
    struct picks set[2] = {{.threads = threads}, {.threads = threads}};
    struct err err;

    for (unsigned i = 0; i < 2; i++) {
        if (fileset_state_new(ENTRIES, 1, 0, i == 0 ? 100 : 50, PERF_SEED, &set[i].state, &err) < 0)
            perf_fail("a state", err.text);
    }
    for (unsigned round = 0; round < 2 * rounds; round++) {
        double all_ns = pick_ns(&set[0]);
        double half_ns = pick_ns(&set[1]);
        printf("%.3f%s", all_ns > half_ns ? all_ns : half_ns, round % 2 > 0 ? "\n" : " ");
        fflush(stdout);
    }
    for (unsigned i = 0; i < 2; i++)
        fileset_state_free(set[i].state);
    return 0;
}

static double resident_mb(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss * 1024 / MIB;
}

static int bench_entries(double width)
{
    const struct grown_spec spec = {.name = "set",
                                    .entries = ENTRIES,
                                    .size = {.kind = DRAW_GAMMA, .a = 1.5, .b = 131072 / 1.5},
                                    .width = {.kind = DRAW_FIXED, .a = width},
                                    .dirgamma_milli = 1500,
                                    .seed = PERF_SEED};
    struct grown *g;
    struct fileset_state *state;
    struct err err;
    double before = resident_mb();
    uint64_t begin = clk_monotonic_ns();

    if (grown_new(&spec, &g, &err) < 0 ||
        fileset_state_new(ENTRIES, grown_dirs(g), 0, 80, PERF_SEED, &state, &err) < 0)
        perf_fail("a set", err.text);
    double ms = (double)(clk_monotonic_ns() - begin) / 1e6;
    printf("%.3f %.3f\n", ms, resident_mb() - before);
    fileset_state_free(state);
    grown_free(g);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "pick") == 0) {
        unsigned threads = (unsigned)strtoul(argv[2], NULL, 10);
        if (threads > 0 && threads <= THREADS_MAX)
            return bench_pick(threads, (unsigned)strtoul(argv[3], NULL, 10));
    }
    if (argc == 3 && strcmp(argv[1], "entries") == 0)
        return bench_entries(strtod(argv[2], NULL));
    if (argc > 2 && strcmp(argv[1], "resident") == 0)
        return printf("%.3f\n", perf_resident_mb(argv + 2)) < 0;
    perf_fail(argv[0], "pick THREADS ROUNDS, entries WIDTH, or resident PROGRAM …");
}
