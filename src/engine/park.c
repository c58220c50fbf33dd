/* Between the workers: streams sent on, and whether anything can still move at all. */
#include "engine/engine_priv.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

/* sync.resting: how many rest, and above them how often one has risen: two looks at the same value
 * have nobody risen between them. */
#define ROSE ((uint64_t)1 << 32)

void park_send(struct stream *s, const struct worker *by)
{
    struct worker *to = s->wait.worker;
    struct stream *last = atomic_load_explicit(&to->park.inbox.last, memory_order_relaxed);
    do
        s->wait.next = last;
    while (!atomic_compare_exchange_weak(&to->park.inbox.last, &last, s));
    /* Whoever came first has woken it; and of what it sent to itself it knows. */
    if (!last && to != by)
        to->run->table->wake(to->session);
}

struct stream *park_take(struct worker *w)
{
    struct stream *s = atomic_exchange(&w->park.inbox.last, NULL);
    struct stream *first = NULL;
    while (s) {
        struct stream *before = s->wait.next;
        s->wait.next = first;
        first = s;
        s = before;
    }
    return first;
}

static bool no_mail(const struct run *run)
{
    for (unsigned i = 0; i < run->workers; i++)
        if (atomic_load(&run->worker[i].park.inbox.last))
            return false;
    return true;
}

/* Only the last one to rest gets past the first question, and only if nobody rises meanwhile. */
static bool nothing_will_move(const struct run *run, uint64_t resting, uint64_t now)
{
    struct sync *sync = run->sync;
    return (uint32_t)resting == run->workers && no_mail(run) &&
           atomic_load(&sync->resting) == resting && atomic_load(&sync->over) < run->workers &&
           !atomic_load(&sync->cut) && atomic_load(&run->halt) == HALT_NONE && now < run_close(run);
}

static void rest(struct worker *w)
{
    struct run *run = w->run;
    if (w->park.cut)
        atomic_store(&run->sync->cut, true);
    uint64_t resting = atomic_fetch_add(&run->sync->resting, 1) + 1;
    if (nothing_will_move(run, resting, w->now))
        ending_claim(run, ENGINE_STALLED, "");
}

void park_rest(struct worker *w)
{
    if (w->park.resting)
        return;
    w->park.resting = true;
    rest(w);
}

void park_rise(struct worker *w)
{
    if (!w->park.resting)
        return;
    w->park.resting = false;
    atomic_fetch_add(&w->run->sync->resting, ROSE - 1);
}

/* Of a worker that was told to drop everything: its helpers heed that, too, within some ten us. */
static void fetch_hogs(struct worker *w)
{
    while (w->park.outside > 0) {
        for (struct stream *s = park_take(w); s; s = s->wait.next) {
            if (check_back(w, s))
                continue;
            w->park.outside -= s->wait.outside;
            s->wait.outside = false;
        }
        sched_yield();
    }
}

void park_leave(struct worker *w)
{
    fetch_hogs(w);
    atomic_fetch_add(&w->run->sync->over, 1);
    park_rest(w);
}

/* ---- in words ---- */

#define WORDS_LINES_MAX 4u

static bool waits_for_others(const struct run *run, const struct stream *s)
{
    enum plan_step_kind kind = run->plan->step[s->pc].kind;
    return s->wait.begun && (kind == PLAN_BLOCK || kind == PLAN_SEM_WAIT || kind == PLAN_SEM_POST);
}

/* Adds those of the worker to the lines that they wait in; PLAN_NO_LINE: to the last number. */
static void add_waiting(const struct worker *w, uint32_t of_line[PLAN_LINES_MAX + 1],
                        uint64_t *since_ns)
{
    for (unsigned i = 0; i < w->streams; i++) {
        const struct stream *s = &w->stream[i];
        if (!waits_for_others(w->run, s))
            continue;
        uint16_t line = w->run->plan->step[s->pc].line;
        of_line[line == PLAN_NO_LINE ? PLAN_LINES_MAX : line]++;
        *since_ns = MIN(*since_ns, s->wait.since_ns);
    }
}

static size_t add_words(const struct plan *plan, unsigned i, uint32_t streams, char *at,
                        size_t room)
{
    const struct plan_line *line = &plan->line[i];
    const char *plural = streams == 1 ? "" : "s";
    int n = i == PLAN_LINES_MAX ? snprintf(at, room, "%u other stream%s", streams, plural)
                                : snprintf(at, room, "%s%s%s of %u stream%s", line->type,
                                           line->type[0] ? " " : "", line->name, streams, plural);
    return MIN((size_t)n, room - 1);
}

unsigned park_words(const struct run *run, char *words, size_t room, uint64_t *since_ns)
{
    uint32_t of_line[PLAN_LINES_MAX + 1] = {0};
    unsigned lines = 0;
    size_t len = 0;
    *since_ns = UINT64_MAX;
    words[0] = '\0';
    for (unsigned i = 0; i < run->workers; i++)
        if (atomic_load_explicit(&run->worker[i].gone, memory_order_acquire))
            add_waiting(&run->worker[i], of_line, since_ns);
    for (unsigned i = 0; i <= PLAN_LINES_MAX; i++) {
        if (of_line[i] == 0 || ++lines > WORDS_LINES_MAX)
            continue;
        if (len > 0)
            len += MIN((size_t)snprintf(words + len, room - len, ", "), room - len - 1);
        len += add_words(run->plan, i, of_line[i], words + len, room - len);
    }
    if (lines > WORDS_LINES_MAX)
        snprintf(words + len, room - len, " and others");
    return lines;
}
