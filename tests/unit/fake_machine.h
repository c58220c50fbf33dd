/* tests/unit/fake_machine.h — a machine made of trees like /proc and /sys, and of clocks that the test
 * moves. */
#ifndef LOADLINE_TESTS_FAKE_MACHINE_H
#define LOADLINE_TESTS_FAKE_MACHINE_H

#include "study/study.h"
#include "unit/fake_tree.h"

struct fake_machine {
    struct tree proc;
    struct tree sys;
    struct clk_moment now;
    struct clk_moment each; /* added with every reading */
    unsigned readings;
    struct study_view view;
};

static inline void fake_clocks(void *ctx, struct clk_moment *out)
{
    struct fake_machine *m = ctx;

    m->readings++;
    m->now.monotonic_ns += m->each.monotonic_ns;
    m->now.boottime_ns += m->each.boottime_ns;
    m->now.wall_ns += m->each.wall_ns;
    *out = m->now;
}

static inline void fake_machine_open(struct fake_machine *m)
{
    *m = (struct fake_machine){.now = {.monotonic_ns = 1000000000, .wall_ns = 1000000000}};
    tree_open(&m->proc);
    tree_open(&m->sys);
    m->view = (struct study_view){
        .proc = m->proc.path, .sys = m->sys.path, .clocks = fake_clocks, .ctx = m};
}

static inline void fake_machine_close(struct fake_machine *m)
{
    tree_close(&m->proc);
    tree_close(&m->sys);
}

#endif
