/* What a model has resident after so many minutes of its own time.
 *
 * bench_sim ADDRESS MINUTES    the MB, at most
 *
 * 1,280 streams of 20 clients fill its caches, each with a file of its own, and read and write there at a fixed rate.
 * As many intervals however long it is: what is kept of each is the measuring's and not the model's. */
#include "perf.h"

#include "plan/build.h"
#include "target/catalog.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#define MIB        ((uint64_t)1 << 20)
#define STREAMS    1280
#define CLIENTS    20
#define FILE_BYTES (160 * MIB) /* more than 118 GiB of memory in all of them */
#define RATE       1000
#define INTERVALS  60
#define MINUTE_NS  ((uint64_t)60 * 1000000000)

static uint32_t add(struct plan_builder *b, struct plan_step step)
{
    return plan_add_step(b, &step);
}

static struct plan_step op(enum op_kind kind, uint16_t line, uint64_t io_bytes)
{
    return (struct plan_step){
        .kind = PLAN_OP, .op = (uint16_t)kind, .line = line, .io_bytes = io_bytes};
}

static void add_setup(struct plan_builder *b)
{
    struct plan_step write = op(OP_WRITE, PLAN_NO_LINE, MIB);

    write.whole = true;
    uint32_t pick = add(
        b,
        (struct plan_step){.kind = PLAN_PICK, .unit = PLAN_UNIT_FILE, .order = PLAN_ORDER_STRIDE});
    add(b, op(OP_CREATE, PLAN_NO_LINE, 0));
    uint32_t last = add(b, write);
    plan_step_to(b, pick, last + 1);
    plan_end_section(b);
}

/* Of three ops one writes. */
static void add_body(struct plan_builder *b, const uint16_t line[2])
{
    const struct plan_schedule schedule = {.arrival = PLAN_ARRIVAL_POISSON, .rate_per_s = RATE};
    const struct plan_step loop = {.kind = PLAN_LOOP};
    struct plan_step read = op(OP_READ, line[0], 4096);
    struct plan_step write = op(OP_WRITE, line[1], 4096);

    read.at.where = write.at.where = PLAN_AT_UNIFORM;
    add(b, (struct plan_step){.kind = PLAN_ARRIVE, .schedule = plan_add_schedule(b, &schedule)});
    uint32_t branch = add(b, (struct plan_step){.kind = PLAN_BRANCH, .chance = UINT32_MAX / 3});
    add(b, read);
    add(b, loop);
    plan_step_to(b, branch, add(b, write));
    add(b, loop);
    plan_end_section(b);
}

static struct plan *make_plan(const char *address, uint64_t minutes)
{
    const struct plan_window window = {.measure_ns = minutes * MINUTE_NS,
                                       .interval_ns = minutes * MINUTE_NS / INTERVALS};
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = STREAMS, .size_bytes = FILE_BYTES};
    struct plan_builder *b = plan_new(PERF_SEED);
    struct target_caps caps;
    struct plan *plan;
    struct err err = {0};

    if (b == NULL)
        perf_fail(address, "no memory for a plan");
    if (target_caps_of(address, &caps, &err) < 0)
        perf_fail(address, err.text);
    plan_window(b, &window);
    plan_add_set(b, &spec);
    uint16_t line[2] = {plan_add_line(b, "read", OP_READ, true),
                        plan_add_line(b, "write", OP_WRITE, true)};
    plan_begin_group(b, "memory", STREAMS, CLIENTS);
    add_setup(b);
    add_body(b, line);
    add(b, op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    if (plan_freeze(b, &caps, &plan, &err) < 0)
        perf_fail(address, err.text);
    return plan;
}

int main(int argc, char **argv)
{
    uint64_t minutes = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
    struct rusage used;

    if (minutes == 0 || minutes > 1000000)
        perf_fail(argv[0], "ADDRESS MINUTES");
    struct plan *plan = make_plan(argv[1], minutes);
    uint64_t ops = perf_run_plan(plan, argv[1], 0, NULL).ops;
    if (ops < minutes * 60 * RATE / 2)
        perf_fail(argv[1], "too few reads");
    getrusage(RUSAGE_SELF, &used);
    printf("%.3f\n", (double)used.ru_maxrss * 1024 / (double)MIB);
    plan_free(plan);
    return 0;
}
