/* What samples take of memory: a worker's blocks hold all lines of the plan, and it comes to those of
 * its streams' groups only. */
#include "engine/worker_priv.h"

#define TOUCHED_PER_HIST 24576u /* pages of a histogram that real latencies reach */
#define TOUCH_BYTES_MAX  (64u << 20)
#define TOUCH_LOW_NS     256u
#define TOUCH_HIGH_NS    16000000u

struct line_set {
    bool has[PLAN_LINES_MAX];
};

static bool has_line(const struct plan_step *step)
{
    return step->kind == PLAN_OP || (step->kind >= PLAN_HOG && step->kind <= PLAN_FINISH);
}

static void add_lines(const struct plan *plan, uint32_t g, struct line_set *set)
{
    uint32_t stop = g + 1 < plan->groups ? plan->group[g + 1].setup : plan->steps;
    for (uint32_t i = plan->group[g].body; i < stop; i++) {
        const struct plan_step *step = &plan->step[i];
        if (has_line(step) && step->line < plan->lines)
            set->has[step->line] = true;
        if (step->detached && step->done_line < plan->lines)
            set->has[step->done_line] = true;
    }
}

static uint64_t bytes_of(const struct plan *plan, const struct line_set *set)
{
    uint64_t hists = 1; /* lateness */
    for (unsigned i = 0; i < plan->lines; i++)
        if (set->has[i])
            hists += plan->line[i].open_loop ? 2 : 1;
    return 2 * hists * TOUCHED_PER_HIST;
}

uint64_t engine_samples_bytes(const struct plan *plan, const struct target_caps *caps,
                              uint64_t workers)
{
    struct line_set all = {{false}};
    uint64_t bytes = 0;
    for (uint32_t g = 0; g < plan->groups; g++) {
        struct line_set own = {{false}};
        add_lines(plan, g, &own);
        add_lines(plan, g, &all);
        bytes += plan->group[g].streams * bytes_of(plan, &own);
    }
    return caps->blocking ? bytes : workers * bytes_of(plan, &all);
}

bool engine_touches_samples(const struct run *run)
{
    return engine_samples_bytes(run->plan, &run->caps, run->workers) <= TOUCH_BYTES_MAX;
}

/* Where latencies are counted most: a page made real inside the gate would be billed to the target.
 * With many workers that would be more memory than they ever use, and the first ops pay. */
void worker_touch_samples(struct worker *w)
{
    const struct plan *plan = w->run->plan;
    struct line_set own = {{false}};
    if (!w->run->touch_samples)
        return;
    for (uint32_t g = w->stream[0].group; g <= w->stream[w->streams - 1].group; g++)
        add_lines(plan, g, &own);
    for (unsigned b = 0; b < 2; b++) {
        struct samples_block *block = w->samples.block[b];
        hist_touch(&block->lateness, TOUCH_LOW_NS, TOUCH_HIGH_NS);
        for (unsigned i = 0; i < block->lines; i++) {
            if (!own.has[i])
                continue;
            block->line[i].ops = 0; /* may lie on a page before */
            hist_touch(&block->line[i].service, TOUCH_LOW_NS, TOUCH_HIGH_NS);
            if (plan->line[i].open_loop)
                hist_touch(&block->line[i].response, TOUCH_LOW_NS, TOUCH_HIGH_NS);
        }
    }
}
