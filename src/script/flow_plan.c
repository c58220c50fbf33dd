/* What all threads of a plan share while it is compiled: whom a wakeup or a post may name, lines by
 * name, and the one schedule of the event generator. */
#include "script/flow_priv.h"

#include "base/nearest.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {
    enum flow_object kind;
    char *name;
    uint64_t credits;
    unsigned ordinal; /* of several in one thread that have name and credits in common */
    uint16_t number;
};

struct call { /* of a wakeup, a post */
    enum flow_object kind;
    char *name;
};

struct line {
    char *name;
    const char *type; /* a constant */
    uint16_t line;
};

struct drawn {
    const struct draw *draw;
    double factor;
    double bound;
    uint16_t number;
};

struct flow_plan {
    struct compiler *c;
    struct plan_builder *b;
    unsigned objects;
    struct object *object;
    unsigned calls;
    struct call *call;
    unsigned lines;
    struct line *line;
    unsigned drawns;
    struct drawn *drawn;
    bool counts[2]; /* bytes, or ops */
    bool has_schedule;
    uint16_t schedule;
    bool full; /* of lines, which was said */
    bool failed;
};

struct flow_thread flow_plan_thread(struct flow_plan *p, struct scope *scope,
                                    const struct lang_thread *thread)
{
    return (struct flow_thread){
        .plan = p, .c = p->c, .b = p->b, .remarks = p->c->remarks, .def = thread, .scope = scope};
}

struct flow_plan *flow_plan_new(struct compiler *c, struct plan_builder *b)
{
    struct flow_plan *p = calloc(1, sizeof *p);
    if (p) {
        p->c = c;
        p->b = b;
    }
    return p;
}

void flow_plan_free(struct flow_plan *p)
{
    if (!p)
        return;
    for (unsigned i = 0; i < p->objects; i++)
        free(p->object[i].name);
    for (unsigned i = 0; i < p->calls; i++)
        free(p->call[i].name);
    for (unsigned i = 0; i < p->lines; i++)
        free(p->line[i].name);
    free(p->object);
    free(p->call);
    free(p->line);
    free(p->drawn);
    free(p);
}

/* Room for one more; NULL when there is no memory. */
static void *grow(void *array, unsigned n, size_t size)
{
    return (n & (n - 1)) != 0 ? array : realloc(array, (n ? 2 * (size_t)n : 1) * size);
}

/* ---- the first pass ---- */

unsigned flow_ordinal(const struct flow_thread *t, const struct flow_node *n, uint64_t credits)
{
    struct lang_remarks unheard = {0}; /* they are made where the other one is declared */
    unsigned before = 0;
    for (const struct flow_node *other = t->node; other < n; other++) {
        uint64_t its = 0;
        if (other->kind == n->kind && strcmp(other->name, n->name) == 0 &&
            attr_count(other->scope, &other->f->attrs, "highwater", 1, &unheard, &its) == 0)
            before += its == credits;
    }
    lang_remarks_fini(&unheard);
    return before;
}

int flow_object_own(const struct flow_plan *p, enum flow_object kind, const char *name,
                    uint64_t credits, unsigned ordinal)
{
    for (unsigned i = 0; i < p->objects; i++) {
        const struct object *o = &p->object[i];
        if (o->kind == kind && o->credits == credits && o->ordinal == ordinal &&
            strcmp(o->name, name) == 0)
            return (int)i;
    }
    return -1;
}

static int declare_object(struct flow_plan *p, enum flow_object kind, const char *name,
                          uint64_t credits, unsigned ordinal)
{
    if (flow_object_own(p, kind, name, credits, ordinal) >= 0)
        return 0;
    struct object *more = grow(p->object, p->objects, sizeof *more);
    char *own = strdup(name);
    if (more)
        p->object = more;
    if (!more || !own) {
        free(own);
        return -ENOMEM;
    }
    p->object[p->objects++] = (struct object){
        .kind = kind,
        .name = own,
        .credits = credits,
        .ordinal = ordinal,
        .number = kind == FLOW_EVENT ? plan_add_event(p->b) : plan_add_semaphore(p->b, credits)};
    return 0;
}

static int declare_call(struct flow_thread *t, enum flow_object kind, const struct flow_node *n)
{
    struct flow_plan *p = t->plan;
    const char *target = NULL;
    int rc = attr_word(n->scope, &n->f->attrs, "target", t->remarks, &target);
    if (rc == 0 && !target)
        rc = flow_refuse(t, n, NULL, "whom does it mean? target=… is needed");
    if (rc < 0)
        return rc;
    struct call *more = grow(p->call, p->calls, sizeof *more);
    char *own = strdup(target);
    if (more)
        p->call = more;
    if (!more || !own) {
        free(own);
        return -ENOMEM;
    }
    p->call[p->calls++] = (struct call){.kind = kind, .name = own};
    return 0;
}

static int declare_node(struct flow_thread *t, const struct flow_node *n)
{
    uint64_t credits = 1;
    bool bytes = false;
    if (!n->kind)
        return 0;
    if (n->kind->emit == flow_emit_block)
        return declare_object(t->plan, FLOW_EVENT, n->name, 0, 0);
    if (n->kind->emit == flow_emit_wakeup)
        return declare_call(t, FLOW_EVENT, n);
    if (n->kind->emit == flow_emit_sempost)
        return declare_call(t, FLOW_SEMAPHORE, n);
    if (n->kind->emit == flow_emit_semblock) {
        int rc = attr_count(n->scope, &n->f->attrs, "highwater", 1, t->remarks, &credits);
        if (rc < 0)
            return rc;
        return declare_object(t->plan, FLOW_SEMAPHORE, n->name, credits,
                              flow_ordinal(t, n, credits));
    }
    if (flow_ends_by(n, &bytes) && !lang_attr_find(&n->f->attrs, "target"))
        t->plan->counts[bytes] = true;
    return 0;
}

int flow_declare(struct flow_plan *p, struct scope *scope, const struct lang_thread *thread)
{
    struct flow_thread t = flow_plan_thread(p, scope, thread);
    int rc = flow_expand(&t);
    for (uint32_t i = 0; i < t.nodes && rc != -ENOMEM; i++) {
        int one = declare_node(&t, &t.node[i]);
        if (one < 0 && (rc == 0 || one == -ENOMEM))
            rc = one;
    }
    flow_tree_free(&t);
    return rc;
}

/* ---- who is meant ---- */

bool flow_name_ends(const char *name, const char *target)
{
    size_t len = strlen(name), of_target = strlen(target);
    return len > of_target && name[len - of_target - 1] == '.' &&
           strcmp(name + len - of_target, target) == 0;
}

int flow_object_next(const struct flow_plan *p, enum flow_object kind, const char *target, int from)
{
    bool exact = false;
    for (unsigned i = 0; i < p->objects; i++)
        exact |= p->object[i].kind == kind && strcmp(p->object[i].name, target) == 0;
    for (unsigned i = (unsigned)from; i < p->objects; i++) {
        const struct object *o = &p->object[i];
        if (o->kind == kind &&
            (exact ? strcmp(o->name, target) == 0 : flow_name_ends(o->name, target)))
            return (int)i;
    }
    return -1;
}

uint16_t flow_object_number(const struct flow_plan *p, int i)
{
    return p->object[i].number;
}

bool flow_object_awaited(const struct flow_plan *p, enum flow_object kind, const char *name)
{
    for (unsigned i = 0; i < p->calls; i++)
        if (p->call[i].kind == kind &&
            (strcmp(p->call[i].name, name) == 0 || flow_name_ends(name, p->call[i].name)))
            return true;
    return false;
}

const char *flow_object_nearest(const struct flow_plan *p, enum flow_object kind,
                                const char *target)
{
    struct nearest near = {.wish = target};
    for (unsigned i = 0; i < p->objects; i++)
        if (p->object[i].kind == kind)
            nearest_try(&near, p->object[i].name);
    return near.best;
}

bool flow_plan_counts(const struct flow_plan *p, bool bytes)
{
    return p->counts[bytes];
}

/* ---- lines, draws, the schedule ---- */

/* A line counts as one type of flowop, so a name that two types bear is told apart. */
uint16_t flow_line(struct flow_thread *t, struct lang_pos at, const char *name, const char *type,
                   uint16_t op)
{
    struct flow_plan *p = t->plan;
    char apart[PLAN_NAME_MAX];
    for (unsigned i = 0; i < p->lines; i++) {
        if (strcmp(p->line[i].name, name) != 0)
            continue;
        if (strcmp(p->line[i].type, type) == 0)
            return p->line[i].line;
        snprintf(apart, sizeof apart, "%s:%s", name, type);
        if (strcmp(name, apart) != 0) /* there was room */
            return flow_line(t, at, apart, type, op);
    }
    if (p->lines == PLAN_LINES_MAX) {
        if (!p->full)
            lang_error(t->remarks, at, "%s is one name too many: a run has at most %d lines", name,
                       PLAN_LINES_MAX);
        p->full = t->wrong = true;
        return PLAN_NO_LINE;
    }
    struct line *more = grow(p->line, p->lines, sizeof *more);
    char *own = strdup(name);
    if (more)
        p->line = more;
    if (!more || !own) {
        free(own);
        t->failed = true;
        return PLAN_NO_LINE;
    }
    uint16_t line = plan_add_line(t->b, name, op, false);
    plan_line_type(t->b, line, type);
    p->line[p->lines++] = (struct line){.name = own, .type = type, .line = line};
    return line;
}

uint16_t flow_draw(struct flow_thread *t, const struct draw *draw, double factor, double *bound)
{
    struct flow_plan *p = t->plan;
    for (unsigned i = 0; i < p->drawns; i++) {
        const struct drawn *known = &p->drawn[i];
        if (known->draw == draw && known->factor == factor) {
            *bound = known->bound;
            return known->number;
        }
    }
    struct drawn *more = grow(p->drawn, p->drawns, sizeof *more);
    struct draw own = *draw;
    if (more)
        p->drawn = more;
    own.scale_by = (own.scale_by == 0 ? 1 : own.scale_by) * factor;
    own.offset *= factor;
    own.round *= factor;
    own.min *= factor;
    own.max = fmin(own.max * factor, DBL_MAX);
    if (!more) {
        t->failed = true;
        return 0;
    }
    struct err err = {0};
    if (draw_check(&own, &err) < 0) {
        lang_error(t->remarks, t->def->at, "%s", err.text);
        t->wrong = true;
        return 0;
    }
    *bound = draw_bound(&own);
    p->drawn[p->drawns++] = (struct drawn){
        .draw = draw, .factor = factor, .bound = *bound, .number = plan_add_draw(p->b, &own)};
    return p->drawn[p->drawns - 1].number;
}

uint16_t flow_draw_once(struct flow_thread *t, const struct draw *draw)
{
    struct draw own = *draw;
    struct err err = {0};
    if (draw_check(&own, &err) == 0)
        return plan_add_draw(t->b, &own);
    lang_error(t->remarks, t->def->at, "%s", err.text);
    t->wrong = true;
    return 0;
}

void flow_forget_draws(struct flow_plan *p)
{
    p->drawns = 0;
}

uint16_t flow_schedule(struct flow_plan *p)
{
    if (!p->has_schedule) {
        const struct plan_schedule s = {.arrival = p->c->arrivals_in_tens ? PLAN_ARRIVAL_TENS
                                                                          : PLAN_ARRIVAL_CONSTANT,
                                        .rate_per_s = p->c->event_rate};
        p->schedule = plan_add_schedule(p->b, &s);
        p->has_schedule = true;
    }
    return p->schedule;
}
