#include "engine/engine_priv.h"

#include <stdio.h>

void stream_path(const struct run *run, const struct stream *s, char *buf, size_t room)
{
    const struct plan_step *step = &run->plan->step[s->pc];
    char leaf[FILESET_LEAF_MAX];
    uint64_t node;
    if (step->kind != PLAN_OP || step->op == OP_NOP) {
        fileset_path(&run->map, fileset_place_node(&run->map), NULL, buf, room);
        return;
    }
    const struct slot *slot = stream_slot(s, step->slot);
    const struct fileset *set = &run->map.set[slot->set];
    if (slot_names_file(slot))
        node = fileset_file(set, slot->tree, slot->index, leaf);
    else if (slot->unit == PLAN_UNIT_DIR)
        node = fileset_dir_node(set, slot->tree, slot->index);
    else if (slot->unit == PLAN_UNIT_LEAF)
        node = fileset_leaf_node(set, slot->index);
    else
        node = fileset_root_node(set, slot->tree);
    fileset_path(&run->map, node, slot_names_file(slot) ? leaf : NULL, buf, room);
}

/* A line without a type says no more than the op. */
static uint16_t flowop_line(const struct plan *plan, const struct plan_step *step)
{
    bool has = step->kind == PLAN_OP && step->line != PLAN_NO_LINE;
    return has && plan->line[step->line].type[0] != '\0' ? step->line : PLAN_NO_LINE;
}

void worker_record_error_of(struct worker *w, const struct plan_step *step, enum op_kind op,
                            int code, const char *path)
{
    const struct run *run = w->run;
    struct engine_error kind = {.op = op, .code = code, .line = flowop_line(run->plan, step)};
    w->stale = true; /* finding its words takes longer than most ops */
    atomic_store_explicit(&w->live_errors,
                          atomic_load_explicit(&w->live_errors, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (w->phase == PHASE_SETUP) {
        if (w->err.code == 0)
            err_sys(&w->err, code, "%s of %s", op_kind_name(op), path);
        return;
    }
    unsigned i = 0;
    while (i < w->errors && !engine_same_error(&w->error[i], &kind))
        i++;
    if (i >= ENGINE_ERRORS_MAX - 1) { /* the last place is for all that have none of their own */
        i = ENGINE_ERRORS_MAX - 1;
        engine_error_other(&kind);
    }
    struct engine_error *error = &w->error[i];
    if (i == w->errors) {
        w->errors++;
        *error = kind;
        error->first_ns = w->now - run->gate_ns;
        snprintf(error->first_path, sizeof error->first_path, "%s", path);
    }
    error->count++;
}

void worker_record_error(struct worker *w, const struct stream *s, enum op_kind op, int code)
{
    char path[ENGINE_PATH_MAX];
    stream_path(w->run, s, path, sizeof path);
    worker_record_error_of(w, &w->run->plan->step[s->pc], op, code, path);
}

/* The collector is late where the window opens: what was measured in the warm-up goes, or the whole
 * block would count as warm-up, with the part of the window that it goes on to hold. */
static void leave_warmup(struct worker *w, uint64_t interval, uint64_t open_interval)
{
    struct samples_block *block = samples_current(&w->samples);
    uint64_t live = atomic_load_explicit(&w->live_samples, memory_order_relaxed);
    if (block->interval >= open_interval)
        return;
    for (unsigned i = 0; i < block->lines; i++)
        live -= block->line[i].samples;
    atomic_store_explicit(&w->live_samples, live, memory_order_relaxed);
    samples_block_clear(block);
    block->interval = interval;
}

void worker_turn(struct worker *w)
{
    struct run *run = w->run;
    uint64_t interval_ns = run->plan->window.interval_ns;
    uint64_t interval = (w->now - run->gate_ns) / interval_ns;
    w->turn.at_ns = run->gate_ns + (interval + 1) * interval_ns;
    uint64_t open_interval = (run_open(run) - run->gate_ns) / interval_ns;
    if (samples_turn(&w->samples, interval))
        w->turn.samples = atomic_load_explicit(&w->live_samples, memory_order_relaxed);
    else if (interval >= open_interval)
        leave_warmup(w, interval, open_interval);
    if (run->caps.own_clock)
        collect_poll(run); /* nobody else could, in time that only this thread moves */
}
