/* What steps count, for the steps that limit by it or end by it. */
#include "engine/engine_priv.h"

static _Atomic uint64_t *process_count(const struct worker *w, const struct stream *s, unsigned i)
{
    const struct plan_group *group = &w->run->plan->group[s->group];
    uint64_t within = (uint64_t)s->number * group->processes / group->streams;
    return &w->run->sync->count[(group->process + within) * w->run->sync->counters + i];
}

/* What all of a process count in takes as long as they are many: it must not be billed to the target. */
void stream_count_all(struct worker *w, struct stream *s, uint64_t counts, uint64_t ops,
                      uint64_t bytes)
{
    const struct plan_group *group = &w->run->plan->group[s->group];
    for (; counts; counts &= counts - 1) {
        unsigned i = (unsigned)__builtin_ctzll(counts);
        uint64_t by = group->counter[i].bytes ? bytes : ops;
        s->count[i].moved += by;
        if (!group->counter[i].process || by == 0)
            continue;
        atomic_fetch_add_explicit(process_count(w, s, i), by, memory_order_relaxed);
        w->stale = true;
    }
}

bool stream_counted(const struct worker *w, const struct stream *s, const struct plan_step *step)
{
    const struct plan_counter *counter = &w->run->plan->group[s->group].counter[step->object];
    uint64_t moved = counter->process ? atomic_load_explicit(process_count(w, s, step->object),
                                                             memory_order_relaxed)
                                      : s->count[step->object].moved;
    return counter->bytes ? moved > step->value : moved >= step->value;
}
