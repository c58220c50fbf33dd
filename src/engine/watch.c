#include "base/units.h"
#include "engine/engine_priv.h"

#include <stdio.h>
#include <sys/param.h>

#define STOOD_STILL_NS 2000000000u /* between two looks, which are 0.25 s apart at the most */

/* The op of a worker that is at the target longest, or NULL. */
static const struct stream *oldest_of(const struct worker *w, uint64_t *since_ns)
{
    const struct stream *oldest = NULL;
    *since_ns = UINT64_MAX;
    for (unsigned i = 0; i < w->streams; i++) {
        uint64_t since = atomic_load_explicit(&w->stream[i].held_since_ns, memory_order_acquire);
        if (since != 0 && since < *since_ns) {
            *since_ns = since;
            oldest = &w->stream[i];
        }
    }
    return oldest;
}

static const struct stream *oldest_held(const struct run *run, uint64_t *since_ns)
{
    const struct stream *oldest = NULL;
    *since_ns = UINT64_MAX;
    for (unsigned i = 0; i < run->workers; i++) {
        uint64_t since;
        const struct stream *s = oldest_of(&run->worker[i], &since);
        if (s && since < *since_ns) {
            *since_ns = since;
            oldest = s;
        }
    }
    return oldest;
}

bool watch_holds(const struct run *run)
{
    uint64_t since_ns;
    return oldest_held(run, &since_ns) != NULL;
}

/* The clock of another thread may lie some ns ahead. */
static bool is_old(const struct run *run, uint64_t since_ns, uint64_t now)
{
    uint64_t from_ns = MAX(since_ns, run->watch.from_ns);
    return now > from_ns && now - from_ns >= run->job->stall_ns;
}

unsigned watch_stuck(const struct run *run)
{
    unsigned n = 0;
    uint64_t now = clk_now(&run->clk);
    for (unsigned i = 0; i < run->workers; i++) {
        uint64_t since;
        n += oldest_of(&run->worker[i], &since) != NULL && is_old(run, since, now);
    }
    return n;
}

void watch_look(struct run *run, uint64_t now)
{
    struct watch *watch = &run->watch;
    if (!run->caps.own_clock && watch->looked_ns > 0 && now > watch->looked_ns + STOOD_STILL_NS)
        watch->from_ns = now;
    watch->looked_ns = now;
}

bool watch_stalled(struct run *run)
{
    struct engine_stuck *stuck = &run->out->stuck;
    if (run->job->stall_ns == 0)
        return false;
    uint64_t since_ns;
    uint64_t now = clk_now(&run->clk);
    watch_look(run, now);
    const struct stream *oldest = oldest_held(run, &since_ns);
    if (!oldest || !is_old(run, since_ns, now))
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
