#include "study/study_priv.h"

#include "clk/clk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* The first stop ends the measuring and what it made is removed; the second ends that too. */
struct removing {
    struct study *s;
    const char *side;
    uint64_t files;    /* that may be there; 0 unknown */
    uint64_t begun_ns; /* 0: the study goes on behind it, what it takes is known as a whole */
    atomic_int stop;
};

static uint64_t left_ns(const struct removing *r, uint64_t gone)
{
    if (r->begun_ns == 0)
        return r->s->gauge.left_ns;
    if (gone == 0 || gone >= r->files)
        return 0;
    double each_ns = (double)(clk_monotonic_ns() - r->begun_ns) / (double)gone;
    return (uint64_t)(each_ns * (double)(r->files - gone));
}

static void on_removed(void *ctx, const struct site_removed *so_far)
{
    struct removing *r = ctx;
    atomic_store(&r->stop, study_stop_asked(r->s, 2));
    char of[32] = "";
    if (so_far->files <= r->files)
        snprintf(of, sizeof of, " of %" PRIu64, r->files);
    study_say(r->s, left_ns(r, so_far->files), "%sremoving, %" PRIu64 "%s files", r->side,
              so_far->files, of);
}

static int remove_told(struct removing *r, const char *place, struct site_removed *removed,
                       struct err *err)
{
    return site_remove(r->s->site, &r->s->shape, place, removed, &r->stop, on_removed, r, err);
}

int study_remove(struct study *s, const char *side, const char *place, struct site_removed *removed,
                 struct err *err)
{
    struct removing r = {.s = s, .side = side, .files = fileset_spec_files(&s->shape.spec)};
    return remove_told(&r, place, removed, err);
}

static void leave_kept(struct study *s)
{
    char target[SITE_WORD_MAX];
    struct err err = {0};
    s->shape.kept = s->end != STUDY_INCOMPLETE;
    if (!s->shape.kept)
        study_warn(s,
                   "not complete, so " SITE_PREFIX "%s is left but not kept for reading; to remove "
                   "it: loadline clean %s",
                   s->shape.id, site_clean_word(s->common->target, target));
    else if (site_remark(s->site, &s->shape, &err) < 0)
        study_warn(s, SITE_PREFIX "%s cannot be marked as kept: %s", s->shape.id, err.text);
}

/* Someone kept it for a reason: only they take it away. */
static void leave_adopted(struct study *s)
{
    char target[SITE_WORD_MAX];
    if (!s->common->keep)
        study_warn(s,
                   SITE_PREFIX "%s was kept by an earlier --keep and stays; to remove it: "
                               "loadline clean %s --kept",
                   s->shape.id, site_clean_word(s->common->target, target));
}

static void remove_all(struct study *s, const char *side, unsigned places)
{
    char target[SITE_WORD_MAX];
    struct site_removed removed = {0};
    struct err err = {0};
    struct removing r = {.s = s,
                         .side = side,
                         .files = places * fileset_spec_files(&s->shape.spec),
                         .begun_ns = clk_monotonic_ns()};

    study_say(s, 0, "%sremoving, %" PRIu64 " files", side, r.files);
    if (remove_told(&r, NULL, &removed, &err) < 0 && !s->caps.keeps_no_data)
        study_warn(s, "not all is removed: %s; to go on: loadline clean %s", err.text,
                   site_clean_word(s->common->target, target));
}

void study_tidy(struct study *s, const char *side, unsigned places)
{
    char target[SITE_WORD_MAX];

    if (!s->on_site || s->caps.keeps_nothing)
        return;
    if (s->hangs.op && s->caps.keeps_no_data) /* gone with the process */
        return;
    if (s->hangs.op) {
        study_warn(s,
                   "an operation still hangs in " SITE_PREFIX
                   "%s, which is left; to remove it: loadline clean %s%s",
                   s->shape.id, site_clean_word(s->common->target, target),
                   s->adopted ? " --kept" : "");
        return;
    }
    if (s->adopted) {
        leave_adopted(s);
        return;
    }
    /* Without a result there is nothing to keep it for. */
    if (s->common->keep && s->runs > 0) {
        leave_kept(s);
        return;
    }
    remove_all(s, side, places);
}
