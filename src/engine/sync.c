#include "engine/engine_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---- */

static void list_add(struct stream_list *list, struct stream *s)
{
    struct stream *last = atomic_load_explicit(&list->last, memory_order_relaxed);
    do
        s->wait.next = last;
    while (!atomic_compare_exchange_weak(&list->last, &last, s));
}

/* All of it, the first one first. */
static struct stream *list_take(struct stream_list *list)
{
    struct stream *s = atomic_exchange(&list->last, NULL);
    struct stream *first = NULL;
    while (s) {
        struct stream *before = s->wait.next;
        s->wait.next = first;
        first = s;
        s = before;
    }
    return first;
}

/* ---- gauges ---- */

static bool take(struct gauge *gauge, uint64_t n)
{
    uint64_t level = atomic_load(&gauge->level);
    while (level >= n)
        if (atomic_compare_exchange_weak(&gauge->level, &level, level - n))
            return true;
    return false;
}

/* Sends on whom the level lets, in the order of their coming. Whoever adds to the level looks at the
 * list afterwards, and whoever joins the list looks at the level afterwards: one of them finds the other.
 * So does this, after putting somebody back. */
static void serve(struct gauge *gauge, const struct worker *by)
{
    bool again;
    do {
        again = false;
        struct stream *next;
        for (struct stream *s = list_take(&gauge->waiting); s; s = next) {
            uint64_t need = atomic_load_explicit(&s->wait.need, memory_order_relaxed);
            next = s->wait.next;
            if (take(gauge, need)) {
                park_send(s, by);
            } else {
                list_add(&gauge->waiting, s);
                again |= atomic_load(&gauge->level) >= need;
            }
        }
    } while (again);
}

bool gauge_take(struct gauge *gauge, struct stream *s, uint64_t n)
{
    if (take(gauge, n))
        return true;
    atomic_store_explicit(&s->wait.need, n, memory_order_relaxed);
    s->state = STREAM_PARKED;
    list_add(&gauge->waiting, s);
    if (atomic_load(&gauge->level) >= n)
        serve(gauge, s->wait.worker);
    return false;
}

void gauge_add(struct gauge *gauge, const struct worker *by, uint64_t n)
{
    uint64_t level = atomic_fetch_add(&gauge->level, n) + n;
    const struct stream *last = atomic_load(&gauge->waiting.last);
    if (!last)
        return;
    /* Mostly for many posts, so that each would take it out and put it back. What is read here may be the
     * need of its next wait already: then it has looked at this level itself. */
    if (gauge->one_waits && atomic_load_explicit(&last->wait.need, memory_order_relaxed) > level)
        return;
    serve(gauge, by);
}

/* ---- events ---- */

void event_wait(struct event *event, struct stream *s)
{
    s->state = STREAM_PARKED;
    list_add(&event->waiting, s);
}

uint64_t event_signal(struct event *event, const struct worker *by)
{
    uint64_t n = 0;
    struct stream *next;
    for (struct stream *s = list_take(&event->waiting); s; s = next, n++) {
        next = s->wait.next;
        park_send(s, by);
    }
    return n;
}

/* ---- making them ---- */

static bool is_in_body(const struct plan_group *group, uint32_t step)
{
    return step >= group->body && step < group->teardown;
}

/* Tells each group of streams that wait at a semaphore, once, in rising order. */
static void each_waiting(const struct plan *plan, struct sync *sync,
                         void (*found)(struct sync *, uint16_t semaphore, uint32_t group,
                                       uint32_t streams))
{
    for (uint32_t g = 0; g < plan->groups; g++) {
        const struct plan_group *group = &plan->group[g];
        for (uint32_t i = group->body; is_in_body(group, i); i++)
            if (plan->step[i].kind == PLAN_SEM_WAIT)
                found(sync, plan->step[i].object, g, group->streams);
    }
}

/* Both run twice over the same groups: `of` and `instance` are NULL while the sizes are counted. */
static void add_group(struct sync *sync, uint16_t semaphore, uint32_t group, uint32_t streams)
{
    struct semaphore *sem = &sync->semaphore[semaphore];
    if (sem->groups > 0 && sem->last_group == group)
        return; /* waits at it in several places */
    if (sem->of)
        sem->of[sem->groups] = (struct sem_group){.group = group, .first = sem->instances};
    sem->last_group = group;
    sem->groups++;
    sem->instances += streams;
}

static int make_instances(struct sync *sync, const struct plan *plan)
{
    uint64_t instances = 0;
    uint64_t groups = 0;
    each_waiting(plan, sync, add_group);
    for (unsigned i = 0; i < plan->semaphores; i++) {
        instances += sync->semaphore[i].instances;
        groups += sync->semaphore[i].groups;
    }
    sync->instances = aligned_alloc(ENGINE_CACHE_LINE, (instances + 1) * sizeof *sync->instances);
    sync->sem_groups = calloc(groups + 1, sizeof *sync->sem_groups);
    if (!sync->instances || !sync->sem_groups)
        return -ENOMEM;
    memset(sync->instances, 0, (instances + 1) * sizeof *sync->instances);
    struct sem_instance *instance = sync->instances;
    struct sem_group *of = sync->sem_groups;
    for (unsigned i = 0; i < plan->semaphores; i++) {
        struct semaphore *sem = &sync->semaphore[i];
        sem->instance = instance;
        sem->of = of;
        instance += sem->instances;
        of += sem->groups;
        for (uint32_t k = 0; k < sem->instances; k++) {
            sem->instance[k].posts.one_waits = true;
            sem->instance[k].credits.level = plan->semaphore[i].credits;
        }
        sem->instances = 0;
        sem->groups = 0;
    }
    each_waiting(plan, sync, add_group);
    return 0;
}

struct sem_instance *sync_instance(const struct run *run, uint16_t semaphore,
                                   const struct stream *s)
{
    const struct semaphore *sem = &run->sync->semaphore[semaphore];
    uint32_t i = 0;
    while (sem->of[i].group != s->group)
        i++;
    return &sem->instance[sem->of[i].first + s->number];
}

/* Of one process. */
static uint32_t counters_room(const struct plan *plan)
{
    uint32_t most = 0;
    for (uint32_t g = 0; g < plan->groups; g++)
        for (unsigned i = 0; i < plan->group[g].counters; i++)
            if (plan->group[g].counter[i].process && i >= most)
                most = i + 1;
    uint32_t line = ENGINE_CACHE_LINE / sizeof(uint64_t);
    return (most + line - 1) / line * line;
}

static uint64_t count_bytes(const struct plan *plan, uint32_t counters)
{
    return (uint64_t)(plan->processes + 1) * (counters + 1) * sizeof(uint64_t);
}

int sync_new(struct run *run)
{
    const struct plan *plan = run->plan;
    struct sync *sync = aligned_alloc(_Alignof(struct sync), sizeof *sync);
    if (!sync)
        return -ENOMEM;
    memset(sync, 0, sizeof *sync);
    run->sync = sync;
    sync->counters = counters_room(plan);
    sync->events = plan->events;
    sync->event = aligned_alloc(ENGINE_CACHE_LINE, (plan->events + 1) * sizeof *sync->event);
    sync->semaphore = calloc(plan->semaphores + 1, sizeof *sync->semaphore);
    uint64_t bytes = count_bytes(plan, sync->counters);
    bytes = (bytes + ENGINE_CACHE_LINE - 1) / ENGINE_CACHE_LINE * ENGINE_CACHE_LINE;
    sync->count = aligned_alloc(ENGINE_CACHE_LINE, bytes);
    if (!sync->event || !sync->semaphore || !sync->count)
        return -ENOMEM;
    memset(sync->event, 0, (plan->events + 1) * sizeof *sync->event);
    memset(sync->count, 0, bytes);
    return make_instances(sync, plan);
}

void sync_free(struct run *run)
{
    struct sync *sync = run->sync;
    if (!sync)
        return;
    free(sync->event);
    free(sync->semaphore);
    free(sync->instances);
    free(sync->sem_groups);
    free(sync->count);
    free(sync);
}

uint64_t sync_memory(const struct plan *plan)
{
    uint64_t bytes = sizeof(struct sync) + plan->events * sizeof(struct event) +
                     plan->semaphores * sizeof(struct semaphore) +
                     count_bytes(plan, counters_room(plan));
    for (uint32_t g = 0; g < plan->groups; g++) {
        const struct plan_group *group = &plan->group[g];
        for (uint32_t i = group->body; is_in_body(group, i); i++)
            if (plan->step[i].kind == PLAN_SEM_WAIT)
                bytes += group->streams * sizeof(struct sem_instance);
    }
    return bytes;
}
