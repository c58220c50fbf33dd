/* The flowops of one thread to the three sections of its group: nothing before the gate; the list,
 * again and again; what is still under way and open at the end. */
#include "script/flow_priv.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/param.h>

#define OPENS   (FLOW_OPENS | FLOW_SET | FLOW_TARGET)
#define MOVES   (FLOW_MOVES | FLOW_TARGET)
#define CHANGES FLOW_CHANGES

#define DETACHED_BYTES (64u << 20) /* of one stream's ops that nobody waits for */

static const struct flow_kind kinds[] = {
    {"openfile", OPENS, OP_OPEN, flow_emit_openfile},
    {"createfile", OPENS | CHANGES, OP_CREATE, flow_emit_createfile},
    {"closefile", FLOW_SLOT | FLOW_TARGET, OP_CLOSE, flow_emit_closefile},
    {"deletefile", FLOW_FILES | CHANGES | FLOW_TARGET, OP_UNLINK, flow_emit_deletefile},
    {"statfile", FLOW_FILES | FLOW_TARGET, OP_STAT, flow_emit_statfile},
    {"fsync", FLOW_SLOT | FLOW_TARGET, OP_FSYNC, flow_emit_fsync},
    {"fsyncset", FLOW_SET | FLOW_TARGET, OP_FSYNC, flow_emit_fsyncset},
    {"read", MOVES, OP_READ, flow_emit_read},
    {"readwholefile", MOVES, OP_READ, flow_emit_readwholefile},
    {"write", MOVES | CHANGES, OP_WRITE, flow_emit_write},
    {"writewholefile", MOVES | CHANGES, OP_WRITE, flow_emit_writewholefile},
    {"appendfile", MOVES | CHANGES, OP_APPEND, flow_emit_appendfile},
    {"appendfilerand", MOVES | CHANGES, OP_APPEND, flow_emit_appendfilerand},
    {"aiowrite", MOVES | CHANGES, OP_WRITE, flow_emit_aiowrite},
    {"aiowait", 0, OP_NOP, flow_emit_aiowait},
    {"listdir", FLOW_DIRS | FLOW_SET | FLOW_TARGET, OP_READDIR, flow_emit_listdir},
    {"makedir", FLOW_LEAFS | FLOW_SET | CHANGES | FLOW_TARGET, OP_MKDIR, flow_emit_makedir},
    {"removedir", FLOW_LEAFS | FLOW_SET | CHANGES | FLOW_TARGET, OP_RMDIR, flow_emit_removedir},
    {"hog", FLOW_VALUE, OP_NOP, flow_emit_hog},
    {"delay", FLOW_VALUE, OP_NOP, flow_emit_delay},
    {"block", 0, OP_NOP, flow_emit_block},
    {"wakeup", 0, OP_NOP, flow_emit_wakeup},
    {"semblock", FLOW_VALUE, OP_NOP, flow_emit_semblock},
    {"sempost", FLOW_VALUE, OP_NOP, flow_emit_sempost},
    {"eventlimit", 0, OP_NOP, flow_emit_eventlimit},
    {"iopslimit", 0, OP_NOP, flow_emit_limit},
    {"opslimit", 0, OP_NOP, flow_emit_limit},
    {"bwlimit", 0, OP_NOP, flow_emit_limit},
    {"finishoncount", FLOW_VALUE, OP_NOP, flow_emit_finish},
    {"finishonbytes", FLOW_VALUE, OP_NOP, flow_emit_finish},
    {"print", FLOW_SILENT, OP_NOP, flow_emit_print},
    {"testrandvar", FLOW_SILENT, OP_NOP, flow_emit_testrandvar},
};

const char *flow_kind_name(unsigned i)
{
    return i < sizeof kinds / sizeof kinds[0] ? kinds[i].name : NULL;
}

const struct flow_kind *flow_kind_find(const char *name)
{
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static int for_all(struct flow_thread *t, int (*each)(struct flow_thread *, struct flow_node *))
{
    int first = 0;
    for (uint32_t i = 0; i < t->nodes; i++) {
        int rc = each(t, &t->node[i]);
        if (rc == -ENOMEM)
            return rc;
        if (rc < 0 && first == 0)
            first = rc;
    }
    return first;
}

/* The sub-lists were expanded once before, and what is wrong with them was said then. */
static int expand_again(struct flow_thread *t)
{
    struct lang_remarks said = {0}, *heard = t->remarks;
    t->remarks = &said;
    int rc = flow_expand(t);
    t->remarks = heard;
    lang_remarks_fini(&said);
    return rc;
}

static int read_thread(struct flow_thread *t)
{
    int rc = attr_word(t->scope, &t->def->attrs, "name", t->remarks, &t->name);
    if (rc == 0)
        rc = attr_count(t->scope, &t->def->attrs, "memsize", 0, t->remarks, &t->memsize);
    if (!t->name)
        t->name = "?";
    return rc;
}

/* ---- detached ops ---- */

static double times(const struct flow_thread *t, const struct flow_node *n)
{
    double iters = n->iters_draw ? draw_bound(n->iters_draw) : (double)n->iters;
    return n->parent == FLOW_TOP ? iters : iters * times(t, &t->node[n->parent]);
}

/* What a pass of the list hands over comes on top of the half that its aiowait leaves: twice as much
 * at the most. A list that never waits, or hands over more than there is memory for, waits for the
 * first of them then. */
static void allow_detached(struct flow_thread *t)
{
    double most = 0;
    bool waits = false;
    for (uint32_t i = 0; i < t->nodes; i++) {
        const struct flow_node *n = &t->node[i];
        if (n->kind && n->kind->emit == flow_emit_aiowrite)
            most += 2 * times(t, n);
        waits |= n->kind && n->kind->emit == flow_emit_aiowait && times(t, n) > 0;
    }
    if (most <= 0)
        return;
    if (!waits || most > PLAN_DETACHED_MAX)
        most = PLAN_DETACHED_MAX;
    most = fmin(most, (double)DETACHED_BYTES / (double)MAX(t->largest_detached, 1));
    plan_group_detached(t->b, (uint32_t)fmax(most, 1));
}

/* ---- the sections ---- */

static bool uses_any(const struct flow_thread *t, unsigned uses)
{
    for (uint32_t i = 0; i < t->nodes; i++)
        if (t->node[i].kind && t->node[i].kind->uses & uses)
            return true;
    return false;
}

static void emit_teardown(struct flow_thread *t)
{
    bool detached = false;
    for (uint32_t i = 0; i < t->nodes; i++)
        detached |= t->node[i].kind && t->node[i].kind->emit == flow_emit_aiowrite;
    if (detached)
        flow_step(t, (struct plan_step){.kind = PLAN_JOIN, .line = PLAN_NO_LINE});
    if (!uses_any(t, FLOW_OPENS | FLOW_MOVES))
        return;
    uint32_t each = flow_step(t, (struct plan_step){.kind = PLAN_EACH, .set = PLAN_ANY_SET});
    flow_step(t,
              (struct plan_step){
                  .kind = PLAN_OP, .op = OP_CLOSE, .slot = PLAN_SLOT_EACH, .line = PLAN_NO_LINE});
    flow_step(t, (struct plan_step){.kind = PLAN_LOOP, .to = each});
    flow_land(t, each);
}

/* The first failure, but no memory before all others. */
static int worse(int rc, int other)
{
    return rc == 0 || other == -ENOMEM ? other : rc;
}

/* All that has to be known of a thread's flowops before the first step; as much of what is wrong as can
 * be told. */
static int prepare(struct flow_thread *t)
{
    int rc = expand_again(t);
    if (rc == 0)
        rc = read_thread(t);
    if (rc < 0)
        return rc;
    rc = for_all(t, flow_read_node);
    if (rc != -ENOMEM)
        rc = worse(rc, for_all(t, flow_check_node));
    return rc;
}

static int emit_body(struct flow_thread *t)
{
    int rc = flow_count(t);
    plan_end_section(t->b);
    if (rc == -ENOMEM)
        return rc;
    rc = worse(rc, flow_emit_list(t));
    allow_detached(t);
    flow_mark_open_loop(t);
    return rc;
}

static int compile_thread(struct flow_thread *t)
{
    int rc = prepare(t);
    if (rc == 0)
        rc = emit_body(t);
    else
        plan_end_section(t->b);
    plan_end_section(t->b);
    emit_teardown(t);
    plan_end_section(t->b);
    if (t->memsize > 0)
        plan_group_pool(t->b, MAX(t->memsize, t->largest));
    return rc == 0 && t->wrong ? -EINVAL : rc;
}

int flow_group(struct flow_plan *f, struct scope *scope, const struct lang_thread *thread)
{
    struct flow_thread t = flow_plan_thread(f, scope, thread);
    int rc = compile_thread(&t);
    flow_forget_draws(f);
    flow_tree_free(&t);
    return rc;
}
