#include "script/compile_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NICE_MOST        19
#define IO_PRIORITY_KEEP 8 /* 0 … 7 is one */

/* A thread of a process, with the values of this run. */
struct crew {
    const struct lang_thread *thread;
    struct scope *scope; /* of its process */
    char name[PLAN_NAME_MAX];
    uint32_t streams;
    uint32_t first_process;
    uint32_t processes;
    int nice;
    int io_priority;
};

struct crews {
    struct compiler *c;
    unsigned n;
    struct crew *crew;
    uint32_t processes;
    uint64_t streams;
};

static int count(struct compiler *c, struct scope *scope, const struct lang_attrs *attrs,
                 const char *name, uint64_t otherwise, uint64_t most, uint64_t *out)
{
    int rc = attr_count(scope, attrs, name, otherwise, c->remarks, out);
    if (rc == 0 && *out > most) {
        lang_error(c->remarks, lang_attr_find(attrs, name)->at, "%s is %llu: at most %llu", name,
                   (unsigned long long)*out, (unsigned long long)most);
        rc = -EINVAL;
    }
    return rc;
}

/* Only a thread that drives one stream can behave as that stream's process says. */
static void mind_manners(struct compiler *c, const struct lang_attrs *attrs, const char *name,
                         bool asked)
{
    const struct plan_instrument *instrument = c->o->instrument;
    if (asked && instrument && strcmp(instrument->scheme, "posix") != 0 &&
        strcmp(instrument->scheme, "dev") != 0)
        lang_warn(c->remarks, lang_attr_find(attrs, name)->at,
                  "%s is not heeded: the target is asked from threads that many streams share",
                  name);
}

static int thread_name(struct compiler *c, const struct definition *d,
                       const struct lang_thread *thread, char name[PLAN_NAME_MAX])
{
    const char *process = d->name;
    const char *own = NULL;
    int rc = attr_word(d->scope, &thread->attrs, "name", c->remarks, &own);
    if (rc < 0)
        return rc;
    if (!own) {
        lang_error(c->remarks, thread->at, "a thread of process %s has no name: name=… is missing",
                   process);
        return -EINVAL;
    }
    int len = snprintf(name, PLAN_NAME_MAX, "%s.%s", process, own);
    if (len >= 0 && len < PLAN_NAME_MAX)
        return 0;
    lang_error(c->remarks, thread->at, "thread %s of process %s: the names are too long", own,
               process);
    return -EINVAL;
}

/* ---- reading ---- */

static int read_thread(struct crews *all, const struct definition *d, const struct crew *process,
                       const struct lang_thread *thread)
{
    struct compiler *c = all->c;
    struct crew crew = *process;
    uint64_t instances = 0;
    uint64_t io_priority = 0;
    crew.thread = thread;
    int rc = thread_name(c, d, thread, crew.name);
    if (rc == 0)
        rc = count(c, d->scope, &thread->attrs, "instances", 1, PLAN_STREAMS_MAX, &instances);
    if (rc == 0)
        rc = count(c, d->scope, &thread->attrs, "ioprio", IO_PRIORITY_KEEP, IO_PRIORITY_KEEP,
                   &io_priority);
    if (rc < 0)
        return rc;
    mind_manners(c, &thread->attrs, "ioprio", io_priority != IO_PRIORITY_KEEP);
    crew.io_priority = io_priority == IO_PRIORITY_KEEP ? -1 : (int)io_priority;
    uint64_t streams = instances * crew.processes;
    if (all->streams + streams > PLAN_STREAMS_MAX) {
        lang_error(c->remarks, thread->at, "%s: more than %d threads in all", crew.name,
                   PLAN_STREAMS_MAX);
        return -EINVAL;
    }
    if (streams == 0) {
        lang_warn(c->remarks, thread->at, "%s: 0 instances, so there is none", crew.name);
        return 0;
    }
    crew.streams = (uint32_t)streams;
    all->streams += streams;
    struct crew *more = realloc(all->crew, (all->n + 1) * sizeof *more);
    if (!more)
        return -ENOMEM;
    all->crew = more;
    more[all->n++] = crew;
    return 0;
}

static int read_process(struct crews *all, const struct definition *d)
{
    struct compiler *c = all->c;
    const struct lang_attrs *attrs = &d->command->attrs;
    uint64_t instances = 0;
    uint64_t nice = 0;
    int rc = count(c, d->scope, attrs, "instances", 1, PLAN_STREAMS_MAX, &instances);
    if (rc == 0)
        rc = count(c, d->scope, attrs, "nice", 0, NICE_MOST, &nice);
    if (rc < 0)
        return rc;
    mind_manners(c, attrs, "nice", nice != 0);
    const struct crew process = {.scope = d->scope,
                                 .first_process = all->processes,
                                 .processes = (uint32_t)instances,
                                 .nice = (int)nice};
    int worst = 0;
    for (unsigned i = 0; i < d->command->threads && worst != -ENOMEM; i++) {
        rc = read_thread(all, d, &process, &d->command->thread[i]);
        if (rc < 0)
            worst = rc;
    }
    all->processes += (uint32_t)instances;
    return worst;
}

static int read_processes(struct crews *all, struct lang_pos at)
{
    struct compiler *c = all->c;
    int worst = 0;
    for (unsigned i = 0; i < c->defined && worst != -ENOMEM; i++) {
        if (c->definition[i].command->kind != LANG_DEFINE_PROCESS)
            continue;
        int rc = read_process(all, &c->definition[i]);
        if (rc < 0)
            worst = rc;
    }
    if (worst == 0 && all->n == 0) {
        lang_error(c->remarks, at,
                   "nothing to run: no process with at least one thread is defined");
        worst = -EINVAL;
    }
    return worst;
}

/* ---- building ---- */

static int add_groups(const struct crews *all, struct flow_plan *flow, struct plan_builder *b)
{
    int worst = 0;
    for (unsigned i = 0; i < all->n && worst != -ENOMEM; i++) {
        int rc = flow_declare(flow, all->crew[i].scope, all->crew[i].thread);
        if (rc < 0)
            worst = rc;
    }
    for (unsigned i = 0; i < all->n && worst != -ENOMEM; i++) {
        const struct crew *crew = &all->crew[i];
        plan_begin_group(b, crew->name, crew->streams, 1);
        plan_group_processes(b, crew->first_process, crew->processes);
        plan_group_manners(b, crew->nice, crew->io_priority);
        int rc = flow_group(flow, crew->scope, crew->thread);
        if (rc < 0)
            worst = rc;
    }
    return worst;
}

static int freeze(const struct crews *all, struct lang_pos at, struct plan_builder *b,
                  struct plan **out)
{
    struct compiler *c = all->c;
    struct err err = {0};
    struct plan *plan = NULL;
    int rc = plan_freeze(b, c->o->caps, &plan, &err);
    if (rc == -ENOMEM)
        return rc;
    if (rc < 0) {
        lang_error(c->remarks, at, "%s", err.text);
        if (rc == -EOPNOTSUPP)
            err_set(c->err, rc, "%s", err.text);
        return rc == -EOPNOTSUPP ? rc : -EINVAL;
    }
    *out = plan;
    return 0;
}

static int build(const struct crews *all, struct lang_pos at, const struct plan_window *window,
                 struct plan **out)
{
    struct compiler *c = all->c;
    struct plan_builder *b = plan_new(c->o->seed);
    struct flow_plan *flow = b ? flow_plan_new(c, b) : NULL;
    if (!flow) {
        plan_drop(b);
        return -ENOMEM;
    }
    if (c->o->instrument)
        plan_instrument(b, c->o->instrument);
    plan_window(b, window);
    plan_quit(b, c->quit);
    for (unsigned i = c->first_set; i < c->script->sets; i++)
        plan_add_set(b, &c->script->set[i].spec);
    int rc = add_groups(all, flow, b);
    flow_plan_free(flow);
    if (rc < 0) {
        plan_drop(b);
        return rc;
    }
    return freeze(all, at, b, out);
}

int check_processes(struct compiler *c, struct lang_pos at)
{
    struct crews all = {.c = c};
    int rc = read_processes(&all, at);
    free(all.crew);
    return rc;
}

int compile_run(struct compiler *c, struct lang_pos at, const struct plan_window *window,
                struct plan **out)
{
    struct crews all = {.c = c};
    int rc = read_processes(&all, at);
    if (rc == 0)
        rc = build(&all, at, window, out);
    free(all.crew);
    return rc;
}
