/* What most flowops have in common: slot, set, how it opens; and what one of a thread has to know of
 * the others because they share its slots. */
#include "script/flow_priv.h"

#include "base/nearest.h"

#include <errno.h>
#include <sys/param.h>

static const struct script_set *set_at(const struct flow_thread *t, int set)
{
    return &t->c->script->set[set];
}

/* ---- sets ---- */

static int unknown_set(struct flow_thread *t, const struct flow_node *n, const char *name)
{
    struct nearest near = {.wish = name};
    for (unsigned i = t->c->first_set; i < t->c->script->sets; i++)
        nearest_try(&near, t->c->script->set[i].name);
    if (near.best)
        return flow_refuse(t, n, "filename", "no file or fileset is called '%s'; did you mean %s?",
                           name, near.best);
    return flow_refuse(t, n, "filename", "no file or fileset is called '%s'", name);
}

/* A set that has not what the flowop picks would run out at once, always. */
static int check_set(struct flow_thread *t, const struct flow_node *n)
{
    const struct script_set *set = set_at(t, n->set);
    unsigned uses = n->kind->uses;
    if (!set->grown) {
        if (uses & (FLOW_DIRS | FLOW_LEAFS) || (uses & FLOW_FILES && uses & FLOW_CHANGES))
            return flow_refuse(t, n, "filename", "%s is a device: nothing is made or removed there",
                               set->name);
        return 0;
    }
    if (uses & (FLOW_OPENS | FLOW_MOVES | FLOW_FILES) && grown_files(set->grown) == 0)
        return flow_refuse(t, n, "filename", "%s has no files: entries is 0", set->name);
    if (uses & FLOW_LEAFS && grown_leafs(set->grown) == 0)
        return flow_refuse(t, n, "filename", "%s has no leaf directories: leafdirs is 0",
                           set->name);
    return 0;
}

static int read_set(struct flow_thread *t, struct flow_node *n)
{
    const char *name = NULL;
    int rc = attr_word(n->scope, &n->f->attrs, "filename", t->remarks, &name);
    if (rc < 0)
        return rc;
    if (!name && n->kind->uses & FLOW_SET)
        return flow_refuse(t, n, NULL, "it needs a file or fileset: filename=…");
    if (!name || !(n->kind->uses &
                   (FLOW_OPENS | FLOW_MOVES | FLOW_FILES | FLOW_DIRS | FLOW_LEAFS | FLOW_SET)))
        return 0;
    n->set = compiler_set(t->c, name);
    if (n->set < 0)
        return unknown_set(t, n, name);
    return check_set(t, n);
}

uint64_t flow_set_largest(const struct flow_thread *t, int set)
{
    const struct script_set *s = set_at(t, set);
    return s->grown ? grown_bytes_most(s->grown) : s->spec.size_bytes;
}

/* ---- slots ---- */

static int read_slot(struct flow_thread *t, struct flow_node *n)
{
    uint64_t fd = 0;
    int rc = attr_count(n->scope, &n->f->attrs, "fd", 0, t->remarks, &fd);
    if (rc == 0)
        rc = attr_flag(n->scope, &n->f->attrs, "opennext", false, t->remarks, &n->opennext);
    if (rc < 0)
        return rc;
    if (fd > FLOW_FD_MAX)
        return flow_refuse(t, n, "fd", "fd=%llu: 0 to %d", (unsigned long long)fd, FLOW_FD_MAX);
    if (fd > 0 && n->opennext && n->kind->uses & (FLOW_OPENS | FLOW_MOVES | FLOW_SLOT))
        flow_warn(t, n, "opennext", "it stays at fd=%llu: opennext only turns what names no fd",
                  (unsigned long long)fd);
    n->slot = fd == 0 && n->opennext ? PLAN_SLOT_TURN : (uint16_t)fd;
    return 0;
}

static int read_flags(struct flow_thread *t, struct flow_node *n)
{
    bool sync = false, random = false;
    int rc = attr_flag(n->scope, &n->f->attrs, "dsync", false, t->remarks, &sync);
    if (rc == 0)
        rc = attr_flag(n->scope, &n->f->attrs, "directio", false, t->remarks, &n->direct);
    if (rc == 0)
        rc = attr_flag(n->scope, &n->f->attrs, "noreadahead", false, t->remarks, &random);
    if (rc < 0)
        return rc;
    n->open_flags = (sync ? OP_FLAG_SYNC : 0) | (n->direct ? OP_FLAG_DIRECT : 0) |
                    (random ? OP_FLAG_RANDOM : 0);
    if (n->set >= 0 && set_at(t, n->set)->read_only)
        n->open_flags |= OP_FLAG_READ;
    else if (n->set >= 0 && set_at(t, n->set)->write_only)
        n->open_flags |= OP_FLAG_WRITE;
    return 0;
}

static int read_node(struct flow_thread *t, struct flow_node *n)
{
    int rc = attr_number(n->scope, &n->f->attrs, "iters", 1, t->remarks, &n->iters, &n->iters_draw);
    if (rc == 0 && !n->iters_draw && n->iters >= PLAN_LOOP_COUNTED)
        rc = flow_refuse(t, n, "iters", "iters=%llu: at most %u", (unsigned long long)n->iters,
                         PLAN_LOOP_COUNTED - 1);
    if (rc < 0 || !n->kind)
        return rc;
    rc = read_set(t, n);
    if (rc == 0)
        rc = read_slot(t, n);
    if (rc == 0 && n->kind->uses & (FLOW_OPENS | FLOW_MOVES))
        rc = read_flags(t, n);
    return rc;
}

int flow_read_node(struct flow_thread *t, struct flow_node *n)
{
    int rc = read_node(t, n);
    n->wrong = rc < 0;
    return rc;
}

bool flow_left_out(const struct flow_thread *t, const struct flow_node *n)
{
    for (;; n = &t->node[n->parent]) {
        if (!n->iters_draw && n->iters == 0)
            return true;
        if (n->parent == FLOW_TOP)
            return false;
    }
}

bool flow_slots_meet(uint16_t slot, uint16_t other)
{
    return slot == other || (slot == PLAN_SLOT_TURN && other < PLAN_TURN_SLOTS) ||
           (other == PLAN_SLOT_TURN && slot < PLAN_TURN_SLOTS);
}

/* The next flowop from i on that can put a file into the slot; t->nodes when there is none. */
static uint32_t next_opener(const struct flow_thread *t, uint16_t slot, uint32_t i)
{
    for (; i < t->nodes; i++) {
        const struct flow_node *n = &t->node[i];
        if (n->kind && n->kind->uses & (FLOW_OPENS | FLOW_MOVES) && n->set >= 0 &&
            flow_slots_meet(slot, n->slot) && !flow_left_out(t, n))
            break;
    }
    return i;
}

bool flow_slot_opened(const struct flow_thread *t, uint16_t slot)
{
    return next_opener(t, slot, 0) < t->nodes;
}

/* Once all were read. */
static struct flow_slot *slot_of(struct flow_thread *t, uint16_t slot)
{
    struct flow_slot *of = &t->slot[slot == PLAN_SLOT_TURN ? FLOW_FD_MAX + 1 : slot];
    if (of->known)
        return of;
    of->known = true;
    for (uint32_t i = 0; (i = next_opener(t, slot, i)) < t->nodes; i++) {
        of->direct |= t->node[i].direct;
        of->largest = MAX(of->largest, flow_set_largest(t, t->node[i].set));
    }
    for (uint32_t i = 0; i < t->nodes && !of->closed; i++) {
        const struct flow_node *n = &t->node[i];
        of->closed = n->kind && n->kind->emit == flow_emit_closefile &&
                     flow_slots_meet(slot, n->slot) && !flow_left_out(t, n);
    }
    return of;
}

bool flow_slot_direct(struct flow_thread *t, uint16_t slot)
{
    return slot_of(t, slot)->direct;
}

/* May the flowop mean the file that its fd has, before it picks one? */
bool flow_by_slot(const struct flow_thread *t, const struct flow_node *n)
{
    return n->slot > 0 && n->slot != PLAN_SLOT_TURN && flow_slot_opened(t, n->slot);
}

uint64_t flow_slot_largest(struct flow_thread *t, uint16_t slot)
{
    return slot_of(t, slot)->largest;
}

int flow_slot_set(const struct flow_thread *t, uint16_t slot)
{
    uint32_t i = next_opener(t, slot, 0);
    return i < t->nodes ? t->node[i].set : FLOW_NO_SET;
}

/* Is what the flowop does with the slot's file against the way each set it can be of is opened? */
static int check_mode(struct flow_thread *t, const struct flow_node *n)
{
    bool writes = n->type->moves == FLOWOP_WRITES;
    if (n->type->moves == FLOWOP_MOVES_NOTHING)
        return 0;
    const struct script_set *against = NULL;
    for (uint32_t i = 0; (i = next_opener(t, n->slot, i)) < t->nodes; i++) {
        const struct script_set *set = set_at(t, t->node[i].set);
        if (writes ? !set->read_only : set->read_only || !set->write_only)
            return 0;
        against = set;
    }
    if (!against)
        return 0;
    return flow_refuse(t, n, NULL, "%s is opened for %s only (%s)", against->name,
                       writes ? "reading" : "writing", writes ? "readonly" : "writeonly");
}

static void mark_written(struct flow_thread *t, const struct flow_node *n)
{
    if (!(n->kind->uses & FLOW_CHANGES))
        return;
    if (n->set >= 0)
        t->c->script->set[n->set].written = true;
    if (!(n->kind->uses & FLOW_MOVES || (n->kind->uses & FLOW_FILES && flow_by_slot(t, n))))
        return;
    struct flow_slot *slot = slot_of(t, n->slot);
    for (uint32_t i = 0; !slot->written && (i = next_opener(t, n->slot, i)) < t->nodes; i++)
        t->c->script->set[t->node[i].set].written = true;
    slot->written = true;
}

/* An open slot cannot be opened again. */
static void check_closed(struct flow_thread *t, const struct flow_node *n)
{
    if (slot_of(t, n->slot)->closed)
        return;
    if (n->slot == PLAN_SLOT_TURN)
        flow_warn(t, n, NULL,
                  "nothing in this thread closes what it opens: it fails after %d turns",
                  PLAN_TURN_SLOTS);
    else
        flow_warn(t, n, NULL, "nothing in this thread closes fd %u: it fails the second time",
                  n->slot);
}

static const struct flow_node *turner(struct flow_thread *t)
{
    for (; t->turner < t->nodes; t->turner++) {
        const struct flow_node *n = &t->node[t->turner];
        if (n->kind && n->slot == PLAN_SLOT_TURN && n->set >= 0 && !flow_left_out(t, n))
            return n;
    }
    return NULL;
}

/* The turn leaves its files also where this one has its own. */
static void check_turns(struct flow_thread *t, const struct flow_node *n)
{
    const struct flow_node *turns = turner(t);
    if (turns && n->slot > 0 && n->slot < PLAN_TURN_SLOTS && n->set >= 0)
        flow_warn(t, n, "fd", "opennext of %s comes to fd %u as well; fd=%d is out of its way",
                  turns->name, n->slot, FLOW_FD_MAX);
}

int flow_check_node(struct flow_thread *t, struct flow_node *n)
{
    if (!n->kind || n->wrong || flow_left_out(t, n))
        return 0;
    if (n->kind->uses & FLOW_VALUE && !lang_attr_find(&n->f->attrs, "value"))
        flow_warn(t, n, NULL, "it has no value=…: 0 is taken");
    if (n->kind->uses & (FLOW_MOVES | FLOW_SLOT) && !flow_slot_opened(t, n->slot)) {
        if (n->kind->uses & FLOW_SLOT)
            return flow_refuse(t, n, "fd", "nothing in this thread opens fd %u", n->slot);
        return flow_refuse(
            t, n, NULL, "it needs a file or fileset: nothing in this thread opens fd %u", n->slot);
    }
    if (n->kind->uses & FLOW_FILES && n->set < 0 && !flow_by_slot(t, n))
        return flow_refuse(t, n, NULL, "it needs a file or fileset: filename=…");
    mark_written(t, n);
    if (n->kind->uses & FLOW_OPENS)
        check_closed(t, n);
    if (n->kind->uses & (FLOW_OPENS | FLOW_MOVES))
        check_turns(t, n);
    return n->kind->uses & FLOW_MOVES ? check_mode(t, n) : 0;
}
