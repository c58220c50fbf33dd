/* truth/set_files.h — plans over a grown set of files, as workload files make them.
 * Shape    sets_begin → steps of the body → sets_end → sets_run → assert on it.m.out → sets_fini. One stream
 *          of a group of its own makes the directories and the files that exist, before the gate.
 * Limits   one set at a time, or two of one tree. On a target that keeps nothing nothing is made.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_SET_FILES_H
#define LOADLINE_TRUTH_SET_FILES_H

#include "fileset/grown.h"
#include "fileset/state.h"
#include "truth/truth.h"

#define SETS_PATH_MAX 1024
#define VIRTUAL_1MS   "fault:null:?latency=fixed:1ms&clock=virtual"

struct sets_wish {
    uint64_t entries;
    uint64_t leafs;
    uint64_t bytes;    /* of each file */
    uint64_t bytes_to; /* above it: evenly from bytes to this */
    uint32_t exist;    /* per cent */
    uint32_t streams;  /* 0: 1 */
    uint64_t measure_ns;
    bool on_disk; /* its files are made */
    enum plan_quit quit;
};

struct sets {
    struct sets_wish wish;
    struct grown *grown;
    struct fileset_state *state;
    struct plan_builder *b;
    struct truth_dir dir; /* "": on a target that keeps nothing */
    struct measured m;
};

static inline struct plan_step sets_pick(enum fileset_use use, enum plan_order order, uint16_t slot)
{
    return (struct plan_step){
        .kind = PLAN_PICK, .use = use, .order = order, .slot = slot, .unit = PLAN_UNIT_FILE};
}

static inline struct plan_step sets_op(struct sets *t, enum op_kind op, const char *line,
                                       uint16_t slot)
{
    return t_op(op, plan_add_line(t->b, line, (uint16_t)op, false), slot);
}

/* All of one unit: picked, then `n` ops, again and again; behind the last one on with the next step. */
static inline void sets_make_all(struct plan_builder *b, struct plan_step pick,
                                 const struct plan_step *op, unsigned n)
{
    uint32_t at = plan_here(b);
    pick.to = at + n + 2;
    t_add(b, pick);
    for (unsigned i = 0; i < n; i++)
        t_add(b, op[i]);
    t_add(b, t_loop(at, 0, 0));
}

/* Each unit by a slot of its own, which counts what it has picked. */
static inline void sets_make(struct plan_builder *b)
{
    struct plan_step root = t_op(OP_MKDIR, PLAN_NO_LINE, 0);
    struct plan_step dir = t_op(OP_MKDIR, PLAN_NO_LINE, 1);
    struct plan_step file[] = {t_op(OP_CREATE, PLAN_NO_LINE, 2),
                               t_io(OP_WRITE, PLAN_NO_LINE, 1 << 20),
                               t_op(OP_CLOSE, PLAN_NO_LINE, 2)};
    file[1].slot = 2;
    file[1].whole = true;
    sets_make_all(b, t_pick(PLAN_UNIT_ROOT, PLAN_ORDER_OWN, 0), &root, 1);
    sets_make_all(b, t_pick(PLAN_UNIT_DIR, PLAN_ORDER_STRIDE, 1), &dir, 1);
    sets_make_all(b, sets_pick(FILESET_USE_INITIAL, PLAN_ORDER_STRIDE, 2), file, 3);
}

static inline void sets_grow(struct sets *t)
{
    struct err err = {0};
    const struct sets_wish *w = &t->wish;
    struct grown_spec spec = {.name = "set",
                              .entries = w->entries,
                              .leafdirs = w->leafs,
                              .size = {.kind = DRAW_FIXED, .a = (double)w->bytes},
                              .width = {.kind = DRAW_FIXED, .a = 20},
                              .seed = 7};
    if (w->bytes_to > w->bytes)
        spec.size =
            (struct draw){.kind = DRAW_UNIFORM, .a = (double)w->bytes, .b = (double)w->bytes_to};
    if (grown_new(&spec, &t->grown, &err) < 0 ||
        fileset_state_new(grown_files(t->grown), grown_dirs(t->grown), grown_leafs(t->grown),
                          w->exist, 7, &t->state, &err) < 0)
        fail_msg("%s", err.text);
}

/* The steps that follow are the body of the group under test. */
static inline void sets_begin(struct sets *t, struct sets_wish wish)
{
    memset(t, 0, sizeof *t);
    t->wish = wish;
    sets_grow(t);
    const struct fileset_spec set = {.shape = FILESET_GROWN, .trees = 1, .grown = t->grown};
    const struct plan_window window = {.measure_ns = wish.measure_ns};
    t->b = plan_new(1);
    plan_window(t->b, &window);
    plan_quit(t->b, wish.quit);
    plan_add_set(t->b, &set);
    if (wish.on_disk) {
        truth_dir_make(&t->dir);
        plan_begin_group(t->b, "make", 1, 1);
        sets_make(t->b);
        plan_end_section(t->b);
        t_add(t->b, t_op(OP_NOP, PLAN_NO_LINE, 0));
        plan_end_section(t->b);
        plan_end_section(t->b);
    }
    plan_begin_group(t->b, "g", wish.streams ? wish.streams : 1, 1);
    plan_end_section(t->b);
}

/* The body again, `passes` times in all, 0: until the window ends; then all that is open is closed. */
static inline void sets_end(struct sets *t, uint32_t passes)
{
    t_add(t->b, t_loop(0, passes, 0));
    plan_end_section(t->b);
    t_add(t->b, (struct plan_step){.kind = PLAN_EACH, .set = PLAN_ANY_SET, .to = 3});
    t_add(t->b, t_op(OP_CLOSE, PLAN_NO_LINE, PLAN_SLOT_EACH));
    t_add(t->b, t_loop(0, 0, 0));
    plan_end_section(t->b);
}

static inline void sets_run_job(struct sets *t, struct engine_job job)
{
    struct fileset_state *state[] = {t->state, t->state};
    job.state = state;
    job.workers = 1;
    truth_run_job(&t->m, t->b, t->wish.on_disk ? t->dir.path : VIRTUAL_1MS, job);
    fileset_state_reset(t->state);
}

static inline void sets_run(struct sets *t)
{
    sets_run_job(t, (struct engine_job){0});
}

static inline void sets_fini(struct sets *t)
{
    truth_fini(&t->m);
    fileset_state_free(t->state);
    grown_free(t->grown);
    if (t->wish.on_disk)
        truth_dir_remove(&t->dir);
}

static inline void assert_line(const struct sets *t, const char *line, uint64_t samples,
                               uint64_t bytes)
{
    const struct samples_line *sum = truth_line(&t->m, line);
    if (sum->samples != samples || sum->bytes != bytes)
        fail_msg("%s: %" PRIu64 " samples of %" PRIu64 " bytes, not %" PRIu64 " of %" PRIu64, line,
                 sum->samples, sum->bytes, samples, bytes);
}

static inline void assert_done(const struct sets *t)
{
    if (engine_error_count(&t->m.out) > 0)
        fail_msg("%s of %s", strerror(-t->m.out.error[0].code), t->m.out.error[0].first_path);
    if (t->m.out.end != ENGINE_DONE)
        fail_msg("%s", t->m.out.notes.ended_by);
}

static inline void sets_path(const struct sets *t, uint64_t file, char *path, size_t room)
{
    uint64_t dir, up[GROWN_DEPTH_MAX + 1];
    unsigned n = 1;
    grown_file(t->grown, file, &dir, &up[0]);
    while (dir > 0)
        grown_dir(t->grown, dir, &dir, &up[n++]);
    size_t len = (size_t)snprintf(path, room, "%s/set", t->dir.path);
    while (n > 0)
        len += (size_t)snprintf(path + len, room - len, "/%08" PRIu64, up[--n]);
}

/* Length of a file of the set by number; -1: it is not there. */
static inline int64_t sets_length(const struct sets *t, uint64_t file)
{
    struct stat st;
    char path[SETS_PATH_MAX];
    sets_path(t, file, path, sizeof path);
    return stat(path, &st) < 0 ? -1 : st.st_size;
}

#endif
