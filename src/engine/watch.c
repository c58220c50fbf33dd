#include "base/units.h"
#include "engine/engine_priv.h"

#include <stdio.h>
#include <sys/param.h>

#define STOP_PATIENCE_NS 5000000000u /* for an op of a run that was asked to stop */
#define STOOD_STILL_NS   2000000000u /* between two looks, which are 0.25 s apart at the most */

/* An op at the target: a stream's own, or one that its stream does not wait for. */
struct held {
    const struct stream *s; /* NULL: there is none */
    const struct detached *d;
    uint64_t since_ns;
};

static void look_at(struct held *oldest, const _Atomic uint64_t *held_since_ns,
                    const struct stream *s, const struct detached *d)
{
    uint64_t since = atomic_load_explicit(held_since_ns, memory_order_acquire);
    if (since != 0 && since < oldest->since_ns)
        *oldest = (struct held){.s = s, .d = d, .since_ns = since};
}

static void look_at_all(struct held *oldest, const struct worker *w)
{
    for (unsigned i = 0; i < w->streams; i++)
        look_at(oldest, &w->stream[i].held_since_ns, &w->stream[i], NULL);
    for (unsigned i = 0; i < w->detached.n; i++) {
        const struct detached *d = &w->detached.all[i];
        look_at(oldest, &d->held_since_ns, d->stream, d);
    }
}

/* That of a worker that is at the target longest. */
static struct held oldest_of(const struct worker *w)
{
    struct held oldest = {.since_ns = UINT64_MAX};
    look_at_all(&oldest, w);
    return oldest;
}

static struct held oldest_held(const struct run *run)
{
    struct held oldest = {.since_ns = UINT64_MAX};
    for (unsigned i = 0; i < run->workers; i++)
        look_at_all(&oldest, &run->worker[i]);
    return oldest;
}

bool watch_holds(const struct run *run)
{
    return oldest_held(run).s != NULL;
}

/* The clock of another thread may lie some ns ahead. */
static bool has_age(uint64_t from_ns, uint64_t now, uint64_t age_ns)
{
    return now > from_ns && now - from_ns >= age_ns;
}

/* Of a run that is to stop it is waited less for: --stall may be minutes. Not where giving up ends
 * nothing, since a thread is in the kernel with it, and what is left could not be removed. */
static bool is_old(const struct run *run, uint64_t since_ns, uint64_t now)
{
    const struct watch *watch = &run->watch;
    uint64_t from_ns = MAX(since_ns, watch->from_ns);
    if (has_age(from_ns, now, run->job->stall_ns))
        return true;
    return watch->stopping_ns > 0 && !run->caps.blocking &&
           has_age(MAX(from_ns, watch->stopping_ns), now, STOP_PATIENCE_NS);
}

unsigned watch_stuck(const struct run *run)
{
    unsigned n = 0;
    uint64_t now = clk_now(&run->clk);
    for (unsigned i = 0; i < run->workers; i++) {
        struct held oldest = oldest_of(&run->worker[i]);
        n += oldest.s != NULL && is_old(run, oldest.since_ns, now);
    }
    return n;
}

void watch_look(struct run *run, uint64_t now)
{
    struct watch *watch = &run->watch;
    if (!run->caps.own_clock && watch->looked_ns > 0 && now > watch->looked_ns + STOOD_STILL_NS)
        watch->from_ns = now;
    watch->looked_ns = now;
    if (watch->stopping_ns == 0 && !run->caps.own_clock && run->job->stop &&
        atomic_load(run->job->stop) != 0)
        watch->stopping_ns = now;
}

bool watch_stalled(struct run *run)
{
    struct engine_stuck *stuck = &run->out->stuck;
    if (run->job->stall_ns == 0)
        return false;
    uint64_t now = clk_now(&run->clk);
    watch_look(run, now);
    struct held oldest = oldest_held(run);
    if (!oldest.s || !is_old(run, oldest.since_ns, now))
        return false;
    char path[256];
    char age[UNITS_PRINT_MAX];
    if (oldest.d)
        detached_path(run, oldest.d, path, sizeof path);
    else
        stream_path(run, oldest.s, path, sizeof path);
    stuck->found = true;
    stuck->age_ns = now - oldest.since_ns;
    snprintf(stuck->what, sizeof stuck->what, "%s of %s by stream %u has not returned for %s",
             op_kind_name(oldest.d ? oldest.d->op.kind : oldest.s->op.kind), path, oldest.s->number,
             units_print_ns(age, stuck->age_ns));
    return true;
}
