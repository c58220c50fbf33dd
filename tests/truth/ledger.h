/* truth/ledger.h — one worker driven by hand against a target that writes down what it is asked.
 * Shape    run_plan, or bench_make … bench_run → assert on ledger, bench.worker → bench_free.
 * Units    an op takes OP_NS of the ledger's clock, whatever it is.
 * Limits   one bench a program; OPS_MAX ops.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_LEDGER_H
#define LOADLINE_TRUTH_LEDGER_H

#include "engine/worker_priv.h"
#include "truth/truth.h"

#define OPS_MAX 200000u
#define OP_NS   1000u

/* ---- the target that writes down ---- */

struct asked {
    enum op_kind kind;
    uint64_t node;
    uint64_t off;
    uint64_t len;
    uint32_t client;
    uint32_t stream;
    uint64_t handle;
    char leaf[FILESET_LEAF_MAX];
};

static struct ledger {
    struct asked op[OPS_MAX];
    unsigned n;
    uint64_t now_ns;
    struct op *held[16];
    unsigned held_n;
    unsigned room;                        /* ops held at once */
    int refuse;                           /* submit returns this instead */
    int64_t (*answer)(const struct op *); /* NULL: as if it had been done */
    _Atomic uint32_t *halt_after;         /* set to HALT_END at op number `halt_at` */
    unsigned halt_at;
} ledger;

static inline uint64_t ledger_now(void *ctx)
{
    (void)ctx;
    return ledger.now_ns;
}

static inline int ledger_session_open(struct target *t, const struct session_spec *spec,
                                      struct session **out, struct err *err)
{
    (void)t;
    (void)spec;
    (void)err;
    *out = (struct session *)&ledger;
    return 0;
}

static inline void ledger_session_close(struct session *s)
{
    (void)s;
}

static inline void note(const struct op *op)
{
    assert_true(ledger.n < OPS_MAX);
    struct asked *a = &ledger.op[ledger.n++];
    bool opens = op->kind == OP_OPEN || op->kind == OP_CREATE;
    *a = (struct asked){.kind = op->kind,
                        .node = op->node,
                        .off = op->off,
                        .len = op->len,
                        .client = op->client,
                        .handle = opens ? 0 : op->handle,
                        .stream = ((const struct stream *)op->user)->number};
    if (op->leaf)
        snprintf(a->leaf, sizeof a->leaf, "%s", op->leaf);
    if (ledger.halt_after && ledger.n == ledger.halt_at)
        atomic_store(ledger.halt_after, HALT_END);
}

static inline int ledger_submit(struct session *s, struct op *const ops[], unsigned n)
{
    (void)s;
    unsigned taken = 0;
    if (ledger.refuse)
        return ledger.refuse;
    for (; taken < n && ledger.held_n < ledger.room; taken++) {
        struct op *op = ops[taken];
        bool moves = op->kind == OP_READ || op->kind == OP_WRITE;
        note(op);
        op->res = ledger.answer ? ledger.answer(op) : moves ? (int64_t)op->len : 0;
        ledger.held[ledger.held_n++] = op;
    }
    return (int)taken;
}

static inline int ledger_reap(struct session *s, struct op *done[], unsigned min, unsigned max,
                              uint64_t until_ns)
{
    (void)s;
    (void)min;
    if (ledger.held_n == 0) {
        ledger.now_ns = until_ns;
        return 0;
    }
    assert_true(ledger.held_n <= max);
    ledger.now_ns += OP_NS;
    unsigned n = ledger.held_n;
    memcpy(done, ledger.held, n * sizeof(struct op *));
    ledger.held_n = 0;
    return (int)n;
}

static inline void ledger_wake(struct session *s)
{
    (void)s;
}

static const struct target_table ledger_target = {.session_open = ledger_session_open,
                                                  .session_close = ledger_session_close,
                                                  .submit = ledger_submit,
                                                  .reap = ledger_reap,
                                                  .wake = ledger_wake};

/* ---- one worker ---- */

static struct bench {
    struct engine_job job;
    struct engine_outcome out;
    struct run run;
    struct worker worker;
} bench;

static inline void bench_make(struct plan *plan)
{
    struct run *run = &bench.run;
    struct err err = {0};
    memset(&bench, 0, sizeof bench);
    memset(&ledger, 0, sizeof ledger);
    ledger.room = TRUTH_COUNT(ledger.held);
    ledger.now_ns = SEC_NS;
    run->job = &bench.job;
    run->out = &bench.out;
    run->plan = plan;
    run->table = &ledger_target;
    run->caps = (struct target_caps){.op_kinds = UINT32_MAX, .keeps_nothing = true};
    clk_scripted(&run->clk, ledger_now, NULL);
    assert_int_equal(fileset_map_init(&run->map, "", plan->set, plan->sets, &err), 0);
    run->workers = 1;
    run->worker = &bench.worker;
    run->schedule = calloc(plan->schedules + 1, sizeof(struct schedule));
    assert_non_null(run->schedule);
    for (unsigned i = 0; i < plan->schedules; i++)
        schedule_init(&run->schedule[i], &plan->schedule[i], plan->seed);
    assert_int_equal(sync_new(run), 0);
    assert_int_equal(worker_init(&bench.worker, run, 0, plan->streams), 0);
}

static inline void bench_run(void)
{
    struct run *run = &bench.run;
    const struct plan_window *window = &run->plan->window;
    worker_setup(&bench.worker);
    run->gate_ns = ledger.now_ns;
    run->open_ns = run->gate_ns;
    run->close_ns = window->measure_ns ? run->gate_ns + window->measure_ns : UINT64_MAX;
    run->close_interval = UINT64_MAX;
    worker_body(&bench.worker);
}

static const struct samples_line *bench_line(unsigned i)
{
    return &samples_current(&bench.worker.samples)->line[i];
}

static inline void bench_free(void)
{
    struct plan *plan = (struct plan *)(uintptr_t)bench.run.plan;
    worker_finish(&bench.worker);
    worker_fini(&bench.worker);
    fileset_map_fini(&bench.run.map);
    free(bench.run.schedule);
    sync_free(&bench.run);
    plan_free(plan);
}

static inline void run_plan(struct plan_builder *b)
{
    bench_make(truth_freeze(b, "null:"));
    bench_run();
}

/* ---- plans ---- */

static struct plan_builder *begin(const struct fileset_spec *spec, uint32_t streams,
                                  uint32_t clients)
{
    struct plan_builder *b = plan_new(5);
    assert_non_null(b);
    plan_add_set(b, spec);
    plan_begin_group(b, "g", streams, clients);
    return b;
}

/* setup: pick and open file i by stream i; body: the step `count` times. */
static struct plan_builder *on_open_file(uint64_t size_bytes, uint32_t streams,
                                         struct plan_step step, uint32_t count)
{
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = streams, .size_bytes = size_bytes};
    struct plan_builder *b = begin(&spec, streams, 1);
    plan_add_line(b, "line", step.op, false);
    t_add(b, t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0));
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_step_to(b, 0, 2);
    plan_end_section(b);
    t_add(b, step);
    t_add(b, t_loop(0, count, 0));
    plan_end_section(b);
    plan_end_section(b);
    return b;
}

static const struct fileset_spec one_file = {
    .shape = FILESET_FLAT, .trees = 1, .files = 1, .size_bytes = 1};

#endif
