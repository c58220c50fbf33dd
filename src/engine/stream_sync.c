/* Steps about time, between streams, and about the end. Each is one sample: how long the stream was kept. */
#include "engine/engine_priv.h"

/* Nothing between them took time: others of the worker get their turn. */
#define STEPS_IN_A_ROW 64u
#define EVENT_BYTES    1048576.0
#define OWN_CLOCK_NS   1000u /* and on a clock that only ops move, time goes on nevertheless */

static enum advance end(struct stream *s)
{
    s->state = STREAM_ENDED;
    return ADVANCE_ENDED;
}

/* The run is over for it. What its last op left behind stays noted. */
static enum advance cut(struct worker *w, struct stream *s)
{
    if (s->due_set)
        s->left = stream_left_now(w->run, s, false);
    return end(s);
}

/* It goes on at the same step, which has begun. */
static enum advance parked(struct stream *s)
{
    s->wait.begun = true;
    s->idle_wait = false; /* from now on it is not we who are late */
    return ADVANCE_PARKED;
}

static enum advance timed(struct stream *s, uint64_t until_ns)
{
    s->wait.begun = true;
    s->wait.until_ns = until_ns;
    s->state = STREAM_TIMED;
    return ADVANCE_TIMED;
}

static uint64_t later(uint64_t now, uint64_t by_ns)
{
    return now + by_ns < now ? UINT64_MAX : now + by_ns;
}

enum advance stream_waited(struct worker *w, struct stream *s, const struct plan_step *step,
                           uint64_t ops)
{
    const struct run *run = w->run;
    const struct flow flow = {.ops = ops, .service_ns = w->now - s->wait.since_ns};
    s->wait.begun = false;
    stream_count(w, s, step->counts, ops, 0);
    if (step->line != PLAN_NO_LINE && ops > 0 && w->now < run_close(run)) {
        worker_sample(w, &flow, step->line);
        if (w->now >= run_open(run))
            s->ops += ops;
    }
    w->stale = true;
    s->pc++;
    return ADVANCE_ON;
}

static uint64_t value_of(const struct worker *w, struct stream *s, const struct plan_step *step)
{
    return step->draw ? draw_count(&w->run->plan->draw[step->draw - 1], &s->rng) : step->value;
}

/* One that the end of the run has cut short is none. */
static enum advance hogged(struct worker *w, struct stream *s, const struct plan_step *step)
{
    return stream_over(w) ? cut(w, s) : stream_waited(w, s, step, 1);
}

static enum advance hog(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (s->wait.begun) {
        w->park.outside -= s->wait.outside;
        s->wait.outside = false;
        return hogged(w, s, step);
    }
    s->idle_wait = false; /* what it takes is not our being late */
    uint64_t stores = value_of(w, s, step);
    if (w->run->caps.own_clock) /* one each ns, as a processor does about */
        return timed(s, later(w->now, stores));
    if (w->run->sync->hogs) {
        s->state = STREAM_PARKED;
        s->wait.outside = true;
        w->park.outside++;
        hogs_give(w->run->sync->hogs, s, stores);
        return parked(s);
    }
    hog_burn(w->run, stores);
    w->now = clk_now(&w->clk);
    return hogged(w, s, step);
}

static enum advance delay(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (s->wait.begun)
        return stream_waited(w, s, step, 1);
    s->idle_wait = false;
    return timed(s, later(w->now, value_of(w, s, step)));
}

static enum advance block(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (s->wait.begun)
        return stream_waited(w, s, step, 1);
    event_wait(&w->run->sync->event[step->object], s);
    return parked(s);
}

static enum advance sem_wait(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (s->wait.begun)
        return stream_waited(w, s, step, 1);
    struct sem_instance *sem = sync_instance(w->run, step->object, s);
    gauge_add(&sem->credits, w, step->value);
    return gauge_take(&sem->posts, s, step->value) ? stream_waited(w, s, step, 1) : parked(s);
}

/* One instance after the other; the credits of each before its posts. */
static enum advance sem_post(struct worker *w, struct stream *s, const struct plan_step *step)
{
    const struct semaphore *sem = &w->run->sync->semaphore[step->object];
    uint32_t i = 0;
    if (s->wait.begun) { /* it has the credits of this one */
        i = s->wait.at;
        gauge_add(&sem->instance[i++].posts, w, step->value);
    }
    for (; i < sem->instances; i++) {
        s->wait.at = i;
        if (step->blocking && !gauge_take(&sem->instance[i].credits, s, step->value))
            return parked(s);
        gauge_add(&sem->instance[i].posts, w, step->value);
    }
    return stream_waited(w, s, step, 1);
}

/* When the arrivals have fallen due that the step takes; 0: it takes none. */
static uint64_t take_arrivals(struct worker *w, struct stream *s, const struct plan_step *step)
{
    struct run *run = w->run;
    struct schedule *schedule = &run->schedule[step->schedule];
    if (step->whole)
        return run->gate_ns + schedule_take(schedule);
    struct stream_count *count = &s->count[step->object];
    uint64_t moved = count->moved - count->charged;
    count->charged = count->moved;
    if (moved == 0)
        return 0;
    bool bytes = run->plan->group[s->group].counter[step->object].bytes;
    return run->gate_ns +
           schedule_take_many(schedule, bytes ? (double)moved / EVENT_BYTES : (double)moved);
}

/* Whole: it is an arrival as PLAN_ARRIVE takes it, for the flowop behind it. */
static enum advance limit(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (s->wait.begun)
        return stream_waited(w, s, step, 1);
    uint64_t due_ns = take_arrivals(w, s, step);
    if (due_ns >= run_close(w->run)) {
        w->park.cut = true;
        return cut(w, s);
    }
    if (step->whole) {
        /* The last one was for no flowop at the target: it was done at once. */
        w->arrivals.backlog +=
            s->due_set && s->due_ns < run_open(w->run) && w->now >= run_open(w->run);
        s->due_ns = due_ns;
        s->due_set = true;
    }
    s->idle_wait = step->whole && due_ns > w->now;
    if (due_ns > w->now)
        return timed(s, due_ns);
    if (step->whole)
        count_arrival(w, s);
    return stream_waited(w, s, step, 1);
}

static enum advance finish(struct worker *w, struct stream *s, const struct plan_step *step)
{
    if (!stream_counted(w, s, step))
        return stream_waited(w, s, step, 1);
    ending_of_stream(w, s, step);
    return end(s);
}

static enum advance begin(struct worker *w, struct stream *s, const struct plan_step *step)
{
    const struct run *run = w->run;
    switch (step->kind) {
    case PLAN_HOG:
        return hog(w, s, step);
    case PLAN_DELAY:
        return delay(w, s, step);
    case PLAN_BLOCK:
        return block(w, s, step);
    case PLAN_WAKE:
        return stream_waited(w, s, step, event_signal(&run->sync->event[step->object], w));
    case PLAN_SEM_WAIT:
        return sem_wait(w, s, step);
    case PLAN_SEM_POST:
        return sem_post(w, s, step);
    case PLAN_LIMIT:
        return limit(w, s, step);
    case PLAN_FINISH:
        return finish(w, s, step);
    case PLAN_OUT:
        ending_of_stream(w, s, step);
        return end(s);
    default: /* FAIL */
        ending_failed(w, run->plan->text[step->value]);
        return end(s);
    }
}

/* Many such steps, and no op or wait between them. */
static bool hurries(struct stream *s)
{
    if (s->wait.issued_ns != s->issued_ns) {
        s->wait.issued_ns = s->issued_ns;
        s->wait.steps = 0;
    }
    return ++s->wait.steps > STEPS_IN_A_ROW;
}

enum advance stream_sync_step(struct worker *w, struct stream *s, const struct plan_step *step,
                              uint32_t *pc)
{
    s->pc = *pc;
    if (!s->wait.begun) {
        if (w->stale) {
            w->now = clk_now(&w->clk);
            w->stale = false;
        }
        if (stream_over(w))
            return cut(w, s);
        if (hurries(s)) {
            s->wait.steps = 0;
            s->idle_wait = false; /* its arrival has been counted */
            s->wait.until_ns = w->now + (w->run->caps.own_clock ? OWN_CLOCK_NS : 0);
            s->state = STREAM_TIMED;
            return ADVANCE_TIMED;
        }
        s->wait.since_ns = w->now;
    } else {
        s->wait.steps = 0;
    }
    enum advance next = begin(w, s, step);
    *pc = s->pc;
    return next;
}
