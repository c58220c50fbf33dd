/* Steps that several kinds of flowops need, and what stands around a flowop: its repetitions. */
#include "script/flow_priv.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t flow_step(struct flow_thread *t, struct plan_step step)
{
    return plan_add_step(t->b, &step);
}

uint32_t flow_jump(struct flow_thread *t)
{
    return flow_step(t, (struct plan_step){.kind = PLAN_LOOP});
}

void flow_land(struct flow_thread *t, uint32_t step)
{
    plan_step_to(t->b, step, plan_here(t->b));
}

uint16_t flow_plan_set(const struct flow_thread *t, int set)
{
    return (uint16_t)((unsigned)set - t->c->first_set);
}

/* ---- ways out ---- */

static void add_exit(struct flow_thread *t, struct flow_exit way)
{
    if ((t->exits & (t->exits - 1)) == 0) {
        size_t room = t->exits ? 2 * (size_t)t->exits : 1;
        struct flow_exit *more = realloc(t->exit, room * sizeof *more);
        if (!more) {
            t->failed = true;
            return;
        }
        t->exit = more;
    }
    t->exit[t->exits++] = way;
}

void flow_out(struct flow_thread *t, uint32_t step, const struct flow_node *n)
{
    add_exit(t, (struct flow_exit){.step = step, .set = n->set, .line = n->line});
}

static __attribute__((format(printf, 2, 0))) uint16_t add_text(struct flow_thread *t,
                                                               const char *fmt, va_list ap)
{
    char words[400];
    vsnprintf(words, sizeof words, fmt, ap);
    return plan_add_text(t->b, words);
}

void flow_wrong(struct flow_thread *t, uint32_t step, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_exit(t, (struct flow_exit){.step = step, .set = FLOW_NO_SET, .text = add_text(t, fmt, ap)});
    va_end(ap);
}

void flow_fail(struct flow_thread *t, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    flow_step(t, (struct plan_step){
                     .kind = PLAN_FAIL, .line = PLAN_NO_LINE, .value = add_text(t, fmt, ap)});
    va_end(ap);
}

/* The one before the i-th that leads to the same place; i: none. */
static unsigned same_exit(const struct flow_thread *t, unsigned i)
{
    const struct flow_exit *way = &t->exit[i];
    unsigned j = way->set == FLOW_NO_SET ? i : 0;
    while (j < i && (t->exit[j].set != way->set || t->exit[j].line != way->line))
        j++;
    return j;
}

/* Where the ways out lead to: once for each flowop and the set that it runs out of. */
static void close_exits(struct flow_thread *t)
{
    for (unsigned i = 0; i < t->exits; i++) {
        struct flow_exit *way = &t->exit[i];
        unsigned same = same_exit(t, i);
        if (same < i) {
            plan_step_to(t->b, way->step, t->exit[same].step);
            continue;
        }
        flow_land(t, way->step);
        struct plan_step stop = {.kind = PLAN_FAIL, .line = PLAN_NO_LINE, .value = way->text};
        if (way->set != FLOW_NO_SET)
            stop = (struct plan_step){
                .kind = PLAN_OUT, .set = flow_plan_set(t, way->set), .line = way->line};
        way->step = flow_step(t, stop); /* from now on where it leads to */
    }
}

/* ---- what several kinds need ---- */

void flow_turn(struct flow_thread *t, const struct flow_node *n)
{
    if (n->slot == PLAN_SLOT_TURN)
        flow_step(t, (struct plan_step){.kind = PLAN_TURN});
}

struct plan_step flow_op(const struct flow_node *n, uint16_t op, uint16_t slot)
{
    return (struct plan_step){
        .kind = PLAN_OP, .op = op, .slot = slot, .line = n->line, .counts = n->counts};
}

struct plan_step flow_other(const struct flow_node *n, enum plan_step_kind kind)
{
    return (struct plan_step){.kind = kind, .line = n->line, .counts = n->counts};
}

/* Before 1.5 an index was meant for a random variable whose mean is 1: it is multiplied by half of
 * how many there are. Of leaf directories it still is. */
static double index_factor(const struct flow_thread *t, const struct flow_node *n,
                           enum plan_unit unit)
{
    const struct grown *grown = t->c->script->set[n->set].grown;
    if (unit == PLAN_UNIT_LEAF)
        return (double)grown_leafs(grown) / 2;
    if (t->c->dialect == SCRIPT_DIALECT_15 || !grown)
        return 1;
    return (double)grown_files(grown) / 2;
}

static int index_draw(struct flow_thread *t, const struct flow_node *n, enum plan_unit unit,
                      struct plan_step *pick)
{
    uint64_t fixed = 0;
    const struct draw *draw = NULL;
    double bound = 0;
    if (!lang_attr_find(&n->f->attrs, "indexed"))
        return 0;
    int rc = attr_number(n->scope, &n->f->attrs, "indexed", 0, t->remarks, &fixed, &draw);
    if (rc < 0)
        return rc;
    double factor = index_factor(t, n, unit);
    pick->order = PLAN_ORDER_DRAWN;
    if (draw) {
        pick->draw = flow_draw(t, draw, factor, &bound);
    } else {
        const struct draw constant = {.kind = DRAW_FIXED, .a = trunc((double)fixed * factor)};
        pick->draw = flow_draw_once(t, &constant);
    }
    return 0;
}

int flow_pick(struct flow_thread *t, const struct flow_node *n, enum plan_unit unit,
              enum fileset_use use, uint16_t slot, uint32_t *step)
{
    struct plan_step pick = {.kind = PLAN_PICK,
                             .unit = unit,
                             .use = use,
                             .slot = slot,
                             .set = flow_plan_set(t, n->set),
                             .order = use == FILESET_USE_OPEN && n->opennext ? PLAN_ORDER_ROUND_OWN
                                                                             : PLAN_ORDER_ROUND};
    int rc = unit == PLAN_UNIT_DIR ? 0 : index_draw(t, n, unit, &pick);
    if (rc < 0)
        return rc;
    *step = flow_step(t, pick);
    flow_out(t, *step, n);
    return 0;
}

/* Slot 0 is everybody's: what is open in it is taken as it is. So is the turn when it comes to 0 in a
 * thread that uses slot 0 otherwise. */
static uint16_t expected_set(const struct flow_thread *t, const struct flow_node *n)
{
    if (n->set < 0 || n->slot == 0)
        return PLAN_ANY_SET;
    for (uint32_t i = 0; n->slot == PLAN_SLOT_TURN && i < t->nodes; i++)
        if (t->node[i].kind && t->node[i].slot == 0 && t->node[i].set >= 0 &&
            t->node[i].set != n->set && t->node[i].kind->uses & (FLOW_OPENS | FLOW_MOVES))
            return PLAN_ANY_SET;
    return flow_plan_set(t, n->set);
}

int flow_ensure_open(struct flow_thread *t, const struct flow_node *n)
{
    uint32_t pick = 0;
    flow_turn(t, n);
    uint32_t open = flow_step(
        t, (struct plan_step){.kind = PLAN_IF_OPEN, .slot = n->slot, .set = expected_set(t, n)});
    if (n->set < 0) {
        flow_fail(t, "flowop %s: nothing is open on fd %u, and it names no file to open", n->name,
                  n->slot);
    } else {
        int rc = flow_pick(t, n, PLAN_UNIT_FILE, FILESET_USE_OPEN, n->slot, &pick);
        if (rc < 0)
            return rc;
        struct plan_step op = flow_op(n, OP_OPEN, n->slot);
        op.op_flags = n->open_flags;
        op.counts = n->open_counts;
        flow_step(t, op);
    }
    flow_land(t, open);
    return 0;
}

/* ---- repetitions ---- */

static int emit_node(struct flow_thread *t, uint32_t i);

static int emit_inner(struct flow_thread *t, uint32_t from, uint32_t stop)
{
    int first = 0;
    for (uint32_t i = from; i < stop; i = t->node[i].end) {
        int rc = emit_node(t, i);
        if (rc == -ENOMEM || t->failed)
            return -ENOMEM;
        if (rc < 0 && first == 0)
            first = rc;
    }
    return first;
}

static int emit_once(struct flow_thread *t, uint32_t i)
{
    struct flow_node *n = &t->node[i];
    return n->kind ? n->kind->emit(t, n) : emit_inner(t, i + 1, n->end);
}

static void add_line(struct flow_thread *t, struct flow_node *n)
{
    if (n->kind && n->kind->uses & FLOW_SILENT)
        return;
    n->line = flow_line(t, n->f->at, n->name, n->kind ? n->kind->name : "composite",
                        n->kind ? n->kind->op : OP_NOP);
}

static int emit_node(struct flow_thread *t, uint32_t i)
{
    struct flow_node *n = &t->node[i];
    struct plan_step loop = {.kind = PLAN_LOOP, .count = (uint32_t)n->iters};
    uint32_t count = 0;
    double bound = 0;
    bool drawn = n->iters_draw != NULL, looped = drawn || n->iters > 1;
    loop.loop = (uint16_t)t->loops;
    if (drawn) {
        loop.count = PLAN_LOOP_COUNTED;
        count = flow_step(t, (struct plan_step){.kind = PLAN_COUNT,
                                                .loop = loop.loop,
                                                .draw = flow_draw(t, n->iters_draw, 1, &bound)});
    } else if (n->iters == 0) {
        return 0;
    }
    t->loops += looped;
    loop.to = plan_here(t->b);
    int rc = emit_once(t, i);
    t->loops -= looped;
    if (looped)
        flow_step(t, loop);
    if (drawn)
        flow_land(t, count);
    return rc;
}

/* A list of which nothing is left would go round and round. */
static void wait_for_the_end(struct flow_thread *t)
{
    lang_warn(t->remarks, t->def->at, "thread %s: it does nothing but wait for the end of the run",
              t->name);
    flow_step(t, (struct plan_step){
                     .kind = PLAN_DELAY, .line = PLAN_NO_LINE, .value = (uint64_t)1000000000});
}

int flow_emit_list(struct flow_thread *t)
{
    for (uint32_t i = 0; i < t->nodes; i++)
        add_line(t, &t->node[i]);
    int rc = emit_inner(t, 0, t->nodes);
    if (rc == 0 && plan_here(t->b) == 0)
        wait_for_the_end(t);
    flow_step(t, (struct plan_step){.kind = PLAN_LOOP});
    close_exits(t);
    return t->failed ? -ENOMEM : rc;
}
