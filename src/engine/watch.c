#include "base/units.h"
#include "engine/engine_priv.h"

#include <stdio.h>

bool watch_stalled(struct run *run)
{
    uint64_t limit = run->job->stall_ns;
    struct engine_stuck *stuck = &run->out->stuck;
    if (limit == 0)
        return false;
    uint64_t now = clk_now(&run->clk);
    const struct stream *oldest = NULL;
    uint64_t oldest_ns = now;
    for (unsigned i = 0; i < run->workers; i++) {
        const struct worker *w = &run->worker[i];
        for (unsigned j = 0; j < w->streams; j++) {
            uint64_t since =
                atomic_load_explicit(&w->stream[j].held_since_ns, memory_order_acquire);
            if (since != 0 && since < oldest_ns) {
                oldest_ns = since;
                oldest = &w->stream[j];
            }
        }
    }
    if (!oldest || now - oldest_ns < limit)
        return false;
    char path[256];
    char age[UNITS_PRINT_MAX];
    stream_path(run, oldest, path, sizeof path);
    stuck->found = true;
    stuck->age_ns = now - oldest_ns;
    snprintf(stuck->what, sizeof stuck->what, "%s of %s by stream %u has not returned for %s",
             op_kind_name(oldest->op.kind), path, oldest->number,
             units_print_ns(age, stuck->age_ns));
    return true;
}
