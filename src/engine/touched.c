/* Which blocks of the files the window's ops have come to: how many distinct ones there were. */
#include "engine/worker_priv.h"

#include <errno.h>
#include <stdlib.h>

int touched_new(struct worker *w)
{
    if (w->run->plan->touched_bytes == 0)
        return 0;
    w->room.touched = calloc(1, sizeof *w->room.touched);
    return w->room.touched ? 0 : -ENOMEM;
}

void touched_add(struct worker *w, const struct stream *s, const struct slot *slot, uint64_t bytes)
{
    unsigned shift = (unsigned)__builtin_ctzll(w->run->plan->touched_bytes);
    if (bytes == 0 || w->phase != PHASE_BODY || w->now < run_open(w->run) ||
        w->now >= run_close(w->run))
        return;
    uint64_t key = slot_key(w, slot);
    for (uint64_t block = s->op.off >> shift; block <= (s->op.off + bytes - 1) >> shift; block++)
        sketch_add(w->room.touched, mix64_pair(key, block));
    w->stale = true; /* it takes as long as a reading of the clock */
}

void touched_fill(struct run *run)
{
    struct sketch *sum = run->plan->touched_bytes > 0 ? calloc(1, sizeof *sum) : NULL;
    if (!sum) {
        if (run->plan->touched_bytes > 0)
            run->collect_error = -ENOMEM;
        return;
    }
    for (unsigned i = 0; i < run->workers; i++)
        if (atomic_load_explicit(&run->worker[i].gone, memory_order_acquire))
            sketch_merge(sum, run->worker[i].room.touched);
    run->out->touched_blocks = sketch_count(sum);
    free(sum);
}
