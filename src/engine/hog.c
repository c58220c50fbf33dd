/* What keeps a processor busy, stores to memory and comparing what was read: here and now where the worker
 * has one stream, else by helpers, so that completions are not left unreaped meanwhile. */
#include "engine/engine_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/param.h>
#include <sys/resource.h>
#include <unistd.h>

#define STACK_BYTES (64u << 10)
#define PIECE       65536u /* stores between two looks at the end of the run: some ten us */

struct hogs {
    struct run *run;
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct stream *first; /* linked by wait.next */
    struct stream *last;
    bool stop;
    uint64_t cpu_user_ns;
    uint64_t cpu_sys_ns;
    unsigned threads;
    pthread_t thread[];
};

void hog_burn(const struct run *run, uint64_t stores)
{
    volatile unsigned char memory;
    while (stores > 0) {
        uint64_t piece = MIN(stores, PIECE);
        for (uint64_t i = 0; i < piece; i++)
            memory = (unsigned char)i;
        stores -= piece;
        if (stores > 0 && (atomic_load_explicit(&run->halt, memory_order_relaxed) != HALT_NONE ||
                           clk_now(&run->clk) >= run_close(run)))
            break;
    }
    (void)memory;
}

void hogs_give(struct hogs *hogs, struct stream *s, uint64_t stores)
{
    atomic_store_explicit(&s->wait.need, stores, memory_order_relaxed);
    s->wait.next = NULL;
    pthread_mutex_lock(&hogs->lock);
    if (hogs->first)
        hogs->last->wait.next = s;
    else
        hogs->first = s;
    hogs->last = s;
    pthread_mutex_unlock(&hogs->lock);
    pthread_cond_signal(&hogs->more);
}

/* The next stream; NULL: there will be no more. */
static struct stream *next_of(struct hogs *hogs)
{
    pthread_mutex_lock(&hogs->lock);
    while (!hogs->first && !hogs->stop)
        pthread_cond_wait(&hogs->more, &hogs->lock);
    struct stream *s = hogs->first;
    if (s)
        hogs->first = s->wait.next;
    pthread_mutex_unlock(&hogs->lock);
    return s;
}

static void *hog_main(void *arg)
{
    struct hogs *hogs = arg;
    struct rusage used;
    for (struct stream *s; (s = next_of(hogs));) {
        if (s->wait.check && s->wait.check->away)
            check_run(hogs->run, s);
        else
            hog_burn(hogs->run, atomic_load_explicit(&s->wait.need, memory_order_relaxed));
        park_send(s, NULL);
    }
    getrusage(RUSAGE_THREAD, &used);
    pthread_mutex_lock(&hogs->lock);
    hogs->cpu_user_ns += timeval_ns(used.ru_utime);
    hogs->cpu_sys_ns += timeval_ns(used.ru_stime);
    pthread_mutex_unlock(&hogs->lock);
    return NULL;
}

/* Of groups that have a hog, or compare what they read. */
static uint32_t hog_streams(const struct plan *plan)
{
    uint32_t streams = 0;
    for (unsigned g = 0; g < plan->groups; g++) {
        const struct plan_group *group = &plan->group[g];
        bool hogs = false;
        for (uint32_t i = group->body; i < group->teardown; i++)
            hogs |= plan->step[i].kind == PLAN_HOG || plan->step[i].verify;
        streams += hogs ? group->streams : 0;
    }
    return streams;
}

int hogs_start(struct run *run)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned n = MIN(hog_streams(run->plan), (unsigned)MAX(cpus, 1));
    if (n == 0 || run->caps.blocking || run->caps.own_clock)
        return 0;
    struct hogs *hogs = calloc(1, sizeof *hogs + n * sizeof hogs->thread[0]);
    if (!hogs)
        return -ENOMEM;
    run->sync->hogs = hogs;
    hogs->run = run;
    pthread_mutex_init(&hogs->lock, NULL);
    pthread_cond_init(&hogs->more, NULL);
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK_BYTES);
    int rc = 0;
    while (rc == 0 && hogs->threads < n) {
        rc = -pthread_create(&hogs->thread[hogs->threads], &attr, hog_main, hogs);
        hogs->threads += rc == 0;
    }
    pthread_attr_destroy(&attr);
    return rc;
}

void hogs_stop(struct run *run)
{
    struct hogs *hogs = run->sync ? run->sync->hogs : NULL;
    if (!hogs)
        return;
    pthread_mutex_lock(&hogs->lock);
    hogs->stop = true;
    pthread_mutex_unlock(&hogs->lock);
    pthread_cond_broadcast(&hogs->more);
    for (unsigned i = 0; i < hogs->threads; i++)
        pthread_join(hogs->thread[i], NULL);
    run->out->cpu_user_ns += hogs->cpu_user_ns;
    run->out->cpu_sys_ns += hogs->cpu_sys_ns;
    pthread_cond_destroy(&hogs->more);
    pthread_mutex_destroy(&hogs->lock);
    free(hogs);
    run->sync->hogs = NULL;
}
