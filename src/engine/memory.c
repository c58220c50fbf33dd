#include "engine/worker_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

#define BUFFER_ALIGN    4096u
#define STACK_TOUCHED   65536u
#define CONTENT_BYTES   (2u << 20)
#define OPEN_FILE_BYTES 280u /* of the kernel, beside our handle */
#define CALLED_BYTES    512u /* of a client of our own, for an op under way … */
#define KNOWN_DIR_BYTES 160u /* … and for a directory */

static uint64_t buffer_room(const struct plan_group *group)
{
    uint64_t bytes = MAX(group->buffer_bytes, group->pool_bytes);
    return (bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

/* Those of detached ops lie each in its place. */
static uint64_t detached_room(const struct plan_group *group)
{
    return (group->buffer_bytes + BUFFER_ALIGN - 1) / BUFFER_ALIGN * BUFFER_ALIGN;
}

static bool is_looked_at(const struct plan_step *step, const struct target_caps *caps)
{
    if (caps->keeps_no_data)
        return step->op == OP_READDIR;
    return step->op == OP_WRITE || step->op == OP_APPEND || step->op == OP_READDIR || step->verify;
}

/* Of an asynchronous target each stream would have a buffer that nobody ever looks into: 10,000 of them are
 * no more than one. Where ops wander over memory of a given size, that memory is what was asked for. */
static bool shares_buffer(const struct plan *plan, const struct plan_group *group,
                          const struct target_caps *caps)
{
    if (caps->keeps_nothing)
        return true;
    if (caps->blocking || (group->pool_bytes > 0 && !caps->keeps_no_data))
        return false;
    uint32_t stop = group + 1 < plan->group + plan->groups ? group[1].setup : (uint32_t)plan->steps;
    for (uint32_t i = group->setup; i < stop; i++)
        if (plan->step[i].kind == PLAN_OP && is_looked_at(&plan->step[i], caps))
            return false;
    return true;
}

static bool compares(const struct plan *plan, const struct plan_group *group)
{
    for (uint32_t i = group->body; i < group->teardown; i++)
        if (plan->step[i].verify)
            return true;
    return false;
}

static unsigned worker_count(const struct plan *plan, const struct target_caps *caps,
                             unsigned workers)
{
    if (caps->own_clock)
        return 1;
    if (caps->blocking)
        return plan->streams;
    if (workers == 0) {
        long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        workers = cpus > 0 ? (unsigned)cpus : 1;
    }
    return workers < plan->streams ? workers : plan->streams;
}

unsigned run_worker_count(const struct run *run)
{
    return worker_count(run->plan, &run->caps, run->job->workers);
}

uint64_t engine_memory(const struct plan *plan, const struct target_caps *caps, unsigned workers)
{
    uint64_t n = worker_count(plan, caps, workers);
    uint64_t bytes = CONTENT_BYTES + n * (STACK_TOUCHED + sizeof(struct worker));
    bytes += engine_samples_bytes(plan, caps, n);
    bytes += plan->touched_bytes > 0 ? (n + 1) * sizeof(struct sketch) : 0;
    uint64_t largest = 0;
    for (unsigned i = 0; i < plan->groups; i++) {
        const struct plan_group *group = &plan->group[i];
        uint64_t each =
            sizeof(struct stream) + 2 * sizeof(void *) + group->slots * sizeof(struct slot) +
            group->loops * sizeof(uint32_t) + group->cursors * sizeof(uint64_t) +
            group->counters * sizeof(struct stream_count) +
            group->handles * (sizeof(uint64_t) + (caps->keeps_nothing ? 0 : OPEN_FILE_BYTES));
        each += walk_bytes(group) + (compares(plan, group) ? sizeof(struct check) : 0);
        each += group->detached * (sizeof(struct detached) + sizeof(void *));
        if (!shares_buffer(plan, group, caps))
            each += buffer_room(group) + group->detached * detached_room(group);
        else if (!caps->keeps_no_data)
            largest = MAX(largest, buffer_room(group));
        if (caps->uncached)
            each += CALLED_BYTES;
        bytes += each * group->streams;
    }
    if (caps->uncached)
        bytes += n * KNOWN_DIR_BYTES * engine_dirs_max(plan, caps, plan->streams / n);
    return bytes + largest * n + sync_memory(plan) + states_memory(plan);
}

struct share { /* what a worker's streams need together */
    size_t slots;
    size_t handles;
    size_t loops;
    size_t counts;
    size_t cursors;
    size_t detached;
    size_t checks;
    size_t buffers; /* of each stream its own */
    size_t shared;  /* one, that serves all streams that have none */
};

/* The group of stream `number` of the plan, and its number within it. */
static uint32_t group_of(const struct plan *plan, uint32_t number, uint32_t *within)
{
    uint32_t g = 0;
    while (number >= plan->group[g].streams)
        number -= plan->group[g++].streams;
    *within = number;
    return g;
}

static struct share add_up(const struct run *run, unsigned first, unsigned streams)
{
    struct share sum = {0};
    for (unsigned i = 0; i < streams; i++) {
        uint32_t within;
        const struct plan_group *group = &run->plan->group[group_of(run->plan, first + i, &within)];
        size_t room = buffer_room(group);
        sum.slots += group->slots;
        sum.handles += group->handles;
        sum.loops += group->loops;
        sum.counts += group->counters;
        sum.cursors += group->cursors;
        sum.detached += group->detached;
        sum.checks += compares(run->plan, group);
        if (!shares_buffer(run->plan, group, &run->caps))
            sum.buffers += room + group->detached * detached_room(group);
        else if (!run->caps.keeps_no_data)
            sum.shared = MAX(sum.shared, room);
    }
    return sum;
}

/* All free, each with `room` bytes from `buf` on; 0: all with the same. */
static unsigned char *deal_detached(struct worker *w, struct stream *s, struct detached **next,
                                    unsigned char *buf, size_t room)
{
    const struct plan_group *group = &w->run->plan->group[s->group];
    for (unsigned i = 0; i < group->detached; i++) {
        struct detached *d = (*next)++;
        d->op.user = d;
        d->op.client = s->op.client;
        d->stream = s;
        d->buf = buf;
        d->next = s->detached.free;
        s->detached.free = d;
        if (buf)
            buf += room;
    }
    return buf;
}

/* The stream's own from `next` on, or, where nobody looks at the data, the one that comes first. */
static void deal_buffers(struct worker *w, struct stream *s, struct detached **detached,
                         unsigned char **next)
{
    const struct plan_group *group = &w->run->plan->group[s->group];
    bool shares = shares_buffer(w->run->plan, group, &w->run->caps);
    s->buf = shares ? w->room.buffers : *next;
    s->op.buf = s->buf;
    if (shares) {
        (void)deal_detached(w, s, detached, s->buf, 0);
        return;
    }
    if (*next)
        *next += buffer_room(group);
    *next = deal_detached(w, s, detached, *next, detached_room(group));
}

static int deal_out(struct worker *w, unsigned first, size_t shared)
{
    const struct run *run = w->run;
    struct slot *slot = w->room.slots;
    uint32_t *loop = w->room.loops;
    uint64_t *cursor = w->room.cursors;
    uint64_t *handle = w->room.handles;
    struct check *check = w->room.checks;
    unsigned char *buf = w->room.buffers ? w->room.buffers + shared : NULL;
    struct detached *detached = w->detached.all;
    struct stream_count *count = w->room.counts;
    for (unsigned i = 0; i < w->streams; i++) {
        struct stream *s = &w->stream[i];
        s->group = group_of(run->plan, first + i, &s->number);
        const struct plan_group *group = &run->plan->group[s->group];
        s->slot = slot;
        s->wait.worker = w;
        s->wait.check = compares(run->plan, group) ? check++ : NULL;
        s->turns.loop = loop;
        s->count = count;
        s->turns.cursor = cursor;
        for (unsigned k = 0; k < group->slots; k++)
            s->slot[k].handles = handle; /* only one slot of a group has them */
        slot += group->slots;
        handle += group->handles;
        loop += group->loops;
        count += group->counters;
        cursor += group->cursors;
        s->op.user = s;
        s->op.client = (uint32_t)((uint64_t)s->number * group->clients / group->streams);
        deal_buffers(w, s, &detached, &buf);
        rng_seed(&s->rng, mix64_pair(run->plan->seed, first + i));
        /* Not of the seed: the same run again must not write what the one before left. */
        s->generation = mix64_pair(clk_wall_ns(), first + i);
        int rc = walk_new(group, &s->walk);
        if (rc < 0)
            return rc;
    }
    return 0;
}

int worker_init(struct worker *w, struct run *run, unsigned first, unsigned streams)
{
    struct share need = add_up(run, first, streams);
    w->run = run;
    w->clk = run->clk;
    w->streams = streams;
    w->stream = calloc(streams, sizeof *w->stream);
    w->detached.n = (unsigned)need.detached;
    w->detached.all = calloc(need.detached + 1, sizeof *w->detached.all);
    w->ring = streams + w->detached.n;
    w->ready = calloc(w->ring, sizeof(struct op *));
    w->timer = calloc(streams, sizeof(struct stream *));
    w->room.slots = calloc(need.slots + 1, sizeof *w->room.slots);
    w->room.loops = calloc(need.loops + 1, sizeof *w->room.loops);
    w->room.cursors = calloc(need.cursors + 1, sizeof *w->room.cursors);
    w->room.counts = calloc(need.counts + 1, sizeof *w->room.counts);
    w->room.handles = calloc(need.handles + 1, sizeof *w->room.handles);
    w->room.checks = calloc(need.checks + 1, sizeof *w->room.checks);
    if (!w->stream || !w->detached.all || !w->ready || !w->timer || !w->room.slots ||
        !w->room.loops || !w->room.cursors || !w->room.counts || !w->room.handles ||
        !w->room.checks)
        return -ENOMEM;
    size_t buffers = need.shared + need.buffers;
    if (buffers > 0) {
        /* Populated now: a page fault inside the gate would be billed to the target. */
        void *map = mmap(NULL, buffers, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (map == MAP_FAILED)
            return -ENOMEM;
        w->room.buffers = map;
        w->room.buffers_bytes = buffers;
    }
    int rc = touched_new(w);
    if (rc == 0)
        rc = deal_out(w, first, need.shared);
    return rc < 0 ? rc : samples_init(&w->samples, run->plan->lines);
}

void worker_fini(struct worker *w)
{
    samples_fini(&w->samples);
    if (w->room.buffers)
        munmap(w->room.buffers, w->room.buffers_bytes);
    free(w->room.checks);
    free(w->room.touched);
    free(w->room.handles);
    free(w->room.counts);
    free(w->room.cursors);
    free(w->room.loops);
    free(w->room.slots);
    free(w->timer);
    free(w->ready);
    free(w->detached.all);
    for (unsigned i = 0; w->stream && i < w->streams; i++)
        free(w->stream[i].walk);
    free(w->stream);
}
