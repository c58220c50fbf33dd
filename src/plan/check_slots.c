/* What is done to a slot, against what the picks of its group can put there. */
#include "base/err.h"
#include "fileset/grown.h"
#include "plan/plan_priv.h"
#include "target/target.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <sys/param.h>

/* What can be done to a slot that holds all files of a set. */
#define OF_ALL_FILES (1u << OP_OPEN | 1u << OP_CLOSE | 1u << OP_READ | 1u << OP_WRITE)

struct picked {
    bool any;
    bool all;          /* PLAN_UNIT_ALL */
    bool dealt;        /* likewise, to each stream some */
    bool dirs;         /* what can be listed, at times or always */
    bool varied;       /* files of one set have several sizes */
    bool loose;        /* of a set whose files need not have their size */
    bool direct;       /* opened so */
    uint64_t smallest; /* file; UINT64_MAX: no files */
    uint64_t largest;
    uint64_t files; /* at once */
};

/* Behind the slots themselves: what is held in a slot that is not always the same one. */
enum { BY_TURN = PLAN_SLOTS_MAX, BY_EACH, PICKED_N };

struct picks {
    uint16_t align; /* of direct I/O */
    struct picked of[PICKED_N];
};

static unsigned index_of(uint16_t slot)
{
    if (slot == PLAN_SLOT_TURN)
        return BY_TURN;
    return slot == PLAN_SLOT_EACH ? BY_EACH : slot;
}

static void add_pick(const struct plan *plan, const struct plan_step *step, struct picked *p)
{
    const struct fileset_spec *set = &plan->set[step->set];
    uint64_t smallest = set->size_bytes, largest = set->size_bytes;
    p->any = true;
    if (step->unit != PLAN_UNIT_ALL && step->unit != PLAN_UNIT_FILE) {
        p->dirs = true;
        return;
    }
    if (step->unit == PLAN_UNIT_ALL) {
        p->all = true;
        p->dealt = step->order == PLAN_ORDER_STRIDE;
        p->files = set->files;
    }
    if (set->shape == FILESET_GROWN) {
        largest = grown_bytes_most(set->grown);
        smallest = grown_same_size(set->grown) ? largest : 0;
        p->varied |= smallest != largest;
        p->loose = true;
    }
    p->smallest = MIN(p->smallest, smallest);
    p->largest = MAX(p->largest, largest);
}

static void merge(struct picked *into, const struct picked *from)
{
    into->any |= from->any;
    into->all |= from->all;
    into->dealt |= from->dealt;
    into->dirs |= from->dirs;
    into->varied |= from->varied;
    into->loose |= from->loose;
    into->direct |= from->direct;
    into->smallest = MIN(into->smallest, from->smallest);
    into->largest = MAX(into->largest, from->largest);
    into->files = MAX(into->files, from->files);
}

static bool opens_direct(const struct plan_step *step)
{
    return step->kind == PLAN_OP && (step->op == OP_OPEN || step->op == OP_CREATE) &&
           (step->op_flags & OP_FLAG_DIRECT) != 0;
}

/* A turn comes by every slot below PLAN_TURN_SLOTS, and leaves there what it picks. */
static void mix_turns(struct picks *picks)
{
    struct picked turn = picks->of[BY_TURN];
    for (unsigned i = 0; i < PLAN_TURN_SLOTS; i++) {
        merge(&picks->of[BY_TURN], &picks->of[i]);
        merge(&picks->of[i], &turn);
    }
}

static void gather(const struct plan *plan, const struct plan_group *group, struct picks *picks)
{
    uint32_t stop = plan_group_stop(plan, group);
    for (unsigned i = 0; i < PICKED_N; i++)
        picks->of[i] = (struct picked){.smallest = UINT64_MAX, .files = 1};
    for (uint32_t i = group->setup; i < stop; i++) {
        const struct plan_step *step = &plan->step[i];
        struct picked *p = &picks->of[index_of(step->slot)];
        if (step->kind == PLAN_PICK)
            add_pick(plan, step, p);
        p->direct |= opens_direct(step);
    }
    if (group->turns)
        mix_turns(picks);
    for (unsigned i = 0; i < PLAN_SLOTS_MAX; i++)
        merge(&picks->of[BY_EACH], &picks->of[i]);
}

/* ---- sizes ---- */

static uint64_t aligned(const struct plan_step *step, uint64_t bytes)
{
    return (bytes + step->align - 1) / step->align * step->align;
}

/* The bound of a size that is not fixed. */
static int complete_size(const struct plan *plan, struct plan_step *step, const struct picks *picks,
                         struct err *err)
{
    const char *name = op_kind_name((enum op_kind)step->op);
    const struct picked *p = &picks->of[index_of(step->slot)];
    const struct picked *from = &picks->of[step->from_slot ? step->from : 0];
    step->align = p->direct || plan->instrument.direct ? picks->align : 1;
    if (step->size == PLAN_SIZE_DRAWN) {
        double bound = draw_bound(&plan->draw[step->draw - 1]);
        if (!(bound < (double)PLAN_IO_BYTES_MAX))
            return err_set(err, -EINVAL, "%s of up to %.4g bytes, drawn: at most %llu", name, bound,
                           (unsigned long long)PLAN_IO_BYTES_MAX);
        step->io_bytes = MAX((uint64_t)ceil(bound), 1);
    } else if (step->size == PLAN_SIZE_FILE) {
        step->io_bytes = MAX(step->from_slot ? MAX(p->largest, from->largest) : p->largest, 1);
    }
    if (step->io_bytes > PLAN_IO_BYTES_MAX)
        return err_set(err, -EINVAL, "%s of %llu bytes at a time: at most %llu", name,
                       (unsigned long long)step->io_bytes, (unsigned long long)PLAN_IO_BYTES_MAX);
    if (step->size != PLAN_SIZE_FIXED)
        step->io_bytes = aligned(step, step->io_bytes);
    return 0;
}

/* ---- places ---- */

/* What a random place is drawn from, once and for all: nothing in the loop would take longer. */
static void complete_place(struct plan_step *step, uint64_t file_bytes, uint64_t files,
                           uint64_t seed)
{
    struct plan_place *at = &step->at;
    at->per_file = file_bytes / step->io_bytes;
    at->blocks = at->per_file * files;
    at->hot = MAX(at->blocks * at->hot_blocks / 100, 1);
    if (at->where == PLAN_AT_ZIPF)
        zipf_init(&at->zipf, at->blocks, at->skew);
    scatter_init(&at->scatter, at->blocks, seed);
}

static int check_uneven(const struct plan_step *step, const struct picked *p, const char *name,
                        struct err *err)
{
    if (p->all || (step->at.where != PLAN_AT_UNIFORM && step->at.where != PLAN_AT_POSITION))
        return err_set(err, -EINVAL,
                       "%s of several sizes, or in files of several sizes: only "
                       "evenly or from where the last one ended",
                       name);
    return 0;
}

static int check_place(const struct plan *plan, struct plan_step *step, const struct picked *p,
                       struct err *err)
{
    const char *name = op_kind_name((enum op_kind)step->op);
    uint64_t limit = step->at.limit_bytes;
    bool varied = p->varied || (p->loose && p->smallest != p->largest);
    bool uneven = step->size != PLAN_SIZE_FIXED || (varied && limit == 0);
    if (step->at.where == PLAN_AT_POSITION && p->all)
        return err_set(err, -EINVAL, "%s of all files at once from where the last one ended", name);
    if (step->at.where == PLAN_AT_POSITION || uneven)
        return uneven ? check_uneven(step, p, name, err) : 0;
    if (limit > 0 && p->all)
        return err_set(err, -EINVAL, "%s of a part of all files at once", name);
    if (limit > 0 && limit < step->io_bytes)
        return err_set(err, -EINVAL, "%s of %llu bytes in a part of %llu bytes", name,
                       (unsigned long long)step->io_bytes, (unsigned long long)limit);
    if (limit == 0 && p->smallest < step->io_bytes)
        return err_set(err, -EINVAL, "%s of %llu bytes from files that are smaller", name,
                       (unsigned long long)step->io_bytes);
    if (step->at.where == PLAN_AT_NEXT)
        return 0;
    if (p->dealt && step->at.where != PLAN_AT_UNIFORM)
        return err_set(err, -EINVAL, "%s of a stream's own files of many: only evenly or in order",
                       name);
    if (limit == 0 && p->smallest != p->largest)
        return err_set(err, -EINVAL, "%s anywhere in files of several sizes", name);
    uint64_t bytes = limit > 0 ? limit : p->smallest;
    if (bytes / step->io_bytes > ZIPF_N_MAX / p->files)
        return err_set(err, -EINVAL, "%s anywhere in more than 2^50 blocks", name);
    complete_place(step, bytes, p->files, plan->seed);
    if (step->at.where == PLAN_AT_HOT && step->at.blocks < 2)
        return err_set(err, -EINVAL, "%s of a hot part: there is only one block", name);
    return 0;
}

static int check_data(const struct plan *plan, const struct plan_group *group,
                      struct plan_step *step, const struct picks *picks, struct err *err)
{
    const struct picked *p = &picks->of[index_of(step->slot)];
    int rc = complete_size(plan, step, picks, err);
    if (rc == 0 && !step->whole && step->op != OP_APPEND)
        rc = check_place(plan, step, p, err);
    if (rc < 0)
        return rc;
    bool own = step->at.where == PLAN_AT_NEXT ||
               (step->at.where == PLAN_AT_UNIFORM && step->at.blocks > 0);
    step->plain = step->op != OP_APPEND && !step->whole && !step->detached && !p->all && own &&
                  step->size == PLAN_SIZE_FIXED && group->pool_bytes == 0;
    step->partial =
        step->op == OP_READ && !step->verify && (step->at.where == PLAN_AT_POSITION || p->loose);
    return 0;
}

static int check_slot(const struct plan *plan, const struct plan_group *group,
                      struct plan_step *step, const struct picks *picks, struct err *err)
{
    const char *name = op_kind_name((enum op_kind)step->op);
    const struct picked *p = &picks->of[index_of(step->slot)];
    if (!p->any && step->slot == PLAN_SLOT_EACH)
        return 0; /* never comes to one */
    if (!p->any)
        return err_set(err, -EINVAL, "%s of slot %u, which nothing is picked for", name,
                       step->slot);
    if (step->op == OP_READDIR && !p->dirs)
        return err_set(err, -EINVAL, "%s of slot %u, which holds files", name, step->slot);
    if (p->all && (step->whole || !(OF_ALL_FILES & 1u << step->op)))
        return err_set(err, -EINVAL, "%s%s of all files at once", name,
                       step->whole ? " whole" : "");
    return plan_moves_data(step->op) ? check_data(plan, group, step, picks, err) : 0;
}

int plan_check_slots(struct plan *plan, const struct plan_group *group,
                     const struct target_caps *caps, struct err *err)
{
    uint32_t stop = plan_group_stop(plan, group);
    struct picks *picks = malloc(sizeof *picks);
    int rc = 0;
    if (!picks)
        return err_set(err, -ENOMEM, "no memory for the plan");
    picks->align = (uint16_t)plan_direct_align(caps);
    gather(plan, group, picks);
    for (uint32_t i = group->setup; rc == 0 && i < stop; i++)
        if (plan->step[i].kind == PLAN_OP && plan->step[i].op != OP_NOP)
            rc = check_slot(plan, group, &plan->step[i], picks, err);
    free(picks);
    return rc;
}
