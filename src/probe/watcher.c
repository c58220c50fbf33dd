#include "probe/watcher_priv.h"

#include "clk/clk.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

struct watcher {
    struct probe_source source;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t looking; /* source and sights; taken before `lock` */
    struct sights sights;
    pthread_mutex_t lock; /* all below */
    pthread_cond_t changed;
    struct looks looks;
    bool ending;
    bool wanted;
    bool under_way;
    unsigned failures;
    struct err why; /* of the last one */
};

static void note_failure(struct watcher *w, const struct err *err)
{
    w->failures++;
    w->why = *err;
}

void watcher_look(struct watcher *w, bool edge)
{
    struct err err = {0};
    uint64_t before_ns, after_ns;
    int rc;

    pthread_mutex_lock(&w->looking);
    sights_clear(&w->sights);
    before_ns = clk_monotonic_ns();
    rc = w->source.look(w->source.ctx, &w->sights, &err);
    after_ns = clk_monotonic_ns();
    if (w->sights.at_ns == 0)
        w->sights.at_ns = before_ns + (after_ns - before_ns) / 2;
    pthread_mutex_lock(&w->lock);
    if (rc == 0)
        rc = looks_keep(&w->looks, &w->sights, edge);
    if (rc < 0 && rc != -ENOSPC) {
        if (err.code == 0)
            err_sys(&err, rc, "a look was lost");
        note_failure(w, &err);
    }
    pthread_mutex_unlock(&w->lock);
    pthread_mutex_unlock(&w->looking);
}

static void wait_until(struct watcher *w, uint64_t until_ns)
{
    const struct timespec until = {.tv_sec = (time_t)(until_ns / NS_PER_S),
                                   .tv_nsec = (long)(until_ns % NS_PER_S)};

    pthread_cond_timedwait(&w->changed, &w->lock, &until);
}

static void *watch(void *ctx)
{
    struct watcher *w = ctx;
    uint64_t due_ns = 0;

    pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        uint64_t now_ns = clk_monotonic_ns();
        bool edge = w->wanted;
        if (!edge && now_ns < due_ns) {
            wait_until(w, due_ns);
            continue;
        }
        w->wanted = false;
        w->under_way = true;
        pthread_mutex_unlock(&w->lock);
        watcher_look(w, edge);
        pthread_mutex_lock(&w->lock);
        w->under_way = false;
        pthread_cond_broadcast(&w->changed);
        if (now_ns >= due_ns)
            due_ns = now_ns + looks_period_ns(&w->looks);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* A signal is for those that wait for one, and not for whoever looks at counters. */
static int start(struct watcher *w)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    w->has_thread = rc == 0;
    return -rc;
}

static void close_source(const struct probe_source *source)
{
    if (source->close)
        source->close(source->ctx);
}

int watcher_new(const struct probe_source *source, uint64_t period_ns, struct watcher **out,
                struct err *err)
{
    struct watcher *w = calloc(1, sizeof *w);
    pthread_condattr_t monotonic;
    int rc;

    if (!w) {
        close_source(source);
        return err_set(err, -ENOMEM, "no memory for the probe");
    }
    w->source = *source;
    looks_init(&w->looks, period_ns);
    pthread_mutex_init(&w->looking, NULL);
    pthread_mutex_init(&w->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    rc = source->look ? start(w) : 0;
    if (rc == 0) {
        *out = w;
    } else {
        err_sys(err, rc, "no thread for the probe");
        watcher_free(w);
    }
    return rc;
}

void watcher_end(struct watcher *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

void watcher_free(struct watcher *w)
{
    watcher_end(w);
    if (w->has_thread)
        pthread_join(w->thread, NULL);
    close_source(&w->source);
    pthread_cond_destroy(&w->changed);
    pthread_mutex_destroy(&w->lock);
    pthread_mutex_destroy(&w->looking);
    sights_fini(&w->sights);
    looks_fini(&w->looks);
    free(w);
}

void watcher_want(struct watcher *w)
{
    pthread_mutex_lock(&w->lock);
    w->wanted = w->has_thread;
    pthread_cond_broadcast(&w->changed);
    pthread_mutex_unlock(&w->lock);
}

uint64_t watcher_period_ns(struct watcher *w)
{
    pthread_mutex_lock(&w->lock);
    uint64_t period_ns = looks_period_ns(&w->looks);
    pthread_mutex_unlock(&w->lock);
    return period_ns;
}

static int recall_between(struct watcher *w, const struct look_window *window, struct tracks *out)
{
    struct looks recalled;
    struct err err = {0};
    int rc;

    looks_init(&recalled, looks_period_ns(&w->looks));
    rc = w->source.recall(w->source.ctx, window->from_ns, window->to_ns, &recalled, &err);
    if (rc == 0)
        rc = looks_between(&recalled, window, out);
    else if (rc != -ENOMEM) {
        note_failure(w, &err);
        rc = 0;
    }
    looks_fini(&recalled);
    return rc;
}

int watcher_between(struct watcher *w, const struct look_window *window, uint64_t give_up_ns,
                    struct tracks *out)
{
    int rc;

    pthread_mutex_lock(&w->lock);
    while ((w->wanted || w->under_way) && clk_monotonic_ns() < give_up_ns)
        wait_until(w, give_up_ns);
    if (w->source.recall) {
        rc = recall_between(w, window, out);
    } else {
        rc = looks_between(&w->looks, window, out);
        w->looks.told_ns = window->to_ns;
    }
    pthread_mutex_unlock(&w->lock);
    return rc;
}

void watcher_note(struct watcher *w, char *buf, size_t room)
{
    pthread_mutex_lock(&w->lock);
    if (w->failures == 0)
        buf[0] = '\0';
    else if (w->failures == 1)
        snprintf(buf, room, "%s: %s, once", w->source.name, w->why.text);
    else
        snprintf(buf, room, "%s: %s, %u times", w->source.name, w->why.text, w->failures);
    pthread_mutex_unlock(&w->lock);
}

uint64_t watcher_cpu_ns(const struct watcher *w)
{
    struct timespec used = {0};
    clockid_t clock;

    if (w->has_thread && pthread_getcpuclockid(w->thread, &clock) == 0)
        clock_gettime(clock, &used);
    return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}
