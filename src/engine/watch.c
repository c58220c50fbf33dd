#include "base/units.h"
#include "engine/engine_priv.h"

#include <stdio.h>

/* The op that is at the target longest, or NULL. */
static const struct stream *oldest_held(const struct run *run, uint64_t *since_ns)
{
    const struct stream *oldest = NULL;
    *since_ns = UINT64_MAX;
    for (unsigned i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (unsigned j = 0; j < w->streams; j++) {
            uint64_t since =
                atomic_load_explicit(&w->stream[j].held_since_ns, memory_order_acquire);
            if (since != 0 && since < *since_ns) {
                *since_ns = since;
                oldest = &w->stream[j];
            }
        }
    }
    return oldest;
}

bool watch_holds(const struct run *run)
{
    uint64_t since_ns;
    return oldest_held(run, &since_ns) != NULL;
}

bool watch_stalled(struct run *run)
{
    struct engine_stuck *stuck = &run->out->stuck;
    uint64_t limit = run->job->stall_ns;
    if (limit == 0)
        return false;
    uint64_t since_ns;
    uint64_t now = clk_now(&run->clk);
    const struct stream *oldest = oldest_held(run, &since_ns);
    if (!oldest || now < since_ns || now - since_ns < limit)
        return false;
    char path[256];
    char age[UNITS_PRINT_MAX];
    stream_path(run, oldest, path, sizeof path);
    stuck->found = true;
    stuck->age_ns = now - since_ns;
    snprintf(stuck->what, sizeof stuck->what, "%s of %s by stream %u has not returned for %s",
             op_kind_name(oldest->op.kind), path, oldest->number,
             units_print_ns(age, stuck->age_ns));
    return true;
}
