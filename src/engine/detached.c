/* Ops that their stream does not wait for: handed over, and joined later or never. */
#include "engine/engine_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/param.h>

static enum advance parked(struct stream *s)
{
    s->idle_wait = false;
    s->state = STREAM_PARKED;
    return ADVANCE_PARKED;
}

static void free_one(struct worker *w, struct detached *d)
{
    struct stream *s = d->stream;
    d->slot->detached--;
    d->next = s->detached.free;
    s->detached.free = d;
    s->detached.out--;
    w->detached.out--;
}

static struct detached *take_one(struct worker *w, struct stream *s)
{
    struct detached *d = s->detached.free;
    s->detached.free = d->next;
    s->detached.out++;
    w->detached.out++;
    return d;
}

/* Prepared as the stream's own op would be, into the memory of this one. */
static enum prepared prepare(struct worker *w, struct stream *s, const struct plan_step *step,
                             struct detached *d)
{
    unsigned char *own = s->buf;
    s->buf = d->buf;
    s->detached.handing = d;
    enum prepared prepared = stream_prepare(w, s, step);
    s->buf = own;
    if (prepared != PREPARED_OP) {
        s->detached.handing = NULL;
        return prepared;
    }
    d->op.kind = s->op.kind;
    d->op.flags = s->op.flags | OP_FLAG_DETACHED;
    d->op.handle = s->op.handle;
    d->op.buf = s->op.buf;
    d->op.off = s->op.off;
    d->op.len = s->op.len;
    memcpy(d->op.origin, s->op.origin, sizeof d->op.origin);
    d->op.extra = 0;
    d->want = s->want;
    return prepared;
}

enum advance detached_begin(struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct slot *slot = stream_slot(s, step->slot);
    if (!slot->open)
        return ADVANCE_ON;
    if (!s->detached.free) {
        w->detached.full += !s->wait.begun;
        s->wait.begun = true;
        return parked(s);
    }
    s->wait.begun = false;
    struct detached *d = take_one(w, s);
    d->slot = slot;
    slot->detached++;
    if (prepare(w, s, step, d) != PREPARED_OP) {
        const struct flow nothing = {0};
        free_one(w, d);
        stream_finish(w, s, step, &nothing, 0);
        s->idle_wait = false;
        s->wait.until_ns = w->now + 1;
        s->state = STREAM_TIMED;
        return ADVANCE_TIMED;
    }
    if (step->at.where == PLAN_AT_POSITION)
        slot->pos += d->want;
    d->of = *slot;
    d->step = s->pc;
    d->handed = false;
    d->left = (struct stream_left){0};
    s->state = STREAM_HELD;
    return ADVANCE_HANDING;
}

void detached_handed(struct worker *w, struct detached *d)
{
    struct stream *s = d->stream;
    const struct flow flow = {.ops = 1, .bytes = d->want, .service_ns = w->now - d->issued_ns};
    d->handed = true;
    s->detached.handing = NULL;
    s->state = STREAM_RUN;
    stream_finish(w, s, &w->run->plan->step[d->step], &flow, 0);
}

/* Whether the step at which a stream is parked is one that waits for detached ops. */
static bool waits_for_them(const struct worker *w, const struct stream *s)
{
    const struct plan_step *step = &w->run->plan->step[s->pc];
    return s->state == STREAM_PARKED && (step->kind == PLAN_JOIN || step->kind == PLAN_OP);
}

static int code_of(const struct plan_step *step, const struct detached *d, uint64_t *got)
{
    *got = d->op.res > 0 ? MIN((uint64_t)d->op.res, d->want) : 0;
    if (d->op.res < 0)
        return (int)d->op.res;
    return *got < d->want && !(step->partial && *got > 0) ? -ENODATA : 0;
}

/* The target would not have it: the flowop has failed, as any other would have. */
static bool refused(struct worker *w, struct detached *d, int code)
{
    const struct flow nothing = {0};
    struct stream *s = d->stream;
    s->detached.handing = NULL;
    s->state = STREAM_RUN;
    free_one(w, d);
    stream_finish(w, s, &w->run->plan->step[d->step], &nothing, code < 0 ? code : -EIO);
    return true;
}

bool detached_complete(struct worker *w, struct detached *d)
{
    const struct plan_step *step = &w->run->plan->step[d->step];
    struct stream *s = d->stream;
    struct flow flow = {.ops = 1, .service_ns = w->now - d->issued_ns};
    char path[ENGINE_PATH_MAX];
    int code = code_of(step, d, &flow.bytes);
    atomic_store_explicit(&d->held_since_ns, 0, memory_order_relaxed);
    if (!d->handed)
        return refused(w, d, code);
    bool late = w->phase == PHASE_BODY && w->now >= run_close(w->run);
    if (late)
        d->left = detached_left_now(w->run, d, d->issued_ns < run_close(w->run));
    if (code < 0) {
        detached_path(w->run, d, path, sizeof path);
        worker_record_error_of(w, step, d->op.kind, code, path);
    } else if (!late && step->done_line != PLAN_NO_LINE && w->phase == PHASE_BODY) {
        worker_sample(w, &flow, step->done_line);
    }
    free_one(w, d);
    return waits_for_them(w, s);
}

enum advance detached_join(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (!s->wait.begun) {
        if (w->stale)
            w->now = clk_now(&w->clk);
        w->stale = false;
        s->wait.since_ns = w->now;
        s->wait.at = (uint32_t)(s->detached.out * step->value / 100);
        s->wait.begun = true;
    }
    if (s->detached.out <= s->wait.at)
        return stream_waited(w, s, step, 1);
    if (!stream_over(w))
        return parked(s);
    s->left = stream_left_now(w->run, s, false);
    s->state = STREAM_ENDED;
    return ADVANCE_ENDED;
}

struct stream_left detached_left_now(const struct run *run, const struct detached *d, bool held)
{
    uint16_t line = run->plan->step[d->step].done_line;
    struct stream_left left = {.line = line};
    if (held && line != PLAN_NO_LINE)
        left.what = LEFT_OP;
    return left;
}

void detached_path(const struct run *run, const struct detached *d, char *buf, size_t room)
{
    char leaf[FILESET_LEAF_MAX];
    uint64_t node = fileset_file(&run->map.set[d->of.set], d->of.tree, d->of.index, leaf);
    fileset_path(&run->map, node, leaf, buf, room);
}
