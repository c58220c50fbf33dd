#include "study/tree_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int open_side(struct tree_study *t, unsigned i, const struct study_sink *sink,
                     struct err *err)
{
    struct tree_side *side = &t->side[i];

    side->common = *t->common;
    if (i > 0)
        side->common.target = t->common->more_target[i - 1];
    side->number = t->common->more_targets > 0 ? i + 1 : 0;
    side->options = t->options;
    side->given = t->given;
    int rc = study_open(&side->s, t->ways->kind, &side->common, sink, err);
    memcpy(side->s.id, t->side[0].s.id, sizeof side->s.id);
    if (rc == 0)
        rc = study_need_directory(&side->s, err);
    if (rc == 0 && t->ways->settle)
        rc = t->ways->settle(side, err);
    return rc;
}

static int open_sides(struct tree_study *t, const struct study_sink *sink, struct err *err)
{
    unsigned sides = 1 + t->common->more_targets;
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i < sides; i++) {
        t->sides++;
        rc = open_side(t, i, sink, err);
    }
    return rc;
}

/* As 2001 had it, rows come as they are asked for; and one repeat has nothing to be spread over. */
static bool is_shuffled(const struct tree_options *o)
{
    return o->repeats > 1 && !o->one_tree;
}

static int make_rows(struct tree_study *t, struct err *err)
{
    const struct tree_options *o = &t->side[0].options;
    int rc = tree_order_init(&t->order, t->common->seed, o->lengths, o->repeats, is_shuffled(o));

    t->options = *o;
    t->row = calloc(o->lengths, sizeof *t->row);
    for (unsigned i = 0; t->row && i < o->lengths; i++)
        t->row[i].left = o->repeats;
    for (unsigned i = 0; i < t->sides; i++) {
        t->side[i].rows = t->row;
        t->side[i].sides = t->side;
        t->side[i].n_sides = t->sides;
        t->side[i].counts = calloc(o->lengths, sizeof *t->side[i].counts);
        rc |= t->side[i].counts ? 0 : -ENOMEM;
    }
    return rc == 0 && t->row ? 0 : err_set(err, -ENOMEM, "no memory for %u rows", o->lengths);
}

/* --classic has no pilots. */
static void settle_counts(const struct tree_side *side)
{
    for (unsigned i = 0; side->options.one_tree && i < side->options.lengths; i++)
        side->counts[i] = (struct tree_counts){.trees = 1, .passes = 1};
}

static int begin(struct tree_study *t, const struct study_sink *sink, struct err *err)
{
    struct study_intent intent = {.kind = t->ways->kind};
    int rc = open_sides(t, sink, err);
    if (rc == 0)
        rc = make_rows(t, err);
    for (unsigned i = 0; rc == 0 && i < t->sides; i++) {
        rc = t->ways->begin(&t->side[i], &intent, err);
        settle_counts(&t->side[i]);
    }
    if (rc < 0)
        return rc;
    const struct study *s = &t->side[0].s;
    intent.id = s->id;
    intent.target = s->common->target;
    intent.own_clock = s->caps.own_clock;
    intent.more_target = t->common->more_target;
    intent.more_targets = t->common->more_targets;
    /* Where nothing is kept, or time is the target's own, there is nothing to reckon from. */
    if (!s->caps.keeps_nothing && !s->caps.own_clock)
        intent.about_ns = tree_left_ns(t);
    return sink->begun ? sink->begun(sink->ctx, &intent, err) : 0;
}

static int turn_of(struct tree_study *t, struct tree_side *side, const struct tree_turn *turn,
                   struct err *err)
{
    int rc = 0;

    tree_begin(side, tree_left_ns(t));
    if (side->counts[turn->row].passes == 0)
        rc = t->ways->pilot(side, err);
    if (rc < 0 || study_check_stop(&side->s))
        return rc;
    tree_begin(side, tree_left_ns(t));
    return t->ways->measure(side, err);
}

/* Who begins changes from one repeat to the next, so that no side is always the second. */
static int all_turns(struct tree_study *t, const struct tree_turn *turn, struct err *err)
{
    struct study *lead = &t->side[0].s;
    int rc = 0;

    for (unsigned i = 0; rc == 0 && i < t->sides && !study_check_stop(lead); i++) {
        struct tree_side *side = &t->side[(turn->row + turn->repeat + i) % t->sides];
        bool done;

        study_hand_over(lead, &side->s);
        side->turn = *turn;
        rc = tree_take_past(side, &done, err);
        if (rc == 0 && !done)
            rc = turn_of(t, side, turn, err);
        study_hand_over(&side->s, lead);
    }
    return rc;
}

static int measure(struct tree_study *t, struct err *err)
{
    struct study *lead = &t->side[0].s;
    struct tree_turn turn;
    int rc = 0;

    while (rc == 0 && !study_check_stop(lead) && tree_order_next(&t->order, &turn)) {
        if (t->row[turn.row].left == 0)
            continue;
        rc = all_turns(t, &turn, err);
        if (rc == 0 && !lead->over)
            rc = tree_count_turn(t, &turn, err);
        tree_rows_tell(t, false);
    }
    tree_rows_tell(t, true);
    tree_rows_wide(t);
    return rc;
}

static void tidy(struct tree_study *t, int rc, const struct err *err)
{
    struct study *lead = &t->side[0].s;

    if (rc < 0)
        study_mark(lead, STUDY_INCOMPLETE, true, "%s", err->text);
    for (unsigned i = 0; i < t->sides; i++) {
        study_hand_over(lead, &t->side[i].s);
        if (t->ways->tidy)
            t->ways->tidy(&t->side[i]);
    }
}

static void close_all(struct tree_study *t)
{
    for (unsigned i = 0; i < t->sides; i++) {
        study_close(&t->side[i].s);
        free(t->side[i].place);
        free(t->side[i].counts);
    }
    tree_order_fini(&t->order);
    free(t->row);
    free(t->side);
}

int tree_study_run(struct tree_study *t, const struct study_sink *sink, struct err *err)
{
    t->side = calloc(1 + t->common->more_targets, sizeof *t->side);
    if (!t->side)
        return err_set(err, -ENOMEM, "no memory for a study");
    int rc = begin(t, sink, err);
    if (rc == 0)
        rc = measure(t, err);
    rc = study_forgive(&t->side[0].s, rc, err);
    tidy(t, rc, err);
    if (rc == 0)
        study_ended(&t->side[0].s);
    close_all(t);
    return rc;
}
