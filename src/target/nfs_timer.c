/* Timers of jobs: a binary heap of jobs, each of which knows its place. Few have one at a time; an op in
 * its plain course has none. */
#include "target/nfs_conn_priv.h"
#include "target/nfs_op_priv.h"

#define NO_PLACE UINT32_MAX

static void put(struct nfs_calls_part *p, unsigned i, struct nfs_job *job)
{
    p->timer[i] = job;
    job->timer = i;
}

static void up(struct nfs_calls_part *p, unsigned i, struct nfs_job *job)
{
    for (; i > 0 && job->due_ns < p->timer[(i - 1) / 2]->due_ns; i = (i - 1) / 2)
        put(p, i, p->timer[(i - 1) / 2]);
    put(p, i, job);
}

static void down(struct nfs_calls_part *p, unsigned i, struct nfs_job *job)
{
    for (unsigned child = 2 * i + 1; child < p->timers; child = 2 * i + 1) {
        if (child + 1 < p->timers && p->timer[child + 1]->due_ns < p->timer[child]->due_ns)
            child++;
        if (p->timer[child]->due_ns >= job->due_ns)
            break;
        put(p, i, p->timer[child]);
        i = child;
    }
    put(p, i, job);
}

static void take(struct nfs_calls_part *p, struct nfs_job *job)
{
    unsigned i = job->timer;
    struct nfs_job *last = p->timer[--p->timers];

    job->due_ns = 0;
    job->timer = NO_PLACE;
    if (last == job)
        return;
    if (i > 0 && last->due_ns < p->timer[(i - 1) / 2]->due_ns)
        up(p, i, last);
    else
        down(p, i, last);
}

void nfs_timer(struct nfs_calls *c, struct nfs_job *job, uint64_t due_ns)
{
    struct nfs_calls_part *p = c->part;

    if (job->due_ns != 0)
        take(p, job);
    if (due_ns == 0)
        return;
    job->due_ns = due_ns;
    up(p, p->timers++, job);
}

uint64_t nfs_timer_next(const struct nfs_calls *c)
{
    return c->part->timers > 0 ? c->part->timer[0]->due_ns : UINT64_MAX;
}

void nfs_timer_run(struct nfs_calls *c)
{
    struct nfs_calls_part *p = c->part;

    /* One that is set anew from within is of a later time, so this ends. */
    while (p->timers > 0 && p->timer[0]->due_ns <= c->now_ns) {
        struct nfs_job *job = p->timer[0];

        take(p, job);
        c->came++;
        nfs_op_timer(c->session, job);
    }
}
