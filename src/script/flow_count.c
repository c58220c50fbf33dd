/* Limits and ends look at counters: of the flowops of this thread that they name, or of all. What a
 * counter counts:
 *   iopslimit      reads and writes, not what opens their files
 *   opslimit       whatever reaches the target: neither itself nor think time, unless that is named
 *   bwlimit        bytes read and written
 *   finishoncount  every flowop there is, as filebench does, opens on the way included
 *   finishonbytes  bytes
 * Without a target limits count this thread, and ends the whole process. */
#include "script/flow_priv.h"

#include "base/nearest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum count { COUNT_IO, COUNT_OPS, COUNT_MOVED, COUNT_ALL, COUNT_BYTES };

struct counting {
    const char *type;
    enum count what;
    bool bytes;
    bool ends; /* finishon… */
    bool io;   /* its target has to read or write */
};

static const struct counting countings[] = {
    {"iopslimit", COUNT_IO, false, false, true},
    {"opslimit", COUNT_OPS, false, false, false},
    {"bwlimit", COUNT_MOVED, true, false, true},
    {"finishoncount", COUNT_ALL, false, true, false},
    {"finishonbytes", COUNT_BYTES, true, true, true},
};

static const struct counting *counting_of(const struct flow_node *n)
{
    for (unsigned i = 0; n->kind && i < sizeof countings / sizeof countings[0]; i++)
        if (strcmp(countings[i].type, n->kind->name) == 0)
            return &countings[i];
    return NULL;
}

bool flow_ends_by(const struct flow_node *n, bool *bytes)
{
    const struct counting *by = counting_of(n);
    if (!by || !by->ends)
        return false;
    *bytes = by->bytes;
    return true;
}

/* ---- who is meant ---- */

static uint32_t parent_of(const struct flow_thread *t, uint32_t i)
{
    return t->node[i].parent;
}

/* Is the node called `target` as seen from within `scope`, a composite or FLOW_TOP? */
static bool is_called(const struct flow_thread *t, uint32_t i, uint32_t scope, const char *target)
{
    const char *name = t->node[i].name;
    if (scope == FLOW_TOP)
        return strcmp(name, target) == 0;
    const char *above = t->node[scope].name;
    size_t len = strlen(above);
    return strncmp(name, above, len) == 0 && name[len] == '.' &&
           strcmp(name + len + 1, target) == 0;
}

/* Sets chosen for all that are meant; how many. First those beside the one that asks, then those of
 * the composites around it, at last any by the last part of its name. */
static unsigned choose(const struct flow_thread *t, const struct flow_node *asks,
                       const char *target, unsigned char *chosen)
{
    unsigned n = 0;
    for (uint32_t scope = asks->parent;; scope = parent_of(t, scope)) {
        for (uint32_t i = 0; i < t->nodes; i++)
            n += chosen[i] = is_called(t, i, scope, target);
        if (n > 0 || scope == FLOW_TOP)
            break;
    }
    for (uint32_t i = 0; n == 0 && i < t->nodes; i++)
        chosen[i] = flow_name_ends(t->node[i].name, target);
    n = 0;
    for (uint32_t i = 0; i < t->nodes; i++) {
        n += chosen[i];
        for (uint32_t inner = i + 1; chosen[i] && inner < t->node[i].end; inner++)
            chosen[inner] = 1;
    }
    return n;
}

static int check_target(struct flow_thread *t, const struct flow_node *n, const struct counting *by,
                        const char *target, const unsigned char *chosen, unsigned found)
{
    struct nearest near = {.wish = target};
    bool io = false;
    for (uint32_t i = 0; i < t->nodes; i++) {
        nearest_try(&near, t->node[i].name);
        io |= chosen[i] && t->node[i].type && t->node[i].type->moves != FLOWOP_MOVES_NOTHING;
    }
    if (found == 0 && near.best)
        return flow_refuse(t, n, "target",
                           "no flowop of this thread is called '%s'; did you mean %s?", target,
                           near.best);
    if (found == 0)
        return flow_refuse(t, n, "target", "no flowop of this thread is called '%s'", target);
    if (by->io && !io)
        return flow_refuse(t, n, "target", "%s neither reads nor writes", target);
    return 0;
}

/* ---- counters ---- */

static bool is_at_target(const struct flow_node *n)
{
    return n->type && (n->type->counts_as == FLOWOP_IO || n->type->counts_as == FLOWOP_AIO);
}

static void count_node(struct flow_node *n, enum count what, uint64_t bit)
{
    if (!n->kind || n->kind->uses & FLOW_SILENT)
        return;
    bool moves = n->type->moves != FLOWOP_MOVES_NOTHING;
    bool at_target = is_at_target(n);
    bool main = false, open = false;
    switch (what) {
    case COUNT_IO:
    case COUNT_MOVED:
        main = moves;
        break;
    case COUNT_OPS:
        main = open = at_target;
        break;
    case COUNT_ALL:
        main = open = true;
        break;
    case COUNT_BYTES:
        main = at_target;
        break;
    }
    n->counts |= main ? bit : 0;
    n->open_counts |= open ? bit : 0;
}

static int add_counter(struct flow_thread *t, bool bytes, bool process, uint16_t *out)
{
    if (t->counters == PLAN_COUNTERS_MAX) {
        lang_error(t->remarks, t->def->at, "a thread has at most %d limits and ends",
                   PLAN_COUNTERS_MAX);
        return -EINVAL;
    }
    t->counters++;
    *out = plan_add_counter(t->b, bytes, process);
    return 0;
}

/* The processes' counters are the first ones of every group and in one order, so that those of groups
 * which share a process are the same. */
static int process_counters(struct flow_thread *t, uint16_t of[2])
{
    for (int bytes = 0; bytes < 2; bytes++) {
        if (!flow_plan_counts(t->plan, bytes))
            continue;
        int rc = add_counter(t, bytes, true, &of[bytes]);
        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < t->nodes; i++)
            count_node(&t->node[i], bytes ? COUNT_BYTES : COUNT_ALL, (uint64_t)1 << of[bytes]);
    }
    return 0;
}

/* Think time that is named as the target is what the limit is for. */
static enum count what_of(const struct flow_thread *t, const struct counting *by,
                          const unsigned char *chosen)
{
    bool at_target = !chosen;
    for (uint32_t i = 0; !at_target && i < t->nodes; i++)
        at_target = chosen[i] && is_at_target(&t->node[i]);
    return by->what == COUNT_OPS && !at_target ? COUNT_ALL : by->what;
}

static int own_counter(struct flow_thread *t, struct flow_node *n, const struct counting *by,
                       const unsigned char *chosen)
{
    enum count what = what_of(t, by, chosen);
    int rc = add_counter(t, by->bytes, false, &n->counter);
    for (uint32_t i = 0; rc == 0 && i < t->nodes; i++)
        if (!chosen || chosen[i])
            count_node(&t->node[i], what, (uint64_t)1 << n->counter);
    return rc;
}

static int count_one(struct flow_thread *t, struct flow_node *n, const struct counting *by,
                     unsigned char *chosen, const uint16_t process[2])
{
    const char *target = NULL;
    int rc = attr_word(n->scope, &n->f->attrs, "target", t->remarks, &target);
    if (rc < 0)
        return rc;
    if (target) {
        unsigned found = choose(t, n, target, chosen);
        rc = check_target(t, n, by, target, chosen, found);
        if (rc < 0)
            return rc;
    }
    if (!by->ends && t->c->event_rate <= 0)
        return 0;
    if (by->ends && !target) {
        n->counter = process[by->bytes];
        return 0;
    }
    return own_counter(t, n, by, target ? chosen : NULL);
}

int flow_count(struct flow_thread *t)
{
    uint16_t process[2] = {0, 0};
    int rc = process_counters(t, process);
    if (rc < 0 || t->nodes == 0)
        return rc;
    unsigned char *chosen = calloc(t->nodes, 1);
    if (!chosen)
        return -ENOMEM;
    for (uint32_t i = 0; i < t->nodes && rc != -ENOMEM; i++) {
        const struct counting *by = counting_of(&t->node[i]);
        int one = by ? count_one(t, &t->node[i], by, chosen, process) : 0;
        if (one < 0 && (rc == 0 || one == -ENOMEM))
            rc = one;
    }
    free(chosen);
    return rc;
}

/* ---- whose due time an event is ---- */

/* The first op at the target from `from` on, before `stop`; marks its line. */
static bool mark_next(struct flow_thread *t, uint32_t from, uint32_t stop)
{
    for (uint32_t i = from; i < stop; i++) {
        const struct flow_node *n = &t->node[i];
        if (!n->kind || flow_left_out(t, n))
            continue;
        if (n->kind->emit == flow_emit_eventlimit)
            return true; /* its event comes later, and counts instead */
        if (n->kind->uses & FLOW_TARGET) {
            plan_line_open_loop(t->b, n->line);
            return true;
        }
    }
    return false;
}

static void mark_behind(struct flow_thread *t, uint32_t i)
{
    uint32_t from = i + 1;
    for (uint32_t up = t->node[i].parent; up != FLOW_TOP; up = t->node[up].parent) {
        const struct flow_node *around = &t->node[up];
        if (mark_next(t, from, around->end))
            return;
        if (around->iters_draw || around->iters > 1)
            (void)mark_next(t, up + 1, around->end);
        from = around->end;
    }
    if (!mark_next(t, from, t->nodes))
        (void)mark_next(t, 0, i + 1);
}

void flow_mark_open_loop(struct flow_thread *t)
{
    if (t->c->event_rate <= 0)
        return;
    for (uint32_t i = 0; i < t->nodes; i++)
        if (t->node[i].kind && t->node[i].kind->emit == flow_emit_eventlimit &&
            !flow_left_out(t, &t->node[i]))
            mark_behind(t, i);
}
