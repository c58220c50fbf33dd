/* truth/scripts.h — scripts made by hand: filesets, and runs that ask for one flowop again and again.
 * Shape    script_hand → hand_set, hand_make, hand_run … → study_script → hand_free.
 * Threads  the test's own. */
#ifndef LOADLINE_TRUTH_SCRIPTS_H
#define LOADLINE_TRUTH_SCRIPTS_H

#include "script/script.h"
#include "truth/studies.h"

#include "plan/build.h"
#include "target/catalog.h"

#define HAND_STEPS_MAX 16
#define HAND_SETS_MAX  4

struct hand {
    struct target_caps caps;
    struct script script;
    struct script_set set[HAND_SETS_MAX];
    struct script_step step[HAND_STEPS_MAX];
};

static inline void hand_begin(struct hand *h, const struct told *t, char *name)
{
    struct err err = {0};
    *h = (struct hand){.script = {.name = name, .dialect = SCRIPT_DIALECT_15}};
    if (target_caps_of(t->address, &h->caps, &err) < 0)
        fail_msg("%s", err.text);
    h->script.set = h->set;
    h->script.step = h->step;
}

/* All of its files have `bytes`; four in a directory. */
static inline struct script_set *hand_set_at(struct hand *h, const char *under, char *name,
                                             uint64_t entries, uint64_t bytes)
{
    struct grown_spec spec = {.entries = entries,
                              .size = {.kind = DRAW_FIXED, .a = (double)bytes},
                              .width = {.kind = DRAW_FIXED, .a = 4},
                              .seed = 7};
    struct err err = {0};
    struct script_set *set = &h->set[h->script.sets++];
    snprintf(spec.name, sizeof spec.name, "%s", name);
    snprintf(spec.under, sizeof spec.under, "%s", under);
    *set = (struct script_set){.name = name, .exists_percent = 100, .makers = 2};
    if (draw_check(&spec.size, &err) < 0 || draw_check(&spec.width, &err) < 0 ||
        grown_new(&spec, &set->grown, &err) < 0)
        fail_msg("%s", err.text);
    set->spec = (struct fileset_spec){.shape = FILESET_GROWN, .trees = 1, .grown = set->grown};
    h->script.bytes += entries * bytes;
    h->script.files += entries;
    return set;
}

static inline struct script_set *hand_set(struct hand *h, char *name, uint64_t entries,
                                          uint64_t bytes)
{
    return hand_set_at(h, "", name, entries, bytes);
}

static inline struct script_step *hand_step(struct hand *h, enum script_step_kind kind)
{
    struct script_step *step = &h->step[h->script.steps++];
    *step = (struct script_step){.kind = kind};
    return step;
}

static inline void hand_sets_step(struct hand *h, enum script_step_kind kind, unsigned first,
                                  unsigned n)
{
    struct script_step *step = hand_step(h, kind);
    step->first = first;
    step->n = n;
}

struct hand_flowop {
    enum op_kind op;
    const char *type;
    enum fileset_use use;
    uint64_t time_ns;
    uint64_t warmup_ns;
    uint64_t period_ns;
    unsigned set;
};

/* Out of files: `else`. Reads and writes a whole file once it is open, or appends a block to it. */
static inline void hand_body(struct plan_builder *b, const struct hand_flowop *f, uint16_t line)
{
    struct plan_step pick = {
        .kind = PLAN_PICK, .unit = PLAN_UNIT_FILE, .order = PLAN_ORDER_ROUND, .use = f->use};
    struct plan_step op = {.kind = PLAN_OP, .op = (uint16_t)f->op, .line = line};
    struct plan_step open = {.kind = PLAN_OP, .op = OP_OPEN, .line = PLAN_NO_LINE};
    struct plan_step close = {.kind = PLAN_OP, .op = OP_CLOSE, .line = PLAN_NO_LINE};
    struct plan_step loop = {.kind = PLAN_LOOP};
    struct plan_step out = {.kind = PLAN_OUT};
    bool whole = f->op == OP_READ || f->op == OP_WRITE;
    bool opens = whole || f->op == OP_APPEND;
    op.whole = whole;
    op.to_end = f->op == OP_READ;
    op.io_bytes = opens ? 4096 : 0;
    uint32_t first = plan_add_step(b, &pick);
    if (opens)
        plan_add_step(b, &open);
    plan_add_step(b, &op);
    if (opens)
        plan_add_step(b, &close);
    plan_add_step(b, &loop);
    uint32_t ran_out = plan_add_step(b, &out);
    plan_step_to(b, first, ran_out);
    plan_step_skip(b, first, first);
    plan_end_section(b);
}

static inline void hand_run(struct hand *h, const struct hand_flowop *f)
{
    const struct plan_window window = {.warmup_ns = f->warmup_ns,
                                       .measure_ns = f->time_ns,
                                       .interval_ns = f->time_ns / 10,
                                       .period_ns = f->period_ns};
    const struct plan_instrument instrument = {.scheme = "posix", .cache = PLAN_CACHE_KEEP};
    struct err err = {0};
    struct script_step *step = hand_step(h, SCRIPT_RUN);
    struct plan_builder *b = plan_new(3);
    assert_non_null(b);
    plan_instrument(b, &instrument);
    plan_window(b, &window);
    plan_add_set(b, &h->set[f->set].spec);
    uint16_t line = plan_add_line(b, "flowop1", (uint16_t)f->op, false);
    plan_line_type(b, line, f->type);
    plan_begin_group(b, "threads", 2, 1);
    plan_end_section(b);
    hand_body(b, f, line);
    plan_end_section(b);
    if (plan_freeze(b, &h->caps, &step->plan, &err) < 0)
        fail_msg("%s", err.text);
    h->script.runs++;
}

static inline void hand_free(struct hand *h)
{
    for (unsigned i = 0; i < h->script.steps; i++)
        plan_free(h->step[i].plan);
    for (unsigned i = 0; i < h->script.sets; i++)
        grown_free(h->set[i].grown);
}

#endif
