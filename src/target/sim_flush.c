/* Jobs are small, and few of them are on the path at once, so that those who read wait behind some rows there and not
 * behind a second of writing; the disks have more, to be all busy. */
#include "target/sim_flush_priv.h"

#include <errno.h>
#include <stdlib.h>

#define AGE_MS         1000 /* dirty for that long: to be written */
#define JOBS_PER_SET   4
#define JOBS_MAX       512
#define JOB_DISK_BYTES (256u << 10) /* of one job at one disk */
#define JOB_ROWS_MAX   256

static uint32_t now_ms(const struct sim_store *s)
{
    return (uint32_t)(sim_net_now(s->net) / 1000000);
}

/* ---- making ---- */

static void pump_on_time(struct sim_event *e, uint64_t now_ns);
static void job_arrives(struct sim_event *e, uint64_t now_ns);

/* Whole rows, and whole extents where that does not take too many. */
static uint64_t job_bytes_of(const struct sim_store *s)
{
    uint64_t row = sim_disks_row_bytes(&s->disks);
    uint64_t rows = 1;

    if (row == 0)
        return JOB_DISK_BYTES;
    while (rows < JOB_ROWS_MAX && (rows * s->disks.stripe_bytes < JOB_DISK_BYTES ||
                                   rows * row % s->profile.extent_bytes != 0))
        rows++;
    return row * rows;
}

int sim_flush_init(struct sim_store *s)
{
    struct sim_flush *f = &s->flush;
    unsigned jobs = s->disks.sets * JOBS_PER_SET;

    jobs = jobs < JOBS_PER_SET ? JOBS_PER_SET : jobs > JOBS_MAX ? JOBS_MAX : jobs;
    f->timer.fire = pump_on_time;
    f->job_bytes = job_bytes_of(s);
    f->on_path_max = s->profile.path.servers > 0 ? 2 * s->profile.path.servers : 2;
    f->job = calloc(jobs, sizeof *f->job);
    if (f->job == NULL)
        return -ENOMEM;
    f->jobs = jobs;
    for (unsigned i = jobs; i-- > 0;) {
        f->job[i].store = s;
        f->job[i].next_free = f->free;
        f->free = &f->job[i];
    }
    return sim_net_room(s->net, jobs + 1);
}

void sim_flush_fini(struct sim_store *s)
{
    free(s->flush.job);
}

/* ---- waiting ---- */

static bool may_take(const struct sim_store *s, uint64_t len)
{
    return s->dirty.bytes < s->profile.dram.dirty_limit_bytes &&
           (s->dirty.used == 0 || sim_dirty_room(&s->dirty, len));
}

static uint64_t written_back(const struct sim_store *s)
{
    return s->dirty.taken_bytes - s->dirty.bytes;
}

void sim_flush_release(struct sim_store *s)
{
    struct sim_flush *f = &s->flush;
    uint64_t now = sim_net_now(s->net);

    while (f->writes.first != NULL && may_take(s, f->writes.first->len)) {
        struct sim_waiter *w = sim_waiters_take(&f->writes);
        f->wait_ns += now - w->mark;
        sim_store_take(s, w->file, w->off, w->len);
        sim_net_at(s->net, &w->event, now);
    }
    while (f->settles.first != NULL && written_back(s) >= f->settles.first->mark) {
        struct sim_waiter *w = sim_waiters_take(&f->settles);
        sim_net_at(s->net, &w->event, f->synced_ns > now ? f->synced_ns : now);
    }
}

/* ---- jobs ---- */

static bool hurries(const struct sim_store *s)
{
    return s->dirty.bytes >= s->profile.dram.dirty_limit_bytes / 2 ||
           s->dirty.used > s->dirty.max / 2 || s->flush.settles.first != NULL;
}

/* When the oldest may be written. */
static uint64_t due_ns(const struct sim_store *s)
{
    uint64_t now = sim_net_now(s->net);
    uint32_t age_ms = now_ms(s) - s->dirty.extent[s->dirty.oldest].since_ms;
    uint64_t at = now;

    if (age_ms < AGE_MS && !hurries(s))
        at += (AGE_MS - age_ms) * (uint64_t)1000000;
    return at > s->flush.paced_ns ? at : s->flush.paced_ns;
}

static void take(struct sim_store *s, struct sim_flush_job *job, uint32_t extent, uint32_t *last)
{
    struct sim_dirty_extent *e = &s->dirty.extent[extent];

    sim_dirty_take(&s->dirty, extent);
    e->flight = s->flush.flights;
    if (*last != SIM_DIRTY_NONE)
        s->dirty.extent[*last].next = extent;
    else
        job->first = extent;
    e->next = SIM_DIRTY_NONE;
    *last = extent;
    job->bytes += (uint64_t)__builtin_popcountll(e->flying) * sim_dirty_block_bytes(&s->dirty);
}

static void take_oldest(struct sim_store *s, struct sim_flush_job *job)
{
    uint32_t last = SIM_DIRTY_NONE;

    while (s->dirty.oldest != SIM_DIRTY_NONE && job->bytes < s->flush.job_bytes)
        take(s, job, s->dirty.oldest, &last);
    job->start = SIM_DISK_CONTINUES;
}

/* The oldest and its neighbours within the job's window of the file. */
static void take_around_oldest(struct sim_store *s, struct sim_flush_job *job)
{
    uint64_t key = s->dirty.extent[s->dirty.oldest].key;
    struct sim_dirty_file *file = &s->dirty.file[s->dirty.extent[s->dirty.oldest].file];
    uint64_t wide = s->flush.job_bytes / s->profile.extent_bytes;
    uint64_t window = key - (uint32_t)key % (wide > 0 ? wide : 1);
    uint32_t last = SIM_DIRTY_NONE;
    uint64_t end = window + (wide > 0 ? wide : 1);

    while (key > window && sim_dirty_queued(&s->dirty, key - 1) != SIM_DIRTY_NONE)
        key--;
    job->start = key == file->continues ? SIM_DISK_FOLLOWS : SIM_DISK_SEEKS;
    for (uint32_t i; key < end; key++) {
        i = sim_dirty_queued(&s->dirty, key);
        if (i == SIM_DIRTY_NONE)
            break;
        take(s, job, i, &last);
    }
    file->continues = key;
}

static void start_job(struct sim_store *s, struct sim_flush_job *job)
{
    uint64_t now = sim_net_now(s->net);
    uint64_t drain = s->profile.dram.drain_bytes_s;

    job->bytes = 0;
    s->flush.flights++;
    if (s->profile.disks.write_cache)
        take_oldest(s, job);
    else
        take_around_oldest(s, job);
    if (drain > 0)
        s->flush.paced_ns =
            (now > s->flush.paced_ns ? now : s->flush.paced_ns) + sim_bytes_ns(job->bytes, drain);
    job->event.fire = job_arrives;
    s->flush.on_path++;
    sim_net_at(s->net, &job->event, sim_path_write(s, job->bytes));
}

static void start_write_through(struct sim_store *s, struct sim_flush_job *job)
{
    struct sim_waiter *w = sim_waiters_take(&s->flush.writes);

    job->waiter = w;
    job->first = SIM_DIRTY_NONE;
    job->file = w->file;
    job->off = w->off;
    job->bytes = w->len;
    job->event.fire = job_arrives;
    s->flush.on_path++;
    sim_net_at(s->net, &job->event, sim_path_write(s, job->bytes));
}

static void pump_at(struct sim_store *s, uint64_t at)
{
    struct sim_flush *f = &s->flush;

    if (f->timer_set && f->timer_ns <= at)
        return;
    if (f->timer_set)
        sim_net_forget(s->net, &f->timer);
    f->timer_set = true;
    f->timer_ns = at;
    sim_net_at(s->net, &f->timer, at);
}

/* Of write-backs that have begun when w asked: a file that is written to all the time is never without any. */
static bool flies(const struct sim_store *s, const struct sim_waiter *w)
{
    const struct sim_dirty_file *file = sim_dirty_file_of(&s->dirty, w->file);
    struct sim_place place = sim_place_of(s, w->file, w->off, w->len);
    uint32_t i = file != NULL ? file->first : SIM_DIRTY_NONE;

    for (; i != SIM_DIRTY_NONE; i = s->dirty.extent[i].file_next) {
        const struct sim_dirty_extent *e = &s->dirty.extent[i];
        bool begun = (int32_t)(e->flight - (uint32_t)w->mark) <= 0;
        if (e->flying != 0 && begun && sim_place_has(place, e->key))
            return true;
    }
    return false;
}

/* Whether somebody goes on: they come before what they wait for flies again. */
static bool land(struct sim_store *s, uint64_t now_ns)
{
    struct sim_waiters rest = {.first = NULL};
    bool any = false;

    while (s->flush.lands.first != NULL) {
        struct sim_waiter *w = sim_waiters_take(&s->flush.lands);
        if (flies(s, w)) {
            sim_waiters_add(&rest, w);
            continue;
        }
        sim_net_at(s->net, &w->event, now_ns);
        any = true;
    }
    s->flush.lands = rest;
    return any;
}

static void job_ends(struct sim_event *e, uint64_t now_ns)
{
    struct sim_flush_job *job = (struct sim_flush_job *)e;
    struct sim_store *s = job->store;
    uint32_t next;

    if (job->waiter != NULL)
        sim_net_at(s->net, &job->waiter->event, now_ns);
    for (uint32_t i = job->first; i != SIM_DIRTY_NONE; i = next) {
        next = s->dirty.extent[i].next;
        sim_dirty_clean(&s->dirty, i, now_ms(s));
    }
    job->waiter = NULL;
    job->next_free = s->flush.free;
    s->flush.free = job;
    bool any = land(s, now_ns);
    sim_flush_release(s);
    if (any)
        pump_at(s, now_ns);
    else
        sim_flush_pump(s);
}

void sim_flush_add_runs(struct sim_store *s, const struct sim_dirty_extent *e)
{
    uint32_t file = s->dirty.file[e->file].number;
    uint64_t base = (uint64_t)(uint32_t)e->key * s->profile.extent_bytes;
    uint64_t block = sim_dirty_block_bytes(&s->dirty);

    for (uint64_t rest = e->flying; rest != 0;) {
        unsigned from = (unsigned)__builtin_ctzll(rest);
        uint64_t clear = ~(rest >> from);
        unsigned n = clear != 0 ? (unsigned)__builtin_ctzll(clear) : 64;
        sim_disks_add(&s->disks, file, base + from * block, n * block);
        rest = from + n < 64 ? rest & UINT64_MAX << (from + n) : 0;
    }
}

/* At the disks. */
static void job_arrives(struct sim_event *e, uint64_t now_ns)
{
    struct sim_flush_job *job = (struct sim_flush_job *)e;
    struct sim_store *s = job->store;
    uint64_t leaves;

    (void)now_ns;
    job->event.fire = job_ends;
    if (s->profile.disks.write_cache) {
        leaves = sim_disks_gather(&s->disks, job->bytes, SIM_DISK_CONTINUES);
    } else if (job->first == SIM_DIRTY_NONE) {
        sim_disks_add(&s->disks, job->file, job->off, job->bytes);
        leaves = sim_disks_write(&s->disks, SIM_DISK_SEEKS);
    } else {
        for (uint32_t i = job->first; i != SIM_DIRTY_NONE; i = s->dirty.extent[i].next)
            sim_flush_add_runs(s, &s->dirty.extent[i]);
        leaves = sim_disks_write(&s->disks, job->start);
    }
    sim_net_at(s->net, &job->event, leaves);
    s->flush.on_path--;
    sim_flush_pump(s);
}

void sim_flush_pump(struct sim_store *s)
{
    struct sim_flush *f = &s->flush;
    uint64_t now = sim_net_now(s->net);
    bool through = s->profile.dram.dirty_limit_bytes == 0;

    while (f->free != NULL && f->on_path < f->on_path_max &&
           (through ? f->writes.first != NULL : s->dirty.oldest != SIM_DIRTY_NONE)) {
        uint64_t at = through ? now : due_ns(s);
        if (at > now) {
            pump_at(s, at);
            return;
        }
        struct sim_flush_job *job = f->free;
        f->free = job->next_free;
        if (through)
            start_write_through(s, job);
        else
            start_job(s, job);
    }
}

static void pump_on_time(struct sim_event *e, uint64_t now_ns)
{
    struct sim_store *s = (struct sim_store *)e;

    (void)now_ns;
    s->flush.timer_set = false;
    sim_flush_pump(s);
}

/* ---- what others ask ---- */

bool sim_store_write(struct sim_store *s, struct sim_waiter *w)
{
    struct sim_flush *f = &s->flush;
    bool through = s->profile.dram.dirty_limit_bytes == 0;

    if (!through && f->writes.first == NULL && may_take(s, w->len)) {
        sim_store_take(s, w->file, w->off, w->len);
        sim_flush_pump(s);
        return true;
    }
    w->mark = sim_net_now(s->net);
    sim_waiters_add(&f->writes, w);
    if (through)
        sim_store_take(s, w->file, w->off, w->len);
    else
        f->waits++;
    sim_flush_pump(s);
    return false;
}

bool sim_store_settle(struct sim_store *s, struct sim_waiter *w)
{
    if (s->dirty.bytes == 0 && s->flush.synced_ns <= sim_net_now(s->net))
        return true;
    w->mark = s->dirty.taken_bytes;
    sim_waiters_add(&s->flush.settles, w);
    if (s->dirty.bytes == 0)
        sim_flush_release(s);
    sim_flush_pump(s);
    return false;
}

bool sim_store_land(struct sim_store *s, struct sim_waiter *w)
{
    w->mark = s->flush.flights;
    if (s->log >= 0 || w->len == 0 || !flies(s, w))
        return true;
    sim_waiters_add(&s->flush.lands, w);
    return false;
}

void sim_store_forget(struct sim_store *s, struct sim_waiter *w)
{
    if (sim_waiters_forget(&s->flush.writes, w) || sim_waiters_forget(&s->flush.settles, w) ||
        sim_waiters_forget(&s->flush.lands, w))
        return;
    for (unsigned i = 0; i < s->flush.jobs; i++)
        if (s->flush.job[i].waiter == w) {
            s->flush.job[i].waiter = NULL;
            return;
        }
    sim_net_forget(s->net, &w->event);
}
