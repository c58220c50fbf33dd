/* What a session is told before its first op, so that it can size itself. */
#include "engine/worker_priv.h"
#include "fileset/grown.h"

#include <sys/param.h>

#define DIRS_LEAST  64
#define DIRS_OPEN   4096  /* of a target that keeps them open */
#define DIRS_HANDLE 65536 /* of one that only keeps what they are called */

static uint64_t dirs_of(const struct plan *plan)
{
    uint64_t dirs = FILESET_PLACE_MAX;
    for (unsigned i = 0; i < plan->sets; i++)
        dirs += fileset_spec_dirs(&plan->set[i]) + 1 + plan->set[i].trees +
                (plan->set[i].grown ? grown_leafs(plan->set[i].grown) : 0);
    return dirs;
}

/* A client without a cache would look a directory up again, by a call that belongs to no op, each time it
 * was forgotten: it keeps all of them where that is possible. */
unsigned engine_dirs_max(const struct plan *plan, const struct target_caps *caps, uint64_t streams)
{
    if (caps->blocking)
        return DIRS_LEAST;
    uint64_t dirs = MIN(MAX(DIRS_LEAST, 2 * streams), DIRS_OPEN);
    if (caps->uncached)
        dirs = MAX(dirs, MIN(dirs_of(plan), DIRS_HANDLE));
    return (unsigned)dirs;
}

static uint32_t kinds_of(const struct plan *plan)
{
    uint32_t kinds = plan->sync_at_end ? 1u << OP_SYNCFS : 0;
    for (unsigned i = 0; i < plan->steps; i++)
        if (plan->step[i].kind == PLAN_OP)
            kinds |= 1u << plan->step[i].op;
    return kinds;
}

static void remake(const void *ctx, const uint64_t origin[3], uint64_t off, void *buf, uint64_t len)
{
    content_fill(ctx, origin[0], origin[1], origin[2], off, buf, len);
}

void worker_spec(const struct worker *w, struct session_spec *spec)
{
    const struct run *run = w->run;
    const struct plan *plan = run->plan;
    uint64_t handles = 0; /* fits: plan_check */
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (unsigned i = 0; i < w->streams; i++) {
        const struct stream *s = &w->stream[i];
        handles += (uint64_t)plan->group[s->group].slots + plan->group[s->group].handles;
        first = MIN(first, s->op.client);
        last = MAX(last, s->op.client);
    }
    *spec = (struct session_spec){.names = fileset_map_names(&run->map),
                                  .op_kinds = kinds_of(plan),
                                  .client_first = first,
                                  .clients = last - first + 1,
                                  .resolve_always = plan->instrument.resolve_always,
                                  .ops_max = w->ring,
                                  .detached_max = w->detached.n,
                                  .handles_max = (unsigned)handles,
                                  .dirs_max = engine_dirs_max(plan, &run->caps, w->streams)};
    if (run->content.block)
        spec->remake = (struct target_remake){.fill = remake, .ctx = &run->content};
}
