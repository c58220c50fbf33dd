/* Steps about slots: which of them is next, which is open, and how often a loop will go. */
#include "engine/engine_priv.h"

#include <stdio.h>
#include <sys/param.h>

static void turn(struct stream *s)
{
    s->turns.turn = (uint16_t)((s->turns.turn + PLAN_TURN_SLOTS - 1) % PLAN_TURN_SLOTS);
}

static bool holds(const struct slot *slot, uint16_t set)
{
    return slot->open && (set == PLAN_ANY_SET || slot->set == set);
}

/* false: behind the last one. */
static bool next_of_each(const struct worker *w, struct stream *s, uint16_t set)
{
    uint16_t slots = w->run->plan->group[s->group].slots;
    while (s->turns.each_next < slots && !holds(&s->slot[s->turns.each_next], set))
        s->turns.each_next++;
    if (s->turns.each_next == slots) {
        s->turns.each_next = 0;
        return false;
    }
    s->turns.each = s->turns.each_next++;
    return true;
}

/* 0: the loop is left out. */
static uint32_t draw_loop(const struct worker *w, struct stream *s, const struct plan_step *step)
{
    uint64_t n = draw_count(&w->run->plan->draw[step->draw - 1], &s->rng);
    s->turns.loop[step->loop] = (uint32_t)MIN(n, UINT32_MAX);
    return s->turns.loop[step->loop];
}

static enum advance conflict(struct worker *w, struct stream *s, const struct plan_step *step)
{
    const struct slot *slot = stream_slot(s, step->slot);
    const struct fileset_map *map = &w->run->map;
    char held[ENGINE_PATH_MAX / 2], named[ENGINE_PATH_MAX / 2];
    char words[ENGINE_PATH_MAX + 64];
    fileset_path(map, fileset_root_node(slot_set(w, slot), 0), NULL, held, sizeof held);
    fileset_path(map, fileset_root_node(&map->set[step->set], 0), NULL, named, sizeof named);
    snprintf(words, sizeof words, "slot %u holds a file of fileset %s, not of %s as it should",
             step->slot, held, named);
    ending_failed(w, words);
    s->state = STREAM_ENDED;
    return ADVANCE_ENDED;
}

enum advance stream_slots_step(struct worker *w, struct stream *s, const struct plan_step *step,
                               uint32_t *pc)
{
    const struct slot *slot = stream_slot(s, step->slot);
    switch (step->kind) {
    case PLAN_TURN:
        turn(s);
        ++*pc;
        break;
    case PLAN_EACH:
        *pc = next_of_each(w, s, step->set) ? *pc + 1 : step->to;
        break;
    case PLAN_IF_OPEN:
        if (slot->open && step->set != PLAN_ANY_SET && slot->set != step->set)
            return conflict(w, s, step);
        *pc = slot->open ? step->to : *pc + 1;
        break;
    case PLAN_IF_FILE:
        *pc = slot->file ? step->to : *pc + 1;
        break;
    case PLAN_JOIN: {
        s->pc = *pc;
        enum advance next = detached_join(w, s, step);
        *pc = s->pc;
        return next;
    }
    default: /* COUNT */
        *pc = draw_loop(w, s, step) > 0 ? *pc + 1 : step->to;
    }
    return ADVANCE_ON;
}
