#include "engine/worker_priv.h"

#include <errno.h>
#include <string.h>

#define SETUP_LIMIT_NS 3600000000000u /* of a target's own clock, outside the gate */

/* The place in the ring of ready ops that is n places behind `at`. */
static unsigned ring_at(const struct worker *w, unsigned at, unsigned n)
{
    unsigned sum = at + n;
    return sum < w->ring ? sum : sum - w->ring;
}

static void advance(struct worker *w, struct stream *s)
{
    enum advance to = stream_advance(w, s);
    if (to == ADVANCE_HELD)
        w->ready[ring_at(w, w->ready_head, w->ready_n++)] = &s->op;
    else if (to == ADVANCE_HANDING)
        w->ready[ring_at(w, w->ready_head, w->ready_n++)] = &s->detached.handing->op;
    else if (to == ADVANCE_TIMED)
        timer_push(w, s);
    else if (to == ADVANCE_ENDED)
        w->live--;
}

static void complete(struct worker *w, struct op *op)
{
    struct stream *s;
    if (op_is_detached(op)) {
        s = ((struct detached *)op->user)->stream;
        if (detached_complete(w, op->user))
            advance(w, s);
        return;
    }
    s = op->user;
    stream_complete(w, s);
    if (!check_begin(w, s))
        advance(w, s);
}

/* Lateness is ours only where the stream was idle when its arrival fell due. */
static void note_lateness(struct worker *w, struct stream *s)
{
    s->idle_wait = false;
    if (w->now >= w->turn.at_ns)
        worker_turn(w);
    if (w->now >= run_open(w->run) && w->now < run_close(w->run))
        hist_record(&samples_current(&w->samples)->lateness, w->now - s->due_ns);
}

static struct stream *stream_of(const struct op *op)
{
    return op_is_detached(op) ? ((struct detached *)op->user)->stream : op->user;
}

static _Atomic uint64_t *held_since(const struct op *op)
{
    return op_is_detached(op) ? &((struct detached *)op->user)->held_since_ns
                              : &((struct stream *)op->user)->held_since_ns;
}

static inline void issue(struct worker *w, const struct op *op)
{
    struct stream *s = stream_of(op);
    s->issued_ns = w->now;
    if (!s->due_set && s->flow.ops == 0) /* else a further piece of what fell due with the first */
        s->due_ns = w->now;
    if (s->idle_wait)
        note_lateness(w, s);
    if (op_is_detached(op))
        ((struct detached *)op->user)->issued_ns = w->now;
    atomic_store_explicit(held_since(op), w->now, memory_order_release);
}

/* The session refuses everything: one op after the other gets its error. */
static void refuse_first(struct worker *w, int code)
{
    struct op *lost = w->ready[w->ready_head];
    lost->res = code;
    w->ready_head = ring_at(w, w->ready_head, 1);
    w->ready_n--;
    complete(w, lost);
}

/* Hands n ops to the target as issued now: how many it took, or -errno. */
static inline int hand_over(struct worker *w, struct op **ops, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        issue(w, ops[i]);
    int taken = w->run->table->submit(w->session, ops, n);
    for (unsigned i = taken < 0 ? 0 : (unsigned)taken; i < n; i++)
        atomic_store_explicit(held_since(ops[i]), 0, memory_order_relaxed);
    return taken;
}

/* The streams of ops that the target has now, and that nobody waits for. */
static void go_on(struct worker *w, struct op *const *ops, unsigned n)
{
    w->now = clk_now(&w->clk);
    for (unsigned i = 0; i < n; i++) {
        if (!op_is_detached(ops[i]))
            continue;
        struct detached *d = ops[i]->user;
        detached_handed(w, d);
        advance(w, d->stream);
    }
}

/* Offers one batch. false: nothing is left to be offered, or not until something was reaped. */
static bool offer_batch(struct worker *w)
{
    struct op *taken_ops[ENGINE_BATCH];
    struct op **ops = &w->ready[w->ready_head];
    unsigned n = w->ring - w->ready_head < w->ready_n ? w->ring - w->ready_head : w->ready_n;
    if (n > ENGINE_BATCH)
        n = ENGINE_BATCH;
    /* One clock reading serves the end of one op and the start of the next, unless work of ours lies
     * between: making content, picking, or the other ops of a batch. */
    if (w->stale || n > 1) {
        w->now = clk_now(&w->clk);
        w->stale = false;
    }
    int taken = hand_over(w, ops, n);
    unsigned k = taken < 0 ? 0 : (unsigned)taken;
    w->ready_head = ring_at(w, w->ready_head, k);
    w->ready_n -= k;
    w->held += k;
    if (taken < 0)
        refuse_first(w, taken);
    if (k > 0 && w->detached.out > 0) { /* they put further ones into the ring */
        memcpy(taken_ops, ops, k * sizeof(struct op *));
        go_on(w, taken_ops, k);
    }
    return taken < 0 || (k == n && w->ready_n > 0);
}

/* That no turn has handed on yet. */
static bool has_samples(const struct worker *w)
{
    return atomic_load_explicit(&w->live_samples, memory_order_relaxed) != w->turn.samples;
}

static uint64_t reap_until(const struct worker *w)
{
    bool own_clock = w->run->caps.own_clock;
    uint64_t until = own_clock && w->phase != PHASE_BODY ? w->now + SETUP_LIMIT_NS : UINT64_MAX;
    if (w->timer_n > 0 && w->timer[0]->wait.until_ns < until)
        until = w->timer[0]->wait.until_ns;
    if (w->phase != PHASE_BODY)
        return until;
    if (w->held == 0 && run_close(w->run) < until)
        until = run_close(w->run);
    /* Time must not jump over a boundary that this thread collects at; and what was done is handed on
     * in its time, however long nothing comes after it. */
    if ((own_clock || has_samples(w)) && w->turn.at_ns < until)
        until = w->turn.at_ns;
    return until;
}

static void release_timers(struct worker *w)
{
    while (w->timer_n > 0 && w->timer[0]->wait.until_ns <= w->now) {
        struct stream *s = timer_pop(w);
        if (s->idle_wait)
            count_arrival(w, s);
        advance(w, s);
    }
}

/* Streams that others have sent on. */
static void open_mail(struct worker *w)
{
    struct stream *next;
    for (struct stream *s = park_take(w); s; s = next) {
        next = s->wait.next;
        if (check_back(w, s))
            w->stale = true;
        if (s->state == STREAM_PARKED)
            advance(w, s);
    }
}

static bool has_mail(const struct worker *w)
{
    return atomic_load_explicit(&w->park.inbox.last, memory_order_relaxed) != NULL;
}

/* Streams that wait for a time or for each other. */
static void turn_waiting(struct worker *w)
{
    if (has_mail(w))
        open_mail(w);
    if (w->timer_n > 0 && atomic_load_explicit(&w->run->halt, memory_order_relaxed) == HALT_NONE)
        release_timers(w);
    if (w->live > w->held + w->ready_n - w->detached.out && stream_over(w))
        timer_end_waiting(w);
}

/* Nothing of its own will bring it anything. */
static bool only_waits(const struct worker *w)
{
    return w->held + w->ready_n + w->timer_n + w->park.outside == 0 && w->phase == PHASE_BODY;
}

/* Nothing came back: on a clock that only we move, or because an interval is over. */
static void idle_turn(struct worker *w)
{
    if (w->phase == PHASE_BODY) {
        if (w->now >= w->turn.at_ns)
            worker_turn(w);
    } else if (w->run->caps.own_clock && w->err.code == 0) {
        err_set(&w->err, -ETIMEDOUT, "an op outside the gate has not returned for an hour");
        atomic_store(&w->run->halt, HALT_DROP);
    }
}

/* How long nobody has looked for completions. After a single op the last reading of the clock is
 * young enough; handling a batch, and offering it again, takes longer than reading the clock. */
static void note_gap(struct worker *w)
{
    if (w->held == 0 || w->reap.at_ns == 0 || w->run->caps.blocking)
        return;
    uint64_t now = w->reap.handled > 1 || w->stale ? clk_now(&w->clk) : w->now;
    if (now - w->reap.at_ns > w->reap.gap_max_ns)
        w->reap.gap_max_ns = now - w->reap.at_ns;
}

static void reap_batch(struct worker *w)
{
    struct op *done[ENGINE_BATCH];
    note_gap(w);
    if (only_waits(w) && !has_mail(w))
        park_rest(w);
    unsigned min = has_mail(w) ? 0 : 1;
    int n = w->run->table->reap(w->session, done, min, ENGINE_BATCH, reap_until(w));
    park_rise(w);
    w->now = clk_now(&w->clk);
    w->stale = false;
    if (w->calls.tells)
        calls_turn(w);
    w->reap.at_ns = w->now;
    w->reap.handled = n > 0 ? (unsigned)n : 0;
    if (worker_dropping(w))
        return;
    if (n <= 0)
        idle_turn(w);
    for (int i = 0; i < n; i++) {
        w->held--;
        complete(w, done[i]);
    }
    turn_waiting(w);
}

/* From offer to answer of the only op there is: a batch of one, without what batches need, which was
 * 5 of 44 ns. Whatever does not go straight through is left to offer_batch and reap_batch. */
static void turn_alone(struct worker *w)
{
    struct op *op = w->ready[0];
    struct op *done;
    if (w->stale) {
        w->now = clk_now(&w->clk);
        w->stale = false;
    }
    int taken = hand_over(w, &op, 1);
    if (taken < 0)
        refuse_first(w, taken);
    else if (taken == 0)
        reap_batch(w);
    if (taken <= 0)
        return;
    w->ready_n = 0;
    w->held = 1;
    if (w->run->table->reap(w->session, &done, 1, 1, UINT64_MAX) != 1)
        return;
    w->now = clk_now(&w->clk);
    if (w->calls.tells)
        calls_turn(w);
    w->reap.at_ns = w->now;
    w->held = 0;
    if (!worker_dropping(w))
        complete(w, done);
}

/* What the target still holds is nobody's any more, and not the watchdog's either. The plan may be
 * gone by now: engine_run has long returned when an op comes back that was given up. */
static void drop_held(struct worker *w)
{
    w->dropped = true;
    for (unsigned i = 0; i < w->streams; i++) {
        struct stream *s = &w->stream[i];
        s->was_held = atomic_load_explicit(&s->held_since_ns, memory_order_relaxed) != 0;
        atomic_store_explicit(&s->held_since_ns, 0, memory_order_relaxed);
    }
    for (unsigned i = 0; i < w->detached.n; i++) {
        struct detached *d = &w->detached.all[i];
        d->was_held = atomic_load_explicit(&d->held_since_ns, memory_order_relaxed) != 0;
        atomic_store_explicit(&d->held_since_ns, 0, memory_order_relaxed);
    }
}

void worker_drive(struct worker *w, enum phase phase)
{
    const struct plan *plan = w->run->plan;
    bool alone = w->ring == 1 && !w->run->caps.own_clock;
    w->phase = phase;
    w->live = w->streams;
    atomic_store(&w->park.inbox.last, NULL); /* of streams that have ended since */
    for (unsigned i = 0; i < w->streams; i++) {
        struct stream *s = &w->stream[i];
        const struct plan_group *group = &plan->group[s->group];
        memset(s->turns.loop, 0, group->loops * sizeof *s->turns.loop);
        stream_enter(s, phase == PHASE_SETUP  ? group->setup
                        : phase == PHASE_BODY ? group->body
                                              : group->teardown);
        advance(w, s);
    }
    while (w->live + w->held + w->ready_n > 0 && !worker_dropping(w)) {
        if (alone && w->ready_n > 0)
            turn_alone(w);
        else if (w->ready_n == 0 || !offer_batch(w))
            reap_batch(w);
    }
    if (w->live + w->held > 0)
        drop_held(w);
}

int worker_await(struct worker *w, struct op *done[], unsigned max)
{
    int n = 0;
    while (n < 1 && !worker_dropping(w)) {
        n = w->run->table->reap(w->session, done, 1, max, reap_until(w));
        w->now = clk_now(&w->clk);
        if (n < 1 && w->run->caps.own_clock)
            idle_turn(w);
    }
    if (!worker_dropping(w))
        return n;
    drop_held(w);
    return -ECANCELED;
}

/* One op outside of any plan's steps, watched like any other. false: it does not return. */
static bool do_watched(struct worker *w, struct stream *s)
{
    const struct run *run = w->run;
    struct op *op = &s->op;
    struct op *done;
    w->now = clk_now(&w->clk);
    s->issued_ns = w->now;
    atomic_store_explicit(&s->held_since_ns, w->now, memory_order_release);
    int taken = run->table->submit(w->session, &op, 1);
    if (taken < 1)
        op->res = taken < 0 ? taken : -EBUSY;
    w->held = 1;
    while (taken == 1 && !worker_dropping(w) &&
           run->table->reap(w->session, &done, 1, 1, reap_until(w)) < 1) {
        w->now = clk_now(&w->clk);
        if (run->caps.own_clock)
            idle_turn(w);
    }
    w->held = 0;
    w->now = clk_now(&w->clk);
    if (worker_dropping(w))
        drop_held(w);
    else
        atomic_store_explicit(&s->held_since_ns, 0, memory_order_relaxed);
    return !w->dropped;
}

void worker_sync(struct worker *w)
{
    const struct run *run = w->run;
    struct stream *s = &w->stream[0];
    s->op.kind = OP_SYNCFS;
    s->op.node = fileset_place_node(&run->map);
    if (!do_watched(w, s))
        return;
    if (s->op.res < 0) {
        worker_record_error(w, s, OP_SYNCFS, (int)s->op.res);
        return;
    }
    const struct flow flow = {.ops = 1, .service_ns = w->now - s->issued_ns};
    worker_sample(w, &flow, run->plan->sync_line);
}
