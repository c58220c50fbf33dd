/* A client without a cache keeps the handles of directories and nothing else: before the gate it comes to
 * know those that are there, so that no op has to ask for one on its way. */
#include "engine/worker_priv.h"

#include <errno.h>
#include <sys/param.h>

#define AT_ONCE 64u

/* The next directory, parents before children; those of a set until one is not there. */
struct way {
    const struct fileset_map *map;
    unsigned set; /* from 1; 0: the place of all */
    uint64_t dir; /* of the set; its roots first */
    uint64_t left;
};

/* Of trees only the roots: what lies below is looked up by a step of the plan. */
static uint64_t dirs_of(const struct fileset *set)
{
    if (set->spec.shape == FILESET_TREE)
        return set->spec.trees;
    return set->spec.shape == FILESET_GROWN ? 1 + set->dirs_per_tree : 0;
}

static uint64_t node_of(const struct fileset *set, uint64_t dir)
{
    if (set->spec.shape == FILESET_TREE)
        return fileset_root_node(set, (uint32_t)dir);
    return dir == 0 ? fileset_root_node(set, 0) : fileset_dir_node(set, 0, dir - 1);
}

static void next_set(struct way *way)
{
    way->set++;
    way->dir = 0;
}

/* Within one set, so that a set that is not there ends with its first answers. */
static unsigned next_nodes(struct way *way, uint64_t *node, unsigned room)
{
    unsigned n = 0;
    while (n == 0 && way->set <= way->map->sets) {
        if (way->set == 0) {
            node[n++] = fileset_place_node(way->map);
            next_set(way);
            break;
        }
        const struct fileset *set = &way->map->set[way->set - 1];
        room = way->dir == 0 ? 1 : room;
        for (; n < room && way->dir < dirs_of(set) && way->left > 0; way->left--)
            node[n++] = node_of(set, way->dir++);
        if (n == 0)
            next_set(way);
    }
    return n;
}

/* By the ops of the streams, which have nothing to do yet; false: one does not return. */
static bool look_up(struct worker *w, const uint64_t *node, unsigned n, bool *all_there)
{
    const struct target_table *table = w->run->table;
    struct op *op[AT_ONCE];
    struct op *done[AT_ONCE];
    unsigned offered = 0;
    w->now = clk_now(&w->clk);
    for (unsigned i = 0; i < n; i++) {
        struct stream *s = &w->stream[i];
        op[i] = &s->op;
        s->op.kind = OP_LOOKUP;
        s->op.node = node[i];
        s->op.res = 0;
        atomic_store_explicit(&s->held_since_ns, w->now, memory_order_release);
    }
    while (offered < n || w->held > 0) {
        int taken = offered < n ? table->submit(w->session, op + offered, n - offered) : 0;
        if (taken < 0)
            op[offered]->res = taken;
        offered += taken < 0 ? 1 : (unsigned)taken;
        w->held += taken < 0 ? 0 : (unsigned)taken;
        int back = w->held > 0 ? worker_await(w, done, AT_ONCE) : 0;
        if (back < 0)
            return false;
        w->held -= (unsigned)back;
    }
    for (unsigned i = 0; i < n; i++) {
        struct stream *s = &w->stream[i];
        *all_there &= s->op.res >= 0;
        s->op.node = 0;
        s->op.res = 0;
        atomic_store_explicit(&s->held_since_ns, 0, memory_order_relaxed);
    }
    w->now = clk_now(&w->clk);
    return true;
}

/* What is not to be found is no error: it may be the plan that makes it, and an op that misses it says so. */
void worker_acquaint(struct worker *w)
{
    const struct run *run = w->run;
    struct way way = {.map = &run->map, .left = engine_dirs_max(run->plan, &run->caps, w->streams)};
    unsigned room = MIN(MIN(w->streams, w->ring), AT_ONCE);
    uint64_t node[AT_ONCE];
    if (!run->caps.uncached || run->plan->instrument.resolve_always)
        return;
    for (unsigned n; (n = next_nodes(&way, node, room)) > 0;) {
        bool all_there = true;
        if (atomic_load_explicit(&run->halt, memory_order_relaxed) != HALT_NONE ||
            !look_up(w, node, n, &all_there))
            return;
        if (!all_there)
            next_set(&way);
    }
}
