/* truth/waiting.h — plans of several groups that wait for each other, as workload files make them.
 * Shape    flow_begin → flow_group … flow_end for each group → truth_run.
 * Limits   every op is a NOP that takes what the target's address says.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_WAITING_H
#define LOADLINE_TRUTH_WAITING_H

#include "truth/truth.h"

#define VIRTUAL_1MS "fault:null:?latency=fixed:1ms&clock=virtual"

static inline struct plan_builder *flow_begin(uint64_t measure_ns)
{
    const struct plan_window window = {.measure_ns = measure_ns};
    struct plan_builder *b = plan_new(3);
    assert_non_null(b);
    plan_window(b, &window);
    return b;
}

/* The steps that follow are its body. */
static inline void flow_group(struct plan_builder *b, const char *name, uint32_t streams)
{
    plan_begin_group(b, name, streams, 1);
    plan_end_section(b);
}

/* times 0: for ever. */
static inline void flow_end(struct plan_builder *b, uint32_t times)
{
    if (times != 1)
        t_add(b, t_loop(0, times, 0));
    plan_end_section(b);
    plan_end_section(b);
}

static inline void flow_op(struct plan_builder *b, const char *name, uint64_t counts)
{
    struct plan_step step = t_op(OP_NOP, plan_add_line(b, name, OP_NOP, false), 0);
    step.counts = counts;
    t_add(b, step);
}

/* A step of the line `name`, which says its type as a flowop, too. */
static inline void flow_step(struct plan_builder *b, const char *name, const char *type,
                             struct plan_step step)
{
    step.line = plan_add_line(b, name, OP_NOP, false);
    plan_line_type(b, step.line, type);
    t_add(b, step);
}

static inline void assert_ops(const struct measured *m, const char *line, uint64_t ops)
{
    if (truth_line(m, line)->ops != ops)
        fail_msg("%s: %" PRIu64 " ops and not %" PRIu64, line, truth_line(m, line)->ops, ops);
}

static inline uint64_t ops_of(const struct measured *m, const char *line)
{
    return truth_line(m, line)->ops;
}

#endif
