/* A worker from its session's opening to its closing, and the thread around it. */
#include "engine/worker_priv.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Best effort, the class of those that ask for none. */
#define IO_PRIORITY_WHO   1 /* a thread */
#define IO_PRIORITY_CLASS (2 << 13)

/* Where a thread drives one stream, it behaves as that stream's group says. */
static int mind_manners(struct worker *w)
{
    const struct plan_group *group = &w->run->plan->group[w->stream[0].group];
    if (!w->run->caps.blocking)
        return 0;
    int nice = getpriority(PRIO_PROCESS, 0) + group->nice;
    if (group->nice != 0 && setpriority(PRIO_PROCESS, 0, nice) < 0)
        return err_sys(&w->err, -errno, "nice %d for the streams of %s", group->nice, group->name);
    if (group->io_priority >= 0 &&
        syscall(SYS_ioprio_set, IO_PRIORITY_WHO, 0, IO_PRIORITY_CLASS | group->io_priority) < 0)
        return err_sys(&w->err, -errno, "I/O priority %d for the streams of %s", group->io_priority,
                       group->name);
    return 0;
}

void worker_setup(struct worker *w)
{
    struct run *run = w->run;
    if (mind_manners(w) < 0)
        return;
    struct session_spec spec;
    worker_spec(w, &spec);
    int rc = run->table->session_open(run->target, &spec, &w->session, &w->err);
    if (rc < 0) {
        w->session = NULL;
        return;
    }
    if (run->table->buffers && w->room.buffers)
        run->table->buffers(w->session, w->room.buffers, w->room.buffers_bytes);
    w->now = clk_now(&w->clk);
    w->turn.at_ns = UINT64_MAX;
    worker_touch_samples(w);
    if (!worker_dropping(w))
        worker_acquaint(w);
    if (!worker_dropping(w))
        worker_drive(w, PHASE_SETUP);
}

void worker_body(struct worker *w)
{
    struct rusage before;
    struct rusage after;
    w->turn.at_ns = w->run->gate_ns + w->run->plan->window.interval_ns;
    w->reap.at_ns = 0;
    getrusage(RUSAGE_THREAD, &before);
    w->now = clk_now(&w->clk);
    calls_begin(w);
    worker_drive(w, PHASE_BODY);
    calls_end(w);
    park_leave(w);
    if (atomic_fetch_sub(&w->run->busy, 1) == 1 && atomic_load(&w->run->halt) == HALT_NONE &&
        w->run->plan->sync_at_end)
        worker_sync(w);
    w->end_ns = w->now;
    getrusage(RUSAGE_THREAD, &after);
    w->cpu_user_ns = timeval_ns(after.ru_utime) - timeval_ns(before.ru_utime);
    w->cpu_sys_ns = timeval_ns(after.ru_stime) - timeval_ns(before.ru_stime);
}

void worker_finish(struct worker *w)
{
    if (!w->session)
        return;
    w->turn.at_ns = UINT64_MAX;
    w->errors = 0; /* those of the body are in the outcome */
    if (!w->dropped && !worker_dropping(w))
        worker_drive(w, PHASE_TEARDOWN);
    w->run->table->session_close(w->session);
    w->session = NULL;
}

void *worker_main(void *worker)
{
    struct worker *w = worker;
    struct run *run = w->run;
    worker_setup(w);
    atomic_fetch_add(&run->waiting, 1);
    gate_wake(&run->waiting);
    while (atomic_load_explicit(&run->gate, memory_order_acquire) == GATE_SHUT)
        gate_wait(&run->gate, GATE_SHUT, UINT64_MAX);
    if (atomic_load_explicit(&run->gate, memory_order_acquire) == GATE_OPEN) {
        worker_body(w);
        atomic_store_explicit(&w->gone, true, memory_order_release);
        atomic_fetch_sub(&run->left, 1);
        gate_wake(&run->left);
        while (atomic_load_explicit(&run->gate, memory_order_acquire) == GATE_OPEN)
            gate_wait(&run->gate, GATE_OPEN, UINT64_MAX);
    }
    worker_finish(w);
    atomic_store_explicit(&w->closed, true, memory_order_release);
    atomic_fetch_sub(&run->waiting, 1);
    gate_wake(&run->waiting);
    return NULL;
}
