/* truth/truth.h — plans for the truth tests, run at once, with what came out.
 * Shape    truth_reads or a builder of one's own → truth_run → assert on m.out → truth_fini.
 *          truth_dir_make … truth_dir_remove around tests that need real files.
 * Errors   anything unexpected fails the test with the words of the error.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_TRUTH_H
#define LOADLINE_TRUTH_TRUTH_H

#include "engine/engine.h"
#include "plan/build.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define MS_NS  1000000u
#define SEC_NS 1000000000u

#define TRUTH_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- steps ---- */

static inline struct plan_step t_pick(enum plan_unit unit, enum plan_order order, uint16_t slot)
{
    return (struct plan_step){.kind = PLAN_PICK, .unit = unit, .order = order, .slot = slot};
}

static inline struct plan_step t_op(enum op_kind op, uint16_t line, uint16_t slot)
{
    return (struct plan_step){.kind = PLAN_OP, .op = (uint16_t)op, .line = line, .slot = slot};
}

static inline struct plan_step t_io(enum op_kind op, uint16_t line, uint64_t io_bytes)
{
    struct plan_step step = t_op(op, line, 0);
    step.io_bytes = io_bytes;
    return step;
}

static inline struct plan_step t_loop(uint32_t to, uint32_t count, uint16_t loop)
{
    return (struct plan_step){.kind = PLAN_LOOP, .to = to, .count = count, .loop = loop};
}

static inline uint32_t t_add(struct plan_builder *b, struct plan_step step)
{
    return plan_add_step(b, &step);
}

/* ---- running ---- */

struct measured {
    struct target_caps caps;
    struct plan *plan;
    struct engine_outcome out;
};

static inline struct target_caps truth_caps(const char *address)
{
    struct target_caps caps;
    struct err err = {0};
    if (target_caps_of(address, &caps, &err) < 0)
        fail_msg("%s: %s", address, err.text);
    return caps;
}

static inline struct plan *truth_freeze(struct plan_builder *b, const char *address)
{
    struct target_caps caps = truth_caps(address);
    struct plan *plan = NULL;
    struct err err = {0};
    if (plan_freeze(b, &caps, &plan, &err) < 0)
        fail_msg("plan for %s: %s", address, err.text);
    return plan;
}

/* job: what differs from a plain run; its plan and address are set here. */
static inline void truth_run_job(struct measured *m, struct plan_builder *b, const char *address,
                                 struct engine_job job)
{
    struct err err = {0};
    memset(m, 0, sizeof *m);
    m->caps = truth_caps(address);
    m->plan = truth_freeze(b, address);
    job.plan = m->plan;
    job.address = address;
    if (!job.place)
        job.place = "";
    if (engine_run(&job, &m->out, &err) < 0)
        fail_msg("%s: %s", address, err.text);
}

static inline void truth_run(struct measured *m, struct plan_builder *b, const char *address)
{
    truth_run_job(m, b, address, (struct engine_job){.workers = 1});
}

/* The words of a run that could not be made; *code is what engine_run returned. */
static inline struct err truth_refused(struct plan_builder *b, const char *address,
                                       struct engine_job job)
{
    struct engine_outcome out;
    struct err err = {0};
    struct plan *plan = truth_freeze(b, address);
    job.plan = plan;
    job.address = address;
    job.place = job.place ? job.place : "";
    int rc = engine_run(&job, &out, &err);
    assert_true(rc < 0);
    assert_int_equal(rc, err.code);
    plan_free(plan);
    return err;
}

static inline void truth_fini(struct measured *m)
{
    engine_outcome_fini(&m->out);
    plan_free(m->plan);
}

static inline const struct samples_line *truth_line(const struct measured *m, const char *name)
{
    const struct samples_line *line = engine_outcome_line(&m->out, m->plan, name);
    if (!line)
        fail_msg("the plan has no line %s", name);
    return line;
}

/* ---- reads from files that are open already: the plan behind plain I/O ---- */

struct reads {
    uint32_t streams; /* 0: 1 */
    uint64_t block;   /* 0: 4096 */
    double rate_per_s;
    enum plan_arrival arrival;
    uint64_t warmup_ns;
    uint64_t measure_ns;
    uint64_t interval_ns; /* 0: 100 ms */
    uint64_t seed;
    enum plan_where where;
};

static inline struct plan_builder *truth_reads(struct reads r)
{
    const struct plan_window window = {
        .warmup_ns = r.warmup_ns, .measure_ns = r.measure_ns, .interval_ns = r.interval_ns};
    const struct plan_schedule schedule = {.arrival = r.arrival, .rate_per_s = r.rate_per_s};
    uint32_t streams = r.streams ? r.streams : 1;
    uint64_t block = r.block ? r.block : 4096;
    const struct fileset_spec spec = {
        .shape = FILESET_FLAT, .trees = 1, .files = streams, .size_bytes = 16 * block};
    struct plan_builder *b = plan_new(r.seed);
    assert_non_null(b);
    plan_window(b, &window);
    plan_add_set(b, &spec);
    uint16_t line = plan_add_line(b, "read", OP_READ, r.rate_per_s > 0);
    struct plan_step pick = t_pick(PLAN_UNIT_FILE, PLAN_ORDER_STRIDE, 0);
    pick.to = 2;
    plan_begin_group(b, "reads", streams, 1);
    t_add(b, pick);
    t_add(b, t_op(OP_OPEN, PLAN_NO_LINE, 0));
    plan_end_section(b);
    if (r.rate_per_s > 0)
        t_add(b,
              (struct plan_step){.kind = PLAN_ARRIVE, .schedule = plan_add_schedule(b, &schedule)});
    struct plan_step read = t_io(OP_READ, line, block);
    read.at.where = r.where;
    t_add(b, read);
    t_add(b, t_loop(0, 0, 0));
    plan_end_section(b);
    t_add(b, t_op(OP_CLOSE, PLAN_NO_LINE, 0));
    plan_end_section(b);
    return b;
}

/* ---- sums that must agree ---- */

static inline void assert_streams_sum_to_lines(const struct measured *m)
{
    uint64_t ops = 0, bytes = 0, line_ops = 0, line_bytes = 0;
    for (unsigned i = 0; i < m->out.streams; i++) {
        ops += m->out.stream[i].ops;
        bytes += m->out.stream[i].bytes;
    }
    for (unsigned i = 0; i < m->out.lines; i++) {
        line_ops += m->out.total->line[i].ops;
        line_bytes += m->out.total->line[i].bytes;
        assert_int_equal(m->out.total->line[i].samples, hist_count(&m->out.total->line[i].service));
    }
    assert_int_equal(ops, line_ops);
    assert_int_equal(bytes, line_bytes);
}

/* Samples of one line over the intervals that lie in [from_ns, to_ns) since the gate. */
static inline uint64_t truth_interval_samples(const struct measured *m, unsigned line,
                                              uint64_t from_ns, uint64_t to_ns)
{
    const struct series *s = &m->out.series;
    uint64_t samples = 0;
    for (unsigned i = 0; i < s->used; i++)
        if (i * s->width_ns >= from_ns && i * s->width_ns < to_ns)
            samples += series_at(s, i, line)->samples;
    return samples;
}

/* ---- directories ---- */

struct truth_dir {
    char path[64];
};

static inline void truth_dir_make(struct truth_dir *d)
{
    snprintf(d->path, sizeof d->path, "/tmp/truth-XXXXXX");
    assert_non_null(mkdtemp(d->path));
}

static inline int truth_remove_entry(const char *path, const struct stat *st, int type,
                                     struct FTW *where)
{
    (void)st;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void truth_dir_remove(const struct truth_dir *d)
{
    assert_int_equal(nftw(d->path, truth_remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
